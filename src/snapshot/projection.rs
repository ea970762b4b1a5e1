//! Numbers of a .x file's matrices that are not part of an affine map.

use super::digest::Digest;
use bindpose_parsers::x::{self, Document, KeyKind, Reading};

/// Returns a digest of the fourth columns of a .x file's matrices (frames, keys, bone offsets). Returns `None` if all
/// of them are (0, 0, 0, 1), as they should be, or if the file does not parse.
///
/// These numbers have no effect on poses, because a joint's transform is an affine map.
pub fn fourth_columns(bytes: &[u8]) -> Option<u64> {
    let unpacked = x::unpack(bytes, Reading::Lenient).ok()?;
    digest_of(&x::parse(&unpacked, Reading::Lenient).ok()?.document)
}

fn digest_of(document: &Document<'_>) -> Option<u64> {
    let of_frames = document.frames.iter().flat_map(|frame| frame.matrices.iter().copied());
    let offsets = document.meshes.iter().flat_map(|mesh| &mesh.skin_weights);
    let of_bones = offsets.map(|weights| weights.matrix_offset);
    let animations = document.animation_sets.iter().flat_map(|set| &set.animations);
    let keys = animations.chain(&document.loose_animations).flat_map(|animation| &animation.keys);
    let of_keys = keys.filter(|keys| keys.kind == KeyKind::Matrix).flat_map(|keys| {
        let matrices = keys.values.vectors();
        (0..keys.times.len()).filter_map(move |key| matrices.get(key))
    });
    let mut digest = Digest::default();
    let mut affine = true;
    for (number, matrix) in of_frames.chain(of_bones).chain(of_keys).enumerate() {
        let column = [3, 7, 11, 15].map(|element| matrix[element]);
        if column != [0.0, 0.0, 0.0, 1.0] {
            affine = false;
            digest.integer(number as u64);
            digest.numbers(column);
        }
    }
    (!affine).then(|| digest.finish())
}
