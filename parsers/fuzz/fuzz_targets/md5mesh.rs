//! Any bytes read as a `.md5mesh`; what loads is written, and if that loads it must be the same document.
#![no_main]

use bindpose_parsers::md5::{parse_mesh, write_mesh};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(parsed) = parse_mesh(bytes) else { return };
    let mut text = Vec::new();
    if write_mesh(&parsed.document, &mut text).is_err() {
        return;
    }
    // A count that a long file could hold may be too large for the shorter one, which is refused then, or ends before
    // a mesh that numMeshes does not count.
    let meshes = parsed.document.meshes.len();
    let Ok(parsed) = parse_mesh(&text) else { return };
    if parsed.document.meshes.len() < meshes {
        return;
    }
    let mut again = Vec::new();
    write_mesh(&parsed.document, &mut again).expect("what was read can be written");
    assert_eq!(text, again);
});
