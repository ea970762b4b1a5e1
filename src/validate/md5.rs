//! MD5 files that are checked together: read, followed through the engines' loaders, paired.

use super::codes::{Code, Group, Rule, anim, pair, shared};
use super::finding::{FileIndex, Finding, Findings, Place, Said};
use super::left_out::leaves_out_outlined;
use super::loaders::LoadedMesh;
use super::outline::Outline;
use super::profiles::{Doom3, Effect, FormatFamily, Loader, PROFILES, Profile, fact};
use super::unit::{Judgement, Kind, PairReport};
use super::verdict::{Outcome, Verdict};
use super::{Options, checks, doom3, loaders, neighbours, pairs, quake};
use bindpose_core::budget::Budget;
use bindpose_core::game::Decls;
use bindpose_core::image_search::ImageFinder;
use bindpose_core::import::md5::{ImportedMesh, Options as ImportOptions, import_mesh};
use bindpose_core::read::is_file;
use bindpose_parsers::md5::{self, AnimFile, FileKind, MeshFile};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::OnceLock;

/// A file's bytes and what is known of it before it is read.
pub(super) struct Bytes<'a> {
    pub file: FileIndex,
    pub path: &'a Path,
    pub kind: FileKind,
    pub bytes: &'a [u8],
}

/// What a file was read as.
enum Document<'a> {
    Mesh(MeshFile<'a>),
    /// The joints of a mesh file that cannot be read to its end: enough to compare clips with.
    Joints(MeshFile<'a>),
    Anim(AnimFile<'a>),
    Camera,
    None,
}

/// A file after the checks that need no other file.
struct Checked<'a> {
    file: FileIndex,
    /// As engines print it.
    name: String,
    /// Whether a clip of its name lies beside a mesh; it may be none of the files that are checked.
    has_clip_beside: bool,
    outline: Outline<'a>,
    stem: String,
    kind: FileKind,
    document: Document<'a>,
    /// What Doom 3's loader made of it.
    doom3: doom3::Loaded<'a>,
    /// The same for those of its family for which it differs.
    family: Vec<(Doom3, doom3::Loaded<'a>)>,
    findings: Findings,
    /// What the engines made of it whose loaders take a mesh and a clip together.
    followed: Vec<Followed>,
}

/// What an engine made of a model, and the finding, perhaps in the model's other file, that says why it refuses.
struct Followed {
    loader: Loader,
    verdict: Verdict,
    code: Option<&'static Code>,
}

impl<'a> Checked<'a> {
    /// What a loader of Doom 3's kind made of the file.
    fn loaded(&self, engine: Doom3) -> &doom3::Loaded<'a> {
        loaded_by(&self.doom3, &self.family, engine)
    }
}

fn loaded_by<'r, 'a>(
    doom3: &'r doom3::Loaded<'a>,
    family: &'r [(Doom3, doom3::Loaded<'a>)],
    engine: Doom3,
) -> &'r doom3::Loaded<'a> {
    family.iter().find(|(known, _)| *known == engine).map_or(doom3, |(_, loaded)| loaded)
}

/// The outcome for one file.
pub(super) struct Outcomes {
    pub file: FileIndex,
    pub findings: Vec<Finding>,
    pub judgements: Vec<Judgement>,
}

/// What is known around the files.
pub(super) struct Around<'a> {
    /// What is checked.
    pub options: &'a Options,
    pub images: &'a ImageFinder,
    /// The decls of the game that the files are of.
    pub game: Option<&'a Decls>,
}

