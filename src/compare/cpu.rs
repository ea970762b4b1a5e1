//! Results of `bindpose bench --cpu`: loading, posing and skinning on the CPU, each compared with a floor, the least
//! work that any implementation must do.

use super::table::Table;
use super::timing::{BUSY, interquartile_range, lower_quartile, median};
use bindpose_core::budget::{Budget, Exceeded, MemoryLimit};
use bindpose_core::load::{LoadError, Loaded};
use bindpose_core::model::{Clip, Mesh, Model};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose_core::read::ReadError;
use bindpose_core::runtime::{
    RuntimeClip, RuntimeMatrix, RuntimeMesh, RuntimePose, RuntimeSkeleton, Simd, SkinnedVertex,
};
use bindpose_core::skin::{Skinned, linear};
use glam::{Affine3A, Vec3};
use serde::Serialize;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Subject and duration of the measurement.
pub struct CpuInput<'a> {
    /// The model.
    pub model: &'a Model,
    /// The sampled clip; without one, posing is not measured.
    pub clip: Option<&'a Clip>,
    /// Loads the model again.
    pub load: &'a (dyn Fn() -> Result<Loaded, LoadError> + Sync),
    /// Reads the files of the model without parsing them.
    pub read: &'a (dyn Fn() -> Result<Vec<Vec<u8>>, ReadError> + Sync),
    /// Number of turns per implementation.
    pub rounds: usize,
    /// Length of a turn.
    pub turn: Duration,
    /// Memory limit for the clip's frames.
    pub memory: MemoryLimit,
}

/// Reason why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum CpuError {
    /// The files can no longer be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The clip's frames exceed the memory limit.
    #[error(transparent)]
    Memory(#[from] Exceeded),
    /// No thread could be started.
    #[error(transparent)]
    Thread(#[from] rayon::ThreadPoolBuildError),
}

/// A whole measurement.
#[derive(Debug, Clone, Serialize)]
pub struct CpuTiming {
    /// Name of the model.
    pub model: String,
    /// Joints of its skeleton.
    pub joints: usize,
    /// Vertices of its meshes.
    pub vertices: usize,
    /// Name of the clip, if there is one.
    pub clip: Option<String>,
    /// Size of the files in bytes.
    pub bytes: usize,
    /// Instruction set that playback uses.
    pub instructions: &'static str,
    /// Threads that load; everything else is measured on one.
    pub threads: usize,
    /// Rounds behind the medians.
    pub rounds: usize,
    /// Results of each implementation; the floor of each job comes first.
    pub ways: Vec<WayTiming>,
}

/// Result of one implementation of a job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WayTiming {
    /// `load`, `pose` or `skin`.
    pub job: &'static str,
    /// Description of the implementation.
    pub way: &'static str,
    /// Speed in `unit`: the median over the rounds, each represented by the lower quartile of its times.
    #[serde(rename = "figure")]
    pub speed: f64,
    /// `ns/joint`, `ns/vertex` or `MB/s`.
    pub unit: &'static str,
    /// Interquartile range of the rounds, as a share of their median.
    pub spread: f64,
    /// Time divided by the floor's: the median of the rounds' ratios, which is hardly affected by drift of the machine.
    /// 1 for the floor.
    pub ratio: f64,
    /// Interquartile range of the rounds' ratios.
    pub ratio_spread: f64,
}

/// Shortest measured interval, in seconds; shorter calls are repeated.
const TICK: f64 = 20e-6;

/// Implementation to be timed.
type Work<'a> = Box<dyn FnMut() -> Result<(), LoadError> + Send + 'a>;

struct Job<'a> {
    name: &'static str,
    unit: Unit,
    /// The floor first.
    ways: Vec<(&'static str, Work<'a>)>,
}

#[derive(Clone, Copy)]
enum Unit {
    /// Nanoseconds per item, with the name and the number of items.
    Each(&'static str, usize),
    /// Megabytes per second, with the number of bytes.
    Bytes(usize),
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Each(name, _) => name,
            Self::Bytes(_) => "MB/s",
        }
    }

    fn speed(self, seconds: f64) -> f64 {
        match self {
            Self::Each(_, count) => seconds * 1e9 / count as f64,
            Self::Bytes(bytes) => bytes as f64 / seconds / 1e6,
        }
    }
}

/// Measures all jobs.
pub fn measure(input: &CpuInput<'_>) -> Result<CpuTiming, CpuError> {
    let CpuInput { model, clip, rounds, turn, .. } = *input;
    let files = (input.read)().map_err(LoadError::Read)?;
    let bytes = files.iter().map(Vec::len).sum();
    drop(files);
    // Loading uses as many threads as it does outside the benchmark.
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

/// Returns the number of words separated by blanks.
fn words(bytes: &[u8]) -> usize {
    bytes.split(|&byte| byte <= b' ').filter(|word| !word.is_empty()).count()
}

/// Loads the files, which have `bytes` bytes in total.
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

/// Poses a clip as in playback; each call advances it by a thirtieth of a second.
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
        pose.local_to_model(&walk);
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

/// Skins the positions and normals of all meshes in the middle of the clip.
fn skinning<'a>(model: &'a Model, clip: Option<&Clip>) -> Job<'a> {
    let middle = clip.map_or(0.0, |clip| 0.5 * clip.duration);
    let posed = LocalPose::of_clip(&model.skeleton, clip, middle).to_model(&model.skeleton);
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
    let mut out = Skinned::default();
    let exact = move || {
        for mesh in &model.meshes {
            linear(mesh, &posed, &mut out);
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
    /// Times the implementations in turns.
    fn time(mut self, rounds: usize, turn: Duration) -> Result<Vec<WayTiming>, LoadError> {
        let Self { name: job, unit, ways } = &mut self;
        let repeats = ways.iter_mut().map(|(_, work)| repeats(work)).collect::<Result<Vec<_>, _>>()?;
        // Seconds of a call, by implementation and round.
        let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); ways.len()];
        for round in 0..rounds {
            // Every second round runs in reverse order, so that a machine that slows down affects all equally.
            for number in 0..ways.len() {
                let way = if round % 2 == 0 { number } else { ways.len() - 1 - number };
                seconds[way].push(one_turn(&mut ways[way].1, repeats[way], turn)?);
            }
        }
        let timing = |(&(way, _), own): (&(&'static str, Work<'_>), &Vec<f64>)| {
            let ratios: Vec<f64> = own.iter().zip(&seconds[0]).map(|(own, floor)| own / floor).collect();
            WayTiming {
                job,
                way,
                speed: unit.speed(median(own)),
                unit: unit.name(),
                spread: interquartile_range(own) / median(own),
                ratio: median(&ratios),
                ratio_spread: interquartile_range(&ratios),
            }
        };
        Ok(ways.iter().zip(&seconds).map(timing).collect())
    }
}

