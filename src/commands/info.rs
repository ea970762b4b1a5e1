//! `bindpose info`

mod batches;
mod md5;
mod model;
mod size;
mod subject;
mod x;

use super::format_arg::FormatArg;
use super::load_args::{LoadArgs, locate};
use super::table::table;
use super::{Outcome, complete, print_json};
use anyhow::{Context, bail};
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::diagnostic::{Diagnostic, Escaped, SourceId, Sources};
use bindpose::game::entity::AppearanceError;
use bindpose::game::images::{GameImage, find_image};
use bindpose::game::{Decls, Looks, LooksFrom};
use bindpose::image_search::{
    ImageChoices, ImageFinder, ImageRole, ModelImages, SurfaceImage, SurfaceNames, rows_of_model,
};
use bindpose::import::{self, Contents, Format, ImportOptions, Importer};
use bindpose::left_out::LeftOut;
use bindpose::load::{self, GameCache, LoadOptions, Loaded, Subject};
use bindpose::model::surface::{ImageProgram, Lighting, Map, Surface};
use bindpose::read;
use bindpose::skin::Limits;
use bindpose::vfs::{Order, Vfs, folders_of};
use bindpose_parsers::counted;
use bindpose_parsers::decl::DeclKind;
use clap_complete::ArgValueCandidates;
use serde::Serialize;
use size::Size;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use subject::SubjectInfo;

/// Show the contents of files: counts, joints, meshes, clips
///
/// Prints tables of each file's contents, and the size at rest in the file's units. Every file is read by itself, so a
/// mesh and its clips do not need to match; `bindpose validate` checks this. Clips beside a mesh that the player leaves
/// out are listed with the reason. For an entity or model of a game, or for all of a .def file, prints mesh, skin, head,
/// channels, anims with their frame commands, and the files that define them. Repairs made while reading are printed to
/// stderr.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    bindpose info body.md5mesh\n  \
    bindpose info walker.x walk.x\n  \
    bindpose info body.md5mesh --batches --limits vs11\n  \
    bindpose info --base doom3/base --entity monster_zombie")]
pub struct Args {
    /// Files to describe (.md5mesh, .md5anim, .md5camera, .x, .gltf, .glb, .def)
    #[arg(required_unless_present_any = ["entity", "model"])]
    files: Vec<PathBuf>,
    #[command(flatten)]
    format: FormatArg,
    /// Read the files as one model and show the batches into which each skinning method splits each mesh, and their
    /// costs
    #[arg(long)]
    batches: bool,
    /// Limits of a machine for --batches: ffp2 (GeForce 256), vertex shaders vs11, vs20 or vs30, gl2 (128 registers, the
    /// least of OpenGL 2) or none (the same without the articles' own limits)
    #[arg(long, value_name = "LIMITS", default_value_t = Limits::default(), requires = "batches", add = ArgValueCandidates::new(complete::limits))]
    limits: Limits,
    #[command(flatten)]
    load: LoadArgs,
}

/// Prints the tables. The outcome is at fault if a file is.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    if args.batches {
        let Some(found) = batches::describe(args)? else { return Ok(Outcome::AtFault) };
        if args.format.is_json() {
            print_json(out, &found)?;
        } else {
            let shown = &found[..found.len().min(MOST_ROWS)];
            let left = found.len() - shown.len();
            write!(out, "{}{}", bindpose_compare::batches::table(shown).text(), and_more(left))?;
        }
        let refused = bindpose_compare::batches::refused(args.limits);
        if !refused.is_empty() {
            crate::tell!("note: {} cannot run {}; `bindpose methods` has the reasons", args.limits, refused.join(", "));
        }
        return Ok(Outcome::Fine);
    }
    let mut sources = Sources::default();
    let mut outcome = Outcome::Fine;
    let mut found = Vec::new();
    let choices = ImageChoices { skin: args.load.skin.clone(), ..ImageChoices::default() };
    let (game, memory) = (args.load.open_game()?, args.load.limit());
    let context = InfoContext { game, memory, choices, games: GameCache::default(), folders: ImageFinder::default() };
    if let Some(subject) = args.load.subject() {
        let decls = context.decls(&args.files).context("an entity or model needs its game: give --base")?;
        outcome = outcome.max(describe_subjects(&[subject], &context, &decls, &mut found)?);
    }
    let mut failures = Vec::new();
    for path in &locate(&args.files, context.game.as_deref()) {
        match describe_path(path, args, &context, &mut sources, &mut found) {
            Ok(of_path) => outcome = outcome.max(of_path),
            Err(error) => failures.push(error),
        }
    }
    if args.format.is_json() {
        print_json(out, &found)?;
    } else {
        let texts: Vec<String> = found.iter().map(Described::to_text).collect();
        write!(out, "{}", texts.join("\n"))?;
    }
    let last = failures.pop();
    failures.iter().for_each(super::tell_error);
    last.map_or(Ok(outcome), Err)
}