/// Checks files, each alone and clips on their meshes.
pub(super) fn check(files: &[Bytes], around: &Around, budget: &Budget) -> (Vec<Outcomes>, Vec<PairReport>) {
    let mut checked: Vec<Checked> = files.par_iter().map(|file| read(file, around.options, budget)).collect();
    look_at_neighbours(&mut checked, files, around);
    let (pairs, reports) = compare(&checked, around.options.together);
    let mut meshes_of = HashMap::new();
    pairs.iter().for_each(|pair| *meshes_of.entry(pair.anim).or_insert(0) += 1);
    for (pair, mut findings) in pairs.iter().zip(compare_all(&checked, &pairs, around.options, budget)) {
        if meshes_of.get(&pair.anim).is_some_and(|&count| count > 1) {
            let mesh = checked.get(pair.mesh).map_or("", |mesh| &mesh.name);
            for finding in &mut findings {
                finding.note(format!("compared with {mesh}"));
            }
        }
        if let Some(anim) = checked.get_mut(pair.anim) {
            anim.findings.extend(findings);
        }
    }
    check_rates(&mut checked, &pairs);
    follow_doom3(&mut checked, &pairs);
    follow_models(&mut checked, &pairs);
    let outcomes = checked.into_par_iter().map(judge).collect();
    (outcomes, reports)
}

fn look_at_neighbours(checked: &mut [Checked], files: &[Bytes], around: &Around) {
    let clips: HashSet<String> =
        checked.iter().filter(|file| file.kind == FileKind::Anim).map(|file| file.stem.to_lowercase()).collect();
    checked.par_iter_mut().zip(files).for_each(|(file, input)| {
        let has_clip = clips.contains(&file.stem.to_lowercase());
        match &file.document {
            Document::Mesh(mesh) => neighbours::check_mesh(input.path, mesh, has_clip, around, &mut file.findings),
            Document::Anim(anim) => neighbours::check_anim(input.path, anim, &mut file.findings),
            // Where the file goes wrong its shaders are not known.
            Document::Joints(_) | Document::Camera | Document::None => {}
        }
    });
}

/// Positions in the list of checked files.
struct Pair {
    mesh: usize,
    anim: usize,
}

fn read<'a>(input: &Bytes<'a>, options: &Options, budget: &Budget) -> Checked<'a> {
    let bytes = input.bytes;
    let group = match input.kind {
        FileKind::Mesh => Group::Mesh,
        FileKind::Anim => Group::Anim,
        FileKind::Camera => Group::Camera,
    };
    let mut findings = Findings::new(group);
    let outline = Outline::new(bytes);
    checks::text::check(&outline, &mut findings);
    let document = match input.kind {
        FileKind::Mesh => take(bytes, md5::parse_mesh(bytes), input.kind, &mut findings).map_or_else(
            || joints_of(bytes).map_or(Document::None, Document::Joints),
            |file| {
                checks::mesh::check(&file, bytes, budget, &mut findings);
                Document::Mesh(file)
            },
        ),
        FileKind::Anim => {
            take(bytes, md5::parse_anim(bytes), input.kind, &mut findings).map_or(Document::None, |file| {
                checks::anim::check(&file, bytes, &mut findings);
                checks::motion::check(&file, bytes, budget, &mut findings);
                if let Some(contract) = &options.motion {
                    let name = input.path.file_stem().unwrap_or_default().to_string_lossy();
                    checks::movement::check(&file, &name, contract, budget, &mut findings);
                }
                Document::Anim(file)
            })
        }
        FileKind::Camera => {
            take(bytes, md5::parse_camera(bytes), input.kind, &mut findings).map_or(Document::None, |file| {
                checks::camera::check(&file, &mut findings);
                Document::Camera
            })
        }
    };
    let doom3 = doom3::load(Doom3::Original, input.kind, &outline);
    let family = doom3_engines()
        .filter(|&(_, engine)| doom3.differs_in(engine))
        .map(|(_, engine)| (engine, doom3::load(engine, input.kind, &outline)))
        .collect();
    Checked {
        file: input.file,
        name: input.path.display().to_string(),
        has_clip_beside: is_file(input.path) && is_file(&input.path.with_extension("md5anim")),
        outline,
        stem: input.path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
        kind: input.kind,
        document,
        doom3,
        family,
        findings,
        followed: Vec::new(),
    }
}

