//! MD5 files that are checked together: parsing, pairing, and the engines' loaders.

use super::checked::{Bytes, CheckContext, Checked, Document, Outcomes, Pair};
use super::codes::{Group, pair, shared};
use super::finding::{Finding, Findings};
use super::follow::{follow_doom3, follow_models};
use super::judge::judge;
use super::motion::MotionFindings;
use super::taint::{Broken, Part};
use super::unit::PairReport;
use super::{Options, checks, doom3, motion, neighbours, pairs};
use bindpose_core::budget::Budget;
use bindpose_core::engines::EngineId;
use bindpose_core::game::Decls;
use bindpose_core::import::Contents;
use bindpose_core::import::md5::{ImportedMesh, import_mesh};
use bindpose_core::pairing::{Candidate, Pairing, no_mesh};
use bindpose_core::read::is_file;
use bindpose_parsers::md5::{self, AnimFile, MeshFile};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::OnceLock;

/// Checks files: each by itself, and clips on their meshes.
pub(super) fn check(files: &[Bytes], around: &CheckContext, budget: &Budget) -> (Vec<Outcomes>, Vec<PairReport>) {
    let mut checked: Vec<Checked> = files.par_iter().map(|file| read(file, around, budget)).collect();
    look_at_neighbours(&mut checked, files, around);
    let pairs = find_pairs(&mut checked, around);
    let file = |at: usize| checked.get(at).map_or(0, |file| file.file);
    let reports = pairs.iter().map(|pair| PairReport { mesh: file(pair.mesh), anim: file(pair.anim) }).collect();
    let mut meshes_of = HashMap::new();
    pairs.iter().for_each(|pair| *meshes_of.entry(pair.anim).or_insert(0) += 1);
    for (pair, mut findings) in pairs.iter().zip(compare_all(&checked, &pairs, budget)) {
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
    pairs.iter().for_each(|pair| name_missing_row(&mut checked, pair));
    check_rates(&mut checked, &pairs);
    check_movement(&mut checked, &pairs, around.options, budget);
    follow_doom3(&mut checked, &pairs);
    follow_models(&mut checked, &pairs, around.options);
    // Until here, engines' messages belong to the repeated row.
    pairs.iter().for_each(|pair| name_repeated_row(&mut checked, pair));
    pairs.iter().for_each(|pair| name_fitting_clip(&mut checked, pair));
    let outcomes = checked.into_par_iter().map(|file| judge(file, around.options)).collect();
    (outcomes, reports)
}

/// Names a clip that fits a mesh without a clip of its own name.
fn name_fitting_clip(checked: &mut [Checked], fitting: &Pair) {
    let Some(clip) = checked.get(fitting.anim).map(|clip| clip.stem.clone()) else { return };
    let Some(Checked { stem, findings, .. }) = checked.get_mut(fitting.mesh) else { return };
    if let Some(finding) = findings.get_mut(pair::NO_CLIP).filter(|known| known.notes.is_empty()) {
        finding.note(format!("{clip}.md5anim fits the mesh; as {stem}.md5anim it would be found"));
    }
}

fn look_at_neighbours(checked: &mut [Checked], files: &[Bytes], around: &CheckContext) {
    let clips: HashSet<String> =
        checked.iter().filter(|file| file.kind == Contents::Clip).map(|file| file.stem.to_lowercase()).collect();
    checked.par_iter_mut().zip(files).for_each(|(file, input)| {
        let has_clip = clips.contains(&file.stem.to_lowercase());
        match &file.document {
            Document::Mesh(mesh) => neighbours::check_mesh(input.path, mesh, has_clip, around, &mut file.findings),
            Document::Anim(anim) => neighbours::check_anim(input.path, anim, around, &mut file.findings),
            // The shaders of a damaged mesh are unknown.
            Document::Joints(_) | Document::Camera | Document::None => {}
        }
    });
}

fn read<'a>(input: &Bytes<'a>, around: &CheckContext, budget: &Budget) -> Checked<'a> {
    let bytes = input.bytes;
    let group = match input.kind {
        Contents::Model => Group::Mesh,
        Contents::Clip => Group::Anim,
        Contents::Camera => Group::Camera,
    };
    let mut findings = Findings::new(group);
    let document = match input.kind {
        Contents::Model => {
            let parsed = md5::read_mesh(bytes);
            checks::parsed::warnings(bytes, &parsed, input.kind, &mut findings);
            // Joints are checked first: weights refer to them.
            let joints = if parsed.0.is_err() { md5::parse_joints(bytes) } else { None };
            joints.iter().for_each(|joints| checks::mesh::check_joints(joints, &mut findings));
            match take(bytes, parsed.0, input.kind, &mut findings) {
                None => joints.map_or(Document::None, Document::Joints),
                Some(file) => {
                    checks::mesh::check(&file, bytes, budget, &mut findings);
                    Document::Mesh(file)
                }
            }
        }
        Contents::Clip => {
            let parsed = md5::read_anim(bytes);
            checks::parsed::warnings(bytes, &parsed, input.kind, &mut findings);
            take(bytes, parsed.0, input.kind, &mut findings).map_or(Document::None, |file| {
                checks::anim::check(&file, bytes, &mut findings);
                let name = input.path.file_stem().unwrap_or_default().to_string_lossy();
                checks::motion::check(&file, &name, bytes, budget, &mut findings);
                Document::Anim(file)
            })
        }
        Contents::Camera => {
            let parsed = md5::parse_camera(bytes);
            let parsed = parsed.map_or_else(|it| (Err(it), Vec::new()), |it| (Ok(it.document), it.warnings));
            checks::parsed::warnings(bytes, &parsed, input.kind, &mut findings);
            take(bytes, parsed.0, input.kind, &mut findings).map_or(Document::None, |file| {
                checks::camera::check(&file, &mut findings);
                Document::Camera
            })
        }
    };
    checks::text::check(bytes, &mut findings);
    let doom3 = doom3::load(EngineId::Doom3, input.kind, bytes);
    let family = [EngineId::Tdm, EngineId::Quake4].into_iter().filter(|&engine| doom3.differs_in(engine));
    let family = family.map(|engine| (engine, doom3::load(engine, input.kind, bytes))).collect();
    Checked {
        file: input.file,
        name: input.path.display().to_string(),
        has_clip_beside: is_file(input.path) && around.beside(input.path, "md5anim").is_some(),
        bytes,
        stem: input.path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
        kind: input.kind,
        document,
        doom3,
        family,
        findings,
        motion: Vec::new(),
        followed: Vec::new(),
    }
}