/// Describes a file, or what a `.def` file declares.
fn describe_path(
    path: &Path,
    args: &Args,
    context: &InfoContext,
    sources: &mut Sources,
    found: &mut Vec<Described>,
) -> anyhow::Result<Outcome> {
    let bytes = args.load.memory.read(path)?;
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("def")) {
        let decls = context.decls(&[path]);
        let decls = decls
            .with_context(|| format!("{} does not belong to a game; name the game with --base", path.display()))?;
        let subjects = subject::subjects_of(path, &decls);
        if subjects.is_empty() {
            bail!("{} declares neither an entity with a skeletal model nor a model", path.display());
        }
        return describe_subjects(&subjects, context, &decls, found);
    }
    if import::identify(path, &bytes).is_some_and(names_textures) {
        context.check_skin(context.decls(&[path]).as_deref(), Some(path))?;
    }
    match describe(path, bytes, context, sources) {
        Ok((mut info, warnings)) => {
            tell(&mut info, path, args, context, warnings, sources);
            let outcome = Outcome::of(&info.left_out);
            found.push(Described::File(Box::new(info)));
            Ok(outcome)
        }
        Err(error) => {
            super::print_diagnostics(&[*error], sources);
            Ok(Outcome::AtFault)
        }
    }
}

/// Describes entities and models of a game.
fn describe_subjects(
    subjects: &[Subject],
    context: &InfoContext,
    decls: &Decls,
    found: &mut Vec<Described>,
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Fine;
    let skin = context.choices.skin.as_deref();
    context.check_skin(Some(decls), None)?;
    for subject in subjects {
        let (info, faults) = subject::describe(subject, skin, decls, &Budget::new(context.memory))?;
        super::print_diagnostics(&faults, &decls.sources);
        if info.is_at_fault() {
            outcome = Outcome::AtFault;
        }
        found.push(Described::Subject(Box::new(info)));
    }
    Ok(outcome)
}

/// Description of a file, an entity or a model of a game.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Described {
    File(Box<FileInfo>),
    Subject(Box<SubjectInfo>),
}

impl Described {
    fn to_text(&self) -> String {
        match self {
            Self::File(info) => info.to_text(),
            Self::Subject(info) => info.to_text(),
        }
    }
}

/// Game, scripts and options that are common to all described files.
struct InfoContext {
    /// Game that the user named.
    game: Option<Arc<Vfs>>,
    memory: MemoryLimit,
    /// Images that replace those named by the files.
    choices: ImageChoices,
    games: GameCache,
    folders: ImageFinder,
}

impl InfoContext {
    /// Returns the game that the files belong to.
    fn game(&self, paths: &[impl AsRef<Path>]) -> Option<Arc<Vfs>> {
        self.game.clone().or_else(|| self.games.game_of(paths, Order::default()))
    }

    /// Returns the folders in which engines look for what belongs to a file.
    fn folders_of(&self, file: &Path) -> Vec<PathBuf> {
        folders_of(self.game(&[file]).as_deref(), file)
    }

    /// Returns the decls of the game that the files belong to.
    fn decls(&self, paths: &[impl AsRef<Path>]) -> Option<Arc<Decls>> {
        Some(self.games.decls(&self.game(paths)?, self.memory))
    }