/// A mesh file up to the end of its joints, which stand where they do in the file.
fn joints_of<'a>(bytes: &[u8]) -> Option<MeshFile<'a>> {
    // `numJoints` holds the word, too.
    let word = bytes.windows(6).position(|word| word.eq_ignore_ascii_case(b"joints"))?;
    let open = word + bytes.get(word..)?.iter().position(|&byte| byte == b'{')?;
    let end = open + bytes.get(open..)?.iter().position(|&byte| byte == b'}')?;
    let mut text = bytes.get(..=end)?.to_vec();
    text.extend(b" mesh { shader \"\" numverts 0 numtris 0 numweights 0 }");
    let MeshFile { version, num_joints, num_meshes, joints, .. } = md5::parse_mesh(&text).ok()?.document;
    let owned = |joint: md5::Joint| md5::Joint {
        name: md5::Text { bytes: joint.name.bytes.into_owned().into(), span: joint.name.span },
        parent: joint.parent,
        position: joint.position,
        rotation: joint.rotation,
        span: joint.span,
    };
    let joints: Vec<_> = joints.into_iter().map(owned).collect();
    let file = MeshFile { version, command_line: None, num_joints, num_meshes, joints, meshes: Vec::new() };
    (!file.joints.is_empty()).then_some(file)
}

/// The document, its parser's warnings or error taken over.
fn take<T>(
    bytes: &[u8],
    result: Result<md5::Parsed<T>, md5::Error>,
    kind: FileKind,
    findings: &mut Findings,
) -> Option<T> {
    match result {
        Ok(parsed) => {
            checks::parsed::warnings(bytes, &parsed.warnings, kind, findings);
            Some(parsed.document)
        }
        Err(error) => {
            checks::parsed::error(bytes, &error, kind, findings);
            None
        }
    }
}

fn compare(checked: &[Checked], together: bool) -> (Vec<Pair>, Vec<PairReport>) {
    let mut meshes = Vec::new();
    let mut anims = Vec::new();
    for (at, file) in checked.iter().enumerate() {
        match &file.document {
            Document::Mesh(mesh) | Document::Joints(mesh) => {
                meshes.push(pairs::Candidate::mesh(at, file.stem.clone(), mesh));
            }
            Document::Anim(anim) => anims.push(pairs::Candidate::anim(at, file.stem.clone(), anim)),
            Document::Camera | Document::None => {}
        }
    }
    let mut found = Vec::new();
    let mut reports = Vec::new();
    for (mesh, anim) in pairs::find(&meshes, &anims, together) {
        let (Some(mesh), Some(anim)) = (meshes.get(mesh), anims.get(anim)) else { continue };
        let file = |at: usize| checked.get(at).map_or(0, |file| file.file);
        reports.push(PairReport { mesh: file(mesh.file), anim: file(anim.file) });
        found.push(Pair { mesh: mesh.file, anim: anim.file });
    }
    (found, reports)
}

/// The findings of every pair, in order.
fn compare_all(checked: &[Checked], pairs: &[Pair], options: &Options, budget: &Budget) -> Vec<Vec<Finding>> {
    // Made of a mesh when its first clip is compared with it.
    let models: Vec<OnceLock<Option<ImportedMesh>>> = checked.iter().map(|_| OnceLock::new()).collect();
    let compare = |pair: &Pair| {
        let mut findings = Findings::new(Group::Anim);
        if let (Some(mesh), Some(anim), Some(model)) =
            (checked.get(pair.mesh), checked.get(pair.anim), models.get(pair.mesh))
            && let (Document::Mesh(mesh_file) | Document::Joints(mesh_file), Document::Anim(anim_file)) =
                (&mesh.document, &anim.document)
        {
            let files = pairs::Files { mesh: mesh_file, mesh_file: mesh.file, anim: anim_file };
            let is_whole = matches!(mesh.document, Document::Mesh(_));
            if pairs::check(&files, &mut findings) && is_whole {
                let model = model.get_or_init(|| import_mesh(mesh_file, &ImportOptions::default(), budget).ok());
                let pair = checks::pair::Pair {
                    mesh: mesh_file,
                    mesh_file: mesh.file,
                    names: [&mesh.name, &anim.name],
                    model: model.as_ref(),
                    anim: anim_file,
                };
                checks::pair::check(&pair, budget, &mut findings);
                if let Some(engine) = options.engine {
                    let left_out = leaves_out_outlined(engine, &mesh.outline, &anim.outline);
                    checks::playback::check(&pair, engine, left_out, budget, &mut findings);
                }
            }
        }
        findings.finish(pair.anim)
    };
    pairs.par_iter().map(compare).collect()
}

