//! Spelling, and defects that no loader checks. Each code has a file that triggers it, with the line, and one that just
//! does not.

use bindpose::validate::{Input, Options, Validation, check};
use std::path::{Path, PathBuf};

const MESH: &str = include_str!("../cases/validate/base.md5mesh");
const ANIM: &str = include_str!("../cases/validate/base.md5anim");
const CAMERA: &str = include_str!("../cases/validate/base.md5camera");

/// A chain of three joints that bends, with a triangle, for lints about poses.
const CHAIN_MESH: &str = "MD5Version 10\ncommandline \"\"\nnumJoints 3\nnumMeshes 1\njoints {\n\
    \t\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n\t\"b\" 0 ( 0 0 10 ) ( 0 0 0 )\n\t\"c\" 1 ( 0 0 20 ) ( 0 0 0 )\n}\n\
    mesh {\n\tshader \"s\"\n\tnumverts 3\n\tvert 0 ( 0 0 ) 0 1\n\tvert 1 ( 0 0 ) 1 1\n\tvert 2 ( 0 0 ) 2 1\n\
    \tnumtris 1\n\ttri 0 0 1 2\n\tnumweights 3\n\tweight 0 0 1 ( 0 0 0 )\n\tweight 1 1 1 ( 5 0 0 )\n\
    \tweight 2 2 1 ( 0 5 0 )\n}\n";

/// Returns its clip of four equal frames: rotations of b, and of the root before them.
fn chain_anim(root: &str, turns: [&str; 4]) -> String {
    let frame =
        |number: usize| format!("frame {number} {{\n\t0 0 0 {root}\n\t0 0 10 {}\n\t0 0 10 0 0 0\n}}\n", turns[number]);
    let frames: String = (0..4).map(frame).collect();
    format!(
        "MD5Version 10\ncommandline \"\"\nnumFrames 4\nnumJoints 3\nframeRate 24\nnumAnimatedComponents 18\n\
         hierarchy {{\n\t\"a\" -1 63 0\n\t\"b\" 0 63 6\n\t\"c\" 1 63 12\n}}\n\
         bounds {{\n{}}}\nbaseframe {{\n\t( 0 0 0 ) ( {root} )\n\t( 0 0 10 ) ( {} )\n\t( 0 0 10 ) ( 0 0 0 )\n}}\n{frames}",
        "\t( -30 -30 -30 ) ( 30 30 30 )\n".repeat(4),
        turns[0],
    )
}

const REST: &str = "0 0 0";

fn edited(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from:?} is not in the file");
    text.replacen(from, to, 1)
}