    /// Checks that the requested skin belongs to the game, or is next to the model.
    fn check_skin(&self, decls: Option<&Decls>, model: Option<&Path>) -> anyhow::Result<()> {
        let Some(skin) = &self.choices.skin else { return Ok(()) };
        let is_its =
            |decls: &&Decls| [DeclKind::Skin, DeclKind::Material].iter().any(|kind| decls.place(*kind, skin).is_some());
        let decls = decls.filter(|decls| !decls.is_empty());
        if decls.as_ref().is_some_and(is_its) {
            return Ok(());
        }
        let beside = model.map(|model| load::find_skin(&self.folders_of(model), model, skin));
        match (decls, beside) {
            (_, Some(Ok(()))) => Ok(()),
            (Some(decls), _) => Err(AppearanceError::missing(decls, DeclKind::Skin, skin).into()),
            (None, beside) => Ok(beside.unwrap_or(Ok(()))?),
        }
    }
}

#[derive(Debug, Serialize)]
struct FileInfo {
    /// Path. Bytes that are not UTF-8 are replaced.
    file: String,
    format: &'static Importer,
    #[serde(flatten)]
    content: Content,
    /// Size at rest, for files with vertices.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<Size>,
    /// Clips beside a mesh, and parts of other models, that the player leaves out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOut>,
    /// Images of its textures or shaders.
    images: Vec<ImageInfo>,
    /// Scale in Cube 2, if a script of that game sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    cube2_scale: Option<ScaleInfo>,
    /// Joints that Cube 2 attaches something to, if a script of that game sets them.
    #[serde(skip_serializing_if = "Option::is_none")]
    cube2_tags: Option<TagsInfo>,
}

#[derive(Debug, Serialize)]
struct TagsInfo {
    /// Each joint, and its name in the game.
    tags: Vec<[String; 2]>,
    script: String,
}

#[derive(Debug, Serialize)]
struct ScaleInfo {
    /// Factor of the size; 1 for the model's own size.
    scale: f64,
    script: String,
}