/// A clip's file, its frames per second, and where they stand.
type Rate = (usize, f64, bindpose_parsers::Span);

/// Clips of one mesh with different rates.
fn check_rates(checked: &mut [Checked], pairs: &[Pair]) {
    let mut by_mesh: BTreeMap<usize, Vec<Rate>> = BTreeMap::new();
    for pair in pairs {
        let Some(Document::Anim(anim)) = checked.get(pair.anim).map(|file| &file.document) else { continue };
        by_mesh.entry(pair.mesh).or_default().push((pair.anim, anim.frame_rate, anim.frame_rate_span));
    }
    let mut told = HashSet::new();
    for entries in by_mesh.into_values() {
        let rates: Vec<f64> = entries.iter().map(|&(_, rate, _)| rate).collect();
        let Some(usual) = pairs::usual_rate(&rates) else { continue };
        for (anim, rate, span) in entries.into_iter().filter(|&(_, rate, _)| rate != usual) {
            // A clip of several meshes is told once.
            if let Some(anim) = checked.get_mut(anim).filter(|_| told.insert(anim)) {
                anim.findings.add(pair::RATES_DIFFER, span, || {
                    format!("the frame rate is {rate}, but most clips of this mesh have {usual}")
                });
            }
        }
    }
}

/// Files that an engine loads in one go, as positions, and the file that the verdict is about.
#[derive(Clone, Copy)]
struct Run {
    mesh: Option<usize>,
    anim: Option<usize>,
    about: usize,
}

/// What an engine said of a run: verdicts on its files, and the one that counts for the file that it is about.
struct Answer {
    profile: &'static Profile,
    /// Positions of files with what was said of each.
    said: Vec<(usize, Verdict)>,
    verdict: Verdict,
}

/// Follows the engines that load a mesh with the clip of its name through every mesh, and through every clip with its
/// mesh.
fn follow_models(checked: &mut [Checked], pairs: &[Pair]) {
    let all = &*checked;
    let mut clip_named: HashMap<String, usize> = HashMap::new();
    for (at, clip) in all.iter().enumerate().filter(|(_, file)| file.kind == FileKind::Anim) {
        clip_named.entry(clip.stem.to_ascii_lowercase()).or_insert(at);
    }
    let mut mesh_of_clip: HashMap<usize, usize> = HashMap::new();
    for pair in pairs {
        mesh_of_clip.entry(pair.anim).or_insert(pair.mesh);
    }
    let run_of = |(at, file): (usize, &Checked)| match file.kind {
        FileKind::Mesh => {
            let anim = clip_named.get(&file.stem.to_ascii_lowercase()).copied();
            Some(Run { mesh: Some(at), anim, about: at })
        }
        FileKind::Anim => Some(Run { mesh: mesh_of_clip.get(&at).copied(), anim: Some(at), about: at }),
        FileKind::Camera => Some(Run { mesh: None, anim: None, about: at }),
    };
    let runs: Vec<Run> = all.iter().enumerate().filter_map(run_of).collect();
    // Clips that share a mesh have it read once for all of them.
    let meshes: Vec<Vec<LoadedMesh>> = all.par_iter().map(load_meshes).collect();
    let follow = |run: &Run| {
        let is_camera = all.get(run.about).is_some_and(|file| file.kind == FileKind::Camera);
        let answer = |profile: &'static Profile| match profile.loader {
            Loader::Sequential(engine) if is_camera => follow_camera(all, *run, profile, engine),
            _ if is_camera => None,
            Loader::Quake(engine) => Some(follow_quake(all, *run, profile, engine)),
            Loader::Sequential(engine) => {
                let mesh = run.mesh.and_then(|at| meshes.get(at));
                let mesh = mesh.and_then(|loaded| loaded.get(engine.index()));
                Some(follow_sequential(all, *run, profile, engine, mesh))
            }
            Loader::Doom3(_) | Loader::D3dx | Loader::Table => None,
        };
        PROFILES.iter().filter_map(answer).collect::<Vec<_>>()
    };
    let results: Vec<_> = runs.par_iter().map(follow).collect();
    for (file, verdict, profile) in results.iter().flatten().flat_map(Answer::said) {
        if let Some(file) = checked.get_mut(file) {
            say(&mut file.findings, profile, verdict, &file.name, file.outline.bytes());
        }
    }
    // What one engine says may give a finding the code that another has refused it for.
    for (run, answers) in runs.iter().zip(results) {
        for answer in answers {
            let at_fault = answer.said.iter().filter_map(|(at, _)| checked.get(*at));
            let code = at_fault.filter_map(|file| file.findings.code_of_refusal(answer.profile)).next();
            if let Some(file) = checked.get_mut(run.about) {
                file.followed.push(Followed { loader: answer.profile.loader, verdict: answer.verdict, code });
            }
        }
    }
}

