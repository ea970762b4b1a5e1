//! Generated damage in the bundled samples is found at the line where it was made. By default, damage that differs only
//! in its line or number is done once.

use crate::support::everything;
use bindpose::diagnostic::Severity;
use bindpose::validate::report::Selection;
use bindpose::validate::{Input, Options, check};
use std::collections::BTreeMap;

const X: &str = include_str!("../../data/x/cylinder.x");
const MESH: &str = include_str!("../../data/md5/cylinder.md5mesh");
const CLIP: &str = include_str!("../../data/md5/cylinder_bend.md5anim");

/// A damaged text, and the lines that may be reported: the damaged one, or the count that no longer matches.
struct Damage {
    name: String,
    text: String,
    lines: Vec<usize>,
}

/// A text, line by line. Lines are counted from 1.
struct Sample {
    lines: Vec<&'static str>,
}

impl Sample {
    fn new(text: &'static str) -> Self {
        Self { lines: text.lines().collect() }
    }

    fn line(&self, number: usize) -> &'static str {
        self.lines[number - 1]
    }

    /// Returns the first line with `part` from `from` on.
    fn find(&self, part: &str, from: usize) -> usize {
        let at = self.lines[from - 1..].iter().position(|line| line.contains(part));
        from + at.unwrap_or_else(|| panic!("no {part:?} from line {from} on"))
    }

    /// Returns the text with one line replaced by `new`, or removed if `new` is empty.
    fn with(&self, number: usize, new: &[&str]) -> String {
        let (before, after) = (&self.lines[..number - 1], &self.lines[number..]);
        [before, new, after].concat().join("\n") + "\n"
    }

    fn damage(&self, name: impl Into<String>, line: usize, new: &[&str], others: &[usize]) -> Damage {
        let text = self.with(line, new);
        let lines = std::iter::once(line).chain(others.iter().copied()).collect();
        Damage { name: name.into(), text, lines }
    }
}

/// Replaces the last number of a line with more than one number by `last`.
fn with_last_number(line: &str, last: &str) -> String {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-');
    let end = line.rfind(is_part).expect("a number") + 1;
    let start = line[..end].rfind(|c| !is_part(c)).map_or(0, |at| at + 1);
    format!("{}{last}{}", &line[..start], &line[end..])
}

/// Removes the last number and the separator before it.
fn without_last_number(line: &str) -> String {
    let marked = with_last_number(line, "#");
    let at = marked.find('#').expect("just put there");
    format!("{}{}", marked[..at].trim_end_matches([',', ';', ' ']), &marked[at + 1..])
}

/// Damages records of an array with one record per line.
fn of_records(sample: &Sample, what: &str, first: usize, count: usize, count_line: usize, out: &mut Vec<Damage>) {
    for line in [first, first + count / 2, first + count - 1] {
        let old = sample.line(line);
        let mut add = |how: &str, new: &[&str], others: &[usize]| {
            out.push(sample.damage(format!("{what} of line {line}: {how}"), line, new, others));
        };
        add("a number is gone", &[&without_last_number(old)], &[]);
        add("a number is a word", &[&with_last_number(old, "abc")], &[]);
        add("a number is not finite", &[&with_last_number(old, "nan")], &[]);
        // The separator after the last record also ends the list.
        if line != first + count - 1 {
            add("is gone", &[], &[count_line]);
            add("is there twice", &[old, old], &[count_line, line + 1]);
        }
    }
    let counted = sample.line(count_line);
    let number: usize =
        counted.trim().trim_end_matches(';').rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a count");
    for wrong in [number + 1, number - 1, number * 10] {
        let new = counted.replace(&number.to_string(), &wrong.to_string());
        out.push(sample.damage(format!("{what}: {wrong} instead of {number}"), count_line, &[&new], &[]));
    }
}

