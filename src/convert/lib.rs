//! Conversion of models: files become the files of another format, with edits, an engine's limits and the losses. The
//! program, the page and Python convert by this code.
//!
//! [`convert`] does all of it, in memory; [`Converted::write`] writes the files. Messages name the options of
//! `bindpose convert`, whose defaults are those of [`Options`].

#![forbid(unsafe_code)]

mod baked;
mod clips;
mod edits;
mod format;
mod formats;
mod helpers;
mod options;
#[cfg(feature = "clap")]
pub mod parse;
mod report;
mod subjects;
mod values;

pub use format::Format;
pub use helpers::Helpers;
pub use options::{Edits, Options};
pub use report::{ConvertReport, ReadWarning};
pub use values::{ENCODINGS, FrameRange, IMAGES, JoinedClips, NORMALS, Named, Renaming};

use bindpose_core::load::{LoadError, Loaded, load};
use bindpose_core::model::{Clip, Model, UnknownJoint};
use bindpose_core::skin::Skinning;
use bindpose_core::{read, write};
use bindpose_export::{Loss, NewName, file_name, own_frame_rate};
use edits::{edit, engine_rate};
use formats::Writer;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Display;
use std::io;
use std::mem::take;
use std::path::{Path, PathBuf};

/// Reason why a model is not converted.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The files became no model.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// An option names a joint that does not exist.
    #[error(transparent)]
    Joint(#[from] UnknownJoint),
    /// The model cannot be edited or written.
    #[error(transparent)]
    Export(#[from] bindpose_export::Error),
    /// An option does not fit the model or the format. The text is the whole message.
    #[error("{0}")]
    Option(String),
}

impl Error {
    /// Puts the name of an option, or what failed, before the text of an error.
    fn of<E: Display>(what: impl Display) -> impl FnOnce(E) -> Self {
        move |error| Self::Option(format!("{what}: {error}"))
    }
}

/// A model in another format.
#[derive(Debug, Default)]
pub struct Converted {
    /// The file that the output names, or would name, first in `files` unless only clips are written.
    pub path: PathBuf,
    /// Written files: paths and bytes.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// The edited model, and all that was loaded with it. `left_out` has the images, too, that were not found.
    pub loaded: Loaded,
    /// Content that the written files lack or change.
    pub losses: Vec<Loss>,
    /// Effects of the options that are no losses.
    pub notes: Vec<String>,
    /// New names of joints and clips, in the order of the changes.
    pub names: Vec<NewName>,
    /// Clips as they were written.
    pub clips: Vec<WrittenClip>,
}

/// A clip as it was written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WrittenClip {
    /// Name in the written files.
    pub name: String,
    /// Frames per second.
    pub fps: f64,
    /// Number of frames at that rate, including the last one.
    pub frames: u64,
    /// Frames per second in the source; `None` for clips that were cut, joined or added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_fps: Option<f64>,
}

impl Converted {
    /// Writes the files: the one that the user named, which may be a link, and those beside it. Without `replace`,
    /// writes all or none, and only if none of them exists.
    ///
    /// # Errors
    ///
    /// `AlreadyExists`, else the system's. The error contains the path.
    pub fn write(&self, replace: bool) -> io::Result<()> {
        let folder = &read::folder_of(&self.path);
        if replace {
            return self.files.iter().try_for_each(|(path, bytes)| {
                let checked = if *path == self.path { Ok(()) } else { write::check_below(path, folder) };
                let written = checked.and_then(|()| write::replace(path, |file| file.write_all(bytes)).map(drop));
                let cannot = |error: &io::Error| format!("cannot write {}: {error}", path.display());
                written.map_err(|error| io::Error::new(error.kind(), cannot(&error)))
            });
        }
        let known = self.files.iter().filter(|(path, _)| path.exists()).map(|(path, _)| path.display().to_string());
        match known.collect::<Vec<_>>().join(", ") {
            known if known.is_empty() => write::create_all(&self.files, folder),
            known => {
                let exists = format!("there is already {known}; --force replaces it");
                Err(io::Error::new(io::ErrorKind::AlreadyExists, exists))
            }
        }
    }
}