impl Answer {
    fn said(&self) -> impl Iterator<Item = (usize, &Verdict, &'static Profile)> {
        self.said.iter().map(|(file, verdict)| (*file, verdict, self.profile))
    }
}

fn follow_quake(all: &[Checked], run: Run, profile: &'static Profile, engine: quake::Engine) -> Answer {
    let file = |at: usize| all.get(at).map(|file| quake::File { outline: &file.outline, name: &file.name });
    let has_clip_beside = run.mesh.and_then(|at| all.get(at)).is_some_and(|mesh| mesh.has_clip_beside);
    let model = match (run.mesh.and_then(file), run.anim.and_then(file)) {
        (Some(mesh), None) if has_clip_beside => quake::load_mesh_alone(engine, mesh),
        (Some(mesh), anim) if run.mesh == Some(run.about) => quake::load(engine, mesh, anim),
        (Some(mesh), Some(anim)) => quake::load_clip(engine, mesh, anim),
        (_, Some(anim)) => {
            quake::ModelVerdict { verdict: quake::load_anim_alone(engine, anim), file: quake::ModelFile::Anim }
        }
        (_, None) => quake::ModelVerdict { verdict: Verdict::loads(), file: quake::ModelFile::Mesh },
    };
    let at_fault = if model.file == quake::ModelFile::Anim { run.anim } else { run.mesh };
    let said = at_fault.map(|at| (at, model.verdict.clone())).into_iter().collect();
    Answer { profile, said, verdict: model.verdict }
}

fn follow_camera(all: &[Checked], run: Run, profile: &'static Profile, engine: loaders::Engine) -> Option<Answer> {
    let verdict = all.get(run.about).and_then(|file| loaders::load_camera(engine, text_of(file)))?;
    Some(Answer { profile, said: vec![(run.about, verdict.clone())], verdict })
}

fn text_of<'a, 'o>(file: &'o Checked<'a>) -> loaders::File<'a, 'o> {
    loaders::File { outline: &file.outline, name: &file.name }
}

/// What each engine of [`loaders::ENGINES`] makes of a mesh; nothing of another file.
fn load_meshes<'o>(file: &'o Checked) -> Vec<LoadedMesh<'o>> {
    match file.kind {
        FileKind::Mesh => loaders::ENGINES.iter().map(|&engine| loaders::load_mesh(engine, text_of(file))).collect(),
        FileKind::Anim | FileKind::Camera => Vec::new(),
    }
}

