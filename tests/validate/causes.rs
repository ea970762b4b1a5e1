//! One cause, one finding: its location, and the number of errors and warnings for it. The files are a chain of five
//! joints as exporters write it, each changed by hand in one place.

use bindpose::validate::finding::{Finding, Promise};
use bindpose::validate::profiles::Profile;
use bindpose::validate::report::{Selection, Style, Writer};
use bindpose::validate::{Input, Options, Validation, check};
use std::path::PathBuf;

/// Creates joints in a chain, each 10 above its parent, and one triangle at the origin of the root. Every joint stores
/// x and the turn about z.
fn chain() -> [String; 2] {
    let names = ["root", "hips", "waist", "chest", "head"];
    let (mut mesh, mut clip) = (String::new(), String::new());
    mesh += "MD5Version 10\ncommandline \"\"\nnumJoints 5\nnumMeshes 1\n\njoints {\n";
    clip += "MD5Version 10\ncommandline \"\"\nnumFrames 3\nnumJoints 5\nframeRate 24\nnumAnimatedComponents 10\n\nhierarchy {\n";
    for (index, name) in names.into_iter().enumerate() {
        let parent = index as i64 - 1;
        mesh += &format!("\t\"{name}\" {parent} ( 0 0 {} ) ( 0 0 0 )\n", 10 * index);
        clip += &format!("\t\"{name}\" {parent} 33 {}\n", 2 * index);
    }
    mesh += "}\n\nmesh {\n\tshader \"s\"\n\tnumverts 3\n\tvert 0 ( 0 0 ) 0 1\n\tvert 1 ( 1 0 ) 1 1\n\tvert 2 ( 0 1 ) 2 1\n\
             \tnumtris 1\n\ttri 0 0 1 2\n\tnumweights 3\n\tweight 0 0 1 ( 0 0 0 )\n\tweight 1 0 1 ( 9 0 0 )\n\tweight 2 4 1 ( 0 9 0 )\n}\n";
    clip += "}\n\nbounds {\n";
    clip += &"\t( -99 -99 -99 ) ( 99 99 99 )\n".repeat(3);
    clip += "}\n\nbaseframe {\n\t( 0 0 0 ) ( 0 0 0 )\n";
    clip += &"\t( 0 0 10 ) ( 0 0 0 )\n".repeat(4);
    clip += "}\n";
    for frame in 0..3 {
        clip += &format!("\nframe {frame} {{\n\t0 0.1 0 0.2 0 0.3 0 0.2 0 0.1\n}}\n");
    }
    [mesh, clip]
}

fn report(mesh: &str, clip: &str) -> Validation {
    let files = [("m.md5mesh", mesh), ("m.md5anim", clip)];
    let input = |(name, text): (&str, &str)| Input { path: PathBuf::from(name), bytes: Ok(text.as_bytes().to_vec()) };
    check(files.into_iter().map(input).collect(), &Options::default())
}

fn selection(profiles: &[&str]) -> Selection {
    let profiles = profiles.iter().map(|name| Profile::find(name).expect("a profile")).collect();
    Selection { profiles, ..Selection::default() }
}

/// Returns errors and warnings: code, line and message.
fn reported(report: &Validation, profiles: &[&str]) -> Vec<(String, u32, String)> {
    let selection = selection(profiles);
    let is_reported = |finding: &&Finding| selection.severity(finding) >= Some(bindpose::diagnostic::Severity::Warning);
    let files = report.files.iter();
    files
        .flat_map(|file| {
            let source = report.sources.get(file.source);
            let line = |finding: &Finding| source.position(finding.first.span.start).line;
            file.findings
                .iter()
                .filter(is_reported)
                .map(move |finding| (finding.code.id.to_owned(), line(finding), finding.message.clone()))
        })
        .collect()
}

#[test]
fn the_chain_is_sound() {
    let [mesh, clip] = chain();
    assert_eq!(reported(&report(&mesh, &clip), &[]), []);
}

const FRAME_1: &str = "frame 1 {\n\t0 0.1 0 0.2 0 0.3 0 0.2 0 0.1\n}\n\n";
const LAST_FRAME: &str = "\nframe 2 {\n\t0 0.1 0 0.2 0 0.3 0 0.2 0 0.1\n}\n";