/// Returns the document, and adds the parser's error to the findings.
fn take<T>(bytes: &[u8], result: Result<T, md5::Error>, kind: Contents, findings: &mut Findings) -> Option<T> {
    result.inspect_err(|error| checks::parsed::error(bytes, error, kind, findings)).ok()
}

/// Largest number of meshes without clips of their own with which one clip is compared. Further ones with the same
/// joints would give the same findings.
const MESHES_OF_A_CLIP: usize = 16;

/// Pairs meshes and clips, ordered by clip. With `together`, the user named the files, and a single mesh gets every
/// clip. A clip that belongs to no mesh gets a finding.
fn find_pairs(checked: &mut [Checked], around: &CheckContext) -> Vec<Pair> {
    let (mut meshes, mut anims) = (Vec::new(), Vec::new());
    for (at, file) in checked.iter().enumerate() {
        let stem = file.stem.clone();
        match (&file.document, file.kind) {
            (Document::Mesh(mesh) | Document::Joints(mesh), _) => {
                meshes.push((at, Candidate::mesh(stem, Some(mesh))));
            }
            (Document::None, Contents::Model) => meshes.push((at, Candidate::mesh(stem, None))),
            (Document::Anim(anim), _) => anims.push((at, anim, Candidate::clip(stem, &anim.hierarchy))),
            (Document::Camera | Document::None, _) => {}
        }
    }
    let candidates = meshes.iter().map(|(_, mesh)| mesh).collect();
    let pairing = Pairing::new(candidates, anims.iter().map(|(.., clip)| &*clip.stem));
    let is_readable = |&mesh: &usize| meshes.get(mesh).is_some_and(|(_, mesh)| !mesh.names.is_empty());
    let (mut pairs, mut alone) = (Vec::new(), Vec::new());
    for (anim, file, clip) in &anims {
        let mut of_clip = match around.options.together && meshes.len() == 1 {
            true => vec![0],
            false => pairing.meshes_of(clip, MESHES_OF_A_CLIP),
        };
        // What differs from several meshes of one skeleton is said once.
        let has_joints_of = |mesh: &Candidate| (&mesh.names, &mesh.parents) == (&clip.names, &clip.parents);
        if !of_clip.last().and_then(|&mesh| meshes.get(mesh)).is_some_and(|(_, mesh)| has_joints_of(mesh)) {
            of_clip.truncate(1);
        }
        if of_clip.is_empty()
            && let Some((nearest, difference)) = pairing.nearest(clip)
        {
            let channel = file.hierarchy.get(difference.joint());
            let span = channel.map_or(file.num_joints.span, |channel| channel.name.span);
            let nearest = meshes.get(nearest).map_or("", |(_, mesh)| &mesh.stem);
            alone.push((*anim, span, no_mesh(nearest, &difference)));
        }
        let of_clip = of_clip.into_iter().filter(is_readable).filter_map(|mesh| Some(meshes.get(mesh)?.0));
        pairs.extend(of_clip.map(|mesh| Pair { mesh, anim: *anim }));
    }
    for (anim, span, message) in alone {
        if let Some(anim) = checked.get_mut(anim).filter(|anim| !is_declared(anim, around)) {
            anim.findings.add(pair::NO_MESH, span, || message);
        }
    }
    pairs
}