/// Converts a model and its clips. `output` is the file to write, or a folder for a file with the model's name. Nothing
/// is written yet.
///
/// # Errors
///
/// [`Error`]
pub fn convert(files: &[PathBuf], output: &Path, format: Format, options: &Options) -> Result<Converted, Error> {
    options.check(format, &[])?;
    convert_loaded(load(files, &options.load)?, files, output, format, options, |_| Ok(Skinning::default()))
}

/// Converts a model that was loaded from `files`, as [`convert`] does. `skinning` gets the edited model, and returns what
/// computes the vertices of OBJ.
///
/// # Errors
///
/// [`Error`]
pub fn convert_loaded(
    loaded: Loaded,
    files: &[PathBuf],
    output: &Path,
    format: Format,
    options: &Options,
    skinning: impl FnOnce(&Model) -> Result<Skinning, Error>,
) -> Result<Converted, Error> {
    let rate = |clip: &Clip| (clip.name.clone(), frame_rate(clip));
    // Of equal names the first counts.
    let rates: HashMap<String, f64> = loaded.model.clips.iter().rev().map(rate).collect();
    let mut made = Converted { loaded, ..Converted::default() };
    edit(&mut made, options, format)?;
    made.path = output_path(files, output, format, &made.loaded.model);
    let own = files.first().map(|file| (read::stem_of(file), output_stem(file)));
    if let Some((own, _)) = own.filter(|(own, stem)| own != stem && *stem == read::stem_of(&made.path)) {
        made.notes.push(format!("the file is {}, because Windows reserves the name '{own}'", made.path.display()));
    }
    let skinning = skinning(&made.loaded.model)?;
    let (mut notes, mut left_out) = (take(&mut made.notes), take(&mut made.loaded.left_out));
    let written = Writer::new(&made, files, options, format).write(skinning, &mut notes, &mut left_out)?;
    (made.notes, made.loaded.left_out) = (notes, left_out);
    made.losses.extend_from_slice(&written.losses);
    made.files = written.at(&made.path);
    if options.only_clips {
        made.files.remove(0);
    }
    made.names.extend(made.losses.iter().flat_map(Loss::new_names).cloned());
    let sources: HashMap<&str, &str> = made.names.iter().rev().map(|name| (&*name.to, &*name.from)).collect();
    let written = |clip: &Clip| {
        let fps = options.edits.fps.or(engine_rate(options, format)).unwrap_or_else(|| match format {
            Format::Md5 | Format::Iqm => own_frame_rate(clip),
            _ => frame_rate(clip),
        });
        let source_fps = rates.get(*sources.get(&*clip.name).unwrap_or(&&*clip.name)).copied();
        WrittenClip { name: clip.name.clone(), fps, frames: (clip.duration * fps).round() as u64 + 1, source_fps }
    };
    made.clips = made.loaded.model.clips.iter().map(written).collect();
    Ok(made)
}

/// Returns the frames per second of a clip.
fn frame_rate(clip: &Clip) -> f64 {
    clip.frame_rate.unwrap_or_else(|| own_frame_rate(clip))
}

/// True if the output is a file of the format, not a folder.
pub fn names_file(output: &Path, format: Format) -> bool {
    Format::of_extension(output) == Some(format) && !output.is_dir()
}

/// Returns the file to write: the output itself, or a file with the model's name in that folder.
fn output_path(files: &[PathBuf], output: &Path, format: Format, model: &Model) -> PathBuf {
    if names_file(output, format) {
        return output.to_owned();
    }
    let name = files.first().map_or_else(|| model.name.clone(), |file| output_stem(file));
    output.join(format!("{name}.{}", format.extension()))
}

/// Returns the name of a model's output without extension: the model's own, unless it is reserved on Windows.
pub fn output_stem(model: &Path) -> String {
    let stem = read::stem_of(model);
    if read::is_device(&stem) || stem.ends_with('.') { file_name(&stem) } else { stem }
}
