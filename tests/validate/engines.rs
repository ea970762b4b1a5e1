//! Every diagnostic of `engines.tsv`, with a file that just triggers it and one that just does not. Also compares the
//! program's table with its source, if that is present.

use bindpose::validate::codes;
use bindpose::validate::profiles::{Effect, Profile, fact};
use bindpose::validate::{Input, Options, Validation, check};
use std::path::PathBuf;

const MESH: &str = include_str!("../cases/validate/base.md5mesh");
const ANIM: &str = include_str!("../cases/validate/base.md5anim");

/// Files of a model in memory, or in a folder if adjacent files matter.
struct Model {
    mesh: String,
    anim: Option<String>,
    /// Additional files next to them, which require a model on disk.
    beside: Vec<(&'static str, Vec<u8>)>,
}

impl Model {
    /// Returns the base pair, with sufficiently large boxes and without need for the base frame.
    fn base() -> Self {
        let anim = ANIM
            .replace("( -1 -1 -1 ) ( 1 1 1 )", "( -99 -99 -99 ) ( 99 99 99 )")
            .replace("( -2 -2 -2 ) ( 2 2 2 )", "( -99 -99 -99 ) ( 99 99 99 )")
            .replace("( -3 -3 -3 ) ( 3 3 3 )", "( -99 -99 -99 ) ( 99 99 99 )");
        Self { mesh: MESH.to_owned(), anim: Some(anim), beside: Vec::new() }
    }

    fn mesh(mut self, from: &str, to: &str) -> Self {
        assert!(self.mesh.contains(from), "the mesh has no {from:?}");
        self.mesh = self.mesh.replacen(from, to, 1);
        self
    }

    fn anim(mut self, from: &str, to: &str) -> Self {
        let anim = self.anim.take().expect("a clip");
        assert!(anim.contains(from), "the clip has no {from:?}");
        self.anim = Some(anim.replacen(from, to, 1));
        self
    }

    fn beside(mut self, name: &'static str, bytes: Vec<u8>) -> Self {
        self.beside.push((name, bytes));
        self
    }

    /// Creates a chain of `joints` joints in both mesh and clip.
    fn chain(joints: usize) -> Self {
        let mut lines = String::new();
        let mut channels = String::new();
        let mut base = String::new();
        for joint in 0..joints {
            lines += &format!("\t\"j{joint}\" {} ( 0 0 0 ) ( 0 0 0 )\n", joint as i64 - 1);
            channels += &format!("\t\"j{joint}\" {} 0 0\n", joint as i64 - 1);
            base += "\t( 0 0 0 ) ( 0 0 0 )\n";
        }
        let mesh = format!(
            "MD5Version 10\ncommandline \"\"\nnumJoints {joints}\nnumMeshes 1\njoints {{\n{lines}}}\n\
             mesh {{\n\tshader \"s\"\n\tnumverts 0\n\tnumtris 0\n\tnumweights 0\n}}\n"
        );
        let anim = format!(
            "MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints {joints}\nframeRate 24\n\
             numAnimatedComponents 0\nhierarchy {{\n{channels}}}\nbounds {{\n\t( 0 0 0 ) ( 0 0 0 )\n}}\n\
             baseframe {{\n{base}}}\nframe 0 {{\n}}\n"
        );
        Self { mesh, anim: Some(anim), beside: Vec::new() }
    }

    /// Creates one mesh with these numbers of vertices, triangles and weights on one joint.
    fn sized(verts: usize, tris: usize, weights: usize) -> Self {
        let mut model = Self::chain(1);
        let vert = |index: usize| format!("\tvert {index} ( 0 0 ) {} 1\n", index.min(weights - 1));
        let tri = |index: usize| format!("\ttri {index} 0 1 2\n");
        let weight = |index: usize| format!("\tweight {index} 0 1 ( {index} {} 0 )\n", index * index % 7);
        let verts: (usize, String) = (verts, (0..verts).map(vert).collect());
        let tris: (usize, String) = (tris, (0..tris).map(tri).collect());
        let weights: (usize, String) = (weights, (0..weights).map(weight).collect());
        model = model.mesh("\tnumverts 0\n", &format!("\tnumverts {}\n{}", verts.0, verts.1));
        model = model.mesh("\tnumtris 0\n", &format!("\tnumtris {}\n{}", tris.0, tris.1));
        model.mesh("\tnumweights 0\n", &format!("\tnumweights {}\n{}", weights.0, weights.1))
    }

