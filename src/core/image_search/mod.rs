//! Images of models: found by the names in files, by the rules of games, or as the user chooses.
//!
//! One search serves player, `render`, `convert`, `info` and `validate`.

mod choices;
mod cube2;
mod finder;
mod listing;
mod luanti;
mod name;
mod rules;
mod shaders;
mod skins;

pub use choices::{ChosenImage, ImageChoices, ImageRole};
pub use finder::{FoundImage, ImageFinder, ImageSearch};
pub use listing::{ANCESTORS, EXTENSIONS};
pub use name::FoundAs;
pub use rules::{ImageRule, Layer, ModelImages, SurfaceImage, SurfaceNames};
pub use shaders::{Shader, SkinRow, shaders, skin_rows};
pub use skins::{find_skin_file, has_shader, rows_of_model, skin_names};

pub(crate) use cube2::Anim;