#[test]
fn a_truncated_file_is_reported_whatever_was_expected() {
    let [mesh, clip] = chain();
    let cut = |text: &str, at: &str| text[..text.find(at).expect("a place to cut") + at.len()].to_owned();
    let mesh_ends = ["\t\"hi", "\"chest\" 2 ( 0 0", "\tvert 1 ( 1", "\ttri 0 0 ", "weight 1 0 1 ( 9 0"];
    let clip_ends = ["\"root\" -1 33 0\n\t\"hi", "\"waist\" 1 3", "( -99 -99", "( 0 0 10 ) ( 0", "frame 1 {\n\t0 0."];
    let meshes = mesh_ends.iter().map(|at| (cut(&mesh, at), clip.clone(), "MD5M008"));
    let clips = clip_ends.iter().map(|at| (mesh.clone(), cut(&clip, at), "MD5A008"));
    for (mesh, clip, code) in meshes.chain(clips) {
        let ends = if code == "MD5M008" { &mesh } else { &clip };
        let line = ends.trim_end().lines().count() as u32;
        let found = reported(&report(&mesh, &clip), &["doom3"]);
        let [(found, at, message)] = &found[..] else { panic!("{ends:?}: {found:?}") };
        assert_eq!((found.as_str(), *at), (code, line), "{ends:?}: {message}");
        assert!(message.starts_with("the file ends here: "), "{message}");
        assert!(message.ends_with("; export or download it again"), "{message}");
    }
}

/// `--fix` rewrites spellings, but does not guess the intention of a typing error.
#[test]
fn grammar_errors_promise_no_repair() {
    let [mesh, clip] = chain();
    for (from, to) in [
        ("weight 1 0 1 ( 9 0 0 )", "weight 1 0 1 ( 9 O.5 0 )"),
        ("weight 1 0 1 ( 9 0 0 )", "weight 1 0 1 ( 9 0.5O 0 )"),
        ("weight 1 0 1 ( 9 0 0 )", "weight 1 0 1 ( 9 0 0"),
        ("( 0 0 20 ) ( 0 0 0 )", "( 0 0 20 ) ( 0 0 0 1 )"),
    ] {
        let mut report = report(&mesh.replacen(from, to, 1), &clip);
        bindpose::validate::fix::mark_tried(&mut report, &Options::default(), |_| true);
        let errors = reported(&report, &["doom3"]);
        assert!(matches!(&errors[..], [(code, ..)] if code == "MD5M008"), "{to}: {errors:?}");
        assert!(report.files[0].findings.iter().all(|finding| finding.promise == Promise::None), "{to}");
    }
}

