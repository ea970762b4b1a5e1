//! Verdicts of followed loaders on MD5 files, and assignment of their messages to findings.

use super::checked::{Checked, Followed, Pair};
use super::codes::{Group, Rule, pair};
use super::finding::EngineReport;
use super::loaders::LoadedMesh;
use super::profiles::{LoaderFamily, PROFILES, Profile};
use super::taint::{Part, Scope};
use super::verdict::{EngineFault, File, Outcome, Verdict};
use super::{Options, doom3, loaders, quake};
use bindpose_core::engines::EngineId;
use bindpose_core::import::Contents;
use bindpose_parsers::Span;
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
    for (at, clip) in all.iter().enumerate().filter(|(_, file)| file.kind == Contents::Clip) {
        clip_named.entry(clip.stem.to_ascii_lowercase()).or_insert(at);
    }
    let mut mesh_of_clip: HashMap<usize, usize> = HashMap::new();
    for pair in pairs {
        mesh_of_clip.entry(pair.anim).or_insert(pair.mesh);
    }
    let run_of = |(at, file): (usize, &Checked)| match file.kind {
        Contents::Model => {
            let anim = clip_named.get(&file.stem.to_ascii_lowercase()).copied();
            Some(Run { mesh: Some(at), anim, about: at })
        }
        Contents::Clip => Some(Run { mesh: mesh_of_clip.get(&at).copied(), anim: Some(at), about: at }),
        Contents::Camera => Some(Run { mesh: None, anim: None, about: at }),
    };
    let runs: Vec<Run> = all.iter().enumerate().filter_map(run_of).collect();
    // Clips that share a mesh share its reading.
    let meshes: Vec<Vec<Option<LoadedMesh>>> = all.par_iter().map(|file| load_meshes(file, options)).collect();
    let follow = |run: &Run| {
        let is_camera = all.get(run.about).is_some_and(|file| file.kind == Contents::Camera);
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
    for (run, answer) in runs.iter().zip(&results).flat_map(|(run, answers)| answers.iter().map(move |it| (run, it))) {
        for (file, verdict) in &answer.said {
            words(answer.profile, verdict).into_iter().for_each(|words| say(checked, *file, run.mesh, words));
        }
    }
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

fn follow_quake(all: &[Checked], run: Run, profile: &'static Profile) -> Answer {
    let (engine, file) = (profile.id, |at: usize| all.get(at).map(text_of));
    let mesh = run.mesh.and_then(|at| all.get(at));
    let has_clip_beside = mesh.is_some_and(|mesh| mesh.has_clip_beside);
    let mut model = match (run.mesh.and_then(file), run.anim.and_then(file)) {
        (Some(mesh), None) if has_clip_beside => quake::load_mesh_alone(engine, mesh),
        (Some(mesh), anim) if run.mesh == Some(run.about) => quake::load(engine, mesh, anim),
        (Some(mesh), Some(anim)) => quake::load_clip(engine, mesh, anim),
        (_, Some(anim)) => {
            quake::ModelVerdict { verdict: quake::load_anim_alone(engine, anim), file: quake::ModelFile::Anim }
        }
        (_, None) => quake::ModelVerdict { verdict: Verdict::loads(), file: quake::ModelFile::Mesh },
    };
    // There is no .mdl to show in its place.
    let alone = || mesh?.findings.get(pair::NO_MDL);
    let is_alone = || alone().is_some_and(|known| known.said.iter().any(|said| said.outcome == Outcome::Exits));
    if engine == EngineId::VkQuake && model.verdict.outcome == Outcome::Refuses && is_alone() {
        model.verdict.outcome = Outcome::Exits;
    }
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
        Contents::Model => PROFILES.iter().map(load).collect(),
        Contents::Clip | Contents::Camera => Vec::new(),
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

/// Returns an engine's refusal, warnings, and undefined and misread positions, each with rule and position.
pub(super) fn words(profile: &'static Profile, verdict: &Verdict) -> Vec<(Rule, Span, EngineReport)> {
    let report = |fault: &EngineFault, outcome| {
        let EngineFault { rule, span, message, detail, line } = fault.clone();
        (rule, span, EngineReport { detail, line, ..EngineReport::new(profile, outcome, message) })
    };
    let refusal = verdict.refusal.iter().map(|fault| report(fault, verdict.outcome));
    let warnings = verdict.warnings.iter().map(|fault| report(fault, Outcome::Loads));
    let undefined = verdict.undefined.iter().map(|fault| {
        // The engine's own message is more informative.
        let printed = verdict.warnings.iter().find(|known| known.rule == fault.rule && known.span == fault.span);
        let (rule, span, said) = report(printed.unwrap_or(fault), Outcome::Loads);
        (rule, span, EngineReport { undefined: true, ..said })
    });
    let misread = verdict.misread.iter().map(|fault| report(fault, Outcome::Misreads));
    refusal.chain(warnings).chain(undefined).chain(misread).collect()
}

/// Assigns an engine's message to a finding of the file, or of its mesh: what is broken there does not fit a clip.
fn say(checked: &mut [Checked], about: usize, mesh: Option<usize>, (rule, span, said): (Rule, Span, EngineReport)) {
    let own =
        |file: usize| checked.get(file).is_some_and(|file| file.findings.get(rule).is_some_and(|it| !it.by_engine));
    let parts = [Part::Joints, Part::Text, Part::Twice, Part::Value, Part::Bytes];
    let broken = |file: usize| parts.iter().find_map(|&part| checked.get(file)?.findings.broken.spans(part).next());
    let code = rule.code(Group::Pair);
    let is_of_pair = code.group == Group::Pair && code.scope() != Scope::Nothing && !own(about);
    let files = [Some(about), mesh].into_iter().flatten().filter(|_| is_of_pair);
    let (file, span) = files.filter_map(|file| Some((file, broken(file)?))).next().unwrap_or((about, span));
    if let Some(file) = checked.get_mut(file) {
        file.findings.say(rule, span, said, &file.name, file.bytes);
    }
}

fn doom3_engines() -> impl Iterator<Item = &'static Profile> {
    PROFILES.iter().filter(|profile| profile.loader == LoaderFamily::Doom3)
}

/// Assigns Doom 3's messages to the findings, and compares the pairs that it loads.
pub(super) fn follow_doom3(checked: &mut [Checked], pairs: &[Pair]) {
    for (file, profile) in (0..checked.len()).flat_map(|file| doom3_engines().map(move |profile| (file, profile))) {
        let words = checked.get(file).map(|file| words(profile, &file.loaded(profile.id).verdict));
        words.into_iter().flatten().for_each(|words| say(checked, file, None, words));
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
        for (profile, mismatch) in mismatches {
            let outcome = if mismatch.is_warning { Outcome::Loads } else { Outcome::Drops };
            let said = EngineReport::new(profile, outcome, mismatch.message);
            let said = EngineReport { undefined: mismatch.reads_outside, ..said };
            say(checked, pair.anim, Some(pair.mesh), (mismatch.rule, mismatch.span, said));
        }
    }
}
