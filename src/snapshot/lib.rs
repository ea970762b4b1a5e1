//! Snapshots of what a model's frames are, to be told when one changes.
//!
//! A [`Snapshot`] holds names, counts and hierarchy, for every frame the joints in model space, and of the vertices
//! an exact digest, their bounds and sums from which a displacement can be estimated: a few kilobytes a clip.
//! [`Snapshot::compare`] says which [`ComparedStage`] differs first, in which frame, at which joint, and by how much.
//!
//! From a test of your own:
//!
//! ```no_run
//! # mod bindpose { pub use bindpose_core::load; pub use bindpose_snapshot as snapshot; }
//! let files = ["models/boss.md5mesh", "models/walk.md5anim"];
//! let loaded = bindpose::load::load(&files, &Default::default()).unwrap();
//! bindpose::snapshot::assert_unchanged("tests/snapshots/boss.snapshot", &loaded.model);
//! ```
//!
//! The first run writes the snapshot, later ones fail where a frame differs; `BINDPOSE_SNAPSHOTS=update` accepts what
//! there is. Format and guarantees are described in `docs/snapshot.md`.

mod codec;
mod compare;
mod digest;
pub mod dump;
mod file;
mod projection;
mod record;
mod records;
mod report;
mod store;
mod times;

pub use compare::{
    Affected, Check, ComparedStage, Comparison, Difference, Exact, InputChange, Occurrence, PoseDeviation, Tolerance,
};
pub use file::{FORMAT, ReadError};
pub use record::{
    Input, RecordedClip, RecordedFrames, RecordedJoint, RecordedMaterial, RecordedMesh, Sample, SampleDigests, Snapshot,
};
pub use records::TextFormat;
pub use report::Detail;
pub use store::{CrowdedFolder, FindError, ModelFile, Store, StoreError, crowded_folders, find_models, read, take_all};
pub use times::{Place, key_times};

use bindpose_core::budget::MemoryLimit;
use bindpose_core::model::Model;
use std::path::Path;

/// Panics if a model's frames are not those of the snapshot at `path`.
///
/// A snapshot that is missing is written, except where the environment variable `CI` is set: there it is an error.
/// `BINDPOSE_SNAPSHOTS=update` writes it where it differs, `BINDPOSE_SNAPSHOTS=new` writes a missing one even under
/// `CI`. Joints may differ by [`Tolerance::default`].
#[track_caller]
pub fn assert_unchanged(path: impl AsRef<Path>, model: &Model) {
    assert_unchanged_by(path, &Snapshot::take(model, Vec::new()), &Check::default());
}

/// As [`assert_unchanged`], with a snapshot that was taken already and a tolerance of your own.
#[track_caller]
pub fn assert_unchanged_by(path: impl AsRef<Path>, now: &Snapshot, check: &Check) {
    let path = path.as_ref();
    let mode = std::env::var("BINDPOSE_SNAPSHOTS").unwrap_or_default();
    let write = || {
        if let Err(error) = store::write(path, now) {
            panic!("cannot write the snapshot {error}");
        }
    };
    match store::read_existing(path, MemoryLimit::default()) {
        Ok(None) if runs_in_ci() && mode != "new" && mode != "update" => panic!(
            "there is no snapshot {}; run the test on your own machine and commit the file that it writes",
            path.display()
        ),
        Ok(None) => write(),
        Ok(Some(recorded)) => {
            let comparison = recorded.compare(now, check);
            match comparison.is_same() {
                true => {}
                false if mode == "update" => write(),
                false => panic!(
                    "{} differs\n{comparison}run with BINDPOSE_SNAPSHOTS=update to accept what there is now",
                    path.display()
                ),
            }
        }
        Err(_) if mode == "update" => write(),
        Err(error) => panic!("cannot compare: {error}"),
    }
}

/// Whether this is a build server: the environment variable `CI` is set, and not to `false` or `0`.
pub fn runs_in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}