fn x_damages() -> Vec<Damage> {
    let x = Sample::new(X);
    let mut out = Vec::new();
    let number = |line: usize| x.line(line).trim().trim_end_matches(';').parse::<usize>().expect("a count");
    let mesh = x.find("Mesh cylinder", 1);
    let normals = x.find("MeshNormals", mesh);
    let coords = x.find("MeshTextureCoords", normals);
    let materials = x.find("MeshMaterialList", coords);
    let header = x.find("XSkinMeshHeader {", materials);
    let skin = x.find("SkinWeights {", header);
    let faces = mesh + 2 + number(mesh + 1);
    let normal_faces = normals + 2 + number(normals + 1);
    of_records(&x, "a vertex", mesh + 2, number(mesh + 1), mesh + 1, &mut out);
    of_records(&x, "a face", faces + 1, number(faces), faces, &mut out);
    of_records(&x, "a normal", normals + 2, number(normals + 1), normals + 1, &mut out);
    of_records(&x, "a face of the normals", normal_faces + 1, number(normal_faces), normal_faces, &mut out);
    of_records(&x, "a texture coordinate", coords + 2, number(coords + 1), coords + 1, &mut out);
    for first in [faces + 1, normal_faces + 1] {
        for line in [first, first + 100] {
            out.push(x.damage(format!("index of line {line}"), line, &[&with_last_number(x.line(line), "99999")], &[]));
        }
    }
    let row = materials + 3;
    out.push(x.damage("a material that is not there", row, &[&x.line(row).replacen('0', "7", 1)], &[]));
    out.push(x.damage("a material index of -1", row, &[&x.line(row).replacen('0', "-1", 1)], &[]));
    let counts = [
        (materials + 1, "materials"),
        (materials + 2, "material indices"),
        (header + 3, "bones"),
        (skin + 2, "weights"),
    ];
    for (line, what) in counts {
        let new = x.line(line).replace(&number(line).to_string(), &(number(line) + 1).to_string());
        out.push(x.damage(format!("the number of {what}"), line, &[&new], &[]));
    }
    out.push(x.damage("a bone that is no frame", skin + 1, &[&x.line(skin + 1).replace("lower", "Nowhere")], &[]));
    out.push(x.damage("an open string", skin + 1, &[&x.line(skin + 1).replacen("\";", ";", 1)], &[]));
    let indices = skin + 3;
    out.push(x.damage("a weight of no vertex", indices, &[&x.line(indices).replacen("1,", "77777,", 1)], &[]));
    let weights = x.find(".", indices);
    for (line, nth) in [(weights, 0), (weights + 1, 3)] {
        let words: Vec<&str> = x.line(line).split(',').collect();
        let mut halved = words.clone();
        halved[nth] = "0.125";
        out.push(x.damage("a weight is too small", line, &[&halved.join(",")], &[]));
        halved[nth] = "nan";
        out.push(x.damage("a weight is not finite", line, &[&halved.join(",")], &[]));
        halved.remove(nth);
        out.push(x.damage("a weight is gone", line, &[&halved.join(",")], &[skin + 2, x.find(";", line)]));
    }
    let matrices = [x.find("FrameTransformMatrix {", 5) + 1, x.find(";;", x.find(";", weights) + 1)];
    for line in matrices {
        out.push(x.damage("a matrix of 15 numbers", line, &[&without_last_number(x.line(line))], &[]));
        out.push(x.damage("a matrix of 17 numbers", line, &[&x.line(line).replacen("0.0,", "0.0,0.0,", 1)], &[]));
        out.push(x.damage("a number of a matrix", line, &[&with_last_number(x.line(line), "1.#QNAN0")], &[]));
    }
    let list = x.find("AnimationKey {", x.find("AnimationKey {", x.find("AnimationSet", 1)) + 40);
    let keys = (list..).find(|&line| x.line(line).contains("AnimationKey") && number(line + 2) > 10).expect("a list");
    of_records(&x, "a key", keys + 3, number(keys + 2), keys + 2, &mut out);
    for line in [keys + 5, keys + 10] {
        let old = x.line(line);
        let (time, rest) = old.trim().split_once(';').expect("a time");
        out.push(x.damage("a key's time falls", line, &[&format!("0;{rest}")], &[]));
        out.push(x.damage("a key is far too late", line, &[&format!("{}999;{rest}", time)], &[]));
        out.push(x.damage("a key's time is that before", line, &[x.line(line - 1)], &[]));
        out.push(x.damage(
            "a key's number of values",
            line,
            &[&old.replacen(";4;", ";3;", 1).replacen(";3;", ";2;", 1)],
            &[],
        ));
        out.push(x.damage("a key's separator", line, &[&old.replacen(";;,", "", 1)], &[line + 1]));
    }
    out.push(x.damage("a key type", keys + 1, &["7;"], &[]));
    let animation = x.find("{lower}", 1);
    out.push(x.damage("an animation of nothing", animation, &["{nothing}"], &[]));
    for block in [mesh, normals, coords, materials, skin, keys] {
        let indent = &x.line(block)[..x.line(block).len() - x.line(block).trim_start().len()];
        let closing = (block..).find(|&line| x.line(line) == format!("{indent}}}")).expect("a brace");
        out.push(x.damage(format!("the brace of line {block} is gone"), closing, &[], &[block]));
        let (brace, twice) = (x.line(closing), x.line(closing));
        out.push(x.damage(
            format!("the brace of line {block} is there twice"),
            closing,
            &[brace, twice],
            &[closing + 1],
        ));
    }
    out.push(x.damage("another version", 1, &["xof 0909txt 0032"], &[]));
    out.push(x.damage("another encoding", 1, &["xof 0303cmp 0032"], &[]));
    out.push(x.damage("no header", 1, &["DirectX"], &[]));
    out.push(x.damage("two separators", mesh + 5, &[&x.line(mesh + 5).replacen(";,", ";,,", 1)], &[]));
    out.push(x.damage("no separator", mesh + 5, &[&x.line(mesh + 5).replacen(';', " ", 1)], &[]));
    out.push(x.damage("a decimal comma", mesh + 5, &[&x.line(mesh + 5).replacen('.', ",", 1)], &[]));
    out
}

