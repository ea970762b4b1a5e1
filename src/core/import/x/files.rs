//! `.x` files as one model: the first with a mesh, and the clips of the others.

use super::clip::import_clips;
use super::document::{Imported, import};
use super::options::XImportOptions;
use crate::diagnostic::{Diagnostic, Severity, SourceId, Sources};
use crate::engines::{FormatFamily, XPlayback, XReading};
use crate::import::FRAME_RATES;
use crate::import::importer::{Contents, Format, ImportFailure, ImportJob, Importer, InputFile, second_model};
use crate::import::loaded::Loaded;
use crate::left_out::{FoundBy, LeftOut, Part};
use crate::model::Model;
use crate::model::surface::Sides;
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, Document, Parsed, Reading, Unpacked};
use std::borrow::Cow;
use std::sync::Arc;

/// DirectX .x in any encoding.
pub static X_FILE: Importer = Importer {
    format: Format::X,
    name: "x",
    title: "DirectX .x",
    family: "DirectX .x",
    extensions: &["x"],
    mime: Some("model/x-directx"),
    contents: Contents::Model,
    sniff: |head| head.starts_with(b"xof "),
    import: import_files,
};

/// Header of a file whose unpacked bytes are in the sources.
struct Header {
    encoding: x::Encoding,
    version: [u8; 4],
    body: usize,
    /// Reading of the engine that plays the file.
    reading: XReading,
}

/// Imports the first file with a mesh, else the first file. The others contribute their clips.
fn import_files(files: &[InputFile], job: &ImportJob<'_>, loaded: &mut Loaded) -> Result<(), ImportFailure> {
    let (headers, mut broken) = unpack_all(files, job, loaded);
    let Loaded { sources, diagnostics, left_out, .. } = loaded;
    let engine = job.playback.engine.filter(|engine| engine.x.is_some());
    let playback = engine.and_then(|engine| engine.x);
    let unpacked: Vec<Unpacked<'_>> = headers
        .iter()
        .map(|&(file, Header { encoding, version, body, ref reading })| {
            let bytes = reading.bytes(&sources.get(file.source).bytes, encoding.format);
            Unpacked { encoding, version, bytes, body, warnings: Vec::new() }
        })
        .collect();
    let mut documents: Vec<(&InputFile, Document<'_>)> = Vec::with_capacity(files.len());
    for (&(file, ref header), unpacked) in headers.iter().zip(&unpacked) {
        match parse(unpacked, &header.reading, playback) {
            Ok((document, warnings)) => {
                tell_repairs(&warnings, (file.source, sources), diagnostics, left_out);
                documents.push((file, document));
            }
            Err(error) => broken.push((file, at_fault(&error, file.source))),
        }
    }
    let main = documents.iter().position(|(_, document)| !document.mesh_uses.is_empty());
    // Without another mesh, a broken file may be that of the mesh.
    if main.is_none() && !broken.is_empty() {
        return Err(broken.swap_remove(0).1.into());
    }
    let options = |file: &InputFile, document: &Document<'_>| {
        let of_engine = playback.map(|playback| playback.ticks_per_second(document));
        let ticks_per_second = job.options.ticks_per_second.or(of_engine);
        XImportOptions { name: file.name.clone(), ticks_per_second, without_tangents: job.options.without_tangents }
    };
    let (file, document) = documents.remove(main.unwrap_or(0));
    let file_options = options(file, &document);
    let Imported { mut model, frames, ticks_per_second, warnings } =
        import(document, &file_options, job.budget).map_err(|error| error.into_diagnostic(file.source))?;
    let mut found = vec![(warnings, file.source)];
    loaded.own_clips = model.clips.len();
    loaded.ticks_per_second = (loaded.own_clips > 0).then_some(ticks_per_second);
    for (file, document) in documents {
        if document.animation_sets.is_empty() && document.loose_animations.is_empty() {
            return Err(second_model(sources, file.source));
        }
        let clips = import_clips(&document, &frames, &options(file, &document), job.budget)
            .map_err(|error| error.into_diagnostic(file.source))?;
        if clips.clips.is_empty() {
            let reason = "none of its clips moves a frame of the model";
            let reason = Diagnostic::new("XFI014", Severity::Error, reason, file.source, Span::default());
            broken.push((file, reason));
            continue;
        }
        model.clips.extend(clips.clips);
        loaded.ticks_per_second.get_or_insert(clips.ticks_per_second);
        found.push((clips.warnings, file.source));
    }
    if engine.is_some() {
        play_as_engines(&mut model, loaded.ticks_per_second);
    }
    (loaded.model, loaded.format, loaded.engine) = (Arc::new(model), Some(FormatFamily::X), engine);
    found.into_iter().for_each(|(warnings, source)| loaded.warn(warnings, source));
    broken.into_iter().for_each(|(file, reason)| loaded.leave_out_clip(&file.name, reason));
    Ok(())
}

