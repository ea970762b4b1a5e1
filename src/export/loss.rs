//! Content that a format cannot represent.

use bindpose_core::budget::grouped;
use bindpose_core::diagnostic::cut;
use bindpose_core::model::{Mesh, Model};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Content of a model that the written file lacks or changes.
///
/// `Display` is one sentence without a full stop; serialised, `loss` names the kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "loss", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the sentence names the fields")]
pub enum Loss {
    /// Vertices had more influences than the file may have. The smallest were dropped, and the others divided by their
    /// sum.
    DroppedWeight {
        mesh: String,
        /// Number of vertices that lost influences.
        vertices: usize,
        /// Largest share of a vertex' weight that was dropped.
        most: f64,
        /// Largest displacement of such a vertex.
        moved: Displacement,
    },
    /// Weights did not sum to one, or some were negative. The file has them divided by their sum.
    WeightSum {
        mesh: String,
        vertices: usize,
        /// Largest displacement of such a vertex.
        moved: Displacement,
    },
    /// Influences imply different bind positions of a vertex. The file has their weighted mean.
    BindResidual {
        mesh: String,
        vertices: usize,
        /// Largest displacement of such a vertex.
        moved: Displacement,
    },
    /// Vertices without influences. They are bound to the first joint.
    Unbound { mesh: String, vertices: usize },
    /// Shear of joints, which translation, rotation and scale cannot represent.
    Shear {
        /// The clip; `None` for the rest pose.
        clip: Option<String>,
        /// The joint with the largest shear.
        joint: String,
        joints: usize,
        /// The largest shear, as a share of the joint's scale.
        most: f64,
    },
    /// A clip deviates from the original, at keys or between them.
    Motion {
        clip: String,
        /// Largest displacement of a vertex; without vertices, of a joint.
        moved: Displacement,
    },
    /// Positions were rounded to the steps that the format stores.
    Rounded {
        /// Bits of a coordinate.
        bits: u32,
        /// Largest displacement of a vertex.
        moved: Displacement,
    },
    /// A clip's length was rounded to whole frames.
    Length {
        clip: String,
        /// Length before, in seconds.
        was: f64,
        /// Length now, in seconds.
        is: f64,
    },
    /// Frames of the old model that no clip provides. They show the bind pose.
    MissingClip {
        /// Name of the first.
        first: String,
        /// Name of the last.
        last: String,
        frames: usize,
    },
    /// A clip has more or fewer frames than the old model. It was cut, or its last frame was repeated.
    OtherLength {
        clip: String,
        frames: usize,
        /// Number of frames in the old model.
        wanted: usize,
    },
    /// A clip that matches no frames of the old model.
    UnusedClip { clip: String },
    /// Keys at the same time, also after rounding. The last of them is kept.
    MergedKeys {
        clip: String,
        /// Number of keys dropped.
        keys: usize,
    },
    /// Vertices without a triangle.
    UnusedVertices { mesh: String, vertices: usize },
    /// Triangles with two equal corners.
    DegenerateTriangles { mesh: String, triangles: usize },
    /// Names that occurred twice, or that the format does not allow.
    Renamed {
        /// Noun, such as "joint" or "clip".
        what: &'static str,
        names: Vec<NewName>,
    },
    /// A frame rate was chosen, because the clip does not have an integer one.
    ChosenRate {
        clip: String,
        /// Frames per second.
        rate: f64,
        /// True if all keys are on its frames.
        hits_keys: bool,
    },
    /// A root was added above several roots, because engines expect a single one.
    AddedRoot { root: String, roots: Vec<String> },
    /// Scale of joints that influence no vertex was left out.
    IdleScale {
        clip: String,
        /// The first of them.
        joint: String,
        joints: usize,
    },
    /// Materials that their alpha would hide: it is 0, or less than 1 under an opaque image. They were made opaque.
    MadeOpaque {
        /// The first of them.
        material: String,
        alpha: f32,
        materials: usize,
    },
    /// Objects of a `.x` file that the file written from its model lacks, or has otherwise.
    Objects {
        /// Sentence with numbers: "not written: 2 EffectInstance".
        what: String,
    },
    /// Other content that is missing from the file.
    NotCarried {
        /// Description with numbers: "specular highlights of 3 materials".
        what: String,
    },
}

/// A name that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewName {
    /// The name in the source.
    pub from: String,
    /// The name in the written file.
    pub to: String,
}

/// A distance in units and relative to the model's size.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Displacement {
    /// In units of the model that was read.
    pub units: f64,
    /// As a share of the longest side of the model's bounding box.
    pub of_size: f64,
}

impl Displacement {
    /// Creates a displacement for a model of this size.
    pub(crate) fn new(units: f64, size: f64) -> Self {
        Self { units, of_size: if size > 0.0 { units / size } else { 0.0 } }
    }
}

/// Returns the longest side of a model's bounding box in the bind pose; 0 without vertices.
pub(crate) fn size_of(model: &Model) -> f64 {
    let bounds = model.meshes.iter().filter_map(Mesh::bounds);
    let whole = bounds.reduce(|(min, max), (low, high)| (min.min(low), max.max(high)));
    whole.map_or(0.0, |(min, max)| f64::from((max - min).max_element()))
}

impl fmt::Display for Displacement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Three significant digits: 6.29, 0.0273.
        let decimals = (2.0 - self.units.abs().log10().floor()).clamp(0.0, 9.0) as usize;
        write!(out, "{:.decimals$} units ({:.4}% of the model)", self.units, 100.0 * self.of_size)
    }
}

