//! Verdicts of followed loaders on MD5 files, and assignment of their messages to findings.

use super::checked::{Checked, Followed, Pair};
use super::codes::{Group, Rule, anim, mesh, pair, shared};
use super::finding::{Findings, Place, Said, on_one_line};
use super::loaders::LoadedMesh;
use super::profiles::{LoaderFamily, PROFILES, Profile};
use super::verdict::{File, Outcome, Verdict};
use super::{Options, consequences, doom3, loaders, quake};
use bindpose_parsers::Span;
use bindpose_parsers::md5::FileKind;
use rayon::prelude::*;
use std::collections::HashMap;

/// Indices of the files that an engine loads together, and the file that the verdict is about.
#[derive(Clone, Copy)]
struct Run {
    mesh: Option<usize>,
    anim: Option<usize>,
    about: usize,
}

/// Result of an engine for a run: verdicts on its files, including that on the file in question.
struct Answer {
    profile: &'static Profile,
    /// Indices of files, with the verdict on each.
    said: Vec<(usize, Verdict)>,
    verdict: Verdict,
}

/// Runs the chosen engines' loaders that load a mesh with the clip of the same name, for every mesh, and for every clip
/// with its mesh.
pub(super) fn follow_models(checked: &mut [Checked], pairs: &[Pair], options: &Options) {
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
    // Clips that share a mesh share its reading.
    let meshes: Vec<Vec<Option<LoadedMesh>>> = all.par_iter().map(|file| load_meshes(file, options)).collect();
    let follow = |run: &Run| {
        let is_camera = all.get(run.about).is_some_and(|file| file.kind == FileKind::Camera);
        let answer = |profile: &'static Profile| match profile.loader {
            LoaderFamily::Sequential if is_camera => follow_camera(all, *run, profile),
            _ if is_camera => None,
            LoaderFamily::Quake => Some(follow_quake(all, *run, profile)),
            LoaderFamily::Sequential => {
                let mesh = run.mesh.and_then(|at| meshes.get(at)?.get(profile.id as usize)?.as_ref());
                Some(follow_sequential(all, *run, profile, mesh))
            }
            LoaderFamily::Doom3 | LoaderFamily::D3dx | LoaderFamily::XFile | LoaderFamily::None => None,
        };
        PROFILES.iter().filter(|profile| options.contains(profile)).filter_map(answer).collect::<Vec<_>>()
    };
    let results: Vec<_> = runs.par_iter().map(follow).collect();
    for (file, verdict, profile) in results.iter().flatten().flat_map(Answer::said) {
        if let Some(file) = checked.get_mut(file) {
            say(&mut file.findings, profile, verdict, &file.name, file.bytes);
        }
    }
    checked.iter_mut().for_each(|file| consequences::merge(&mut file.findings, file.bytes));
    // One engine's message may give a finding the code for which another engine refused it.
    for (run, answers) in runs.iter().zip(results) {
        for answer in answers {
            let at_fault = answer.said.iter().filter_map(|(at, _)| checked.get(*at));
            let code = at_fault.filter_map(|file| file.findings.code_of_refusal(answer.profile)).next();
            if let Some(file) = checked.get_mut(run.about) {
                file.followed.push(Followed { profile: answer.profile, verdict: answer.verdict, code });
            }
        }
    }
}

impl Answer {
    fn said(&self) -> impl Iterator<Item = (usize, &Verdict, &'static Profile)> {
        self.said.iter().map(|(file, verdict)| (*file, verdict, self.profile))
    }
}

fn follow_quake(all: &[Checked], run: Run, profile: &'static Profile) -> Answer {
    let (engine, file) = (profile.id, |at: usize| all.get(at).map(text_of));
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

fn follow_camera(all: &[Checked], run: Run, profile: &'static Profile) -> Option<Answer> {
    let verdict = all.get(run.about).and_then(|file| loaders::load_camera(profile.id, text_of(file)))?;
    Some(Answer { profile, said: vec![(run.about, verdict.clone())], verdict })
}

fn text_of<'o>(file: &'o Checked) -> File<'o> {
    File { bytes: file.bytes, name: &file.name }
}

/// Returns a mesh as loaded by each chosen engine, indexed by [`EngineId`]. Returns an empty list for other files.
fn load_meshes<'o>(file: &'o Checked, options: &Options) -> Vec<Option<LoadedMesh<'o>>> {
    let load = |profile| if options.contains(profile) { loaders::load_mesh(profile.id, text_of(file)) } else { None };
    match file.kind {
        FileKind::Mesh => PROFILES.iter().map(load).collect(),
        FileKind::Anim | FileKind::Camera => Vec::new(),
    }
}