/// True if a model decl of the game names a clip.
fn is_declared(clip: &Checked, around: &CheckContext) -> bool {
    let named = |game: &Decls| Some(game.anim_files().contains(&game.game().name_of(Path::new(&clip.name))?));
    around.game.and_then(named).unwrap_or(false)
}

/// Returns the findings of every pair, in order.
fn compare_all(checked: &[Checked], pairs: &[Pair], budget: &Budget) -> Vec<Vec<Finding>> {
    // Model of each mesh, created when its first clip is compared.
    let models: Vec<OnceLock<Option<ImportedMesh>>> = checked.iter().map(|_| OnceLock::new()).collect();
    let compare = |pair: &Pair| {
        let mut findings = Findings::new(Group::Anim);
        if let (Some(mesh), Some(anim), Some(model)) =
            (checked.get(pair.mesh), checked.get(pair.anim), models.get(pair.mesh))
            && let (Document::Mesh(mesh_file) | Document::Joints(mesh_file), Document::Anim(anim_file)) =
                (&mesh.document, &anim.document)
        {
            let broken = [&mesh.findings.broken, &anim.findings.broken];
            // Indices name other joints.
            let is_shifted = |broken: &&Broken| broken.any(&[Part::Joints, Part::Text]);
            if broken.iter().any(is_shifted) || is_row_twice(mesh_file, anim_file, broken) {
                return Vec::new();
            }
            let files = pairs::Files { mesh: mesh_file, mesh_file: mesh.file, anim: anim_file, broken };
            let is_whole = matches!(mesh.document, Document::Mesh(_));
            if pairs::check(&files, &mut findings) && is_whole {
                // Without a model, it needs more memory than is left.
                let model = model.get_or_init(|| import_mesh(mesh_file, false, budget).ok());
                model.iter().for_each(|model| checks::pair::check(&files, model, budget, &mut findings));
            }
        }
        findings.finish(pair.anim)
    };
    pairs.par_iter().map(compare).collect()
}

/// True if one of the files has a row twice that the other has once, except for the mesh's only surplus row, which
/// [`name_repeated_row`] names.
fn is_row_twice(mesh: &MeshFile, anim: &AnimFile, [mesh_broken, anim_broken]: [&Broken; 2]) -> bool {
    let (joints, channels) = (mesh.joints.len(), anim.hierarchy.len());
    let is_in_mesh = joints != channels + 1 && mesh_broken.any(&[Part::Twice]);
    joints != channels && (is_in_mesh || anim_broken.any(&[Part::Twice]))
}

/// Names the repeated joint of a mesh in the finding that its clip has one joint less.
fn name_repeated_row(checked: &mut [Checked], pair: &Pair) {
    let Some((mesh, clip)) = checked.get(pair.mesh).zip(checked.get(pair.anim)) else { return };
    let (Document::Mesh(file), Document::Anim(anim)) = (&mesh.document, &clip.document) else { return };
    if file.joints.len() != anim.hierarchy.len() + 1 || clip.findings.get(pair::JOINT_COUNT).is_none() {
        return;
    }
    let file = mesh.file;
    let mesh = checked.get_mut(pair.mesh).map(|mesh| &mut mesh.findings);
    let twice = mesh.and_then(|mesh| mesh.take(shared::DUPLICATE_JOINT, |known| known.count == 1));
    let count = checked.get_mut(pair.anim).and_then(|clip| clip.findings.get_mut(pair::JOINT_COUNT));
    let (Some(twice), Some(count)) = (twice, count) else { return };
    count.message = format!("{}: {}", count.message, twice.message);
    count.related(file, twice.first.span, "this row may be one too many");
    count.remedy = Some("remove the second row from the mesh, or export again");
}