/// A mesh that is refused leaves its clips to be judged by themselves.
fn follow_sequential(
    all: &[Checked],
    run: Run,
    profile: &'static Profile,
    engine: loaders::Engine,
    loaded: Option<&LoadedMesh>,
) -> Answer {
    let file = |at: usize| all.get(at).map(text_of);
    let skeleton = loaded.and_then(|loaded| loaded.skeleton.as_ref());
    let mesh_name = run.mesh.and_then(file).map_or("", |mesh| mesh.name);
    let is_alone = engine.loads_clips_alone() && run.mesh != Some(run.about);
    let on = skeleton.filter(|_| !is_alone);
    let clip = || run.anim.and_then(file).map(|anim| loaders::load_anim(engine, on, mesh_name, anim));
    if run.mesh != Some(run.about) {
        let verdict = clip().unwrap_or_else(Verdict::loads);
        return Answer { profile, said: vec![(run.about, verdict.clone())], verdict };
    }
    let mut verdict = loaded.map_or_else(Verdict::loads, |loaded| loaded.verdict.clone());
    let mut said = vec![(run.about, verdict.clone())];
    if verdict.outcome == Outcome::Loads && engine.loads_clip_of_same_name() {
        match (clip(), run.anim) {
            (Some(clip), Some(anim)) => {
                verdict.outcome = clip.outcome;
                verdict.refusal.clone_from(&clip.refusal);
                verdict.undefined.extend(clip.undefined.iter().cloned());
                said.push((anim, clip));
            }
            _ if run.mesh.and_then(|at| all.get(at)).is_some_and(|mesh| mesh.has_clip_beside) => {}
            _ => {
                let missing = loaders::without_clip(engine);
                if missing.outcome != Outcome::Loads {
                    said.push((run.about, missing.clone()));
                    verdict = missing;
                }
            }
        }
    }
    Answer { profile, said, verdict }
}

/// Puts an engine's refusal, warnings and undefined places to the file's findings.
fn say(findings: &mut Findings, profile: &'static Profile, verdict: &Verdict, name: &str, bytes: &[u8]) {
    if let Some(refusal) = &verdict.refusal {
        let said = Said {
            profile,
            outcome: verdict.outcome,
            message: refusal.message.clone(),
            line: refusal.line,
            undefined: false,
        };
        findings.say(cause(findings, refusal.rule, refusal.span, bytes), refusal.span, said, name, bytes);
    }
    for warning in &verdict.warnings {
        let message = warning.message.clone();
        let said = Said { profile, outcome: Outcome::Loads, message, line: warning.line, undefined: false };
        findings.say(warning.rule, warning.span, said, name, bytes);
    }
    for place in &verdict.undefined {
        // What the engine itself prints of it says more.
        let printed = verdict.warnings.iter().find(|known| known.rule == place.rule && known.span == place.span);
        let message = printed.map_or(&place.message, |warning| &warning.message).clone();
        let line = printed.and_then(|warning| warning.line);
        let said = Said { profile, outcome: Outcome::Loads, message, line, undefined: true };
        findings.say(cause(findings, place.rule, place.span, bytes), place.span, said, name, bytes);
    }
}

/// What is wrong with a name or a count by itself comes before what it does not agree with: a joint that was "renamed"
/// because its name was cut is too long first of all.
fn cause(findings: &Findings, rule: Rule, span: bindpose_parsers::Span, bytes: &[u8]) -> Rule {
    let touches = |place: &Place| {
        let (from, to) = (place.span.end.min(span.end), place.span.start.max(span.start));
        let between = bytes.get(from as usize..to as usize).unwrap_or_default();
        !between.contains(&b'\n')
    };
    let is_there = |rule: &&Rule| findings.get(**rule).is_some_and(|finding| finding.places().any(touches));
    let causes: &[Rule] = match rule {
        _ if rule.has(pair::JOINT_NAME.code(Group::Pair)) => &[shared::LONG_JOINT_NAME],
        _ if rule.has(pair::JOINT_COUNT.code(Group::Pair)) => &[shared::COUNT, shared::BLOCK_COUNT],
        // A joint that is there twice.
        _ if rule == shared::SEVERAL_ROOTS => &[shared::DUPLICATE_JOINT],
        _ if rule == shared::PARENT_RANGE || rule == shared::LATE_PARENT => &[shared::NEGATIVE_PARENT],
        _ if rule == anim::COMPONENT_RANGE => &[anim::FLAGS, shared::JOINED_STRINGS],
        _ => &[],
    };
    causes.iter().find(is_there).copied().unwrap_or(rule)
}

