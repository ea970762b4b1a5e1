//! Conversion of animation sets to clips (docs/formats/x.md "Animation keys").

use super::frames::{FrameSpace, Frames, head};
use super::options::XImportOptions;
use super::space::{Crossing, decompose, file_affine, file_rotation};
use crate::budget::{Budget, grouped, product};
use crate::import::FRAME_RATES;
use crate::import::error::{ImportError, Warning};
use crate::left_out::Part;
use crate::model::{Clip, Interpolation, JointTracks, TimelineId, Timelines, Track, Transform};
use bindpose_parsers::Span;
use bindpose_parsers::x::{Animation, Document, KeyKind};
use glam::{DQuat, DVec3};
use std::collections::HashSet;

/// Ticks per second if the file does not set them: D3DX's default (docs/formats/x.md "Time").
pub const DEFAULT_TICKS_PER_SECOND: f64 = 4800.0;
/// Ticks per second of a file whose ticks are frames, as Blender-era exporters wrote them without declaring it.
const FRAMES_PER_SECOND: f64 = 24.0;
/// Shortest plausible duration in seconds. If the longest clip is shorter at the default rate, the ticks are frames.
const SHORTEST_CLIP: f64 = 0.1;
/// Largest shear of a matrix key that counts as rounding of decimals, as a fraction of its scale.
const SHEAR_TOLERANCE: f64 = 1e-4;

/// Clips for a skeleton, and the unit of time.
#[derive(Debug, Clone, Default)]
pub struct ImportedClips {
    /// One clip per animation set that moves a joint.
    pub clips: Vec<Clip>,
    /// Ticks per second used for the conversion to seconds.
    pub ticks_per_second: f64,
    /// Repairs and oddities.
    pub warnings: Vec<Warning>,
}

/// Imports the animation sets of a document for the frames of a model, matched by name.
///
/// The document may be the model's own or that of another file, whose frames matter only by name. A clip loops unless
/// the options of all its animations declare it open.
///
/// # Errors
///
/// [`ImportError`]: each clip has tracks for every joint, and many sets and frames may need more memory than `budget`
/// has.
pub fn import_clips(
    document: &Document<'_>,
    frames: &Frames,
    options: &XImportOptions,
    budget: &Budget,
) -> Result<ImportedClips, ImportError> {
    spend(document, frames, budget)?;
    let mut imported = ImportedClips::default();
    let ticks_per_second = ticks_per_second(document, options, &mut imported.warnings);
    imported.ticks_per_second = ticks_per_second;
    let sets =
        document.animation_sets.iter().map(|set| (set.name.as_ref(), &set.animations, head(set.span, "AnimationSet")));
    let loose = Some(&document.loose_animations).filter(|loose| !loose.is_empty());
    let loose =
        loose.map(|loose| (None, loose, loose.first().map_or(Span::default(), |first| head(first.span, "Animation"))));
    let mut nameless = 0;
    for (name, animations, span) in sets.chain(loose) {
        let name = name.map(|name| name.to_name()).filter(|name| !name.is_empty()).unwrap_or_else(|| {
            nameless += 1;
            if nameless == 1 { options.name.clone() } else { format!("{} {nameless}", options.name) }
        });
        let clip = clip(name, animations, frames, ticks_per_second, span, &mut imported.warnings);
        imported.clips.extend(clip);
    }
    let mut names = HashSet::new();
    for clip in &imported.clips {
        if !names.insert(&clip.name) {
            let message = format!("a second animation set called '{}'; its name leads to the first", clip.name);
            imported.warnings.push(Warning::new("XFI010", message, Span::default()));
        }
    }
    Ok(imported)
}

/// Charges the tracks of all joints in all clips.
fn spend(document: &Document<'_>, frames: &Frames, budget: &Budget) -> Result<(), ImportError> {
    let moving = document.animation_sets.iter().filter(|set| moves(&set.animations, frames)).count();
    let joints = frames.frames.len();
    let what = || format!("{} animation sets for {} frames", grouped(moving), grouped(joints));
    let bytes = product([moving, joints, size_of::<JointTracks>()]);
    let last = document.animation_sets.last().map_or(Span::default(), |set| head(set.span, "AnimationSet"));
    budget.spend(bytes, what).map_err(|error| ImportError::new(error, last))
}

