//! Conversion of MD5 documents to the model. Only this module knows MD5's conventions.
//!
//! - A file quaternion (x, y, z) means the ordinary column-vector rotation `(x, y, z, -w)` with `w = sqrt(max(0, 1 - x²
//!   - y² - z²))`, then normalised (docs/formats/md5.md "Quaternions").
//! - Mesh joints are in model space, animation joints in their parent's space.
//! - Triangles are clockwise: corners (a, b, c) become (a, c, b).
//! - Axes, units and texture coordinates are the model's own: right-handed, +Z up, t down.

mod camera;
mod clip;
mod files;
mod mesh;
#[doc(hidden)]
pub mod rows;

pub use camera::import_camera;
pub use clip::{Difference, ImportedClip, import_clip, import_skeleton, played_rate};
pub use files::{ANIM_FILE, CAMERA_FILE, MESH_FILE, parse_error, repair_warning};
pub use mesh::{ImportedMesh, import_mesh, placed, summed};
pub use rows::{RootTranslation, rotation};