/// Names the joint whose row a mesh lacks, if its clip has just one more: all later parents are then off by one. The row
/// may be in a comment.
fn name_missing_row(checked: &mut [Checked], pair: &Pair) {
    let Some((mesh, clip)) = checked.get(pair.mesh).zip(checked.get(pair.anim)) else { return };
    let (Document::Mesh(file) | Document::Joints(file), Document::Anim(anim)) = (&mesh.document, &clip.document) else {
        return;
    };
    let names = file.joints.iter().map(|joint| &joint.name.bytes);
    let at = names.clone().zip(&anim.hierarchy).take_while(|(name, channel)| **name == channel.name.bytes).count();
    let rest = anim.hierarchy.iter().skip(at + 1).map(|channel| &channel.name.bytes);
    let Some(missing) = anim.hierarchy.get(at).filter(|_| names.skip(at).eq(rest)) else { return };
    let name = missing.name.to_name();
    let is_about_joints = |known: &Finding| !shared::BLOCK_COUNT.has(known.code) || known.subject == Some("numJoints");
    let mut rules = [shared::BLOCK_COUNT, shared::LATE_PARENT].into_iter();
    let Some(rule) = rules.find(|&rule| mesh.findings.get(rule).is_some_and(is_about_joints)) else { return };
    let row = file.joints.get(at).map(|joint| joint.span).filter(|_| rule == shared::LATE_PARENT);
    let is_in_it = |comment: &&Finding| {
        let text = mesh.bytes.get(comment.first.span.range()).unwrap_or_default();
        memchr::memmem::find(text, &[b"\"", &*missing.name.bytes, b"\""].concat()).is_some()
    };
    let comment = mesh.findings.get(shared::COMMENT).filter(is_in_it).map(|comment| comment.first.span);
    let Some(findings) = checked.get_mut(pair.mesh).map(|mesh| &mut mesh.findings) else { return };
    if comment.is_some() {
        findings.take(shared::COMMENT, |_| true);
    }
    let Some(known) = findings.get_mut(rule) else { return };
    let place = if comment.is_some() { "is in a comment" } else { "seems to be missing" };
    known.message = format!("the row of joint {at} '{name}' {place}: {}", known.message);
    known.remedy = Some("restore the row, or export again");
    known.first.span = comment.or(row).unwrap_or(known.first.span);
}

/// Checks the motion of clips. The first mesh of each determines its feet.
fn check_movement(checked: &mut [Checked], pairs: &[Pair], options: &Options, budget: &Budget) {
    let Some(contract) = &options.motion else { return };
    let mut mesh_of: HashMap<usize, usize> = HashMap::new();
    pairs.iter().for_each(|pair| _ = mesh_of.entry(pair.anim).or_insert(pair.mesh));
    // Computed for the first clip of each mesh.
    let soles: Vec<OnceLock<Option<HashSet<String>>>> = checked.iter().map(|_| OnceLock::new()).collect();
    let soles_of = |mesh: usize| {
        let Document::Mesh(file) = &checked.get(mesh)?.document else { return None };
        let import = || import_mesh(file, false, budget).ok();
        let soles = soles.get(mesh)?.get_or_init(|| import().map(|mesh| motion::soles(&mesh.model)));
        soles.as_ref()
    };
    let check = |(at, file): (usize, &Checked)| {
        let Document::Anim(anim) = &file.document else { return None };
        let soles = mesh_of.get(&at).and_then(|&mesh| soles_of(mesh));
        Some(motion::check_anim(anim, &file.stem, soles, contract, budget))
    };
    let found: Vec<Option<MotionFindings>> = checked.par_iter().enumerate().map(check).collect();
    for (at, (file, found)) in checked.iter_mut().zip(found).enumerate() {
        if let Some(found) = found {
            file.findings.extend(found.findings.finish(at));
            file.motion = found.reports;
        }
    }
}

/// File of a clip, its frames per second, and their span.
type Rate = (usize, f64, bindpose_parsers::Span);

/// Reports clips of one mesh with different frame rates.
fn check_rates(checked: &mut [Checked], pairs: &[Pair]) {
    let mut by_mesh: BTreeMap<usize, Vec<Rate>> = BTreeMap::new();
    for pair in pairs {
        let Some(Document::Anim(anim)) = checked.get(pair.anim).map(|file| &file.document) else { continue };
        by_mesh.entry(pair.mesh).or_default().push((pair.anim, anim.frame_rate, anim.frame_rate_span));
    }
    let mut reported = HashSet::new();
    for entries in by_mesh.into_values() {
        let rates: Vec<f64> = entries.iter().map(|&(_, rate, _)| rate).collect();
        let Some(usual) = pairs::usual_rate(&rates) else { continue };
        for (anim, rate, span) in entries.into_iter().filter(|&(_, rate, _)| rate != usual) {
            // A clip of several meshes is reported once.
            if let Some(anim) = checked.get_mut(anim).filter(|_| reported.insert(anim)) {
                anim.findings.add(pair::RATES_DIFFER, span, || {
                    format!("the frame rate is {rate}, but other clips of this mesh have {usual}")
                });
            }
        }
    }
}
