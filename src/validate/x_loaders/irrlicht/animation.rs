//! Animation sets, which share one timeline.

use super::channels::{Channel, EXACT, POSITION, ROTATION, SCALE, length};
use super::objects::Objects;
use crate::codes::x as rules;
use crate::verdict::Fallible;
use bindpose_parsers::Span;

/// Times of an animation's keys until its frame is known.
#[derive(Default)]
struct Keys {
    /// Kind, time and span.
    times: Vec<(usize, f32, Span)>,
    has_matrices: bool,
    first: Option<Span>,
}

impl<'a> Objects<'a, '_> {
    pub fn animation_set(&mut self) -> Fallible<()> {
        self.open("No opening brace in Animation Set found in x file")?;
        self.sets += 1;
        loop {
            self.keep(1);
            let name = self.tokens.token()?;
            match name {
                b"" => return self.unexpected_end("Animation set in x file."),
                b"}" => return Ok(()),
                b"Animation" => self.animation()?,
                _ => self.skip_unknown(name, "animation set in x file")?,
            }
        }
    }

    fn animation(&mut self) -> Fallible<()> {
        self.open("No opening brace in Animation found in x file")?;
        let mut keys = Keys::default();
        let mut target: &'a [u8] = b"";
        loop {
            let name = self.tokens.token()?;
            match name {
                b"" => return self.unexpected_end("Animation in x file."),
                b"}" => break,
                b"AnimationKey" => self.animation_key(&mut keys)?,
                b"AnimationOptions" => self.skip_object()?,
                b"{" => {
                    target = self.tokens.token()?;
                    if !self.tokens.closing_brace()? {
                        let span = self.tokens.last;
                        return self.fault_at(rules::SYNTAX, span, "Unexpected ending found in Animation in x file.");
                    }
                }
                _ => self.skip_unknown(name, "animation in x file")?,
            }
        }
        match target {
            b"" => self.log(rules::NO_TARGET, "joint name was never given".to_owned()),
            _ => self.append(target, keys),
        }
        Ok(())
    }

    /// Appends keys to those of a joint. A key that is not later than the last one is dropped.
    fn append(&mut self, target: &'a [u8], keys: Keys) {
        let joint = self.joint_named(target);
        let set = self.sets;
        let Some(joint) = self.joints.get_mut(joint) else { return };
        joint.channels.has_matrices |= keys.has_matrices;
        if let Some(first) = keys.first.filter(|_| joint.channels.span == Span::default()) {
            joint.channels.span = first;
        }
        for (kind, time, span) in keys.times {
            let Some(channel) = joint.channels.channels.get_mut(kind) else { continue };
            let Some(last) = channel.last else {
                *channel = Channel { last: Some(time), set };
                continue;
            };
            if time > last {
                channel.last = Some(time);
            } else if time < last && channel.set != set {
                self.verdict.add_misread(rules::ONE_TIMELINE, span, || {
                    format!("all sets are one timeline, which is at {last} already: this set's keys from {time} on are not played")
                });
            } else if time < last {
                self.verdict.add_misread(rules::KEY_TIMES_FALL, span, || {
                    format!("the key at {time} is not played: it comes after the one at {last}")
                });
            }
        }
    }

    fn animation_key(&mut self, keys: &mut Keys) -> Fallible<()> {
        self.open("No opening brace in Animation Key found in x file")?;
        keys.first.get_or_insert(self.tokens.last);
        let kind = self.tokens.int()?;
        if kind > 4 {
            return self.fault(rules::KEY_TYPE, "Unknown key type found in Animation Key in x file");
        }
        let count = self.tokens.int()?;
        if count == 0 {
            self.tokens.semicolon()?;
        }
        for _ in 0..count {
            let before = self.tokens.at;
            self.key(kind as usize, keys)?;
            if self.tokens.at <= before {
                break;
            }
        }
        if !self.tokens.semicolon()? {
            self.tokens.step_back();
        }
        self.close("No closing brace in animation key in x file")
    }

    fn key(&mut self, kind: usize, keys: &mut Keys) -> Fallible<()> {
        let time = self.tokens.int()? as f32;
        let span = self.tokens.last;
        if self.tokens.is_negative() && time > 0.0 {
            self.verdict.add_misread(rules::INTEGER_RANGE, span, || {
                format!("the time is read as {time}, and the keys behind it are not played")
            });
        }
        let wanted = match kind {
            ROTATION => 4,
            SCALE | POSITION => 3,
            _ => 16,
        };
        if self.tokens.int()? != wanted {
            return self.fault(rules::KEY_VALUES, &format!("Expected {wanted} numbers in animation key in x file"));
        }
        let found = match kind {
            ROTATION => {
                self.tokens.floats::<4>()?;
                self.tokens.two_semicolons()?
            }
            SCALE | POSITION => {
                self.tokens.floats::<3>()?;
                self.tokens.two_semicolons()?
            }
            _ => {
                let matrix = self.tokens.matrix()?;
                self.check_scale(&matrix, span);
                self.tokens.semicolon()?
            }
        };
        let kinds: &[usize] = if wanted == 16 { &[ROTATION, POSITION] } else { &[kind] };
        keys.times.extend(kinds.iter().map(|&kind| (kind, time, span)));
        keys.has_matrices |= wanted == 16;
        let what = ["quaternion", "vector", "vector"].get(kind).unwrap_or(&"matrix");
        self.expect(found, &format!("No finishing semicolon after {what} animation key in x file"));
        Ok(())
    }

    /// Reports scale in a matrix key: only translation and rotation are kept.
    fn check_scale(&mut self, matrix: &[f32; 16], span: Span) {
        let [a0, a1, a2, _, b0, b1, b2, _, c0, c1, c2, ..] = *matrix;
        let lengths = [[a0, a1, a2], [b0, b1, b2], [c0, c1, c2]].map(length);
        if let Some(scale) = lengths.into_iter().find(|length| (length - 1.0).abs() > 10.0 * EXACT) {
            self.verdict.add_misread(rules::MATRIX_SCALE, span, || {
                format!("a scale of {scale} in a matrix key is dropped: the frame keeps its size")
            });
        }
    }
}