#[test]
fn one_cause_is_one_finding() {
    /// Change in the mesh, change in the clip, code, line, message.
    type Case = ([&'static str; 2], [&'static str; 2], &'static str, u32, &'static str);
    let none = ["", ""];
    let cases: [Case; 27] = [
        // A row of the hierarchy is missing, so every parent and component after it shifts.
        (none, ["\t\"waist\" 1 33 4\n", ""], "MD5A028", 4, "numJoints says 5, but 4 follow"),
        // A row is missing in the mesh, so that the clip has a joint more.
        (
            ["\t\"waist\" 1 ( 0 0 20 ) ( 0 0 0 )\n", ""],
            none,
            "MD5M028",
            3,
            "the row of joint 2 'waist' seems to be missing: numJoints says 5, but 4 follow",
        ),
        // The count was lowered with it: the finding is about the first row after the missing one.
        (
            [
                "numJoints 5\nnumMeshes 1\n\njoints {\n\t\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n\t\"hips\" 0 ( 0 0 10 ) ( 0 0 0 )\n\t\"waist\" 1 ( 0 0 20 ) ( 0 0 0 )\n",
                "numJoints 4\nnumMeshes 1\n\njoints {\n\t\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n\t\"hips\" 0 ( 0 0 10 ) ( 0 0 0 )\n",
            ],
            none,
            "MD5M105",
            9,
            "the row of joint 2 'waist' seems to be missing: joint 2 'chest' has joint 2 as its parent, which is itself",
        ),
        // The row is in a comment.
        (
            ["\t\"waist\" 1 ( 0 0 20 ) ( 0 0 0 )", "/*\t\"waist\" 1 ( 0 0 20 ) ( 0 0 0 ) */"],
            none,
            "MD5M028",
            9,
            "the row of joint 2 'waist' is in a comment: numJoints says 5, but 4 follow",
        ),
        // A row is repeated, and counted.
        (
            [
                "numJoints 5\nnumMeshes 1\n\njoints {\n\t\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n",
                "numJoints 6\nnumMeshes 1\n\njoints {\n\t\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n\t\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n",
            ],
            none,
            "MD5P001",
            4,
            "the clip has 5 joints, but the mesh has 6: joints 0 and 1 are both named 'root'",
        ),
        // Doom 3 reads typographic quotes as white space. Elsewhere the name differs.
        (none, ["\"waist\" 1", "\u{201c}waist\u{201d} 1"], "", 0, ""),
        // Two frames have each other's number.
        (
            none,
            [
                "frame 1 {\n\t0 0.1 0 0.2 0 0.3 0 0.2 0 0.1\n}\n\nframe 2",
                "frame 2 {\n\t0 0.1 0 0.2 0 0.3 0 0.2 0 0.1\n}\n\nframe 1",
            ],
            "MD5A211",
            34,
            "frame number 2, expected 1",
        ),
        // A renamed joint is also the unknown parent of the next one.
        (none, ["\"waist\" 1", "\"belly\" 1"], "MD5P002", 11, "joint 2 is 'waist' in the mesh and 'belly' in the clip"),
        // A weight with its bias in the place of its joint.
        (
            ["weight 1 0 1 (", "weight 1 1.0 2 ("],
            none,
            "MD5M204",
            24,
            "joint and bias of weight 1 of mesh 0 seem to be swapped: '1.0' is no joint",
        ),
        // The rotation of the next joint seems to be this one's.
        (
            none,
            [
                "baseframe {\n\t( 0 0 0 ) ( 0 0 0 )\n\t( 0 0 10 ) ( 0 0 0 )",
                "baseframe {\n\t( 0 0 0 ) ( 0 0 0 )\n\t( 0 0 10 )",
            ],
            "MD5A008",
            24,
            "expected '(', found the end of the line",
        ),
        // Mesh and clip disagree only in one joint's parent.
        (
            none,
            ["\"chest\" 2 33", "\"chest\" 1 33"],
            "MD5P003",
            12,
            "joint 3 'chest' has parent 'waist' in the mesh and 'hips' in the clip",
        ),
        // A parent after its child also disagrees with the mesh.
        (
            none,
            ["\"chest\" 2 33", "\"chest\" 4 33"],
            "MD5A105",
            12,
            "joint 3 'chest' has joint 4 as its parent, which is one of its own descendants: the parents form a circle",
        ),
        // The clip has an additional joint.
        (["numJoints 5", "numJoints 4"], none, "MD5P001", 13, "the clip has 5 joints, but the mesh has 4"),
        // Tx and Qz become Tx, Qz and Tz, so the joint uses the next one's first component.
        (
            none,
            ["\"waist\" 1 33", "\"waist\" 1 37"],
            "MD5A221",
            11,
            "joint 2 'waist' has flags 37 for 3, but the frames have 2 components for it",
        ),
        (
            none,
            ["\"waist\" 1 33", "\"waist\" 1 32"],
            "MD5A222",
            11,
            "joint 2 'waist' has flags 32 for 1, but the frames have 2 components for it",
        ),
        (
            none,
            ["\"waist\" 1 33 4", "\"waist\" 1 33 5"],
            "MD5A221",
            11,
            "joint 2 'waist' starts at component 5, but its neighbours leave room at 4",
        ),
        // Only the flags of a joint are between them.
        (
            none,
            ["\"waist\" 1 33", "\"waist\" 1 0"],
            "MD5A222",
            11,
            "joint 2 'waist' has flags 0 for 0, but the frames have 2 components for it",
        ),
        (none, ["\"waist\" 1 33", "\"waist\" 1 64"], "MD5A204", 11, "joint 2 'waist' has flags 64, expected 0 to 63"),
        (
            none,
            ["\"waist\" 1 33 4", "\"waist\" 1 33 99"],
            "MD5A205",
            11,
            "joint 2 'waist' reads components 99 to 100 of 10",
        ),
        // The clip disagrees with a parent that is invalid by itself.
        (
            ["\"chest\" 2", "\"chest\" 3"],
            none,
            "MD5M105",
            10,
            "joint 3 'chest' has joint 3 as its parent, which is itself",
        ),
        (
            ["\"waist\" 1", "\"waist\" 4"],
            none,
            "MD5M105",
            9,
            "joint 2 'waist' has joint 4 as its parent, which is one of its own descendants: the parents form a circle",
        ),
        // The brace is not the mesh's.
        (["\tvert 1 (", "}\n\tvert 1 ("], none, "MD5M008", 18, "expected 'vert' (1 of 3 read), found '}'"),
        // A name with a space is none of the mesh's.
        (none, ["\"waist\" 1", "\"waist \" 1"], "MD5A014", 11, "the name of joint 2, 'waist ', contains a space"),
        (["numweights 3", "numweights 2"], none, "MD5M212", 22, "numweights says 2, but 3 follow"),
        // There is one box for each announced frame, and one frame too few for both.
        (none, [FRAME_1, ""], "MD5A211", 34, "frame number 2, expected 1"),
        (none, ["frame 1 {", "frame 0 {"], "MD5A211", 34, "frame number 0, expected 1"),
        (
            none,
            [LAST_FRAME, ""],
            "MD5A210",
            37,
            "the file ends here: 1 of 3 frames are missing; export or download it again",
        ),
    ];
    for (in_mesh, in_clip, code, line, message) in cases {
        let [mut mesh, mut clip] = chain();
        for (text, [from, to]) in [(&mut mesh, in_mesh), (&mut clip, in_clip)] {
            assert!(text.contains(from), "{from}");
            *text = text.replacen(from, to, 1);
        }
        if in_mesh == ["numJoints 5", "numJoints 4"] {
            mesh = mesh.replace("\t\"head\" 3 ( 0 0 40 ) ( 0 0 0 )\n", "").replace("weight 2 4", "weight 2 3");
        }
        let found = reported(&report(&mesh, &clip), &["doom3"]);
        let expected = (!code.is_empty()).then(|| (code.to_owned(), line, message.to_owned()));
        assert_eq!(found, Vec::from_iter(expected), "{in_mesh:?} {in_clip:?}");
    }
}