/// Returns the number of repetitions that take at least [`TICK`].
fn repeats(work: &mut Work<'_>) -> Result<u32, LoadError> {
    // The first call allocates.
    work()?;
    let mut repeats = 1;
    while repeats < 1 << 20 && run(work, repeats)? < TICK {
        repeats *= 2;
    }
    Ok(repeats)
}

/// Returns the duration of `repeats` calls in seconds.
fn run(work: &mut Work<'_>, repeats: u32) -> Result<f64, LoadError> {
    let start = Instant::now();
    (0..repeats).try_for_each(|_| work())?;
    Ok(start.elapsed().as_secs_f64())
}

/// Returns the duration of an undisturbed call in seconds: the lower quartile of a turn.
fn one_turn(work: &mut Work<'_>, repeats: u32, turn: Duration) -> Result<f64, LoadError> {
    let start = Instant::now();
    let mut seconds = Vec::new();
    while seconds.is_empty() || start.elapsed() < turn {
        seconds.push(run(work, repeats)? / f64::from(repeats));
    }
    Ok(lower_quartile(&seconds))
}

impl CpuTiming {
    /// Formats the results as a table, one row per implementation.
    pub fn table(&self) -> Table {
        let mut table = Table::new(["job", "way", "value", "unit", "spread %", "ratio", "+-"]);
        for way in &self.ways {
            table.push([
                way.job.to_owned(),
                way.way.to_owned(),
                format!("{:.1}", way.speed),
                way.unit.to_owned(),
                format!("{:.0}", 100.0 * way.spread),
                format!("{:.2}", way.ratio),
                format!("{:.2}", way.ratio_spread / 2.0),
            ]);
        }
        table
    }

    /// Explains the columns.
    pub fn legend(&self) -> &'static str {
        "The first row of each job is its floor: the least work that any implementation must do. value is the median of the \
         turns, spread their interquartile range. ratio is the time divided by the floor's in the same round: 2.00 takes twice as \
         long. +- is half the interquartile range of that ratio."
    }

    /// Returns a warning that names the implementations whose turns differ too much to be compared.
    pub fn warning(&self) -> Option<String> {
        let noisy = self.ways.iter().filter(|way| way.spread > BUSY);
        let noisy: Vec<String> =
            noisy.map(|way| format!("{} ({}) by {:.0} %", way.job, way.way, 100.0 * way.spread)).collect();
        (!noisy.is_empty()).then(|| {
            format!(
                "turns differ too much to be compared: {}; close other programs, or use more --rounds",
                noisy.join("; ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_per_item_and_per_second() {
        assert_eq!(Unit::Each("ns/joint", 4).speed(2e-6), 500.0);
        assert_eq!(Unit::Bytes(3_000_000).speed(0.5), 6.0);
        assert_eq!(words(b" a\tbc\r\n d "), 3);
    }

    #[test]
    fn rounds_alternate_their_direction() {
        let called = std::sync::Mutex::new(Vec::new());
        let note = |letter: u8| {
            called.lock().unwrap().push(letter);
            Ok(())
        };
        let ways: Vec<(&str, Work<'_>)> = vec![("floor", Box::new(|| note(b'a'))), ("way", Box::new(|| note(b'b')))];
        let job = Job { name: "job", unit: Unit::Each("ns/joint", 1), ways };
        let found = job.time(2, Duration::ZERO).unwrap();
        assert_eq!((found[0].ratio, found[0].ratio_spread), (1.0, 0.0));
        assert!(found.iter().all(|way| way.speed > 0.0));
        let mut turns = called.into_inner().unwrap();
        turns.dedup();
        // The warm-up, a round forwards, and a round in reverse.
        assert_eq!(turns, b"ababa");
    }

    /// One noisy implementation among quiet ones: a median over all of them would hide it.
    #[test]
    fn a_single_noisy_implementation_is_reported() {
        let way =
            |way, spread| WayTiming { job: "skin", way, speed: 1.0, unit: "", spread, ratio: 1.0, ratio_spread: 0.0 };
        let timing = |ways| CpuTiming {
            model: String::new(),
            joints: 0,
            vertices: 0,
            clip: None,
            bytes: 0,
            instructions: "",
            threads: 1,
            rounds: 3,
            ways,
        };
        assert_eq!(timing(vec![way("floor", 0.01), way("exact", 0.02)]).warning(), None);
        let warning = timing(vec![way("floor", 0.01), way("played", 0.4), way("exact", 0.02)]).warning().unwrap();
        assert!(warning.contains("skin (played) by 40 %") && !warning.contains("exact"), "{warning}");
    }
}