    fn report(self, name: &str) -> Validation {
        let folder = match self.beside.is_empty() {
            true => PathBuf::new(),
            false => {
                let folder = std::env::temp_dir().join(format!("bindpose-engines-{}-{name}", std::process::id()));
                std::fs::create_dir_all(&folder).expect("a temporary folder");
                folder
            }
        };
        let mut inputs = vec![Input { path: folder.join("m.md5mesh"), bytes: Ok(self.mesh.into_bytes()) }];
        inputs.extend(self.anim.map(|anim| Input { path: folder.join("m.md5anim"), bytes: Ok(anim.into_bytes()) }));
        if !self.beside.is_empty() {
            for input in &inputs {
                std::fs::write(&input.path, input.bytes.as_ref().expect("bytes")).expect("a file written");
            }
            for (name, bytes) in &self.beside {
                let path = folder.join(name);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder made");
                std::fs::write(&path, bytes).expect("a file written");
                // The time stamps of file systems are coarser than the duration of a test.
                let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
                let file = std::fs::File::options().write(true).open(&path).expect("the file");
                file.set_modified(later).expect("a time set");
            }
        }
        let report = check(inputs, &Options::default());
        if !self.beside.is_empty() {
            std::fs::remove_dir_all(&folder).expect("the temporary folder removed");
        }
        report
    }
}

/// Returns the header of an .mdl or .md2 with these numbers of frames and skins.
fn old_model(magic: &[u8; 4], frames: (usize, u32), skins: (usize, u32)) -> Vec<u8> {
    let mut head = vec![0; 84];
    head[..4].copy_from_slice(magic);
    head[frames.0..frames.0 + 4].copy_from_slice(&frames.1.to_le_bytes());
    head[skins.0..skins.0 + 4].copy_from_slice(&skins.1.to_le_bytes());
    head
}

fn mdl(frames: u32, skins: u32) -> Vec<u8> {
    old_model(b"IDPO", (68, frames), (48, skins))
}

fn md2(frames: u32) -> Vec<u8> {
    old_model(b"IDP2", (40, frames), (20, 1))
}

/// Returns a .md2 with one skin in its table, right after its header.
fn md2_with_skin(name: &str) -> Vec<u8> {
    let mut bytes = md2(3);
    bytes.truncate(68);
    bytes[44..48].copy_from_slice(&68_u32.to_le_bytes());
    bytes.extend(name.bytes());
    bytes.resize(68 + 64, 0);
    bytes
}

const NAME_31: &str = "abcdefghijklmnopqrstuvwxyz12345";
const BOUNDS: &str =
    "bounds {\n\t( -99 -99 -99 ) ( 99 99 99 )\n\t( -99 -99 -99 ) ( 99 99 99 )\n\t( -99 -99 -99 ) ( 99 99 99 )\n}\n";

/// A row of the section: our code, a model that just triggers it, one that just does not.
type Row = (&'static str, &'static str, fn() -> Model, fn() -> Model);

fn base() -> Model {
    Model::base()
}

fn rows() -> Vec<Row> {
    vec![
        ("V01", "MD5M001", || base().mesh("Version 10", "Version 11"), base),
        ("V01", "MD5A001", || base().anim("Version 10", "Version 9"), base),
        ("V02", "MD5M002", || base().mesh("commandline \"x\"\n", ""), base),
        ("V02", "MD5A002", || base().anim("commandline \"\"\n", ""), base),
        ("V03", "MD5M003", || base().mesh("commandline \"x\"", "commandline x"), base),
        (
            "V04",
            "MD5M004",
            || base().mesh("\"x\"", &format!("\"{}\"", "x".repeat(1024))),
            || base().mesh("\"x\"", &format!("\"{}\"", "x".repeat(1023))),
        ),
        ("V05", "MD5M005", || base().mesh("numJoints 2\nnumMeshes 1", "numMeshes 1\nnumJoints 2"), base),
        (
            "V06",
            "MD5M006",
            || base().mesh("\tshader", "\tname \"n\"\n\tshader"),
            || base().mesh("\tshader", "\t// name \"n\"\n\tshader"),
        ),
        ("V07", "MD5M007", || base().mesh("numMeshes 1", "numMeshes 0"), base),
        ("V07", "MD5A007", || base().anim("numFrames 3", "numFrames 0"), base),
        ("T01", "MD5M009", || base().mesh("( 0 0 10 )", "(0 0 10 )"), base),
        ("T01", "MD5A009", || base().anim("frame 1 {", "frame 1{"), base),
        ("T02", "MD5M010", || base().mesh("joints {", "joints\n{"), base),
        (
            "T02",
            "MD5M010",
            || base().mesh("vert 1 ( 1 0 )", "vert 1\n( 1 0 )"),
            || base().mesh("vert 1 ( 1 0 )", "vert 1 ( 1 0 ) // here"),
        ),
        ("T03", "MD5M011", || base().mesh("numverts 4", "numverts 04"), || base().mesh("( 0 0 10 )", "( 0 0.0 10 )")),
        ("T04", "MD5M012", || base().mesh("( 0 0 10 )", "( 0 0 1.#IND )"), base),
        (
            "T05",
            "MD5A201",
            || base().anim("frameRate 24", "frameRate 29.97"),
            || base().anim("frameRate 24", "frameRate 29"),
        ),
        (
            "T06",
            "MD5A202",
            || base().anim("frameRate 24", "frameRate 0"),
            || base().anim("frameRate 24", "frameRate 1"),
        ),
        (
            "T07",
            "MD5M016",
            || base().mesh("// meshes: m", &format!("//{}", "x".repeat(509))),
            || base().mesh("// meshes: m", &format!("//{}", "x".repeat(508))),
        ),
        ("T07", "MD5A016", || base().anim("12 0.5\n}", "12 0.5\n\t}"), base),
        ("T08", "MD5M013", || base().mesh("// meshes: m", "/* meshes: m */"), base),
        ("T09", "MD5M014", || base().mesh("\"bone\"", "bone").anim("\"bone\"", "bone"), base),
        ("T09", "MD5M014", || base().mesh("\"bone\"", "\"bo ne\"").anim("\"bone\"", "\"bo ne\""), base),
        ("T10", "MD5M015", || base().mesh("( 0 0 10 )", "( 0 0 1.0f )"), base),
        (
            "J01",
            "MD5M101",
            || base().mesh("bone", &format!("{NAME_31}6")).anim("bone", &format!("{NAME_31}6")),
            || base().mesh("bone", NAME_31).anim("bone", NAME_31),
        ),
        ("J02", "MD5M102", || Model::chain(129), || Model::chain(128)),
        ("J03", "MD5M103", || Model::chain(65), || Model::chain(64)),
        ("J04", "MD5M104", || Model::chain(130), || Model::chain(129)),
        ("J05", "MD5M105", || base().mesh("\"origin\"\t-1", "\"origin\"\t0"), base),
        ("J05", "MD5A105", || base().anim("\"bone\"\t0", "\"bone\"\t1"), base),
        ("J06", "MD5M106", || base().mesh("\"bone\"\t0", "\"bone\"\t-1"), base),
        ("J06", "MD5A106", || base().anim("\"bone\"\t0", "\"bone\"\t-1"), base),
        ("J07", "MD5M107", || base().mesh("\"bone\"", "\"origin\""), || base().mesh("\"bone\"", "\"Origin\"")),
        ("J08", "MD5M108", || base().mesh("\"bone\"\t0", "\"bone\"\t2"), base),
        ("J08", "MD5M112", || base().mesh("\"origin\"\t-1", "\"origin\"\t-2"), base),
        (
            "J09",
            "MD5M109",
            || base().mesh("( 0 0 0.7071067691 )", "( 0 0 1.001 )"),
            || base().mesh("( 0 0 0.7071067691 )", "( 0 0 1.0004 )"),
        ),
        (
            "A01",
            "MD5P001",
            || {
                base()
                    .anim("numJoints 2", "numJoints 1")
                    .anim("\t\"bone\"\t0 36 1\t// origin ( Tz Qz )\n", "")
                    .anim("\t( 0 0 10 ) ( 0 0 0 )\n", "")
            },
            base,
        ),
        ("A02", "MD5P002", || base().anim("\"bone\"", "\"Bone\""), base),
        ("A03", "MD5P003", || Model::chain(3).anim("\"j2\" 1", "\"j2\" 0"), || Model::chain(3)),
        (
            "A04",
            "MD5P004",
            || {
                let row = |joint: usize, parent: usize| format!("\t\"j{joint}\" {parent} 0 0\n");
                let own: String = (1..8).map(|joint| row(joint, joint - 1)).collect();
                let shifted: String = (2..7).map(|joint| row(joint, joint)).collect();
                let other = format!("\t\"other\" 0 0 0\n{}{shifted}{}", row(1, 0), row(7, 1));
                let clip = Model::chain(8).anim("numJoints 8", "numJoints 9").anim(&own, &other);
                clip.anim("baseframe {\n", "baseframe {\n\t( 0 0 0 ) ( 0 0 0 )\n")
            },
            || base().anim("\"origin\"", "\"other\""),
        ),
        (
            "A05",
            "MD5A203",
            || base().anim("( 0 0 10 ) ( 0 0 0 )", "( 0 1 10 ) ( 0 0 0 )"),
            || base().anim("( 5 6 7 )", "( 5 0 0 )"),
        ),
        ("A06", "MD5A204", || base().anim("0 36 1", "0 100 1"), base),
        ("A07", "MD5A205", || base().anim("0 36 1", "0 36 2"), base),
        ("A08", "MD5A206", || base().anim("0 36 1", "0 0 3"), || base().anim("0 36 1", "0 0 2")),
        ("A09", "MD5A207", || base().anim(BOUNDS, ""), base),
        ("A10", "MD5A208", || base().anim("\t( -99 -99 -99 ) ( 99 99 99 )\n", ""), base),
        (
            "A11",
            "MD5A209",
            || base().anim("\t( 0 0 10 ) ( 0 0 0 )\n", "\t( 0 0 10 ) ( 0 0 0 )\n\t( 0 0 0 ) ( 0 0 0 )\n"),
            base,
        ),
        ("A12", "MD5A210", || base().anim("numFrames 3", "numFrames 4"), base),
        (
            "A13",
            "MD5A211",
            || base().anim("frame 0", "frame 9").anim("frame 1", "frame 0").anim("frame 9", "frame 1"),
            base,
        ),
        ("A14", "MD5A212", || base().anim("\t12 0.5\n", "\t12 0.5 1\n"), base),
        ("A14", "MD5A211", || base().anim("frame 2", "frame 3"), base),
        ("A15", "MD5P005", || base().beside("m.mdl", mdl(4, 1)), || base().beside("m.mdl", mdl(3, 1))),
        ("A15", "MD5P005", || base().beside("m.md2", md2(2)), || base().beside("m.md2", md2(3))),
        ("A16", "MD5A213", || many_frames(1025), || many_frames(1024)),
        (
            "A17",
            "MD5P006",
            || Model { anim: None, ..base() }.beside("other.txt", Vec::new()),
            || base().beside("other.txt", Vec::new()),
        ),
        (
            "A18",
            "MD5A214",
            || {
                base()
                    .anim("numAnimatedComponents 3", "numAnimatedComponents 13")
                    .anim("10 0\n", "10 0 0 0 0 0 0 0 0 0 0 0\n")
                    .anim("12 0.5\n", "12 0.5 0 0 0 0 0 0 0 0 0 0\n")
                    .anim("14 -0.5\n", "14 -0.5 0 0 0 0 0 0 0 0 0 0\n")
            },
            base,
        ),
        ("M01", "MD5M201", || weights_on_one_vertex(5), || weights_on_one_vertex(4)),
        ("M02", "MD5M202", || weights_on_one_vertex(9), || weights_on_one_vertex(8)),
        ("M03", "MD5M203", || base().mesh("vert 0 ( 0 0 ) 0 1", "vert 0 ( 0 0 ) 0 0"), base),
        (
            "M04",
            "MD5M204",
            || base().mesh("weight 4 1 0.5", "weight 4 1 0.502"),
            || base().mesh("weight 4 1 0.5", "weight 4 1 0.5009"),
        ),
        (
            "M05",
            "MD5M205",
            || base().mesh("( -8 0 -10 )", "( -8.03 0 -10 )"),
            || base().mesh("( -8 0 -10 )", "( -8.01 0 -10 )"),
        ),
        ("M06", "MD5M206", || Model::sized(4097, 1, 1), || Model::sized(4096, 1, 1)),
        ("M07", "MD5M207", || Model::sized(3, 6145, 3), || Model::sized(3, 6144, 3)),
        ("M08", "MD5M208", || Model::sized(3, 1, 8193), || Model::sized(3, 1, 8192)),
        ("M09", "MD5M209", || meshes(33), || meshes(1)),
        ("M10", "MD5M210", || base().mesh("tri 0 0 2 1", "tri 0 0 2 4"), || base().mesh("tri 0 0 2 1", "tri 0 0 2 3")),
        ("M10", "MD5M210", || base().mesh("weight 4 1", "weight 4 2"), base),
        ("M10", "MD5M210", || base().mesh("( 0 1 ) 3 2", "( 0 1 ) 4 2"), base),
        ("M11", "MD5M211", || base().mesh("vert 1 (", "vert 2 ("), base),
        ("M12", "MD5M212", || base().mesh("numverts 4", "numverts 5"), base),
        ("M12", "MD5M212", || base().mesh("numtris 2", "numtris 1"), base),
        ("M13", "MD5M213", || base().mesh("tri 0 0 2 1", "tri 0 0 2 2"), base),
        ("S01", "TEX001", || base().beside("other.txt", Vec::new()), || base().beside("models/test.tga", Vec::new())),
        (
            "S02",
            "MD5P007",
            || bare_shader().beside("ogre_00_00.tga", Vec::new()).beside("m.mdl", mdl(3, 2)),
            || {
                bare_shader()
                    .beside("ogre_00_00.tga", Vec::new())
                    .beside("ogre_01_00.png", Vec::new())
                    .beside("m.mdl", mdl(3, 2))
            },
        ),
        (
            "skins of Quake II",
            "TEX003",
            || base().beside("m.md2", md2_with_skin("models/ogre/skin.pcx")).beside("models/ogre/skin.pcx", Vec::new()),
            || {
                base()
                    .beside("m.md2", md2_with_skin("models/ogre/skin.pcx"))
                    .beside("models/ogre/md5/skin.png", Vec::new())
            },
        ),
        (
            "S03",
            "MD5P008",
            || base().beside("m.md5scale", b"{\"nobody\":{\"0\":2}}".to_vec()),
            || base().beside("m.md5scale", b"{\"bone\":{\"0\":2}}".to_vec()),
        ),
        ("S04", "MD5M214", base, bare_shader),
        ("B01", "MD5P010", base, || {
            base()
                .anim("\t15\n", "\t5.5\n")
                .anim("\t25\n", "\t6\n")
                .anim("( 5 6 7 )", "( 5 0 0 )")
                .anim("0 36 1", "0 0 0")
                .anim("( 0 0 10 ) ( 0 0 0 )", "( 0 0 10 ) ( 0 0 0.7071067691 )")
                .anim("\t5\n", "\t0\n")
                .anim("\t5.5\n", "\t0.5\n")
                .anim("\t6\n", "\t1\n")
        }),
        ("B02", "MD5P009", || base().anim("( -99 -99 -99 ) ( 99 99 99 )", "( -1 -1 -1 ) ( 1 1 1 )"), base),
        (
            "R01",
            "MD5P014",
            || base().beside("generated/rendermodels/m.bmd5mesh", Vec::new()),
            || base().beside("generated/rendermodels/n.bmd5mesh", Vec::new()),
        ),
        (
            "L01",
            "MD5A216",
            || base().anim("12 0.5", "12 0.51"),
            || base().anim("12 0.5", "12 0.49").anim("14 -0.5", "14 0.3"),
        ),
    ]
}

/// Creates a clip of one joint and one component.
fn many_frames(frames: usize) -> Model {
    let mut model = Model::chain(1);
    let boxes = "\t( 0 0 0 ) ( 0 0 0 )\n".repeat(frames);
    let blocks: String = (0..frames).map(|frame| format!("frame {frame} {{\n}}\n")).collect();
    model = model.anim("numFrames 1", &format!("numFrames {frames}"));
    model = model.anim("bounds {\n\t( 0 0 0 ) ( 0 0 0 )\n", &format!("bounds {{\n{boxes}"));
    model.anim("frame 0 {\n}\n", &blocks)
}

fn weights_on_one_vertex(count: usize) -> Model {
    let weights: String =
        (0..count).map(|index| format!("\tweight {index} 0 {} ( 1 2 3 )\n", 1.0 / count as f64)).collect();
    let model = Model::chain(1).mesh("\tnumverts 0\n", &format!("\tnumverts 1\n\tvert 0 ( 0 0 ) 0 {count}\n"));
    model.mesh("\tnumweights 0\n", &format!("\tnumweights {count}\n{weights}"))
}

fn meshes(count: usize) -> Model {
    let block = "mesh {\n\tshader \"s\"\n\tnumverts 0\n\tnumtris 0\n\tnumweights 0\n}\n";
    let model = Model::chain(40).mesh("numMeshes 1", &format!("numMeshes {count}"));
    model.mesh(block, &block.repeat(count))
}

fn bare_shader() -> Model {
    base().mesh("models/test", "ogre")
}

fn has(report: &Validation, code: &str) -> bool {
    report.files.iter().flat_map(|file| &file.findings).any(|finding| finding.code.id == code)
}

#[test]
fn every_diagnostic_is_triggered_by_its_file_and_by_nothing_less() {
    for (number, (row, code, triggers, spares)) in rows().into_iter().enumerate() {
        assert!(has(&triggers().report(&format!("{number}t")), code), "{row}: {code} is not triggered");
        assert!(!has(&spares().report(&format!("{number}s")), code), "{row}: {code} is triggered by less");
    }
}

/// Returns the numbers of the section that the rows above cover.
fn sections() -> std::collections::BTreeMap<&'static str, Vec<&'static str>> {
    let mut sections = std::collections::BTreeMap::<_, Vec<_>>::new();
    for (row, code, ..) in rows() {
        let codes = sections.entry(row).or_default();
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    sections
}

/// Results of running engines that contradict the section, or single letters that stand for mesh and clip although only
/// one of them is affected: `(row, engine)`.
const OVERRULED: &[(&str, &str, &str)] = &[
    ("T05", "doom3 tdm rbdoom3bfg quake4", "case A02c: a fraction is cut off"),
    ("S01", "doom3 tdm rbdoom3bfg quake4", "a material may name other images"),
    ("J09", "doom3 tdm rbdoom3bfg quake4", "case M17: the root of the absolute value makes a matrix that scales"),
    ("A17", "qss", "the second reading: it loads without a clip"),
];

/// The engines whose rows come from the table. Engines that a second reading corrected are followed instead.
const SHORT_NAMES: [(&str, &str); 10] = [
    ("vk135", "vkquake-1.35"),
    ("vk", "vkquake"),
    ("iw081", "ironwail-0.8.1"),
    ("iw", "ironwail"),
    ("qss", "qss"),
    ("etl", "etlegacy"),
    ("d3", "doom3"),
    ("tdm", "tdm"),
    ("rbfg", "rbdoom3bfg"),
    ("q4", "quake4"),
];

#[test]
fn the_table_of_engines_is_complete() {
    let Some(shared) = crate::support::shared_only() else { return };
    let table = std::fs::read_to_string(shared.join("spec/engines.tsv")).expect("a table to compare with");
    let mut lines = table.lines();
    let heading: Vec<&str> = lines.next().expect("a heading").split('\t').collect();
    let sections = sections();
    let mut compared = 0;
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let row = cells[0].trim_start_matches("MD5-");
        let codes = sections.get(row).unwrap_or_else(|| panic!("{row} has no file that triggers it"));
        for (short, profile) in SHORT_NAMES {
            if OVERRULED
                .iter()
                .any(|(known, engines, _)| *known == row && engines.split(' ').any(|name| name == profile))
            {
                continue;
            }
            let column = heading.iter().position(|cell| *cell == short).expect("a column");
            let profile = Profile::find(profile).expect("a profile");
            let effects = codes.iter().map(|code| {
                let code = codes::find(code).expect("a code");
                fact(code, profile).unwrap_or_else(|| panic!("{} has no row for {}", code.id, profile.name)).effect
            });
            let sign = match effects.max().expect("a code") {
                Effect::Fine => ".",
                Effect::Note => "I",
                Effect::Wrong | Effect::Unused => "W",
                Effect::Refuses => "E",
                Effect::Drops | Effect::Exits => "X",
            };
            assert_eq!(sign, cells[column], "{row} {short}");
            compared += 1;
        }
    }
    println!("{compared} cells of engines.tsv compared");
}
