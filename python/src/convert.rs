//! Conversion to files of other formats.

use crate::errors;
use crate::model::Paths;
use crate::threads::detached;
use bindpose::convert::{
    self, ConvertReport, Edits, Error, Format, FrameRange, Helpers, JoinedClips, Named, Options, Renaming,
};
use bindpose::image_search::ImageChoices;
use bindpose::load::LoadOptions;
use bindpose::model::axis_named;
use bindpose::validate::profiles::Profile;
use pyo3::exceptions::{PyFileExistsError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io::ErrorKind;
use std::path::PathBuf;

/// The keyword arguments of `bindpose.convert`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Arguments {
    format: Option<String>,
    profile: Option<String>,
    find_clips: bool,
    overwrite: bool,
    scale: Option<f64>,
    front: Option<String>,
    up: Option<String>,
    keep_axes: bool,
    influences: Option<usize>,
    fps: Option<f64>,
    keep_frames: bool,
    clip_fps: Vec<(String, f64)>,
    trim: bool,
    in_place: Option<String>,
    close_loops: bool,
    clips: Option<Vec<String>>,
    cut: Vec<(String, Cut)>,
    join: Vec<(String, Vec<String>)>,
    clip_names: Option<String>,
    rest_clip: bool,
    rename: Vec<(String, String)>,
    names_from: Option<PathBuf>,
    order_from: Option<PathBuf>,
    helpers: Vec<(String, usize)>,
    bake_scale: bool,
    normals: Option<String>,
    keep_alpha: bool,
    root: Option<String>,
    weld: bool,
    only_clips: bool,
    frames_from: Option<PathBuf>,
    frame_groups: Vec<(String, String)>,
    palette: Option<PathBuf>,
    fullbright: bool,
    grouped: bool,
    tags: Vec<(String, String)>,
    specular: bool,
    images: String,
    textures: Vec<PathBuf>,
    encoding: Option<String>,
    time: Option<f64>,
    report: Option<PathBuf>,
}

/// Frames to cut, of the only clip or of a named one.
#[derive(FromPyObject)]
enum Cut {
    Only(usize, usize),
    Of(String, usize, usize),
}

fn wrong(message: impl ToString) -> PyErr {
    PyValueError::new_err(message.to_string())
}

/// Returns the value with this name.
fn named<T: Copy, const N: usize>(name: &str, values: Named<T, N>) -> PyResult<T> {
    let found = values.iter().find(|(known, ..)| *known == name).map(|&(.., value)| value);
    let known = values.map(|(name, ..)| name).join(", ");
    found.ok_or_else(|| wrong(format!("'{name}' is none of {known}")))
}

/// Refuses numbers that are not positive.
fn positive(name: &str, number: f64) -> PyResult<f64> {
    let is_positive = number.is_finite() && number > 0.0;
    if is_positive { Ok(number) } else { Err(wrong(format!("{name}={number}: expected a positive number"))) }
}

impl Arguments {
    fn format(&self, out: &std::path::Path) -> PyResult<Format> {
        match &self.format {
            Some(name) => Format::named(name).ok_or_else(|| {
                wrong(format!("no format is called '{name}'; known are {}", Format::ALL.map(Format::name).join(", ")))
            }),
            None => Format::of_extension(out).ok_or_else(|| {
                wrong(format!(
                    "cannot tell the format of {}: give a file of a known extension, or format=",
                    out.display()
                ))
            }),
        }
    }