fn doom3_engines() -> impl Iterator<Item = (&'static Profile, Doom3)> {
    PROFILES.iter().filter_map(|profile| match profile.loader {
        Loader::Doom3(variant) => Some((profile, variant)),
        Loader::Quake(_) | Loader::Sequential(_) | Loader::D3dx | Loader::Table => None,
    })
}

/// Puts Doom 3's words to the findings, and compares the pairs that it loads.
fn follow_doom3(checked: &mut [Checked], pairs: &[Pair]) {
    for file in checked.iter_mut() {
        for (profile, engine) in doom3_engines() {
            let verdict = file.loaded(engine).verdict.clone();
            say(&mut file.findings, profile, &verdict, &file.name, file.outline.bytes());
        }
    }
    for pair in pairs {
        let (Some(mesh), Some(anim)) = (checked.get(pair.mesh), checked.get(pair.anim)) else { continue };
        let compare = |(profile, engine): (&'static Profile, Doom3)| {
            let (on, clip) = (mesh.loaded(engine), anim.loaded(engine));
            let load = [on, clip].iter().all(|loaded| loaded.verdict.outcome == Outcome::Loads);
            let found = load.then(|| doom3::check_pair(engine, &on.joints, &clip.joints, &mesh.name, &anim.name));
            found.unwrap_or_default().into_iter().map(move |mismatch| (profile, mismatch))
        };
        let mismatches: Vec<_> = doom3_engines().flat_map(compare).collect();
        let Some(anim) = checked.get_mut(pair.anim) else { continue };
        for (profile, mismatch) in mismatches {
            let span = mismatch.joints.map_or_else(Default::default, |(_, _, span)| span);
            let outcome = if mismatch.is_warning { Outcome::Loads } else { Outcome::Drops };
            let undefined = mismatch.reads_outside;
            let said = Said { profile, outcome, message: mismatch.message, line: None, undefined };
            anim.findings.say(mismatch.rule, span, said, &anim.name, anim.outline.bytes());
        }
    }
}

fn judge(mut file: Checked) -> Outcomes {
    file.findings.drop_consequences(file.outline.bytes());
    let mut findings = file.findings.finish(file.file);
    let kind = match file.kind {
        FileKind::Mesh => Kind::Md5Mesh,
        FileKind::Anim => Kind::Md5Anim,
        FileKind::Camera => Kind::Md5Camera,
    };
    let verdict_of = |profile: &Profile| match profile.loader {
        Loader::Doom3(engine) => Some((&loaded_by(&file.doom3, &file.family, engine).verdict, None)),
        loader => {
            let followed = file.followed.iter().find(|known| known.loader == loader);
            followed.map(|followed| (&followed.verdict, followed.code))
        }
    };
    let judgements = PROFILES
        .iter()
        .filter(|profile| profile.reads(FormatFamily::Md5) && reads_kind(profile, kind))
        .map(|profile| Judgement::new(profile, &file.name, verdict_of(profile), &findings))
        .collect();
    mark_unreached(&mut findings);
    Outcomes { file: file.file, findings, judgements }
}

/// What stands behind the place where a followed loader stopped would have been its next fault, going by the table.
fn mark_unreached(findings: &mut [Finding]) {
    for profile in PROFILES.iter().filter(|profile| profile.loader != Loader::Table) {
        // A pair's fault has no place in the order of one file.
        let stops = |finding: &&Finding| {
            finding.code.group != Group::Pair
                && finding.said.iter().any(|said| said.profile == profile && said.outcome != Outcome::Loads)
        };
        let Some(stopped) = findings.iter().find(stops).map(|finding| finding.first.span.start) else { continue };
        for finding in findings.iter_mut().filter(|finding| finding.first.span.start > stopped) {
            finding.unreached.push(profile);
        }
    }
}

/// Cameras are Doom 3's alone, but for assimp.
fn reads_kind(profile: &Profile, kind: Kind) -> bool {
    let is_assimp = |engine: loaders::Engine| engine.loads_clips_alone();
    kind != Kind::Md5Camera
        || matches!(profile.loader, Loader::Doom3(_))
        || matches!(profile.loader, Loader::Sequential(engine) if is_assimp(engine))
}