#[derive(Debug, PartialEq, Serialize)]
struct ImageInfo {
    /// Name in the file; `None` for the image of a model that names none.
    name: Option<String>,
    /// Path; `None` if no file was found.
    path: Option<String>,
    /// Rule by which this file was found.
    rule: Option<String>,
    /// Role in the material, as in `--image`; `stage` for a stage that is not drawn, `word` for an unsupported keyword.
    role: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Content {
    Md5(md5::Md5Info),
    X(x::XInfo),
    Model(model::ModelInfo),
}

impl FileInfo {
    fn to_text(&self) -> String {
        let file = Escaped(&self.file).to_string();
        let mut text = match &self.content {
            Content::Md5(info) => info.to_text(&file),
            Content::X(info) => info.to_text(&file),
            Content::Model(info) => info.to_text(&file),
        };
        if let Some(size) = self.size {
            text += &format!("  {size}\n");
        }
        for left in &self.left_out {
            text += &format!("  {}\n", Escaped(left));
        }
        if let Some(ScaleInfo { scale, script }) = &self.cube2_scale {
            text += &format!("  Cube 2 shows it {scale} times as large: {}\n", Escaped(script));
        }
        if let Some(TagsInfo { tags, script }) = &self.cube2_tags {
            let tags: Vec<String> = tags.iter().map(|[joint, tag]| format!("{tag} on {joint}")).collect();
            text += &format!("  Cube 2 attaches {}: {}\n", shown_list(&tags), Escaped(script));
        }
        if self.images.is_empty() {
            return text;
        }
        let row = |image: &ImageInfo| {
            let mut name = image.name.as_deref().map_or_else(|| "(none)".to_owned(), shown);
            if image.role != ImageRole::Base.name() {
                name = format!("{name} {}", image.role);
            }
            let path = match (&image.path, image.role) {
                (Some(path), _) => shown(path),
                (None, "stage" | "word") => "none".to_owned(),
                (None, _) => "not found".to_owned(),
            };
            vec![name, path, image.rule.as_deref().map_or_else(String::new, shown)]
        };
        text + &short_table(&["texture", "image", "why"], self.images.iter().map(row))
    }
}

/// Prints the repairs of a file; of a mesh or a .x file, those of its model with the clips beside it. Adds the size of
/// this model, and what it or a repaired clip lacks. Other named files are described by themselves.
fn tell(
    info: &mut FileInfo,
    path: &Path,
    args: &Args,
    context: &InfoContext,
    warnings: Vec<Diagnostic>,
    sources: &mut Sources,
) {
    let is_sound = warnings.is_empty();
    if is_sound {
        // The file is read once more, and no line of the first text is printed.
        sources.free_bytes();
    }
    let print = |found: Vec<Diagnostic>, sources: &Sources| {
        let found: Vec<_> = found.into_iter().map(super::as_grave_as_validate_says).collect();
        super::print_diagnostics(&found, sources);
    };
    let import = ImportOptions { without_tangents: true, ..ImportOptions::default() };
    let options = LoadOptions { memory: context.memory, import, ..LoadOptions::with_clips() };
    let Some(Loaded { model, left_out, mut diagnostics, sources, .. }) =
        (names_textures(info.format) || !is_sound).then(|| load::load(&[path], &options).ok()).flatten()
    else {
        return print(warnings, sources);
    };
    let is_other = |file: &Path| file != path && args.files.iter().any(|named| named == file);
    info.size = Size::of_model(&model);
    info.left_out.extend(left_out);
    diagnostics.retain(|found| !found.primary.iter().any(|label| is_other(sources.path(label.source))));
    print(diagnostics, &sources);
}

/// Reads one file leniently. Repairs become warnings. Also returns the reason if it cannot be read.
fn describe(
    path: &Path,
    bytes: Vec<u8>,
    context: &InfoContext,
    sources: &mut Sources,
) -> Result<(FileInfo, Vec<Diagnostic>), Box<Diagnostic>> {
    let Some(format) = import::identify(path, &bytes) else {
        return Err(Box::new(load::unknown_format(sources.add(path, bytes), sources)));
    };
    let memory = context.memory;
    let (content, warnings) = match format.format {
        Format::Md5(Contents::Model) => read_md5(md5::mesh, path, bytes, sources),
        Format::Md5(Contents::Clip) => read_md5(md5::anim, path, bytes, sources),
        Format::Md5(Contents::Camera) => read_md5(md5::camera, path, bytes, sources),
        Format::X => x::describe(path, bytes, memory, sources),
        Format::Gltf | Format::Vertices => model::describe(path, bytes, memory, sources),
    }?;
    let (names, size, left_out) = match &content {
        Content::Md5(info) => (info.texture_names(), None, Vec::new()),
        Content::X(info) => (info.texture_names(), None, Vec::new()),
        Content::Model(info) => (Vec::new(), info.size, info.left_out.clone()),
    };
    let slots = if let Content::X(info) = &content { info.materials().max(1) } else { 1 };
    let images = if names_textures(format) { images(path, names, slots, context) } else { Vec::new() };
    let is_mesh = format.format == Format::Md5(Contents::Model);
    let cube2_scale = is_mesh.then(|| context.folders.cube2_scale(path)).flatten();
    let cube2_scale = cube2_scale.map(|(scale, script)| ScaleInfo { scale, script: script.display().to_string() });
    let cube2_tags = is_mesh.then(|| context.folders.cube2_tags(path)).flatten();
    let cube2_tags = cube2_tags.map(|(tags, script)| TagsInfo { tags, script: script.display().to_string() });
    Ok((
        FileInfo { file: path.display().to_string(), format, content, size, left_out, images, cube2_scale, cube2_tags },
        warnings,
    ))
}

/// Finds the images of a file's textures, each name once for each shader that a `.skin` gives to its meshes. A file
/// without names may have `slots` images.
fn images(path: &Path, names: Vec<&str>, slots: usize, context: &InfoContext) -> Vec<ImageInfo> {
    let folders = context.folders_of(path);
    let stem = read::stem_of(path);
    let searched = ModelImages { stem: &stem, folders: &folders, choices: &context.choices };
    let decls = context.decls(&[path]);
    let skin = context.choices.skin.as_deref().and_then(|skin| Some(decls.as_deref()?.skin(skin)?.1.decl));
    let mut known = HashSet::new();
    let image = |(slot, name): (usize, Option<&str>)| {
        let name = name.filter(|name| !name.is_empty());
        let worn = name.map(|name| skin.as_ref().and_then(|skin| skin.replace(name)).unwrap_or(name));
        if let Some(found) = decls.as_deref().zip(worn).and_then(|(decls, name)| of_material(decls, name)) {
            return found;
        }
        let mesh = format!("mesh {slot}");
        let known_as = [name.unwrap_or_default(), &mesh];
        let surface = SurfaceNames { name, known_as: &known_as, slot, is_plain: name.is_none() };
        let found = match searched.find(&context.folders, &surface) {
            SurfaceImage::Found(path, rule) => Some((path, rule)),
            SurfaceImage::Missing { .. } => None,
            SurfaceImage::NoImage => return Vec::new(),
        };
        let (path, rule) = found.map(|(path, rule)| (path.display().to_string(), rule.to_string())).unzip();
        let info =
            |path, rule, role: ImageRole| ImageInfo { name: name.map(str::to_owned), path, rule, role: role.name() };
        let layers = ImageRole::LAYERS.into_iter().filter_map(|role| {
            let layer = searched.layer_by_rules(&context.folders, &surface, role)?;
            Some(info(Some(layer.path.display().to_string()), Some(layer.rule.to_string()), role))
        });
        let left_out =
            searched.shader_of(&context.folders, &surface).map(|shader| shader.unsupported).unwrap_or_default();
        let left_out = left_out.into_iter().map(|word| ImageInfo {
            name: name.map(str::to_owned),
            path: None,
            rule: Some(format!("'{word}' is left out")),
            role: "word",
        });
        std::iter::once(info(path, rule, ImageRole::Base)).chain(layers).chain(left_out).collect()
    };
    // Some models name no image, although there is one for the whole model.
    let unnamed = if names.is_empty() { slots } else { 0 };
    let rows = rows_of_model(&context.folders, &folders, path, context.choices.skin.as_deref());
    let names = names.into_iter().enumerate();
    let names = names.filter(|(slot, name)| known.insert((*name, rows.get(*slot).map(|row| &row.shader))));
    let names = names.map(|(slot, name)| (slot, Some(name)));
    let mut images: Vec<ImageInfo> = names.chain((0..unnamed).map(|slot| (slot, None))).flat_map(image).collect();
    images.dedup();
    images
}

/// Returns the images of the material that a game declares under a name, the most important first, followed by the
/// stages that are not drawn.
fn of_material(decls: &Decls, name: &str) -> Option<Vec<ImageInfo>> {
    let Looks { surface, source: LooksFrom::Decl { place, .. } } = decls.looks(name) else { return None };
    let file = decls.sources.get(place.source);
    let line = file.position(place.name.start).line;
    let main = surface.main_image().map(ImageProgram::images).unwrap_or_default();
    let find = |image: &str| match find_image(decls.game(), image) {
        GameImage::Found { path, .. } => Some(path.display().to_string()),
        GameImage::Missing { .. } => None,
    };
    // Use the first side of a cube.
    let cube = || {
        surface.stages.iter().filter(|stage| Surface::undrawn_word(stage).is_none()).find_map(|stage| {
            match &stage.map {
                Some(Map::Cube(name, sides)) => find(&format!("{name}{}", sides.ends()[0])),
                Some(Map::Image(_)) | None => None,
            }
        })
    };
    let rule = format!("material at {}:{line}", file.path.display());
    let info = |path, rule, role| ImageInfo { name: Some(name.to_owned()), path, rule: Some(rule), role };
    let is_built_in = |image: &str| image.starts_with('_');
    let first = match main.first() {
        _ if !surface.is_drawn => info(None, format!("{rule}, which is not drawn"), "stage"),
        Some(image) if is_built_in(image) => info(None, format!("{rule}: the engine's {image}"), "stage"),
        Some(image) => info(find(image), rule, ImageRole::Base.name()),
        None => info(cube(), rule, ImageRole::Base.name()),
    };
    let mut known: HashSet<(&str, &str)> =
        main.first().map(|image| (*image, ImageRole::Base.name())).into_iter().collect();
    let mut others = Vec::new();
    for stage in surface.stages.iter().filter(|stage| Surface::undrawn_word(stage).is_none()) {
        let Some(Map::Image(program)) = &stage.map else { continue };
        let role = match stage.lighting {
            Lighting::Bump => ImageRole::Normal,
            Lighting::Specular => ImageRole::Specular,
            Lighting::Ambient | Lighting::Diffuse => ImageRole::Base,
        };
        for image in program.images().into_iter().filter(|image| !is_built_in(image)) {
            if known.insert((image, role.name())) {
                others.push(info(find(image), format!("'{program}' of the same material"), role.name()));
            }
        }
    }
    let undrawn = surface.stages.iter().filter_map(Surface::undrawn_word);
    let undrawn = undrawn.map(|word| info(None, format!("the stage with '{word}' is not drawn"), "stage"));
    let left_out = surface.left_out.iter().map(|word| info(None, format!("'{word}' is left out"), "word"));
    Some(std::iter::once(first).chain(others).chain(undrawn).chain(left_out).collect())
}

/// Content of a file with its repairs, or the reason why it cannot be read.
type Description = Result<(Content, Vec<Diagnostic>), Box<Diagnostic>>;

/// True if images are searched by the names in such a file. glTF contains its images or names their files.
fn names_textures(format: &Importer) -> bool {
    matches!(format.format, Format::Md5(Contents::Model) | Format::X)
}

fn read_md5(
    read: impl Fn(SourceId, &[u8]) -> md5::Described,
    path: &Path,
    bytes: Vec<u8>,
    sources: &mut Sources,
) -> Description {
    let source = sources.add(path, bytes);
    let (content, warnings) = read(source, &sources.get(source).bytes)?;
    Ok((Content::Md5(content), warnings))
}

fn plural(count: usize, noun: &str) -> String {
    counted(count, noun, &format!("{noun}s"))
}

/// Largest number of printed rows of a list; `--json` has all of them.
const MOST_ROWS: usize = 1000;
/// Largest number of printed characters of a name.
const MOST_CHARACTERS: usize = 100;
/// Formats a name from a file so that it is on one line and no longer than a line.
fn shown(name: &str) -> String {
    let Some((end, _)) = name.char_indices().nth(MOST_CHARACTERS) else { return Escaped(name).to_string() };
    format!("{}… ({} bytes)", Escaped(&name[..end]), name.len())
}

/// Joins the first names with commas.
fn shown_list(names: &[String]) -> String {
    const MOST: usize = 8;
    let mut text = names.iter().take(MOST).map(|name| shown(name)).collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text += &format!(" and {} more", names.len() - MOST);
    }
    text
}

