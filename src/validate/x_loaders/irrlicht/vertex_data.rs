//! Skins, and vertex data in 32-bit words.

use super::model::{Mesh, Weight};
use super::objects::Objects;
use super::{Program, check_memory, crash};
use crate::codes::x as rules;
use crate::verdict::Fallible;
use bindpose_parsers::Span;

/// Difference between offset matrices from which a skin is displaced.
const OFFSET: f32 = 1e-3;

/// Size in bytes of each type in a vertex declaration.
const SIZES: [u16; 17] = [4, 8, 12, 16, 4, 4, 4, 8, 4, 4, 8, 4, 8, 4, 4, 4, 8];

impl<'a> Objects<'a, '_> {
    pub fn decl_data(&mut self, mesh: &Mesh) -> Fallible<()> {
        self.open("No starting brace in DeclData found.")?;
        let (mut size, mut needed) = (0_u16, [None; 3]);
        let elements = self.tokens.int()?;
        for _ in 0..elements {
            let at = self.tokens.at;
            let [kind, _, usage, index] = self.ints()?;
            let slot = match (usage, index) {
                (3, _) => Some((0, 2, 12)),
                (5, 0) => Some((1, 1, 8)),
                (5, 1) => Some((2, 1, 8)),
                _ => None,
            };
            if let Some((slot, wanted, width)) = slot
                && let Some(needed) = needed.get_mut(slot)
            {
                *needed = (kind == wanted).then(|| u64::from(size) + width);
            }
            size = size.wrapping_add(SIZES.get(kind as usize).copied().unwrap_or(0));
            if self.tokens.at <= at {
                break;
            }
        }
        let needed = needed.into_iter().flatten().max();
        let (words, span) = self.words()?;
        self.semicolons(1, "No finishing semicolon in DeclData found.")?;
        self.close("No closing brace in DeclData.")?;
        self.check_words(mesh, words, span, u64::from(size), needed)
    }

    pub fn fvf_data(&mut self, mesh: &Mesh) -> Fallible<()> {
        self.open("No starting brace in FVFData found.")?;
        let format = self.tokens.int()?;
        let (words, span) = self.words()?;
        if format & 0x102 != 0 {
            self.check_words(mesh, words, span, u64::from(format >> 8 & 15) * 8, Some(8))?;
        }
        self.semicolons(1, "No finishing semicolon in FVFData found.")?;
        self.close("No closing brace in FVFData found in x file")
    }

    fn ints<const N: usize>(&mut self) -> Fallible<[u32; N]> {
        let mut found = [0; N];
        for value in &mut found {
            *value = self.tokens.int()?;
        }
        Ok(found)
    }

    /// Reads counted words. Returns their number and the span of the count.
    fn words(&mut self) -> Fallible<(u32, Span)> {
        let count = self.tokens.int()?;
        let span = self.tokens.last;
        check_memory(&self.tokens, count, 4)?;
        self.tokens.repeat(count, |tokens, _| tokens.int().map(drop))?;
        Ok((count, span))
    }

    /// Reports missing words of the last vertex, for which memory after them is read.
    fn check_words(&mut self, mesh: &Mesh, words: u32, span: Span, size: u64, needed: Option<u64>) -> Fallible<()> {
        let Some(needed) = needed.filter(|_| mesh.vertices > 0) else { return Ok(()) };
        let end = u64::from(mesh.vertices - 1) * size + needed;
        if end <= u64::from(words) * 4 {
            return Ok(());
        }
        if self.program == Program::Luanti516 {
            self.verdict.add_undefined(rules::VERTEX_DATA_SIZE, span, || {
                "there are fewer words than the vertices need, and the rest is read from other memory".to_owned()
            });
            return Ok(());
        }
        crash(
            rules::VERTEX_DATA_SIZE,
            span,
            "there are fewer words than the vertices need, and memory behind them is read",
        )
    }

    pub fn skin_header(&mut self) -> Fallible<()> {
        self.open("No opening brace in Skin Mesh header found in .x file")?;
        self.ints::<3>()?;
        if !self.tokens.is_binary {
            self.tokens.token()?;
        }
        self.close("No closing brace in skin mesh header in x file")
    }

    pub fn skin_weights(&mut self, mesh: &mut Mesh) -> Fallible<()> {
        self.open("No opening brace in Skin Weights found in .x file")?;
        let Some(name) = self.tokens.string()? else {
            let typo = if self.program == Program::Irrlicht { "transfrom" } else { "transform" };
            let message = format!("Unknown syntax while reading {typo} node name string in .x file");
            return self.fault(rules::STRING_END, &message);
        };
        let span = self.tokens.last;
        let joint = self.joint_named(name);
        let count = self.tokens.int()?;
        check_memory(&self.tokens, count, 12)?;
        let (mut vertices, mut strengths) = (Vec::new(), Vec::new());
        self.tokens.repeat(count, |tokens, _| {
            vertices.push(tokens.int()?);
            Ok(())
        })?;
        self.tokens.repeat(count, |tokens, _| {
            strengths.push(tokens.float()?);
            Ok(())
        })?;
        let weights = vertices.into_iter().zip(strengths);
        mesh.weights.extend(weights.map(|(vertex, strength)| Weight { vertex, strength, span }));
        let offset = self.tokens.matrix()?;
        self.set_offset(joint, offset, span);
        self.semicolons(1, "No finishing semicolon in Skin Weights found in x file")?;
        self.keep(2);
        self.close("No closing brace in Skin Weights found in x file")
    }

    /// Sets a bone's offset: it has one for all meshes, the last one.
    fn set_offset(&mut self, joint: usize, offset: [f32; 16], span: Span) {
        let Some(joint) = self.joints.get_mut(joint) else { return };
        let differs = |known: [f32; 16]| known.iter().zip(offset).any(|(a, b)| (a - b).abs() > OFFSET);
        if joint.offset.replace(offset).is_some_and(differs) {
            let name = joint.name;
            self.verdict.add_misread(rules::BONE_OFFSETS, span, || {
                let name = String::from_utf8_lossy(name);
                format!("'{name}' has this offset for all meshes: those before it are shown elsewhere")
            });
        }
    }
}