/// Runs a sequential loader. If it refuses the mesh, clips are judged by themselves.
fn follow_sequential(all: &[Checked], run: Run, profile: &'static Profile, loaded: Option<&LoadedMesh>) -> Answer {
    let (engine, file) = (profile.id, |at: usize| all.get(at).map(text_of));
    let skeleton = loaded.and_then(|loaded| loaded.skeleton.as_ref());
    let mesh_name = run.mesh.and_then(file).map_or("", |mesh| mesh.name);
    let is_alone = loaders::loads_clips_alone(engine) && run.mesh != Some(run.about);
    let on = skeleton.filter(|_| !is_alone);
    let clip = || run.anim.and_then(file).map(|anim| loaders::load_anim(engine, on, mesh_name, anim));
    if run.mesh != Some(run.about) {
        let verdict = clip().unwrap_or_else(Verdict::loads);
        return Answer { profile, said: vec![(run.about, verdict.clone())], verdict };
    }
    let mut verdict = loaded.map_or_else(Verdict::loads, |loaded| loaded.verdict.clone());
    let mut said = vec![(run.about, verdict.clone())];
    if verdict.outcome == Outcome::Loads && loaders::loads_clip_of_same_name(engine) {
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

/// Assigns an engine's refusal, warnings, and undefined and misread positions to the file's findings.
pub(super) fn say(findings: &mut Findings, profile: &'static Profile, verdict: &Verdict, name: &str, bytes: &[u8]) {
    if let Some(refusal) = &verdict.refusal {
        let said = Said {
            profile,
            outcome: verdict.outcome,
            message: refusal.message.clone(),
            detail: refusal.detail.clone(),
            line: refusal.line,
            undefined: false,
        };
        findings.say(cause(findings, refusal.rule, refusal.span, bytes), refusal.span, said, name, bytes);
    }
    for warning in &verdict.warnings {
        let message = warning.message.clone();
        let said = Said {
            profile,
            outcome: Outcome::Loads,
            message,
            detail: String::new(),
            line: warning.line,
            undefined: false,
        };
        findings.say(warning.rule, warning.span, said, name, bytes);
    }
    for place in &verdict.undefined {
        // The engine's own message is more informative.
        let printed = verdict.warnings.iter().find(|known| known.rule == place.rule && known.span == place.span);
        let message = printed.map_or(&place.message, |warning| &warning.message).clone();
        let line = printed.and_then(|warning| warning.line);
        let said = Said { profile, outcome: Outcome::Loads, message, detail: String::new(), line, undefined: true };
        findings.say(cause(findings, place.rule, place.span, bytes), place.span, said, name, bytes);
    }
    for place in &verdict.misread {
        let message = place.message.clone();
        let said =
            Said { profile, outcome: Outcome::Misreads, message, detail: String::new(), line: None, undefined: false };
        findings.say(cause(findings, place.rule, place.span, bytes), place.span, said, name, bytes);
    }
}

/// Prefers the fault of a single name or count to the mismatch that it causes: a joint that was "renamed" because its
/// name was cut is above all too long.
fn cause(findings: &Findings, rule: Rule, span: Span, bytes: &[u8]) -> Rule {
    let touches = |place: &Place| on_one_line(bytes, place.span, span);
    let is_there = |rule: &&Rule| findings.get(**rule).is_some_and(|finding| finding.places().any(touches));
    let causes: &[Rule] = match rule {
        _ if rule.has(pair::JOINT_NAME.code(Group::Pair)) => &[shared::LONG_JOINT_NAME],
        _ if rule.has(pair::JOINT_COUNT.code(Group::Pair)) => &[shared::COUNT, shared::BLOCK_COUNT],
        // A repeated joint counts as a second root. A byte order mark precedes the first word of the line.
        _ if rule == shared::SYNTAX && bytes.starts_with(b"\xef\xbb\xbf") && span.start <= 3 => &[shared::NOT_ASCII],
        _ if rule == shared::SYNTAX => &[shared::COMMENT],
        // A line-based reader does not see the second record of a line.
        _ if rule == mesh::RECORD_COUNT => &[shared::LINE_BREAK],
        _ if rule == shared::SEVERAL_ROOTS => &[shared::DUPLICATE_JOINT],
        _ if rule == shared::PARENT_RANGE || rule == shared::LATE_PARENT => &[shared::NEGATIVE_PARENT],
        _ if rule == anim::COMPONENT_RANGE => &[anim::FLAGS, shared::JOINED_STRINGS],
        _ => &[],
    };
    causes.iter().find(is_there).copied().unwrap_or(rule)
}

fn doom3_engines() -> impl Iterator<Item = &'static Profile> {
    PROFILES.iter().filter(|profile| profile.loader == LoaderFamily::Doom3)
}

/// Assigns Doom 3's messages to the findings, and compares the pairs that it loads.
pub(super) fn follow_doom3(checked: &mut [Checked], pairs: &[Pair]) {
    for file in checked.iter_mut() {
        for profile in doom3_engines() {
            let verdict = file.loaded(profile.id).verdict.clone();
            say(&mut file.findings, profile, &verdict, &file.name, file.bytes);
        }
    }
    for pair in pairs {
        let (Some(mesh), Some(anim)) = (checked.get(pair.mesh), checked.get(pair.anim)) else { continue };
        let compare = |profile: &'static Profile| {
            let (on, clip) = (mesh.loaded(profile.id), anim.loaded(profile.id));
            let load = [on, clip].iter().all(|loaded| loaded.verdict.outcome == Outcome::Loads);
            let found = load.then(|| doom3::check_pair(profile.id, &on.joints, &clip.joints, &mesh.name, &anim.name));
            found.unwrap_or_default().into_iter().map(move |mismatch| (profile, mismatch))
        };
        let mismatches: Vec<_> = doom3_engines().flat_map(compare).collect();
        let Some(anim) = checked.get_mut(pair.anim) else { continue };
        for (profile, mismatch) in mismatches {
            let span = mismatch.joints.map_or_else(Default::default, |(_, _, span)| span);
            let outcome = if mismatch.is_warning { Outcome::Loads } else { Outcome::Drops };
            let undefined = mismatch.reads_outside;
            let said =
                Said { profile, outcome, message: mismatch.message, detail: String::new(), line: None, undefined };
            anim.findings.say(mismatch.rule, span, said, &anim.name, anim.bytes);
        }
    }
}