impl Judgement {
    /// The worst that the findings and a followed loader say; with the verdict comes the code of the finding that says
    /// why it refuses, where that may stand in another file.
    pub(super) fn new(
        profile: &'static Profile,
        file: &str,
        verdict: Option<(&Verdict, Option<&'static Code>)>,
        findings: &[Finding],
    ) -> Self {
        let (verdict, elsewhere) = verdict.unzip();
        let mut judgement = Judgement {
            profile,
            effect: Effect::Fine,
            followed: verdict.is_some() && profile.is_followed(),
            undefined: verdict.is_some_and(|verdict| !verdict.undefined.is_empty()),
            message: None,
            line: None,
            code: None,
        };
        let refuses = |said: &&Said| said.profile == profile && said.outcome != Outcome::Loads;
        for finding in findings {
            let Some(effect) = finding.effect(profile).filter(|&effect| effect > judgement.effect) else { continue };
            judgement.effect = effect;
            judgement.code = Some(finding.code.id);
            if effect > Effect::Wrong {
                let said = finding.said.iter().find(refuses);
                judgement.message = said.map(|said| said.message.clone());
                judgement.line = said.and_then(|said| said.line);
                if verdict.is_none() {
                    judgement.message = finding.words_of(profile, file);
                }
            }
        }
        // The loader stops here, and so reaches nothing of another file that is as grave.
        if let Some((verdict, refusal)) = verdict.and_then(|verdict| Some((verdict, verdict.refusal.as_ref()?))) {
            let effect = verdict.outcome.effect();
            if effect >= judgement.effect {
                let own = findings.iter().find(|finding| finding.said.iter().any(|said| refuses(&said)));
                let code = elsewhere.flatten().or(own.map(|finding| finding.code));
                judgement.effect = effect;
                judgement.code = code.map(|code| code.id);
                judgement.message = Some(refusal.message.clone());
                judgement.line = refusal.line;
            }
        }
        judgement.message = judgement.message.filter(|message| !message.is_empty());
        judgement
    }
}

impl Finding {
    /// What an engine does with this finding; `None` where it does not concern it.
    ///
    /// Where a loader was followed step by step, only what it said can stop a file: the table's word counts for the
    /// rest.
    pub fn effect(&self, profile: &Profile) -> Option<Effect> {
        let said = self.said.iter().filter(|said| said.profile == profile);
        let by_loader = said.map(|said| match said.outcome {
            Outcome::Loads if said.undefined => Effect::Wrong,
            outcome => outcome.effect(),
        });
        let by_loader = by_loader.max();
        // What only engines that were followed found is theirs.
        if self.by_engine {
            return by_loader;
        }
        let concerned = self.only.as_ref().is_none_or(|only| only.contains(&profile));
        let by_table = fact(self.code, profile).filter(|_| concerned).map(|fact| match fact.effect {
            _ if !profile.follows(self.code) => fact.effect,
            _ if self.unreached.contains(&profile) => fact.effect,
            _ if fact.effect > Effect::Wrong => Effect::Note,
            _ => fact.effect,
        });
        by_loader.max(by_table)
    }

    /// An engine's own words for this finding in the file of that name, what varies filled in as far as it is known.
    pub fn words_of(&self, profile: &Profile, file: &str) -> Option<String> {
        let said = self.said.iter().filter(|said| said.profile == profile).max_by_key(|said| said.outcome);
        if let Some(said) = said {
            return Some(said.message.clone()).filter(|message| !message.is_empty());
        }
        // What a loader says is known where it was followed; where it did not come to it, it says nothing.
        if profile.follows(self.code) {
            return None;
        }
        let fact = fact(self.code, profile).filter(|fact| !fact.says.is_empty())?;
        let mut words = String::new();
        let mut rest = fact.says;
        while let Some((before, tail)) = rest.split_once('{') {
            words.push_str(before);
            let (name, tail) = tail.split_once('}')?;
            let value = self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str());
            let value = if name == "file" { Some(file) } else { value };
            words.push_str(value.unwrap_or("…"));
            rest = tail;
        }
        words.push_str(rest);
        Some(words)
    }
}