/// Sets what all engines of `.x` files do with them.
fn play_as_engines(model: &mut Model, ticks_per_second: Option<f64>) {
    // A frame is a tick, unless ticks are too short to be counted as frames.
    if let Some(rate) = ticks_per_second.filter(|rate| rate <= FRAME_RATES.end()) {
        model.clips.iter_mut().for_each(|clip| clip.frame_rate = Some(rate));
    }
    // The backs of triangles are culled, which shows where a mesh is inside out.
    model.materials.iter_mut().for_each(|material| material.sides = Sides::Front);
}

/// Reads a file, or what an engine reads of it. Its tree is large and not kept.
fn parse<'a>(
    unpacked: &'a Unpacked<'_>,
    reading: &XReading,
    playback: Option<XPlayback>,
) -> Result<(Document<'a>, Vec<x::Warning>), x::Error> {
    let Parsed { mut document, warnings, .. } = x::parse(unpacked, Reading::Lenient)?;
    if let Some(playback) = playback {
        reading.apply(&mut document);
        playback.hold(&mut document);
    }
    Ok((document, warnings))
}

/// Files, each with something found in it.
type Found<'f, T> = Vec<(&'f InputFile, T)>;

/// Returns the headers of files, and those without one with the reason.
fn unpack_all<'f>(
    files: &'f [InputFile],
    job: &ImportJob<'_>,
    loaded: &mut Loaded,
) -> (Found<'f, Header>, Found<'f, Diagnostic>) {
    let (mut headers, mut broken) = (Vec::with_capacity(files.len()), Vec::new());
    for file in files {
        match unpack(file.source, job, loaded) {
            Ok(header) => headers.push((file, header)),
            Err(error) => broken.push((file, at_fault(&error, file.source))),
        }
    }
    (headers, broken)
}

/// Reads the header, and replaces a compressed source by its unpacked bytes.
fn unpack(source: SourceId, job: &ImportJob<'_>, loaded: &mut Loaded) -> Result<Header, x::Error> {
    let Unpacked { encoding, version, bytes, body, warnings } =
        job.budget.limit().unpack(&loaded.sources.get(source).bytes)?;
    loaded.diagnostics.extend(warnings.iter().map(|warning| repair(warning, source)));
    let engine = job.playback.engine.filter(|engine| engine.x.is_some()).zip(job.playback.reads_x);
    let disk = &loaded.sources.get(source).bytes;
    let reading = engine.map_or_else(XReading::default, |(engine, reads_x)| reads_x(engine, disk, &bytes));
    if let Cow::Owned(unpacked) = bytes {
        loaded.sources.set_unpacked(source, unpacked);
    }
    Ok(Header { encoding, version, body, reading })
}

fn at_fault(error: &x::Error, source: SourceId) -> Diagnostic {
    Diagnostic::new(error.kind.code(), Severity::Error, error.to_string(), source, error.span)
}

fn repair(warning: &x::Warning, source: SourceId) -> Diagnostic {
    let times = if warning.times > 1 { format!(" ({} times)", warning.times) } else { String::new() };
    let message = format!("{}{times}", warning.kind);
    Diagnostic::new(warning.kind.code(), Severity::Warning, message, source, warning.span)
}

/// Adds the parser's repairs, and the parts that it could not read.
fn tell_repairs(
    warnings: &[x::Warning],
    (source, sources): (SourceId, &Sources),
    diagnostics: &mut Vec<Diagnostic>,
    left_out: &mut Vec<LeftOut>,
) {
    for warning in warnings {
        let found = repair(warning, source);
        match warning.kind.is_loss() {
            true => left_out.push(LeftOut::new(Part::Unread, "", found, FoundBy::Importer, sources)),
            false => diagnostics.push(found),
        }
    }
}