/// The line-based readers of Cube 2 and assimp lose the second one.
#[test]
fn two_records_on_a_line_are_one_finding() {
    let [mesh, clip] = chain();
    let report = report(&mesh.replace("0 1\n\tvert 1", "0 1 vert 1"), &clip);
    for engine in ["cube2", "assimp"] {
        let found: Vec<_> =
            reported(&report, &[engine]).into_iter().filter(|(code, ..)| code.starts_with("MD5M")).collect();
        let message = "this vertex is on the line of the one before it".to_owned();
        assert_eq!(found, [("MD5M010".to_owned(), 17, message)], "{engine}");
    }
    assert_eq!(reported(&report, &["doom3"]), []);
}

/// assimp 5.2.4 loads these: its lines may end in CR alone.
#[test]
fn lines_of_an_old_mac_are_lines_for_assimp() {
    let [mesh, clip] = chain().map(|text| text.replace('\n', "\r"));
    let codes: Vec<_> = reported(&report(&mesh, &clip), &["assimp-6.0.5"]).into_iter().map(|(code, ..)| code).collect();
    assert!(!codes.contains(&"MD5M010".to_owned()), "{codes:?}");
}

/// assimp 5.2.4: "Validation failed: aiMesh::mFaces[1]::mIndices[0] is out of range", or vertices of random numbers.
#[test]
fn unused_vertices_disturb_the_copies_of_the_assimp_release() {
    let [mesh, clip] = chain();
    let mesh = mesh.replace("numverts 3", "numverts 4").replace("\tnumtris 1\n", "\tvert 3 ( 1 1 ) 1 1\n\tnumtris 2\n");
    let mesh = mesh.replace("tri 0 0 1 2", "tri 0 0 1 2\n\ttri 1 2 1 0");
    let report = report(&mesh, &clip);
    assert_eq!(reported(&report, &["assimp"]), []);
    let found: Vec<_> = reported(&report, &["assimp-6.0.5"]).into_iter().map(|(code, line, _)| (code, line)).collect();
    assert_eq!(found, [("MD5M218".to_owned(), 20)]);
}

