//! Snapshots.

mod codec;
mod compare;
mod digest;
mod file;
mod record;
mod times;

pub use compare::{Check, Comparison, Deviation, Difference, Exact, InputChange, Moment, Part, Stage, Tolerance};
pub use file::{FORMAT, ReadError};
pub use record::{
    Frames, Input, RecordedClip, RecordedJoint, RecordedMaterial, RecordedMesh, Sample, SampleDigests, Snapshot,
};
pub use times::{Place, key_times};