/// Damages lines of numbers as in MD5; `count_line` has their count. If one is missing, this also shows where the next
/// one is expected after the list, and for weights at the last vertex, which uses a missing one.
fn of_md5_records(sample: &Sample, what: &str, first: usize, count: usize, count_line: usize, out: &mut Vec<Damage>) {
    for line in [first, first + count / 2, first + count - 1] {
        let old = sample.line(line);
        let code = old.split("//").next().unwrap_or(old).trim_end();
        let mut add = |how: &str, new: &[&str], others: &[usize]| {
            out.push(sample.damage(format!("{what} of line {line}: {how}"), line, new, others));
        };
        add("a number is gone", &[&without_last_number(code)], &[]);
        add("a number is a word", &[&with_last_number(code, "abc")], &[]);
        add("a number is not finite", &[&with_last_number(code, "nan")], &[]);
        if old.contains('(') {
            add("a parenthesis is gone", &[&code.replacen('(', " ", 1)], &[]);
        }
        let end = first + count - 1;
        let last_vertex = if what == "weight" { sample.find("numtris", 1) } else { end };
        let last_vertex = (1..=last_vertex).rev().find(|&line| sample.line(line).contains("vert ")).unwrap_or(end);
        add("is gone", &[], &[count_line, end, end + 1, last_vertex]);
        add("is there twice", &[old, old], &[count_line, line + 1, end + 1, end + 2]);
    }
}

fn mesh_damages() -> Vec<Damage> {
    let mesh = Sample::new(MESH);
    let mut out = Vec::new();
    let number =
        |line: usize| mesh.line(line).rsplit(' ').next().and_then(|n| n.parse::<usize>().ok()).expect("a count");
    let joints = mesh.find("numJoints", 1);
    of_md5_records(&mesh, "a joint", mesh.find("joints {", joints) + 1, number(joints), joints, &mut out);
    for what in ["vert", "tri", "weight"] {
        let count = mesh.find(&format!("num{what}s"), 1);
        of_md5_records(&mesh, what, count + 1, number(count), count, &mut out);
        for wrong in [number(count) + 1, number(count) - 1] {
            let new = format!("\tnum{what}s {wrong}");
            out.push(mesh.damage(format!("{what}s: {wrong}"), count, &[&new], &[]));
        }
    }
    let (tri, weight) = (mesh.find("\ttri 5 ", 1), mesh.find("\tweight 5 ", 1));
    out.push(mesh.damage("a triangle's index", tri, &[&with_last_number(mesh.line(tri), "99999")], &[]));
    out.push(mesh.damage("a weight's joint", weight, &["\tweight 5 77 1 ( 0 0 0 )"], &[]));
    let vert = mesh.find("\tvert 5 ", 1);
    out.push(mesh.damage("a vertex's weights", vert, &[&with_last_number(mesh.line(vert), "9999")], &[]));
    out.push(mesh.damage("another version", 1, &["MD5Version 11"], &[]));
    out
}

fn clip_damages() -> Vec<Damage> {
    let clip = Sample::new(CLIP);
    let mut out = Vec::new();
    let number =
        |line: usize| clip.line(line).rsplit(' ').next().and_then(|n| n.parse::<usize>().ok()).expect("a count");
    let (joints, frames) = (clip.find("numJoints", 1), clip.find("numFrames", 1));
    let row = |block: &str| clip.find(block, 1) + 1;
    of_md5_records(&clip, "a channel", row("hierarchy {"), number(joints), joints, &mut out);
    let (bounds, base) = (row("bounds {"), row("baseframe {"));
    of_md5_records(&clip, "a box", bounds, number(frames), bounds - 1, &mut out);
    of_md5_records(&clip, "a base pose", base, number(joints), base - 1, &mut out);
    for frame in ["frame 0 {", "frame 7 {"] {
        let frame = clip.find(frame, 1);
        let values = frame + 1;
        // The component is missing at the end of the frame.
        out.push(clip.damage(
            "a component is gone",
            values,
            &[&without_last_number(clip.line(values))],
            &[frame, values + 1],
        ));
        out.push(clip.damage("a component is a word", values, &[&with_last_number(clip.line(values), "abc")], &[]));
        out.push(clip.damage("a component is not finite", values, &[&with_last_number(clip.line(values), "nan")], &[]));
        out.push(clip.damage("a component too many", values, &[&format!("{} 1", clip.line(values))], &[frame]));
        out.push(clip.damage("a frame's number", frame, &["frame 99 {"], &[]));
    }
    for (line, wrong) in
        [(joints, "numJoints 9"), (frames, "numFrames 999"), (clip.find("frameRate", 1), "frameRate 0")]
    {
        out.push(clip.damage(wrong, line, &[wrong], &[]));
    }
    out
}