#[test]
fn a_joint_that_only_the_clip_has_is_named_at_its_row() {
    let [mesh, clip] = chain();
    let clip = clip.replace("numJoints 5", "numJoints 6").replace("33 8\n}", "33 8\n\t\"tail\" 0 0 0\n}");
    let clip = clip.replace("}\n\nframe 0", "\t( 0 0 10 ) ( 0 0 0 )\n}\n\nframe 0");
    let found = reported(&report(&mesh, &clip), &["doom3"]);
    assert_eq!(found, [("MD5P001".to_owned(), 14, "the clip has 6 joints, but the mesh has 5".to_owned())]);
}

#[test]
fn typographic_quotes_are_one_finding() {
    let [mesh, clip] = chain();
    let mesh = mesh.replace("\"waist\" 1", "\u{201c}waist\u{201d} 1");
    let mut found = reported(&report(&mesh, &clip), &["daemon"]);
    found.retain(|(code, ..)| code != "TEX001");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].0.as_str(), found[0].1), ("MD5M019", 9));
}

/// Cube 2 and yquake2remaster count the weights that they can read.
#[test]
fn a_weight_that_an_engine_does_not_read_is_one_finding() {
    let [mesh, clip] = chain();
    for (record, code) in [("1 0.5 1 ( 9", "MD5M025"), ("1 1.0 2 ( 9", "MD5M204"), ("1 0 1 ( \u{2212}9", "MD5M018")] {
        let mesh = mesh.replace("weight 1 0 1 ( 9", &format!("weight {record}"));
        let mut found = reported(&report(&mesh, &clip), &["cube2", "yquake2remaster"]);
        found.retain(|(code, ..)| code.starts_with("MD5M"));
        assert_eq!(found.iter().map(|(code, ..)| &**code).collect::<Vec<_>>(), [code], "{found:?}");
        assert_eq!(found[0].1, 24);
    }
}

/// An engine that stops at a count does not read what is wrong behind it.
#[test]
fn a_limit_is_named_by_its_numbers_in_a_damaged_file() {
    let [mesh, clip] = chain();
    let rows = (3..5000).map(|row| format!("\tvert {row} ( 0 1 ) 2 1\n")).collect::<String>();
    let mesh = mesh.replace("numverts 3", "numverts 5000").replace("\tnumtris", &format!("{rows}\tnumtris"));
    let known = ("MD5M206".to_owned(), 16, "5000 vertices, but hexenwail has room for 4096".to_owned());
    for mesh in [mesh.replace("weight 1 0 1 ( 9", "weight 1 0 1 9"), mesh] {
        assert!(reported(&report(&mesh, &clip), &["hexenwail"]).contains(&known));
    }
}

/// A file that a download or a checkout left in the place of the model.
#[test]
fn other_content_is_named() {
    let [mesh, clip] = chain();
    for (content, words) in [
        ("version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n", "the file is a pointer of Git LFS"),
        ("<!DOCTYPE html>\n<html></html>\n", "the file is a web page"),
    ] {
        for report in [report(content, &clip), report(&mesh, content)] {
            let found = reported(&report, &["doom3"]);
            assert!(found.iter().any(|(_, line, message)| *line == 1 && message.starts_with(words)), "{found:?}");
        }
        let x = check(vec![Input { path: "m.x".into(), bytes: Ok(content.into()) }], &Options::default());
        let finding = &x.files[0].findings[0];
        assert!(finding.message.starts_with(words), "{finding:?}");
    }
}

#[test]
fn parents_of_equal_names_are_named_by_their_indices() {
    let [mesh, clip] = chain();
    let [mesh, clip] = [mesh, clip].map(|text| text.replacen("\"waist\"", "\"hips\"", 1));
    let clip = clip.replacen("\"chest\" 2 33", "\"chest\" 1 33", 1);
    let found = reported(&report(&mesh, &clip), &["doom3"]);
    let message = "joint 3 'chest' has parent 2 in the mesh and 1 in the clip";
    assert!(found.iter().any(|(code, _, found)| code == "MD5P003" && found == message), "{found:?}");
}

