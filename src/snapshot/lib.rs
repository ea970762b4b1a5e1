//! Snapshots of a model's frames, to detect changes.
//!
//! A [`Snapshot`] stores names, counts and hierarchy, for every frame the joints, and of the vertices an
//! exact digest, their bounds and sums from which a displacement can be estimated: a few kilobytes a clip.
//! [`Snapshot::compare`] lists every frame and joint that differs, with its distance and [`ComparedStage`].
//!
//! ```
//! # mod bindpose { pub use bindpose_core::{glam, model}; pub use bindpose_snapshot as snapshot; }
//! use bindpose::glam::DVec3;
//! use bindpose::model::{Model, Transform};
//! use bindpose::snapshot::{Check, Snapshot};
//!
//! let mut model = Model::default();
//! let hip = model.skeleton.push("hip", None, Transform::IDENTITY);
//! let recorded = Snapshot::from(&model).to_bytes();
//!
//! let moved = Transform { translation: DVec3::X, ..Transform::IDENTITY };
//! model.skeleton.set_rest_local(hip, moved);
//! let comparison = Snapshot::from_bytes(&recorded)?.compare(&Snapshot::from(&model), &Check::default());
//! assert_eq!(comparison.differences[0].message, "joints of the rest pose differ");
//! # Ok::<(), bindpose_snapshot::ReadError>(())
//! ```
//!
//! In a test, with files, so that the report can distinguish an edited file from a change of bindpose:
//!
//! ```no_run
//! # mod bindpose { pub use bindpose_core::load; pub use bindpose_snapshot as snapshot; }
//! let files = ["models/boss.md5mesh", "models/walk.md5anim"];
//! let loaded = bindpose::load::load(&files, &Default::default()).unwrap();
//! bindpose::snapshot::assert_unchanged("tests/snapshots/boss.snapshot", &loaded);
//! ```
//!
//! The first run writes the snapshot, later ones fail if a frame differs; `BINDPOSE_SNAPSHOTS=update` accepts the
//! present frames. Format and guarantees are described in `docs/snapshot.md`.

#![forbid(unsafe_code)]

mod compare;
mod difference;
mod digest;
pub mod dump;
mod file;
mod grid;
mod models;
mod projection;
mod record;
mod records;
mod sample;
mod show;
mod store;
mod times;
mod walk;

pub use compare::pair_models;
pub use difference::{
    Affected, Check, ComparedStage, Comparison, Difference, Exact, FrameRange, InputChange, Occurrence, PoseDeviation,
    Tolerance, ToleranceRule,
};
pub use digest::ListDigest;
pub use file::{FORMAT, ReadError};
pub use glob::Pattern;
pub use models::{ModelFile, ModelFolder, crowded_folders, find_models, take_all};
pub use record::{Input, RecordedClip, RecordedFrames, RecordedJoint, RecordedMaterial, RecordedMesh, Snapshot};
pub use records::TextFormat;
pub use sample::{Sample, SampleDigests};
pub use store::{Store, StoreError, read};
pub use times::{FrameRef, key_times};
pub use walk::name_of_part;

use bindpose_core::budget::MemoryLimit;
use std::path::Path;

/// Panics if a model's frames differ from the snapshot at `path` by more than [`Tolerance::default`].
///
/// `now` is a loaded model, whose files are recorded as inputs, or a model alone. A missing snapshot is written, unless
/// the environment variable `CI` is set: then it is an error. `BINDPOSE_SNAPSHOTS=update` overwrites a snapshot that
/// differs, and `BINDPOSE_SNAPSHOTS=new` writes a missing one even under `CI`. Except under `CI`, frames that differ
/// are written to `path` with the suffix `.new`, for `bindpose snapshot review` to accept.
#[track_caller]
pub fn assert_unchanged(path: impl AsRef<Path>, now: impl Into<Snapshot>) {
    assert_unchanged_by(path, &now.into(), &Check::default());
}

/// As [`assert_unchanged`], with settings of the comparison.
#[track_caller]
pub fn assert_unchanged_by(path: impl AsRef<Path>, now: &Snapshot, check: &Check) {
    let path = path.as_ref();
    let mode = std::env::var("BINDPOSE_SNAPSHOTS").unwrap_or_default();
    let write = || {
        if let Err(error) = store::write(path, now).and_then(|_| store::remove_pending(path)) {
            panic!("cannot write the snapshot {error}");
        }
    };
    match store::read_existing(path, MemoryLimit::default()) {
        Ok(None) if runs_in_ci() && mode != "new" && mode != "update" => panic!(
            "there is no snapshot {}: run the test on your own machine and commit the file that it writes",
            path.display()
        ),
        Ok(None) => write(),
        Ok(Some(recorded)) => {
            let comparison = recorded.compare(now, check);
            match comparison.is_same() {
                true => drop(store::remove_pending(path)),
                false if mode == "update" => write(),
                false => {
                    // A folder that cannot be written leaves the comparison to report.
                    let is_pending = !runs_in_ci() && store::write(&store::pending_path(path), now).is_ok();
                    let review = if is_pending { ", or `bindpose snapshot review` to look at them" } else { "" };
                    panic!(
                        "{} differs\n{comparison}run with BINDPOSE_SNAPSHOTS=update to accept the present frames{review}",
                        path.display()
                    )
                }
            }
        }
        Err(_) if mode == "update" => write(),
        Err(error) => panic!("cannot compare: {error}"),
    }
}

/// True on a build server: the environment variable `CI` is set, and not to `false` or `0`.
pub fn runs_in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}