/// Checks that a count of one has the singular.
fn assert_counts_are_english(message: &str) {
    let nouns = [
        "vertices",
        "weights",
        "joints",
        "frames",
        "faces",
        "values",
        "numbers",
        "keys",
        "corners",
        "bytes",
        "entries",
        "materials",
        "normals",
        "components",
        "triangles",
        "boxes",
        "poses",
        "indices",
        "meshes",
        "bones",
        "pairs",
        "rows",
    ];
    let words: Vec<&str> = message.split_whitespace().collect();
    let is_wrong = |pair: &[&str]| pair[0] == "1" && nouns.contains(&pair[1].trim_end_matches([',', ';', '.', ':']));
    assert!(!words.windows(2).any(is_wrong), "{message}");
}

/// Returns the damages to test: all of them in the full run. Otherwise one of each kind, by turns the first, the second and so on
/// of its kind; of kinds of damage to records, every third, so that each kind of record and each way to damage one occurs.
fn sampled(damages: Vec<Damage>) -> Vec<Damage> {
    if everything() {
        return damages;
    }
    let mut kinds: BTreeMap<String, Vec<Damage>> = BTreeMap::new();
    for damage in damages {
        let kind = damage.name.replace(|c: char| c.is_ascii_digit(), "");
        kinds.entry(kind).or_default().push(damage);
    }
    let of_records = kinds.keys().filter(|kind| kind.contains(" of line : "));
    let left: Vec<String> =
        of_records.enumerate().filter(|(number, _)| number % 3 > 0).map(|(_, kind)| kind.clone()).collect();
    left.iter().for_each(|kind| drop(kinds.remove(kind)));
    let one = |(number, mut of_kind): (usize, Vec<Damage>)| of_kind.swap_remove(number % of_kind.len());
    kinds.into_values().enumerate().map(one).collect()
}

/// Returns the names of the damages that are reported on other lines, or not at all.
fn missed(damages: &[Damage], name: &str, beside: Option<(&str, &str)>) -> Vec<String> {
    let selection = Selection::default();
    let input = |path: &str, text: &str| Input { path: path.into(), bytes: Ok(text.as_bytes().to_vec()) };
    let lines_of = |damage: &Damage| {
        let mut files = vec![input(name, &damage.text)];
        files.extend(beside.map(|(path, text)| input(path, text)));
        let report = check(files, &Options::default());
        let file = &report.files[0];
        let source = report.sources.get(file.source);
        file.findings.iter().for_each(|finding| assert_counts_are_english(&finding.message));
        let grave = file.findings.iter().filter(|finding| selection.severity(finding) >= Some(Severity::Warning));
        let places = grave.flat_map(|finding| finding.places().map(|place| (finding.code.id, place.span.start)));
        places.map(|(code, start)| (code, source.position(start).line as usize)).collect::<Vec<_>>()
    };
    let blamed = |damage: &&Damage| lines_of(damage).iter().any(|(_, line)| damage.lines.contains(line));
    let missed = damages.iter().filter(|damage| !blamed(damage));
    missed
        .map(|damage| {
            format!(
                "{}: {:?} is not in {:?}",
                damage.name,
                damage.lines,
                lines_of(damage).iter().take(6).collect::<Vec<_>>()
            )
        })
        .collect()
}

#[test]
fn damage_is_found_at_its_line() {
    let [x, mesh, clip] = [x_damages(), mesh_damages(), clip_damages()].map(sampled);
    let all = x.len() + mesh.len() + clip.len();
    let mut missed_of_all = missed(&x, "cylinder.x", None);
    missed_of_all.extend(missed(&mesh, "cylinder.md5mesh", None));
    missed_of_all.extend(missed(&clip, "cylinder_bend.md5anim", Some(("cylinder.md5mesh", MESH))));
    assert!(missed_of_all.is_empty(), "{} of {all} are missed:\n{}", missed_of_all.len(), missed_of_all.join("\n"));
}
