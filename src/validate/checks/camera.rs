//! `.md5camera`.

use crate::codes::{camera, shared};
use crate::finding::Findings;
use bindpose_parsers::md5::CameraFile;

/// Checks a camera file by itself. The parser's warnings cover the range of its cuts.
pub fn check(file: &CameraFile, findings: &mut Findings) {
    if file.frame_rate < 1.0 {
        findings.add(shared::RATE_ZERO, file.frame_rate_span, || {
            format!("frameRate is {}, expected at least 1", file.frame_rate)
        });
    }
    for (index, pair) in file.cuts.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        if after.value <= before.value {
            findings.add_at(camera::CAMERA_CUT_ORDER, after.span, format_args!("cut[{}]", index + 1), || {
                format!("cut {} follows cut {}", after.value, before.value)
            });
        }
    }
}
