//! Conversion of DirectX .x documents to the model. Only this module knows the maths of .x.
//!
//! # Equations
//!
//! A file transforms row vectors, `v' = v * M`, with `M` written row by row. Read column by column (`from_cols_array`),
//! the same sixteen numbers are the map `A` with `A * v = (v * M)` for column vectors. So nothing is ever transposed,
//! and only products change their order: `world[j] = world[parent] * A[j]`.
//!
//! File space is left-handed with +Y up. Model space is right-handed with +Z up. `P` swaps y and z. It is a mirror and
//! its own inverse: `p_model = P * p_file`, exactly. Mirroring reverses the winding, so a face (a, b, c) becomes the
//! triangle (a, c, b).
//!
//! Each joint's own space may be mirrored too: `G[j]` is `P` or the identity, whichever keeps the joint's rest pose in
//! the model from mirroring:
//!
//! ```text
//! model[j]       = P * world[j] * G[j]            determinant > 0 at rest
//! local[j]       = G[parent]^-1 * A[j] * G[j]     with P instead of G[parent]^-1 at a root
//! inverse_bind   = G[b]^-1 * offset * Q^-1        offset: the bone's matrixOffset
//! position       = Q * v                          bind space
//! model[b] * inverse_bind * position = P * (world[b] * offset * v)
//! ```
//!
//! `G[j] = P` for most files. Blender's exporters write a root that swaps y and z. Below it the world is mirrored,
//! `G[j]` is the identity, and the file's numbers are the model's. `Q = P * world[b] * offset` at rest, for the bone
//! `b` with the most weight. So bind space is model space as that bone sees it, and the palette is the identity at rest
//! if all bones agree. For a mesh without skin, `b` is its frame and `offset` the identity.
//!
//! A rotation key `w x y z` is the conjugate of D3DX's quaternion and of the column-vector one: `q = (-x, -y, -z, w)`.
//! It is normalised here (XNA did not normalise, see docs/formats/x.md "Animation keys"; Irrlicht, for which many such
//! files were made, does). `A = T * R * S`; the keys replace the frame's matrix. The module `space` converts keys from
//! file to model space.

mod clip;
mod document;
mod files;
mod frames;
mod material;
mod mesh;
pub(crate) mod options;
mod space;

pub use clip::{ImportedClips, frame_rate, import_clips, ticks_of_file};
pub use document::{Imported, import};
pub use files::X_FILE;
pub use frames::Frames;
pub use mesh::{inside_out, is_mirrored};
pub use options::XImportOptions;