    fn options(self) -> PyResult<Options> {
        let axis = |name: Option<String>| name.map(|name| axis_named(&name).map_err(wrong)).transpose();
        let cut = |(name, cut)| match cut {
            Cut::Only(first, last) => FrameRange { name, clip: None, first, last },
            Cut::Of(clip, first, last) => FrameRange { name, clip: Some(clip), first, last },
        };
        let profile = |name: String| {
            let unknown = || wrong(format!("no engine is called '{name}'; bindpose.engines() lists them"));
            Profile::find(&name).ok_or_else(unknown)
        };
        let rate = |(clip, rate)| Ok((clip, positive("clip_fps", rate)?));
        let rename = |(from, to)| format!("{from}={to}").parse::<Renaming>().map_err(wrong);
        let patterns = self.rename.into_iter().map(rename).collect::<PyResult<Vec<_>>>()?;
        let edits = Edits {
            scale: self.scale.map(|scale| positive("scale", scale)).transpose()?,
            front: axis(self.front)?,
            up: axis(self.up)?,
            fps: self.fps.map(|fps| positive("fps", fps)).transpose()?,
            keep_frames: self.keep_frames,
            clip_fps: self.clip_fps.into_iter().map(rate).collect::<PyResult<_>>()?,
            trim: self.trim,
            in_place: self.in_place,
            close_loops: self.close_loops,
            no_clips: self.clips.as_ref().is_some_and(Vec::is_empty),
            clip: self.clips.unwrap_or_default(),
            clips: self.cut.into_iter().map(cut).collect(),
            join_clips: self.join.into_iter().map(|(name, clips)| JoinedClips { name, clips }).collect(),
            clip_names: self.clip_names,
            rest_clip: self.rest_clip,
            rename: self.names_from.map(Renaming::Report).into_iter().chain(patterns).collect(),
            order_from: self.order_from,
            helpers: self.helpers.into_iter().map(|(joint, count)| Helpers { joint, count }).collect(),
            bake_scale: self.bake_scale,
            normals: self.normals.map(|name| named(&name, convert::NORMALS)).transpose()?,
            ..Edits::default()
        };
        if let Some(folder) = self.textures.iter().find(|folder| !folder.is_dir()) {
            return Err(wrong(format!("textures: {} is not a folder", folder.display())));
        }
        let mut load = LoadOptions::default();
        load.clips.find = self.find_clips && !edits.no_clips;
        Ok(Options {
            load,
            chosen_images: ImageChoices { folders: self.textures, ..ImageChoices::default() },
            profile: self.profile.map(profile).transpose()?,
            edits,
            keep_axes: self.keep_axes,
            influences: self.influences,
            keep_alpha: self.keep_alpha,
            root: self.root,
            no_weld: !self.weld,
            only_clips: self.only_clips,
            frames_from: self.frames_from,
            map: self.frame_groups,
            palette: self.palette,
            fullbright: self.fullbright,
            grouped: self.grouped,
            tag: self.tags,
            specular: self.specular,
            images: named(&self.images, convert::IMAGES)?,
            encoding: self.encoding.map(|name| named(&name, convert::ENCODINGS)).transpose()?,
            time: self.time,
            ..Options::default()
        })
    }
}

/// Convert a model and its clips. Use `bindpose.convert`.
#[pyfunction]
pub fn convert_files<'py>(
    py: Python<'py>,
    paths: Paths,
    out: PathBuf,
    arguments: Arguments,
) -> PyResult<Bound<'py, PyAny>> {
    let paths = paths.list();
    let (format, overwrite) = (arguments.format(&out)?, arguments.overwrite);
    let report = arguments.report.clone();
    let options = arguments.options()?;
    let converted = detached(py, || convert::convert(&paths, &out, format, &options)).map_err(|error| match error {
        Error::Load(error) => errors::load(py, &error),
        error => errors::plain(py, "ConvertError", error),
    })?;
    detached(py, || converted.write(overwrite)).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            PyFileExistsError::new_err(error.to_string().replace("--force replaces", "overwrite=True replaces"))
        }
        _ => PyOSError::new_err(error.to_string()),
    })?;
    let clips = converted
        .clips
        .iter()
        .map(|clip| errors::class(py, "WrittenClip")?.call1((&clip.name, clip.fps, clip.frames, clip.source_fps)));
    let read = converted.loaded.left_out.iter().map(ToString::to_string);
    let losses = read.chain(converted.losses.iter().map(ToString::to_string)).collect::<Vec<_>>();
    let fields = PyDict::new(py);
    fields.set_item("files", converted.files.iter().map(|(path, _)| path).collect::<Vec<_>>())?;
    fields.set_item("losses", losses)?;
    fields.set_item("notes", &converted.notes)?;
    fields.set_item("names", converted.names.iter().map(|name| (&name.from, &name.to)).collect::<Vec<_>>())?;
    fields.set_item("clips", clips.collect::<PyResult<Vec<_>>>()?)?;
    let result = errors::class(py, "Conversion")?.call((), Some(&fields));
    if let Some(path) = report {
        let json =
            detached(py, || Ok(serde_json::to_vec_pretty(&ConvertReport::new(converted, format, &options, true)?)?));
        json.and_then(|json| std::fs::write(&path, json)).map_err(|error| errors::system(&path, &error))?;
    }
    result
}