/// Formats a table of the first rows, and the number of remaining rows.
fn short_table(heading: &[&str], rows: impl ExactSizeIterator<Item = Vec<String>>) -> String {
    let left = rows.len().saturating_sub(MOST_ROWS);
    table(heading, &rows.take(MOST_ROWS).collect::<Vec<_>>()) + &and_more(left)
}

fn and_more(left: usize) -> String {
    if left > 0 { format!("  and {left} more; --json lists them all\n") } else { String::new() }
}

/// Formats the joints in file order, each indented below its parent. A joint listed before its parent is shown as a
/// root.
fn joint_tree(joints: impl ExactSizeIterator<Item = (i64, String)>) -> String {
    let mut depths: Vec<usize> = Vec::new();
    let mut text = String::new();
    let left = joints.len().saturating_sub(MOST_ROWS);
    for (number, (parent, label)) in joints.take(MOST_ROWS).enumerate() {
        let depth = usize::try_from(parent).ok().and_then(|parent| depths.get(parent)).map_or(0, |depth| depth + 1);
        depths.push(depth);
        // The limit keeps deep chains readable, and the text of malicious files small.
        text += &format!("  {number:3} {}{label}\n", "  ".repeat(depth.min(40)));
    }
    text + &and_more(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_and_names_are_cut_and_counted() {
        let tree = joint_tree((0..1500_i32).map(|joint| (i64::from(joint) - 1, joint.to_string())));
        assert_eq!(tree.lines().count(), 1001);
        assert!(tree.ends_with("and 500 more; --json lists them all\n"), "{tree}");
        assert_eq!(shown(&"é".repeat(100)), "é".repeat(100));
        assert_eq!(shown(&"é".repeat(101)), format!("{}… (202 bytes)", "é".repeat(100)));
        assert_eq!(shown("a\nb\u{1b}"), r"a\u000ab\u001b");
        let names: Vec<String> = (0..9).map(|name| name.to_string()).collect();
        assert_eq!(shown_list(&names), "0, 1, 2, 3, 4, 5, 6, 7 and 1 more");
    }
}