#[test]
fn a_byte_order_mark_is_one_finding_with_each_engines_words() {
    let [mesh, clip] = chain();
    let report = report(&format!("\u{feff}{mesh}"), &clip);
    let engines = ["fteqw", "daemon", "assimp", "q2pro", "vkquake"];
    let found = reported(&report, &engines);
    assert_eq!(
        found.iter().map(|(code, line, _)| (code.as_str(), *line)).collect::<Vec<_>>(),
        [("MD5M019", 1)],
        "{found:?}"
    );
    let finding = report.files[0].findings.iter().find(|finding| finding.code.id == "MD5M019").expect("the finding");
    let words =
        |name: &str| finding.said.iter().find(|said| said.profile.name == name).map(|said| said.message.as_str());
    assert_eq!(words("assimp"), Some("[MD5] Line 0: Invalid MD5 file: MD5Version tag has not been found"));
    assert_eq!(words("daemon"), Some(""));
}

/// Cube 2 does not require a version, and its own models have none.
#[test]
fn files_that_every_chosen_engine_loads_have_no_error() {
    let [mesh, clip] = chain().map(|text| text.replacen("MD5Version 10\n", "", 1));
    let report = report(&mesh, &clip);
    let errors = |profiles: &[&str]| {
        let selection = selection(profiles);
        let findings = report.files.iter().flat_map(|file| &file.findings);
        findings.filter(|finding| selection.severity(finding) == Some(bindpose::diagnostic::Severity::Error)).count()
    };
    assert_eq!(errors(&["cube2"]), 0);
    assert!(errors(&["cube2", "doom3"]) > 0 && errors(&[]) > 0);
}

#[test]
fn a_clip_whose_mesh_is_refused_is_not_loaded() {
    let [mesh, clip] = chain();
    let mesh = mesh.replacen("\tnumverts 3", "\tnumverts -3", 1);
    // A note for Doom 3: it plays 29 frames per second.
    let clip = clip.replacen("frameRate 24", "frameRate 29.97", 1);
    let report = report(&mesh, &clip);
    let text = |least| {
        let (selection, mut out) =
            (selection(&["doom3"]), codespan_reporting::term::termcolor::NoColor::new(Vec::new()));
        let mut writer = Writer::new(Style::Human, &selection, least, &mut out).expect("a writer");
        writer.add(&report).expect("written");
        writer.finish().expect("written");
        String::from_utf8(out.into_inner()).expect("text")
    };
    let text = text(bindpose::diagnostic::Severity::Info);
    assert!(text.contains("drops to the console") && !text.contains("doom3 loads it"), "{text}");
}

/// The clip of a shot does not need to end as it begins. A model without an old one next to it is not for Quake. If all
/// boxes are empty, they were not exported.
#[test]
fn advice_is_given_where_it_helps() {
    let [mesh, clip] = chain();
    let codes = |name: &str, clip: &str| {
        let files = [("m.md5mesh", mesh.as_str()), (name, clip)];
        let input =
            |(name, text): (&str, &str)| Input { path: PathBuf::from(name), bytes: Ok(text.as_bytes().to_vec()) };
        let report = check(files.into_iter().map(input).collect(), &Options { together: true, ..Options::default() });
        let findings = report.files.into_iter().flat_map(|file| file.findings);
        findings.map(|finding| (finding.code.id, finding.count, finding.message)).collect::<Vec<_>>()
    };
    let open = clip.replacen("frame 2 {\n\t0 0.1", "frame 2 {\n\t0 0.4", 1);
    let has = |codes: &[(&str, usize, String)], wanted: &str| codes.iter().any(|(code, ..)| *code == wanted);
    assert!(has(&codes("walk.md5anim", &open), "MD5A215"));
    assert!(!has(&codes("shoot.md5anim", &open), "MD5A215") && !has(&codes("death_2.md5anim", &open), "MD5A215"));
    let empty = codes("walk.md5anim", &clip.replace("( -99 -99 -99 ) ( 99 99 99 )", "( 0 0 0 ) ( 0 0 0 )"));
    let boxes: Vec<_> = empty.iter().filter(|(code, ..)| *code == "MD5P009").collect();
    assert!(matches!(boxes[..], [(_, 1, message)] if message.starts_with("no boxes were exported")), "{boxes:?}");
    // A box around a frame of zeros would hide it. Its last vertex is at y = 9, those of other frames below 2.
    let zeros = clip.replace(" 99 99 )", " 8 99 )").replacen(FRAME_1, "frame 1 {\n\t0 0 0 0 0 0 0 0 0 0\n}\n\n", 1);
    let boxes = codes("walk.md5anim", &zeros);
    assert!(boxes.iter().any(|(.., message)| message.starts_with("all values of frame 1 are 0")), "{boxes:?}");
}
