//! `data/README.md` names the engines for each folder of samples. They find nothing to warn about. By default, a third
//! of the engines of each folder is asked.

use crate::support::is_sampled;
use bindpose::diagnostic::Severity;
use bindpose::validate;

#[test]
fn samples_are_sound_for_the_engines_that_the_page_names() {
    let page = include_str!("../../data/README.md");
    let (_, table) = page.split_once("| folder | engines |\n|---|---|\n").expect("the table");
    let mut folders = Vec::new();
    for (row_number, row) in table.lines().take_while(|line| line.starts_with('|')).enumerate() {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let (folder, engines) = (cells[0].trim_matches('`'), cells[1].replace('`', "").replace(", ", ","));
        let path = format!("{}/data/{folder}", env!("CARGO_MANIFEST_DIR"));
        // With all engines at once, the most lenient one would decide.
        let engines = engines.split(',').enumerate().filter(|(engine, _)| is_sampled(*engine, row_number, 3));
        for (_, engine) in engines {
            let checked = validate::paths(&[&path], engine).expect("known engines");
            let found: Vec<String> = checked
                .findings()
                .filter(|found| found.severity >= Severity::Warning)
                .map(|found| found.to_string())
                .collect();
            assert!(found.is_empty() && checked.summary().files > 0, "{engine}: {found:?}");
        }
        folders.push(folder.to_owned());
    }
    assert_eq!(folders, ["md5/", "x/", "game/", "quake/"]);
}