/// True if animations have keys for any of the frames.
fn moves(animations: &[Animation<'_>], frames: &Frames) -> bool {
    let target = |animation: &Animation<'_>| {
        animation.target.as_ref().is_some_and(|target| frames.by_name.contains_key(&*target.name.bytes))
    };
    animations.iter().any(|animation| has_keys(animation) && target(animation))
}

fn has_keys(animation: &Animation<'_>) -> bool {
    animation.keys.iter().any(|keys| !keys.times.is_empty())
}

/// Ticks per second: the user's choice, else those of the file.
fn ticks_per_second(document: &Document<'_>, options: &XImportOptions, warnings: &mut Vec<Warning>) -> f64 {
    if let Some(chosen) = options.ticks_per_second.filter(|&chosen| chosen > 0.0 && chosen.is_finite()) {
        return chosen;
    }
    let (ticks, guess) = ticks_of_file(document);
    warnings.extend(guess.map(|message| {
        let span = document.animation_sets.first().map_or(Span::default(), |set| head(set.span, "AnimationSet"));
        Warning::new("XFI011", message, span)
    }));
    ticks
}

/// Returns the ticks per second of a file: its last value, else D3DX's default, unless the ticks are evidently frames.
/// The reason of such a guess comes with it.
pub fn ticks_of_file(document: &Document<'_>) -> (f64, Option<String>) {
    if let Some(written) = document.ticks_per_second.last() {
        return (if written.value > 0 { written.value as f64 } else { DEFAULT_TICKS_PER_SECOND }, None);
    }
    let longest = document.animation_sets.iter().map(|set| set.period()).fold(0.0, f64::max);
    if longest > 0.0 && longest / DEFAULT_TICKS_PER_SECOND < SHORTEST_CLIP {
        let seconds = longest / DEFAULT_TICKS_PER_SECOND;
        let message = format!(
            "no AnimTicksPerSecond: at D3DX's 4800 the longest clip would last {seconds:.3} s, so that ticks are \
             taken for frames, {FRAMES_PER_SECOND} a second"
        );
        return (FRAMES_PER_SECOND, Some(message));
    }
    (DEFAULT_TICKS_PER_SECOND, None)
}

