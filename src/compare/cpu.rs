//! What `bindpose bench --cpu` finds: loading, posing and skinning on the processor, each beside the least that any code must
//! do.

use super::table::Table;
use super::timing::{BUSY, interquartile_range, lower_quartile, median};
use crate::budget::{Budget, Exceeded, MemoryLimit};
use crate::load::{LoadError, Loaded};
use crate::model::{Clip, Mesh, Model};
use crate::pose::{LocalPose, ModelPose, local_to_model, rest, sample};
use crate::read::ReadError;
use crate::runtime::{RuntimeClip, RuntimeMatrix, RuntimeMesh, RuntimePose, RuntimeSkeleton, Simd, SkinnedVertex};
use crate::skin::{Skinned, linear, palette};
use glam::{Affine3A, DAffine3, Vec3};
use serde::Serialize;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// What is measured, and for how long.
pub struct CpuInput<'a> {
    /// The model.
    pub model: &'a Model,
    /// The clip that is sampled; without one no pose is measured.
    pub clip: Option<&'a Clip>,
    /// Loads the model once more.
    pub load: &'a (dyn Fn() -> Result<Loaded, LoadError> + Sync),
    /// Reads the files that it is loaded from, and does no more.
    pub read: &'a (dyn Fn() -> Result<Vec<Vec<u8>>, ReadError> + Sync),
    /// Turns that each way takes.
    pub rounds: usize,
    /// Length of a turn.
    pub turn: Duration,
    /// What the clip's frames may take.
    pub memory: MemoryLimit,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum CpuError {
    /// The files cannot be loaded any more.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The clip's frames take too much memory.
    #[error(transparent)]
    Memory(#[from] Exceeded),
    /// There is no thread to measure on.
    #[error(transparent)]
    Thread(#[from] rayon::ThreadPoolBuildError),
}

/// A whole measurement.
#[derive(Debug, Clone, Serialize)]
pub struct CpuTiming {
    /// The model's name.
    pub model: String,
    /// Joints of its skeleton.
    pub joints: usize,
    /// Vertices of its meshes.
    pub vertices: usize,
    /// The clip's name, if there is one.
    pub clip: Option<String>,
    /// Bytes of the files.
    pub bytes: usize,
    /// The instructions that playing uses.
    pub instructions: &'static str,
    /// Threads for loading; all else is measured on one.
    pub threads: usize,
    /// Rounds that the medians are of.
    pub rounds: usize,
    /// One for each way to do a job, the floor of each job first.
    pub ways: Vec<WayTiming>,
}

/// One way to do a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WayTiming {
    /// `load`, `pose` or `skin`.
    pub job: &'static str,
    /// In words.
    pub way: &'static str,
    /// How fast: the median of the rounds; of a round the quarter that was interrupted least.
    pub figure: f64,
    /// What of.
    pub unit: &'static str,
    /// How far the middle half of the rounds are from each other, as a share of their median.
    pub spread: f64,
    /// Its time over the floor's: the median of the rounds' ratios, so that drift counts little. 1 for the floor.
    pub ratio: f64,
    /// How far the middle half of the rounds' ratios are from each other, in the ratio's own unit.
    pub ratio_spread: f64,
}

/// Seconds that a call is repeated for before the clock is looked at again.
const TICK: f64 = 20e-6;

/// Something that can be timed.
type Work<'a> = Box<dyn FnMut() -> Result<(), LoadError> + Send + 'a>;

struct Job<'a> {
    name: &'static str,
    unit: Unit,
    /// The floor first.
    ways: Vec<(&'static str, Work<'a>)>,
}

#[derive(Clone, Copy)]
enum Unit {
    /// Nanoseconds for each of so many.
    Each(&'static str, usize),
    /// Million bytes a second, of so many.
    Bytes(usize),
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Each(name, _) => name,
            Self::Bytes(_) => "MB/s",
        }
    }

    fn figure(self, seconds: f64) -> f64 {
        match self {
            Self::Each(_, count) => seconds * 1e9 / count as f64,
            Self::Bytes(bytes) => bytes as f64 / seconds / 1e6,
        }
    }
}

/// Measures.
///
/// # Errors
///
/// [`CpuError`].
pub fn measure(input: &CpuInput<'_>) -> Result<CpuTiming, CpuError> {
    let CpuInput { model, clip, rounds, turn, .. } = *input;
    let files = (input.read)().map_err(LoadError::Read)?;
    let bytes = files.iter().map(Vec::len).sum();
    drop(files);
    // Loading takes the threads that it always takes.
    let mut ways = loading(input, bytes).time(rounds, turn)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut jobs: Vec<Job<'_>> = Vec::new();
    if let Some(clip) = clip {
        jobs.push(posing(model, clip, input.memory)?);
    }
    if model.meshes.iter().any(|mesh| mesh.vertex_count() > 0) {
        jobs.push(skinning(model, clip));
    }
    for job in jobs {
        ways.extend(pool.install(|| job.time(rounds, turn))?);
    }
    Ok(CpuTiming {
        model: model.name.clone(),
        joints: model.skeleton.len(),
        vertices: model.meshes.iter().map(Mesh::vertex_count).sum(),
        clip: clip.map(|clip| clip.name.clone()),
        bytes,
        instructions: Simd::best().name(),
        threads: rayon::current_num_threads(),
        rounds,
        ways,
    })
}