/// Largest number of names listed in a sentence.
const MOST_LISTED: usize = 8;
/// Longest name that is printed whole, in bytes.
const LONGEST_NAME: usize = 200;

/// A count and its noun: "1 vertex", "2,000 vertices".
struct Counted(usize, &'static str, &'static str);

impl fmt::Display for Counted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, one, many) = *self;
        write!(out, "{} {}", grouped(count), if count == 1 { one } else { many })
    }
}

impl Loss {
    /// Returns the changed names of this loss.
    pub fn new_names(&self) -> &[NewName] {
        match self {
            Self::Renamed { names, .. } => names,
            _ => &[],
        }
    }
}

impl fmt::Display for Loss {
    #[expect(clippy::too_many_lines, reason = "a sentence for each loss")]
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_vertices = |vertices: usize| Counted(vertices, "vertex", "vertices");
        match self {
            Self::DroppedWeight { mesh, vertices, most, moved } => write!(
                out,
                "influences of {} of mesh '{mesh}' were dropped, up to {:.2}% of the weight; this moves a vertex by up \
                 to {moved}",
                of_vertices(*vertices),
                100.0 * most
            ),
            Self::WeightSum { mesh, vertices, moved } => write!(
                out,
                "the weights of {} of mesh '{mesh}' did not sum to 1 and were divided by their sum; this moves a vertex \
                 by up to {moved}",
                of_vertices(*vertices)
            ),
            Self::BindResidual { mesh, vertices, moved } => write!(
                out,
                "the weights of {} of mesh '{mesh}' disagree about the bind pose; with the mean a vertex moves by up to \
                 {moved}",
                of_vertices(*vertices)
            ),
            Self::Unbound { mesh, vertices } => {
                let vertices = of_vertices(*vertices);
                write!(out, "{vertices} of mesh '{mesh}' without weights: bound to the first joint")
            }
            Self::Shear { clip, joint, joints, most } => {
                let joints = Counted(*joints, "joint", "joints");
                let share = 100.0 * most;
                write!(out, "the shear of {joints}, up to {share:.2}% at '{joint}', is left out of ")?;
                match clip {
                    Some(clip) => write!(out, "clip '{clip}'"),
                    None => out.write_str("the rest pose"),
                }
            }
            Self::Motion { clip, moved } => write!(out, "clip '{clip}' is off by up to {moved}"),
            Self::Rounded { bits, moved } => write!(out, "{bits}-bit positions move vertices by up to {moved}"),
            Self::Length { clip, was, is } => {
                write!(out, "clip '{clip}' lasts {is:.3} s instead of {was:.3} s, a whole number of frames")
            }
            Self::MissingClip { first, last, frames } => {
                let frames = Counted(*frames, "frame", "frames");
                write!(out, "no clip for {frames}, '{first}' to '{last}'; the bind pose is shown")
            }
            Self::OtherLength { clip, frames, wanted } => {
                let kept = if frames > wanted { "the rest is cut" } else { "the last one is held" };
                write!(out, "clip '{clip}' has {} for {wanted}; {kept}", Counted(*frames, "frame", "frames"))
            }
            Self::UnusedClip { clip } => write!(out, "clip '{clip}' is left out: no frames have its name"),
            Self::MergedKeys { clip, keys } => {
                let keys = Counted(*keys, "key", "keys");
                write!(out, "left out of clip '{clip}': {keys} at the time of another")
            }
            Self::UnusedVertices { mesh, vertices } => {
                write!(out, "left out of mesh '{mesh}': {} without a triangle", of_vertices(*vertices))
            }
            Self::DegenerateTriangles { mesh, triangles } => {
                let triangles = Counted(*triangles, "triangle", "triangles");
                write!(out, "left out of mesh '{mesh}': {triangles} with two equal corners")
            }
            Self::Renamed { what, names } => {
                write!(out, "{} renamed: {what} ", Counted(names.len(), "name was", "names were"))?;
                for (number, NewName { from, to }) in names.iter().take(MOST_LISTED).enumerate() {
                    let [from, to] = [from, to].map(|name| cut(name.clone(), LONGEST_NAME));
                    write!(out, "{}'{from}' to '{to}'", if number > 0 { ", " } else { "" })?;
                }
                match names.len().saturating_sub(MOST_LISTED) {
                    0 => Ok(()),
                    more => write!(out, " and {} more", grouped(more)),
                }
            }
            Self::ChosenRate { clip, rate, hits_keys: true } => {
                write!(out, "clip '{clip}' has no whole frame rate; {rate} frames per second hit all its keys")
            }
            Self::ChosenRate { clip, rate, hits_keys: false } => write!(
                out,
                "clip '{clip}' has no whole frame rate, and none hits all its keys; {rate} is used (--fps chooses)"
            ),
            Self::AddedRoot { root, roots } => write!(
                out,
                "the model has {} roots ('{}'); engines want one, so '{root}' is above all (--root names it)",
                roots.len(),
                roots[..roots.len().min(MOST_LISTED)].join("', '")
            ),
            Self::IdleScale { clip, joint, joints } => write!(
                out,
                "left out of clip '{clip}': the scale of {} without vertices, such as '{joint}'",
                Counted(*joints, "joint", "joints")
            ),
            Self::MadeOpaque { material, alpha, materials } => write!(
                out,
                "{} made opaque, such as '{material}', whose alpha is {alpha} (--alpha keep leaves it)",
                Counted(*materials, "material was", "materials were")
            ),
            Self::Objects { what } => out.write_str(what),
            Self::NotCarried { what } => write!(out, "the format cannot hold {what}"),
        }
    }
}