/// Converts an animation set. Returns `None` if it moves no joint.
fn clip(
    name: String,
    animations: &[Animation<'_>],
    frames: &Frames,
    ticks_per_second: f64,
    span: Span,
    warnings: &mut Vec<Warning>,
) -> Option<Clip> {
    let mut builder = Builder { ticks_per_second, timelines: Timelines::default(), bad_rotations: 0 };
    let moves = moves(animations, frames);
    let mut joints = vec![JointTracks::default(); if moves { frames.frames.len() } else { 0 }];
    let mut strangers: Vec<String> = Vec::new();
    let mut looping = false;
    for animation in animations.iter().filter(|animation| has_keys(animation)) {
        looping |= !animation.is_open();
        let Some(target) = &animation.target else { continue };
        let Some(joint) = frames.by_name.get(&*target.name.bytes) else {
            strangers.push(target.name.to_name());
            continue;
        };
        let frame = &frames.frames[joint.index()];
        joints[joint.index()] = builder.tracks(animation, frame, frames.crossing(frame));
    }
    if let (Some(first), true) = (strangers.first(), moves) {
        let message = format!("{} animations of the clip '{name}' move frames that are not there", strangers.len());
        warnings.push(Warning::new("XFI012", message, span).leaving_out(Part::Track, first));
    }
    if builder.bad_rotations > 0 {
        let message =
            format!("{} rotation keys of '{name}' have zero length; treated as identity", builder.bad_rotations);
        warnings.push(Warning::new("XFI013", message, span));
    }
    if !moves {
        warnings.push(Warning::new("XFI014", "it moves no frame of the model", span).leaving_out(Part::Clip, &name));
        return None;
    }
    let times = animations.iter().flat_map(|animation| &animation.keys).flat_map(|keys| &keys.times);
    Some(Clip {
        name,
        duration: times.copied().fold(0.0, f64::max) / ticks_per_second,
        frame_rate: frame_rate(animations, ticks_per_second),
        looping,
        timelines: builder.timelines.list,
        joints,
    })
}

/// Returns the rate, in frames per second, at which all keys fall on frames. Returns `None` if that is not a usual rate.
pub fn frame_rate(animations: &[Animation<'_>], ticks_per_second: f64) -> Option<f64> {
    let mut step = 0_u64;
    for &time in animations.iter().flat_map(|animation| &animation.keys).flat_map(|keys| &keys.times) {
        if time < 0.0 || time.fract() != 0.0 || time > 9e15 {
            return None;
        }
        step = greatest_common_divisor(step, time as u64);
    }
    Some(ticks_per_second / step as f64).filter(|rate| step > 0 && FRAME_RATES.contains(rate))
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

struct Builder {
    ticks_per_second: f64,
    timelines: Timelines,
    bad_rotations: usize,
}

impl Builder {
    fn tracks(&mut self, animation: &Animation<'_>, frame: &FrameSpace, crossing: Crossing) -> JointTracks {
        if let Some(keys) = self.track(animation, KeyKind::Matrix, |_, values| {
            Transform::from_affine(crossing.affine(&file_affine(&values)))
        }) {
            // Matrix keys take precedence over other keys.
            let is_sheared = keys.values.iter().any(is_sheared);
            let between = if is_sheared { Interpolation::Elements } else { Interpolation::Parts };
            return JointTracks::Whole { keys, between };
        }
        let translation =
            self.track(animation, KeyKind::Position, |_, [x, y, z]| crossing.translation(DVec3::new(x, y, z)));
        let rotation = self.track(animation, KeyKind::Rotation, |builder, values| {
            let rotation = file_rotation(values).unwrap_or_else(|| {
                builder.bad_rotations += 1;
                DQuat::IDENTITY
            });
            crossing.rotation(rotation)
        });
        let scale = self.track(animation, KeyKind::Scale, |_, [x, y, z]| crossing.scale(DVec3::new(x, y, z)));
        if !crossing.mirrors() {
            return JointTracks::Parts { translation, rotation, scale };
        }
        // The parts of a mirroring matrix depend on each other. So the model's rest pose, decomposed in model space,
        // does not fit keys decomposed in file space.
        let (rest_translation, rest_rotation, rest_scale) = decompose(&frame.local);
        let timeline = self.timelines.of(&[0.0]);
        JointTracks::Parts {
            translation: translation.or_else(|| constant(timeline, crossing.translation(rest_translation))),
            rotation: rotation.or_else(|| constant(timeline, crossing.rotation(rest_rotation))),
            scale: scale.or_else(|| constant(timeline, crossing.scale(rest_scale))),
        }
    }

    /// Merges all keys of one kind, sorted by time. Returns `None` if there are none.
    fn track<T, const N: usize>(
        &mut self,
        animation: &Animation<'_>,
        kind: KeyKind,
        mut value: impl FnMut(&mut Self, [f64; N]) -> T,
    ) -> Option<Track<T>> {
        let lists = animation.keys.iter().filter(|keys| keys.kind == kind);
        let mut keys: Vec<(f64, [f64; N])> = Vec::new();
        for list in lists {
            keys.extend(list.times.iter().copied().zip(list.values.vectors().iter()));
        }
        if keys.is_empty() {
            return None;
        }
        keys.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let times: Vec<f64> = keys.iter().map(|(time, _)| time / self.ticks_per_second).collect();
        let timeline = self.timelines.of(&times);
        Some(Track { timeline, values: keys.into_iter().map(|(_, values)| value(self, values)).collect() })
    }
}

fn constant<T>(timeline: TimelineId, value: T) -> Option<Track<T>> {
    Some(Track { timeline, values: vec![value] })
}

/// True if a key has more shear than rounding of decimals explains.
fn is_sheared(key: &Transform) -> bool {
    key.shear.abs().max_element() > SHEAR_TOLERANCE * key.scale.abs().max_element()
}