/// Words between blanks.
fn words(bytes: &[u8]) -> usize {
    bytes.split(|&byte| byte <= b' ').filter(|word| !word.is_empty()).count()
}

/// The files, of so many bytes.
fn loading<'a>(input: &'a CpuInput<'_>, bytes: usize) -> Job<'a> {
    let floor = || {
        black_box((input.read)()?.iter().map(|file| words(file)).sum::<usize>());
        Ok(())
    };
    let load = || (input.load)().map(|loaded| drop(black_box(loaded)));
    let ways: Vec<(&str, Work<'_>)> = vec![
        ("reading the files and splitting them into words", Box::new(floor)),
        ("from file to model", Box::new(load)),
    ];
    Job { name: "load", unit: Unit::Bytes(bytes), ways }
}

/// A clip as it is played, a thirtieth of a second from call to call.
fn posing<'a>(model: &'a Model, clip: &'a Clip, memory: MemoryLimit) -> Result<Job<'a>, Exceeded> {
    let skeleton = &model.skeleton;
    let frames = RuntimeClip::new(skeleton, clip, &Budget::new(memory))?;
    let walk = RuntimeSkeleton::new(skeleton);
    let times = || {
        let mut time = 0.0;
        move || {
            time = if time > clip.duration { 0.0 } else { time + 1.0 / 30.0 };
            time
        }
    };
    let locals: Vec<Affine3A> =
        skeleton.joints().iter().map(|joint| joint.rest_local.to_affine().as_affine3a()).collect();
    let mut products: Vec<Affine3A> = Vec::new();
    let floor = move || {
        products.clear();
        products.extend(locals.iter().map(|local| *black_box(local) * locals[0]));
        black_box(&products);
        Ok(())
    };
    let (mut pose, mut next) = (RuntimePose::default(), times());
    let quick = move || {
        pose.sample(&frames, next());
        pose.local_to_model(&walk, &frames);
        black_box(pose.model());
        Ok(())
    };
    let (mut local, mut posed, mut next) = (LocalPose::default(), ModelPose::default(), times());
    let exact = move || {
        sample(skeleton, clip, next(), &mut local);
        local_to_model(skeleton, &local, &mut posed);
        black_box(&posed);
        Ok(())
    };
    let ways: Vec<(&str, Work<'_>)> = vec![
        ("one matrix product a joint", Box::new(floor)),
        ("sampling and local to model space, as played", Box::new(quick)),
        ("the same, exact", Box::new(exact)),
    ];
    Ok(Job { name: "pose", unit: Unit::Each("ns/joint", skeleton.len().max(1)), ways })
}

/// Positions and normals of all meshes in the middle of the clip.
fn skinning<'a>(model: &'a Model, clip: Option<&Clip>) -> Job<'a> {
    let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
    match clip {
        Some(clip) => sample(&model.skeleton, clip, 0.5 * clip.duration, &mut local),
        None => rest(&model.skeleton, &mut local),
    }
    local_to_model(&model.skeleton, &local, &mut posed);
    let mut sums: Vec<[Vec3; 2]> = Vec::new();
    let floor = move || {
        for mesh in &model.meshes {
            sums.clear();
            sums.extend(mesh.normals.iter().enumerate().map(|(vertex, normal)| {
                let influences = mesh.influences_of(vertex).iter();
                [influences.map(|influence| influence.offset * influence.weight).sum(), *normal]
            }));
            black_box(&sums);
        }
        Ok(())
    };
    let matrices: Vec<RuntimeMatrix> = posed.0.iter().map(RuntimeMatrix::from).collect();
    let mut quick_meshes: Vec<(RuntimeMesh, Vec<RuntimeMatrix>, Vec<SkinnedVertex>)> = Vec::new();
    for mesh in model.meshes.iter().map(RuntimeMesh::new) {
        let mut entries = Vec::new();
        mesh.palette(&matrices, &mut entries);
        let out = vec![SkinnedVertex::default(); mesh.vertices()];
        quick_meshes.push((mesh, entries, out));
    }
    let quick = move || {
        for (mesh, entries, out) in &mut quick_meshes {
            mesh.skin(Simd::best(), entries, out);
            black_box(&out);
        }
        Ok(())
    };
    let exact_palette = |mesh: &'a Mesh| {
        let mut entries: Vec<DAffine3> = Vec::new();
        palette(mesh, &posed, &mut entries);
        (mesh, entries)
    };
    let exact_meshes: Vec<(&Mesh, Vec<DAffine3>)> = model.meshes.iter().map(exact_palette).collect();
    let mut out = Skinned::default();
    let exact = move || {
        for (mesh, entries) in &exact_meshes {
            linear(mesh, &posed, entries, &mut out);
            black_box(&out);
        }
        Ok(())
    };
    let vertices = model.meshes.iter().map(Mesh::vertex_count).sum();
    let ways: Vec<(&str, Work<'_>)> = vec![
        ("reading and adding up influences, writing vertices", Box::new(floor)),
        ("positions and normals, as played", Box::new(quick)),
        ("the same, exact", Box::new(exact)),
    ];
    Job { name: "skin", unit: Unit::Each("ns/vertex", vertices), ways }
}