type Files = Vec<(&'static str, String)>;

fn mesh(from: &str, to: &str) -> Files {
    vec![("m.md5mesh", edited(MESH, from, to))]
}

fn anim(from: &str, to: &str) -> Files {
    vec![("m.md5anim", edited(ANIM, from, to))]
}

fn camera(from: &str, to: &str) -> Files {
    vec![("m.md5camera", edited(CAMERA, from, to))]
}

fn base() -> Files {
    vec![("m.md5mesh", MESH.to_owned()), ("m.md5anim", ANIM.to_owned()), ("m.md5camera", CAMERA.to_owned())]
}

fn chain(root: &str, turns: [&str; 4]) -> Files {
    vec![("m.md5anim", chain_anim(root, turns)), ("m.md5mesh", CHAIN_MESH.to_owned())]
}

/// Creates five weights on one vertex, the fifth of which pulls in another direction.
fn five_weights(fifth: &str) -> Files {
    let weights = "\tnumweights 7\n\tweight 0 0 1 ( 0 0 0 )\n\tweight 1 1 0.22 ( 5 0 0 )\n\tweight 2 1 0.22 ( 5 0 0 )\n\
                   \tweight 3 1 0.22 ( 5 0 0 )\n\tweight 4 1 0.22 ( 5 0 0 )\n"
        .to_owned()
        + fifth + "\tweight 6 2 1 ( 0 5 0 )\n}\n";
    let (head, _) = CHAIN_MESH.split_once("\tnumweights").expect("weights");
    let mesh = (head.to_owned() + &weights)
        .replace("1 ( 0 0 ) 1 1", "1 ( 0 0 ) 1 5")
        .replace("2 ( 0 0 ) 2 1", "2 ( 0 0 ) 6 1");
    vec![("m.md5anim", chain_anim(REST, [REST, "0 0.5 0", "0 0.5 0", REST])), ("m.md5mesh", mesh)]
}

/// Code, line in the first file, files that trigger it, files that do not.
struct Case(&'static str, u32, Files, Files);

fn spelling() -> Vec<Case> {
    vec![
        Case("MD5M017", 2, mesh("\"x\"", "\"x"), base()),
        Case("MD5M018", 17, mesh("vert 0", "\u{7f}vert 0"), base()),
        Case("MD5M019", 1, vec![("m.md5mesh", format!("\u{feff}{MESH}"))], base()),
        Case("MD5M020", 17, mesh("vert 0", "\0vert 0"), base()),
        Case("MD5M021", 8, vec![("m.md5mesh", MESH.replace('\n', "\r"))], base()),
        Case("MD5M022", 4, mesh("numJoints", "numjoints"), base()),
        Case("MD5M023", 2, mesh("\"x\"", "\"x\" \"y\""), base()),
        Case("MD5M024", 16, mesh("numverts 4", "numverts 0x4"), base()),
        Case("MD5M025", 16, mesh("numverts 4", "numverts 4.5"), base()),
        Case("MD5M026", 16, mesh("numverts 4", "numverts 4294967300"), base()),
        Case("MD5M027", 5, mesh("numJoints 2\n", "numJoints 2\nnumJoints 2\n"), base()),
        Case("MD5M028", 4, mesh("numJoints 2", "numJoints 3"), base()),
        Case(
            "MD5M029",
            34,
            vec![("m.md5mesh", format!("{MESH}// the end\nmore"))],
            vec![("m.md5mesh", format!("{MESH}// the end"))],
        ),
        Case("MD5A022", 4, anim("numFrames", "NUMFRAMES"), base()),
        Case("MD5A025", 11, anim("0 36 1", "0 36.5 1"), base()),
        Case("MD5C025", 4, camera("numFrames 4", "numFrames 4.5"), base()),
        Case("MD5C028", 4, camera("numFrames 4", "numFrames 3"), base()),
        Case("MD5C202", 5, camera("frameRate 24", "frameRate 0"), camera("frameRate 24", "frameRate 1")),
        Case("MD5C230", 9, camera("\t2\n", "\t4\n"), camera("\t2\n", "\t3\n")),
        Case("MD5C231", 10, edited_cuts("\t2\n\t1\n"), edited_cuts("\t1\n\t2\n")),
        Case("IO002", 1, vec![("m.dat", "nothing of ours".to_owned())], base()),
        Case("IO004", 1, vec![("m.txt", MESH.to_owned())], vec![("m", MESH.to_owned())]),
    ]
}

fn edited_cuts(cuts: &str) -> Files {
    vec![("m.md5camera", edited(&edited(CAMERA, "\t2\n", cuts), "numCuts 1", "numCuts 2"))]
}

fn lints() -> Vec<Case> {
    // 60 degrees about y are 0.5, 29 degrees 0.2504.
    let (half, third) = ("0 0.5 0", "0 0.2504 0");
    vec![
        // Root, a, b under a, c under the root, d under a.
        // Doom 3 also skips the first character after the comment, and reads 0.
        Case("MD5M034", 9, mesh("( 0 0 10 )", "( 0 0 /* ten */10 )"), mesh("( 0 0 10 )", "( 0 0 /* ten */ 10 )")),
        Case("MD5M111", 9, mesh("\"bone\"", "\"\""), base()),
        Case("MD5M220", 25, cube([0, 1, 2], 1), cube([0, 2, 1], 1)),
        // On another joint 20 units away, and on its own joint: beyond the size of the rest, and within it.
        Case("MD5M221", 54, grid(2, "1 1 0"), grid(0, "1 1 4")),
        Case("MD5M221", 54, grid(0, "1 1 30"), grid(0, "1 1 15")),
        Case("MD5M222", 21, column(100), column(60)),
        Case("MD5A109", 30, chain(REST, [REST, "7.5 0 0", REST, REST]), chain(REST, [REST, "1 0 0", REST, REST])),
        // Inches and metres.
        Case("MD5P012", 19, scaled("393.7"), scaled("10.4")),
        Case("MD5M110", 9, split_subtree([-1, 0, 0, 1]), split_subtree([-1, 0, 1, 0])),
        Case("MD5M215", 31, mesh("vert 3 ( 0 1 ) 3 2", "vert 3 ( 0 1 ) 3 1"), base()),
        Case("MD5M216", 31, mesh("weight 4 1 0.5", "weight 4 1 -0.5"), base()),
        Case("MD5M217", 12, mesh("numtris 2\n\ttri 0 0 2 1\n\ttri 1 0 3 2\n", "numtris 0\n"), base()),
        Case("MD5M218", 18, mesh("tri 0 0 2 1", "tri 0 0 3 2"), base()),
        Case("MD5A215", 38, chain(REST, [REST, REST, REST, "0 0.01 0"]), chain(REST, [REST, REST, REST, "0 0.008 0"])),
        Case("MD5A216", 28, chain(REST, [REST, "0 0.501 0", REST, REST]), chain(REST, [REST, "0 0.499 0", REST, REST])),
        Case("MD5A217", 20, flipped("0 -0.3 0"), flipped("0 0.3 0")),
        Case("MD5A218", 20, flipped("0 0.31 0"), flipped("0 0.301 0")),
        Case("MD5A219", 21, vec![("m.md5anim", ANIM.to_owned())], anim("( 5 6 7 )", "( 5 0 0 )")),
        Case("MD5A221", 11, anim("0 36 1", "0 36 0"), base()),
        Case("MD5A222", 11, anim("0 36 1", "0 4 1"), base()),
        Case("MD5A223", 28, chain(REST, [REST, half, REST, REST]), chain(REST, [REST, third, REST, REST])),
        Case("MD5P010", 14, chain(REST, [REST, half, half, REST]), chain(REST, [REST, "0 0.05 0", REST, REST])),
        // A turn of the whole model by 90 degrees, and one that not all joints share.
        Case("MD5P012", 19, chain("0.7071068 0 0", [REST; 4]), chain("0.7071068 0 0", ["0.7071068 0 0"; 4])),
        Case("MD5P013", 10, stretched("0 0 11"), stretched("0 0 10.4")),
        Case("MD5P015", 5, rates("30"), rates("24")),
        Case(
            "MD5M219",
            14,
            five_weights("\tweight 5 0 0.12 ( 5 0 10 )\n"),
            five_weights("\tweight 5 1 0.12 ( 5 0 0 )\n"),
        ),
    ]
}

/// Creates a cube of this size whose triangles use the corners of counter-clockwise sides in this order.
fn cube(order: [usize; 3], size: usize) -> Files {
    const SIDES: [[usize; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let (head, _) = CHAIN_MESH.split_once("\tnumverts").expect("vertices");
    let verts: String = (0..8).map(|at| format!("\tvert {at} ( 0 0 ) {at} 1\n")).collect();
    let offset = |at: usize| [at & 1, at >> 1 & 1, at >> 2].map(|part| part * size);
    let weight = |at: usize, [x, y, z]: [usize; 3]| format!("\tweight {at} 0 1 ( {x} {y} {z} )\n");
    let corners = SIDES.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    let tri = |(at, tri): (usize, [usize; 3])| {
        let [a, b, c] = order.map(|corner| tri[corner]);
        format!("\ttri {at} {a} {b} {c}\n")
    };
    let tris: String = corners.enumerate().map(tri).collect();
    let weights: String = (0..8).map(|at| weight(at, offset(at))).collect();
    let text = format!("{head}\n\n\n\tnumverts 8\n{verts}\n\tnumtris 12\n{tris}\tnumweights 8\n{weights}}}\n");
    vec![("m.md5mesh", text)]
}

/// A small cube and a large one around it. The large one faces inwards.
#[test]
fn only_meshes_that_face_inwards_are_counted() {
    let large = &cube([0, 1, 2], 9)[0].1;
    let (_, large) = large.split_once("mesh {").expect("a mesh");
    let small = edited(&cube([0, 2, 1], 1)[0].1, "numMeshes 1", "numMeshes 2");
    let files = vec![Input { path: "m.md5mesh".into(), bytes: Ok(format!("{small}mesh {{{large}").into_bytes()) }];
    let found = check(files, &Options::default());
    let findings = found.files.iter().flat_map(|file| &file.findings);
    let said: Vec<&str> =
        findings.filter(|found| found.code.id == "MD5M220").map(|found| found.message.as_str()).collect();
    assert_eq!(said, ["the triangles of mesh 1, 12 of 24 in all, face inwards"]);
}

/// Creates sixteen vertices one unit apart on the first joint of the chain. The sixth has this joint and offset.
fn grid(joint: usize, offset: &str) -> Files {
    let (head, _) = CHAIN_MESH.split_once("\tnumverts").expect("vertices");
    let verts: String = (0..16).map(|at| format!("\tvert {at} ( 0 0 ) {at} 1\n")).collect();
    let corner = (0..16).filter(|at| at % 4 < 3 && *at < 12);
    let tris = corner.flat_map(|at| [[at, at + 4, at + 1], [at + 1, at + 4, at + 5]]).enumerate();
    let tris: String = tris.map(|(at, [a, b, c])| format!("\ttri {at} {a} {b} {c}\n")).collect();
    let weight = |at: usize| match at {
        5 => format!("\tweight {at} {joint} 1 ( {offset} )\n"),
        _ => format!("\tweight {at} 0 1 ( {} {} 0 )\n", at % 4, at / 4),
    };
    let weights: String = (0..16).map(weight).collect();
    vec![("m.md5mesh", format!("{head}\tnumverts 16\n{verts}\tnumtris 18\n{tris}\tnumweights 16\n{weights}}}\n"))]
}

/// Creates five joints 10 units apart, and a triangle whose corners are at a distance of `offset` from them.
fn column(offset: u32) -> Files {
    let joints: String = (0..5).map(|at| format!("\t\"j{at}\" {} ( 0 0 {at}0 ) ( 0 0 0 )\n", at - 1)).collect();
    let (_, rest) = CHAIN_MESH.split_once("\tshader").expect("a mesh");
    let rest =
        rest.replace("( 0 0 0 )", &format!("( {offset} 0 0 )")).replace("( 5 0 0 )", &format!("( 0 {offset} 0 )"));
    let head = "MD5Version 10\ncommandline \"\"\nnumJoints 5\nnumMeshes 1\n\n";
    vec![(
        "m.md5mesh",
        format!("{head}joints {{\n{joints}}}\nmesh {{\n\tshader{}", rest.replace("0 5 0", &format!("0 0 {offset}"))),
    )]
}

/// Creates the chain in another unit.
fn scaled(length: &str) -> Files {
    let text = chain_anim(REST, [REST; 4]).replace("0 0 10 ", &format!("0 0 {length} "));
    vec![("m.md5anim", text), ("m.md5mesh", CHAIN_MESH.to_owned())]
}

fn split_subtree(parents: [i32; 4]) -> Files {
    let joints: String = parents
        .iter()
        .enumerate()
        .map(|(index, parent)| format!("\t\"j{index}\" {parent} ( 0 0 0 ) ( 0 0 0 )\n"))
        .collect();
    let text = edited(CHAIN_MESH, "numJoints 3", "numJoints 4");
    let (head, rest) = text.split_once("joints {\n").expect("joints");
    let (_, tail) = rest.split_once("}\n").expect("an end");
    vec![("m.md5mesh", format!("{head}joints {{\n{joints}}}\n{tail}"))]
}

/// Creates frames turned by 0.3 about y, with another base frame.
fn flipped(base: &str) -> Files {
    let text = chain_anim(REST, ["0 0.3 0"; 4]);
    vec![("m.md5anim", edited(&text, "( 0 0 10 ) ( 0 0.3 0 )", &format!("( 0 0 10 ) ( {base} )")))]
}

/// Creates the chain with the third joint farther from its parent in every frame.
fn stretched(offset: &str) -> Files {
    let text = chain_anim(REST, [REST; 4]).replace("\t0 0 10 0 0 0\n}", &format!("\t{offset} 0 0 0\n}}"));
    vec![("m.md5anim", text), ("m.md5mesh", CHAIN_MESH.to_owned())]
}

/// Creates three clips of one mesh; the first has its own frame rate.
fn rates(rate: &str) -> Files {
    let other = chain_anim(REST, [REST; 4]);
    let first = edited(&other, "frameRate 24", &format!("frameRate {rate}"));
    vec![("a.md5anim", first), ("b.md5anim", other.clone()), ("c.md5anim", other), ("m.md5mesh", CHAIN_MESH.to_owned())]
}

fn report(files: &Files) -> Validation {
    let inputs =
        files.iter().map(|(path, text)| Input { path: PathBuf::from(path), bytes: Ok(text.clone().into_bytes()) });
    check(inputs.collect(), &Options { together: true, ..Options::default() })
}

/// Returns codes and lines of the first file.
fn found(report: &Validation) -> Vec<(&str, u32)> {
    let file = &report.files[0];
    let source = report.sources.get(file.source);
    let line = |start| source.position(start).line;
    file.findings.iter().map(|finding| (finding.code.id, line(finding.first.span.start))).collect()
}

fn hold(cases: Vec<Case>) {
    let mut wrong = Vec::new();
    for Case(code, line, struck, spared) in cases {
        let struck = report(&struck);
        if !found(&struck).contains(&(code, line)) {
            wrong.push(format!("{code} in {line} is not in {:?}", found(&struck)));
        }
        let spared = report(&spared);
        let files = spared.files.iter().flat_map(|file| &file.findings);
        if let Some(finding) = files.into_iter().find(|finding| finding.code.id == code) {
            wrong.push(format!("{code} where it should not be: {}", finding.message));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn spellings_are_noticed() {
    hold(spelling());
}

#[test]
fn lints_are_triggered_exactly_by_their_files() {
    hold(lints());
}

#[test]
fn boxes_in_another_unit_have_no_further_findings() {
    let codes = |files: &Files| found(&report(files)).iter().map(|(code, _)| (*code).to_owned()).collect::<Vec<_>>();
    // 50 units from the root, while the boxes end at 30.
    assert!(!codes(&scaled("393.7")).contains(&"MD5P009".to_owned()));
    assert!(codes(&scaled("22")).contains(&"MD5P009".to_owned()));
}

#[test]
fn a_spike_is_no_reason_for_larger_boxes() {
    let clip = chain_anim(REST, [REST; 4]);
    let files: Files = vec![("m.md5anim", clip), grid(2, "1 1 9000").remove(0)];
    let report = report(&files);
    assert!(report.files[0].findings.iter().all(|finding| finding.code.id != "MD5P009"), "{:?}", found(&report));
    let mesh = &report.files[1];
    let spike = mesh.findings.iter().find(|finding| finding.code.id == "MD5M221").expect("a finding");
    assert!(spike.message.contains("weight 5 of joint 'c' pulls it there"), "{}", spike.message);
    assert!(mesh.findings.iter().all(|finding| finding.code.id != "MD5M213"), "no triangle of a spike is called flat");
}

#[test]
fn clips_are_compared_with_a_broken_mesh() {
    // Weights use the joint that was deleted.
    let mesh = edited(CHAIN_MESH, "\t\"c\" 1 ( 0 0 20 ) ( 0 0 0 )\n", "");
    let files = vec![("m.md5anim", chain_anim(REST, [REST; 4])), ("m.md5mesh", mesh)];
    let report = report(&files);
    let finding = report.files[1].findings.iter().find(|finding| finding.code.id == "MD5M028").expect("a finding");
    assert_eq!(finding.message, "the row of joint 2 'c' seems to be missing: numJoints says 3, but 2 follow");
    // That the clip has a joint more is the same fault.
    assert!(report.files[0].findings.iter().all(|finding| finding.code.id != "MD5P001"), "{:?}", found(&report));
}

/// Distance that a vertex moves without its fifth weight: 0.12 of the distance to its position on c, with the other
/// weights scaled up.
#[test]
fn dropped_influences_are_measured() {
    // b turns by 60 degrees about y, and c with it. Without the fifth weight, the whole vertex follows b.
    let report = report(&five_weights("\tweight 5 0 0.12 ( 5 0 10 )\n"));
    let finding = report.files[0].findings.iter().find(|finding| finding.code.id == "MD5M219").expect("a finding");
    // The point (5 0 0) of b turned by 60 degrees is (2.5 0 -4.330) from b. The fifth weight keeps it at (5 0 0): 0.12
    // of 5.
    assert!(finding.message.contains("moves by 0.600 units in frame 1"), "{}", finding.message);
}

#[test]
fn images_are_searched_next_to_x_files() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("validate_lints_images");
    std::fs::create_dir_all(folder.join("textures")).expect("writable");
    std::fs::write(folder.join("textures/Skin.PNG"), "").expect("writable");
    std::fs::write(folder.join("loose.bmp"), "").expect("writable");
    let codes = |name: &str| -> Vec<String> {
        let text = format!(
            "xof 0303txt 0032\nMaterial {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename {{ \"{name}\"; }} }}\nFrame {{}}\n"
        );
        let path = folder.join("m.x");
        std::fs::write(&path, &text).expect("writable");
        let report = check(vec![Input { path, bytes: Ok(text.into_bytes()) }], &Options::default());
        let codes = report.files[0].findings.iter().map(|finding| finding.code.id.to_owned());
        codes.filter(|code| code.starts_with("TEX")).collect()
    };
    assert_eq!(codes("textures/Skin.PNG"), [""; 0]);
    assert_eq!(codes("textures\\\\Skin.PNG"), [""; 0]);
    assert_eq!(codes("C:/art/LOOSE.BMP"), ["TEX002"]);
    assert_eq!(codes("none.bmp"), ["TEX001"]);
}
