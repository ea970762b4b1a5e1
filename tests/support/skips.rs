//! Tests that do less than they could.

use std::fs::OpenOptions;
use std::io::Write;

/// Tests that do nothing without the files beside the project. Where `CI` is `true`, no other test may do less.
const CORPUS_ONLY: [&str; 4] = [
    "skin::agrees::gpu_methods_agree_on_the_corpus",
    "skin::batches::wuson_needs_fewer_batches_than_first_fit",
    "validate::engines::the_table_of_engines_is_complete",
    "validate::real::each_damage_of_a_real_model_is_one_finding",
];

/// Prints why the running test checks less than it could, and adds the reason to the file `$BINDPOSE_SKIPS`, whose tests
/// `tests/run` names. Panics where `CI` is `true`, unless the test is one of [`CORPUS_ONLY`].
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("a thread of a test");
    let is_ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
    assert!(!is_ci || CORPUS_ONLY.contains(&name), "{name} {reason}, which CI does not accept");
    let line = format!("{name}\t{reason}\n");
    print!("{line}");
    if let Some(path) = std::env::var_os("BINDPOSE_SKIPS") {
        let opened = OpenOptions::new().append(true).create(true).open(path);
        opened.and_then(|mut file| file.write_all(line.as_bytes())).expect("a file that can be appended to");
    }
}