impl Job<'_> {
    /// Times the ways in turns.
    fn time(mut self, rounds: usize, turn: Duration) -> Result<Vec<WayTiming>, LoadError> {
        let Self { name: job, unit, ways } = &mut self;
        let repeats = ways.iter_mut().map(|(_, work)| repeats(work)).collect::<Result<Vec<_>, _>>()?;
        // Seconds of a call, for each way round by round.
        let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); ways.len()];
        for round in 0..rounds {
            // Every second round goes backwards, so that a machine that slows down slows all alike.
            for place in 0..ways.len() {
                let way = if round % 2 == 0 { place } else { ways.len() - 1 - place };
                seconds[way].push(one_turn(&mut ways[way].1, repeats[way], turn)?);
            }
        }
        let timing = |(&(way, _), own): (&(&'static str, Work<'_>), &Vec<f64>)| {
            let ratios: Vec<f64> = own.iter().zip(&seconds[0]).map(|(own, floor)| own / floor).collect();
            WayTiming {
                job,
                way,
                figure: unit.figure(median(own)),
                unit: unit.name(),
                spread: interquartile_range(own) / median(own),
                ratio: median(&ratios),
                ratio_spread: interquartile_range(&ratios),
            }
        };
        Ok(ways.iter().zip(&seconds).map(timing).collect())
    }
}

/// How often a call is repeated to take [`TICK`].
fn repeats(work: &mut Work<'_>) -> Result<u32, LoadError> {
    // The first call of all makes room.
    work()?;
    let mut repeats = 1;
    while repeats < 1 << 20 && run(work, repeats)? < TICK {
        repeats *= 2;
    }
    Ok(repeats)
}

/// Seconds that so many calls take.
fn run(work: &mut Work<'_>, repeats: u32) -> Result<f64, LoadError> {
    let start = Instant::now();
    (0..repeats).try_for_each(|_| work())?;
    Ok(start.elapsed().as_secs_f64())
}

/// Seconds of a call that nothing got in the way of; at least [`TICK`] is looked at.
fn one_turn(work: &mut Work<'_>, repeats: u32, turn: Duration) -> Result<f64, LoadError> {
    let start = Instant::now();
    let mut seconds = Vec::new();
    while seconds.is_empty() || start.elapsed() < turn {
        seconds.push(run(work, repeats)? / f64::from(repeats));
    }
    Ok(lower_quartile(&seconds))
}

impl CpuTiming {
    /// One row per way.
    pub fn table(&self) -> Table {
        let mut table = Table::new(["job", "way", "figure", "unit", "spread %", "ratio", "+-"]);
        for way in &self.ways {
            table.push([
                way.job.to_owned(),
                way.way.to_owned(),
                format!("{:.1}", way.figure),
                way.unit.to_owned(),
                format!("{:.0}", 100.0 * way.spread),
                format!("{:.2}", way.ratio),
                format!("{:.2}", way.ratio_spread / 2.0),
            ]);
        }
        table
    }

    /// What the columns mean.
    pub fn legend(&self) -> &'static str {
        "The first way of each job is its floor: the least that any code must do. figure is the median of the turns, spread how \
         far apart their middle half is. ratio is the time over the floor's in the same round: 2.00 takes twice as long. +- is \
         half the spread of that ratio."
    }

    /// What to say where something else kept the machine busy.
    pub fn warning(&self) -> Option<String> {
        let spread = median(&self.ways.iter().map(|way| way.spread).collect::<Vec<_>>());
        (spread > BUSY).then(|| {
            format!(
                "the machine was busy: turns of one way differ by {:.0} %; close other programs, or take more --rounds",
                100.0 * spread
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_of_one_joint_and_of_a_second() {
        assert_eq!(Unit::Each("ns/joint", 4).figure(2e-6), 500.0);
        assert_eq!(Unit::Bytes(3_000_000).figure(0.5), 6.0);
        assert_eq!(words(b" a\tbc\r\n d "), 3);
    }

    #[test]
    fn ways_are_called_in_turns_there_and_back() {
        let called = std::sync::Mutex::new(Vec::new());
        let note = |letter: u8| {
            called.lock().unwrap().push(letter);
            Ok(())
        };
        let ways: Vec<(&str, Work<'_>)> = vec![("floor", Box::new(|| note(b'a'))), ("way", Box::new(|| note(b'b')))];
        let job = Job { name: "job", unit: Unit::Each("ns/joint", 1), ways };
        let found = job.time(2, Duration::ZERO).unwrap();
        assert_eq!((found[0].ratio, found[0].ratio_spread), (1.0, 0.0));
        assert!(found.iter().all(|way| way.figure > 0.0));
        let mut turns = called.into_inner().unwrap();
        turns.dedup();
        // Getting ready, there, and back.
        assert_eq!(turns, b"ababa");
    }
}
