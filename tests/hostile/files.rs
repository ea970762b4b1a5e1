//! Hostile files. Each requests more than its bytes justify, or contains bytes that must not reach a terminal or a
//! reader.

use bindpose::model::{Model, Transform};
use bindpose::snapshot::Snapshot;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const MESH: &str = include_str!("../cases/md5/base.md5mesh");
const ANIM: &str = include_str!("../cases/md5/base.md5anim");
const X: &str = include_str!("../cases/validate/base.x");

/// Returns `text` with each `from`, which must occur, replaced by `to`.
fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from:?} is not in the file");
        text.replace(from, to)
    })
}

fn x(body: &str) -> String {
    format!("xof 0303txt 0032\n{body}")
}

/// A mesh with one triangle.
const TRIANGLE: &str = "3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;;";
/// The sixteen numbers of the identity matrix.
const IDENTITY: &str = "1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1";

/// Writes `joints` that each change in all six numbers, and frames of six numbers. The file requests their product.
pub fn joints_by_frames(folder: &Path, joints: usize, frames: usize) -> io::Result<()> {
    let mut text = format!(
        "MD5Version 10\ncommandline \"\"\nnumFrames {frames}\nnumJoints {joints}\nframeRate 24\n\
         numAnimatedComponents 6\nhierarchy {{\n"
    );
    for joint in 0..joints {
        let _ = writeln!(text, "\"{joint}\" {} 63 0", joint as i64 - 1);
    }
    text += "}\nbounds {\n";
    text += &"( 0 0 0 ) ( 1 1 1 )\n".repeat(frames);
    text += "}\nbaseframe {\n";
    text += &"( 0 0 0 ) ( 0 0 0 )\n".repeat(joints);
    text += "}\n";
    for frame in 0..frames {
        let _ = writeln!(text, "frame {frame} {{ 0 0 0 0 0 0 }}");
    }
    fs::write(folder.join("clip.md5anim"), text)
}

/// Writes triangles of three vertices that share all weights, one of which is not a number.
pub fn shared_weights(folder: &Path, count: usize) -> io::Result<()> {
    let mut text = format!(
        "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {{\n\"o\" -1 ( 0 0 0 ) ( 0 0 0 )\n}}\nmesh {{\n\
         shader \"s\"\nnumverts 3\nvert 0 ( 0 0 ) 0 {count}\nvert 1 ( 0 0 ) 0 {count}\nvert 2 ( 0 0 ) 0 {count}\nnumtris {count}\n"
    );
    for tri in 0..count {
        let _ = writeln!(text, "tri {tri} 0 1 2");
    }
    let _ = writeln!(text, "numweights {count}\nweight 0 0 nan ( 0 0 0 )");
    for weight in 1..count {
        let _ = writeln!(text, "weight {weight} 0 1 ( 0 0 0 )");
    }
    fs::write(folder.join("shared.md5mesh"), text + "}\n")
}

/// Writes vertices that each use all weights.
pub fn vertices_by_weights(folder: &Path, count: usize) -> io::Result<()> {
    let mut text = String::from(
        "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n\"o\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\nmesh {\n\
         shader \"s\"\n",
    );
    let _ = writeln!(text, "numverts {count}");
    for vertex in 0..count {
        let _ = writeln!(text, "vert {vertex} ( 0 0 ) 0 {count}");
    }
    let _ = writeln!(text, "numtris 1\ntri 0 0 1 2\nnumweights {count}");
    for weight in 0..count {
        let _ = writeln!(text, "weight {weight} 0 1 ( 0 0 0 )");
    }
    text += "}\n";
    fs::write(folder.join("mesh.md5mesh"), text)
}

/// Writes a chain of joints, each the child of the previous one.
pub fn chain(folder: &Path, joints: usize) -> io::Result<()> {
    let mut text = format!("MD5Version 10\ncommandline \"\"\nnumJoints {joints}\nnumMeshes 1\njoints {{\n");
    for joint in 0..joints {
        let _ = writeln!(text, "\"{joint}\" {} ( 0 0 {joint} ) ( 0 0 0 )", joint as i64 - 1);
    }
    text += "}\nmesh {\nshader \"s\"\nnumverts 3\n";
    for vertex in 0..3 {
        let _ = writeln!(text, "vert {vertex} ( 0 0 ) {vertex} 1");
    }
    text += "numtris 1\ntri 0 0 1 2\nnumweights 3\n";
    for (weight, place) in ["0 0 0", "1 0 0", "0 1 0"].iter().enumerate() {
        let _ = writeln!(text, "weight {weight} {} 1 ( {place} )", weight * (joints - 1) / 2);
    }
    text += "}\n";
    fs::write(folder.join("mesh.md5mesh"), text)
}

/// Writes many meshes of one triangle each, each with its own shader.
pub fn meshes(folder: &Path, count: usize) -> io::Result<()> {
    let mut text = format!(
        "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes {count}\njoints {{\n\
         \"o\" -1 ( 0 0 0 ) ( 0 0 0 )\n}}\n"
    );
    for mesh in 0..count {
        let _ = writeln!(
            text,
            "mesh {{\nshader \"s{mesh}\"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 0 0 ) 1 1\nvert 2 ( 0 0 ) 2 1\n\
             numtris 1\ntri 0 0 1 2\nnumweights 3\nweight 0 0 1 ( 0 0 0 )\nweight 1 0 1 ( 1 0 0 )\n\
             weight 2 0 1 ( 0 1 0 )\n}}"
        );
    }
    fs::write(folder.join("mesh.md5mesh"), text)
}

/// Writes a game whose model decl names a chain of joints with all its descendants many times, in one channel and in
/// many.
pub fn channels(folder: &Path, joints: usize, channels: usize) -> io::Result<()> {
    let (models, def) = (folder.join("game/models"), folder.join("game/def"));
    fs::create_dir_all(&models)?;
    fs::create_dir_all(&def)?;
    chain(&models, joints)?;
    let one = format!("channel torso ( {})\n", "*0 -*1 ".repeat(channels));
    let many = "channel legs ( *0 )\n".repeat(channels);
    fs::write(def.join("a.def"), format!("model m {{ mesh models/mesh.md5mesh\n{one}{many}}}\n"))
}

/// Writes meshes with counts larger than their content, and a frame that is a single word.
pub fn counts(folder: &Path, meshes: usize, digits: usize) -> io::Result<()> {
    let mut text = format!(
        "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes {meshes}\njoints {{\n\
         \"o\" -1 ( 0 0 0 ) ( 0 0 0 )\n}}\n"
    );
    text += &"mesh {\nnumverts 99999999\nnumtris 1\n}\n".repeat(meshes);
    fs::write(folder.join("counts.md5mesh"), text)?;
    let head = "MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints 1\nframeRate 24\nnumAnimatedComponents 1\n\
                hierarchy {\n\"o\" -1 1 0\n}\nbounds {\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n}\n";
    fs::write(folder.join("word.md5anim"), format!("{head}frame 0 {{\n{}\n}}\n", "1".repeat(digits)))
}

/// Writes frames that all refer to one mesh of `vertices` vertices.
pub fn references(folder: &Path, frames: usize, vertices: usize) -> io::Result<()> {
    let points: String = (0..vertices).map(|n| format!("{n};0;0;,")).collect();
    let mut text = x(&format!("Mesh M {{ {vertices}; {};; 1; 3;0,1,2;; }}\n", points.trim_end_matches(";,")));
    text += &"Frame { {M} }\n".repeat(frames);
    fs::write(folder.join("refs.x"), text)
}

/// Writes animation sets of one key each, and one set with many keys.
pub fn sets_by_frames(folder: &Path, sets: usize, keys: usize) -> io::Result<()> {
    let mut text = x(&format!("Frame A {{ FrameTransformMatrix {{ {IDENTITY};; }} Mesh {{ {TRIANGLE} }} }}\n"));
    for set in 0..sets {
        let _ = writeln!(text, "AnimationSet S{set} {{ Animation {{ {{A}} }} }}");
    }
    let _ = write!(text, "AnimationSet L {{ Animation {{ {{A}} AnimationKey {{ 2; {keys};");
    for key in 0..keys {
        let _ = write!(text, "{key};3;0,0,0;;{}", if key + 1 == keys { ";" } else { "," });
    }
    text += " } } }\n";
    fs::write(folder.join("sets.x"), text)
}

/// Writes a key so late that the frames up to it cannot be listed.
pub fn late_key(folder: &Path) -> io::Result<()> {
    let text = x(&format!(
        "AnimTicksPerSecond {{ 1; }}\nFrame A {{ FrameTransformMatrix {{ {IDENTITY};; }} Mesh {{ {TRIANGLE} }} }}\n\
         AnimationSet {{ Animation {{ {{A}} AnimationKey {{ 2; 2; 0;3;0,0,0;;, 4000000000;3;1,0,0;;; }} }} }}\n"
    ));
    fs::write(folder.join("late.x"), text)
}

/// Writes a mesh with a material for every face.
pub fn materials(folder: &Path, count: usize) -> io::Result<()> {
    let mut text = format!("Mesh {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; {count};");
    text += &vec!["3;0,1,2;"; count].join(",");
    let _ = write!(text, "; MeshMaterialList {{ {count}; {count};");
    for face in 0..count {
        let _ = write!(text, "{face}{}", if face + 1 == count { ";" } else { "," });
    }
    for material in 0..count {
        let _ = writeln!(text, "Material M{material} {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; }}");
    }
    text += "} }\n";
    fs::write(folder.join("materials.x"), x(&text))
}

/// Writes sibling frames of the same name, each with skin weights that refer to them.
pub fn bones(folder: &Path, count: usize) -> io::Result<()> {
    let mut text: String = (0..count).map(|bone| format!("Frame B{bone} {{ }}\n")).collect();
    let _ = writeln!(text, "Mesh {{ {TRIANGLE} XSkinMeshHeader {{ 1; 3; {count}; }}");
    for bone in 0..count {
        let _ = writeln!(text, "SkinWeights {{ \"B{bone}\"; 1; 0; 1; {IDENTITY};; }}");
    }
    text += "}\n";
    fs::write(folder.join("bones.x"), x(&text))
}

/// Writes triangles that three joints of their own choice influence, so that few fit in the batch of another one.
pub fn joint_sets(folder: &Path, joints: usize, triangles: usize) -> io::Result<()> {
    let mut text = format!("MD5Version 10\ncommandline \"\"\nnumJoints {joints}\nnumMeshes 1\njoints {{\n");
    for joint in 0..joints {
        let _ = writeln!(text, "\"{joint}\" {} ( 0 0 {joint} ) ( 0 0 0 )", if joint == 0 { -1 } else { 0 });
    }
    let _ = writeln!(text, "}}\nmesh {{\nshader \"s\"\nnumverts {}", 3 * triangles);
    for vertex in 0..3 * triangles {
        let _ = writeln!(text, "vert {vertex} ( 0 0 ) {vertex} 1");
    }
    let _ = writeln!(text, "numtris {triangles}");
    for triangle in 0..triangles {
        let _ = writeln!(text, "tri {triangle} {} {} {}", 3 * triangle, 3 * triangle + 1, 3 * triangle + 2);
    }
    let _ = writeln!(text, "numweights {}", 3 * triangles);
    // Knuth's multiplier spreads the choices.
    for weight in 0..3 * triangles {
        let joint = weight.wrapping_mul(2_654_435_761) % joints;
        let _ = writeln!(text, "weight {weight} {joint} 1 ( {} {} 0 )", weight % 3 / 2, weight % 3 % 2);
    }
    text += "}\n";
    fs::write(folder.join("mesh.md5mesh"), text)
}

/// Writes a missing separator in every vertex, and surplus or missing braces after objects on one line.
pub fn separators(folder: &Path, count: usize) -> io::Result<()> {
    let mut text = format!("Mesh {{ {count};\n");
    for vertex in 0..count {
        let _ = writeln!(text, "{vertex};0 0;{}", if vertex + 1 == count { ";" } else { "," });
    }
    text += "1; 3;0,1,2;; }\n";
    fs::write(folder.join("missing.x"), x(&text))?;
    let line = "Frame A { } ".repeat(count);
    fs::write(folder.join("open.x"), x(&format!("Frame A {{ {line}")))?;
    fs::write(folder.join("closed.x"), x(&format!("{line} }}")))
}

/// Writes nested frames.
pub fn nested(folder: &Path, depth: usize) -> io::Result<()> {
    fs::write(folder.join("nested.x"), x(&format!("{}{}", "Frame A {\n".repeat(depth), "}".repeat(depth))))
}

/// Returns `body` after the header of a text file, compressed in blocks that deflate independently.
fn compressed(body: &[u8]) -> Vec<u8> {
    let mut file = b"xof 0303tzip0032".to_vec();
    file.extend_from_slice(&u32::try_from(body.len() + 16).unwrap_or(u32::MAX).to_le_bytes());
    let mut known: Option<(&[u8], Vec<u8>)> = None;
    for block in body.chunks(32768) {
        let packed = match &known {
            Some((same, packed)) if *same == block => packed.clone(),
            _ => miniz_oxide::deflate::compress_to_vec(block, 9),
        };
        file.extend_from_slice(&(block.len() as u16).to_le_bytes());
        file.extend_from_slice(&(packed.len() as u16 + 2).to_le_bytes());
        file.extend_from_slice(b"CK");
        file.extend_from_slice(&packed);
        known = Some((block, packed));
    }
    file
}

/// Writes a decompression bomb: `piece` repeated and compressed.
pub fn bomb(folder: &Path, piece: &str, bytes: usize) -> io::Result<()> {
    // All blocks are equal, so that the file is created quickly.
    let block = piece.repeat(32768 / piece.len());
    let block = format!("{block}{}", " ".repeat(32768 - block.len()));
    fs::write(folder.join("bomb.x"), compressed(block.repeat(bytes / 32768).as_bytes()))
}

/// Writes one name that is long when unpacked.
pub fn long_name(folder: &Path, bytes: usize) -> io::Result<()> {
    let name = "a".repeat(bytes);
    let body = format!("\nFrame {name} {{ Mesh {name} {{ {TRIANGLE} }} }}\n");
    fs::write(folder.join("name.x"), compressed(body.as_bytes()))
}

/// Writes one line as long as the file, with errors in it.
pub fn long_line(folder: &Path, bytes: usize) -> io::Result<()> {
    let tail = " 1 ( 0 0 ) ( 0 0 0 )".repeat(bytes / 20);
    fs::write(folder.join("line.md5mesh"), MESH.replace('\n', " ") + &tail)?;
    fs::write(folder.join("line.x"), x(&"Frame { Mesh { 1; } } ".repeat(bytes / 22)))?;
    fs::write(folder.join("text.md5mesh"), edited(MESH, &[("models/test", &"m".repeat(bytes))]))
}

/// Writes an error in every line.
pub fn faults(folder: &Path, count: usize) -> io::Result<()> {
    let mut text = format!("numweights {}\n", count + 5);
    for weight in 0..count {
        let _ = writeln!(text, "\tweight {} 7 nan ( 1 0 0 )", weight + 5);
    }
    fs::write(folder.join("faults.md5mesh"), edited(MESH, &[("numweights 5\n", &text)]))?;
    fs::write(folder.join("faults.x"), x(&"Frame A { Mesh { 1; 0;0;nan;; 1; 3;0,1,2;; } }\n".repeat(count)))
}

/// Terminal controls: colours, titles, links, the bell, C1, direction, carriage return.
const CONTROL: &str =
    "\u{1b}[31m\u{1b}]0;title\u{7}\u{1b}]8;;http://example.com\u{1b}\\\u{9b}2J\u{85}\u{7f}\u{8}\r\u{1}";

/// Writes control bytes wherever a file has words.
pub fn control(folder: &Path) -> io::Result<()> {
    let name = format!("{CONTROL}x");
    let mesh = [("\"bone\"", &*format!("\"{name}\"")), ("models/test", &name), ("\"x\"", &format!("\"{name}\""))];
    fs::write(folder.join("words.md5mesh"), edited(MESH, &mesh))?;
    fs::write(folder.join("words.md5anim"), edited(ANIM, &[("\"bone\"", &format!("\"{name}\""))]))?;
    fs::write(folder.join("fault.md5mesh"), edited(MESH, &[("numweights", &name)]))?;
    fs::write(folder.join("number.md5anim"), edited(ANIM, &[("frameRate 24", &format!("frameRate {name}"))]))?;
    let texture = format!("Material \u{9b}M {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename {{ \"{name}\"; }} }}");
    let words = [("Frame Tip", &*format!("Frame {name}")), ("\"Root\"", &format!("\"{name}\""))];
    fs::write(folder.join("words.x"), edited(X, &words))?;
    fs::write(
        folder.join("texture.x"),
        x(&format!("Frame A {{ Mesh {{ {TRIANGLE} MeshMaterialList {{ 1; 1; 0; {texture} }} }} }}")),
    )?;
    fs::write(folder.join("fault.x"), edited(X, &[("Frame Tip", &format!("{name} {{ {name}"))]))
}

/// Writes file names that a terminal would execute, and one that is not text.
pub fn names(folder: &Path) -> io::Result<()> {
    for name in ["\u{1b}[31mred.md5mesh", "\u{1b}]0;title\u{7}.md5mesh", "\u{9b}2Jclear.md5mesh", "two\nlines.md5mesh"]
    {
        fs::write(folder.join(name), MESH)?;
        fs::write(folder.join(name.replace("md5mesh", "x")), "garbage")?;
    }
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        fs::write(folder.join(std::ffi::OsStr::from_bytes(b"\xff\xfe.md5mesh")), MESH)?;
    }
    Ok(())
}

/// Creates special files, and files without an end.
pub fn no_files(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::symlink;
    let made = std::process::Command::new("mkfifo").arg(folder.join("pipe.md5mesh")).status()?;
    assert!(made.success());
    fs::create_dir(folder.join("folder.md5mesh"))?;
    symlink("nowhere", folder.join("link.md5mesh"))?;
    symlink("loop.md5mesh", folder.join("loop.md5mesh"))?;
    symlink("/dev/zero", folder.join("zero.md5mesh"))?;
    symlink("/dev/full", folder.join("full.x"))?;
    // A sparse file.
    fs::File::create(folder.join("huge.md5mesh"))?.set_len(1 << 40)
}

/// Creates empty files, and files with almost no content.
pub fn empty(folder: &Path) -> io::Result<()> {
    for extension in ["md5mesh", "md5anim", "md5camera", "x", "snapshot"] {
        fs::write(folder.join(format!("empty.{extension}")), "")?;
        fs::write(folder.join(format!("zero.{extension}")), [0; 40])?;
        fs::write(folder.join(format!("x.{extension}")), "x")?;
        fs::write(folder.join(format!("mark.{extension}")), "\u{feff}")?;
    }
    Ok(())
}

/// Replaces the numbers of small files one by one with extreme and invalid values. `step` skips some.
pub fn numbers(folder: &Path, step: usize) -> io::Result<()> {
    const NUMBERS: [&str; 8] = ["-1", "255", "65536", "2147483647", "-2147483648", "4294967295", "1e300", "nan"];
    let mut made = 0;
    for (text, extension) in [(MESH, "md5mesh"), (ANIM, "md5anim"), (X, "x")] {
        let is_digit = |at: usize| text.as_bytes()[at].is_ascii_digit();
        let starts =
            (16..text.len()).filter(|&at| is_digit(at) && !is_digit(at - 1) && text.as_bytes()[at - 1] != b'.');
        for start in starts {
            let end =
                (start..text.len()).find(|&at| !is_digit(at) && text.as_bytes()[at] != b'.').unwrap_or(text.len());
            for number in NUMBERS {
                made += 1;
                if made % step == 0 {
                    let changed = format!("{}{number}{}", &text[..start], &text[end..]);
                    fs::write(folder.join(format!("{made:04}.{extension}")), changed)?;
                }
            }
        }
    }
    Ok(())
}

/// Writes misleading textures next to the model that names them.
pub fn textures(folder: &Path) -> io::Result<()> {
    // 65535 x 65535 pixels, of which the file has none.
    fs::write(folder.join("bomb.tga"), [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 32, 0])?;
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend_from_slice(&[0, 0, 0xF0, 0, 0, 0, 0xF0, 0, 8, 6, 0, 0, 0]);
    png.extend_from_slice(&[0; 4]);
    fs::write(folder.join("bomb.png"), png)?;
    let mut bmp = b"BM\xff\xff\xff\x7f\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    bmp.extend_from_slice(&[0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 1, 0, 24, 0]);
    bmp.extend_from_slice(&[0; 24]);
    fs::write(folder.join("bomb.bmp"), bmp)?;
    let made = std::process::Command::new("mkfifo").arg(folder.join("pipe.png")).status()?;
    assert!(made.success());
    for texture in ["bomb.tga", "bomb.png", "bomb.bmp", "pipe.png", "../../../../../../../../dev/zero", "nowhere.dds"] {
        let stem = texture.rsplit('/').next().unwrap_or(texture);
        fs::write(folder.join(format!("{stem}.x")), textured(texture))?;
    }
    Ok(())
}

/// Returns a triangle with an image.
fn textured(texture: &str) -> String {
    let material = format!("Material {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename {{ \"{texture}\"; }} }}");
    let uvs = "MeshTextureCoords { 3; 0;0;, 1;0;, 0;1;; }";
    x(&format!("Frame A {{ Mesh {{ {TRIANGLE} {uvs} MeshMaterialList {{ 1; 1; 0; {material} }} }} }}"))
}

/// Writes a model with an image of one texel whose colour profile unpacks to `bytes`.
pub fn profile_bomb(folder: &Path, bytes: usize) -> io::Result<()> {
    let mut encoder = PngEncoder::new(fs::File::create(folder.join("texel.png"))?);
    encoder.set_icc_profile(vec![0; bytes]).map_err(io::Error::other)?;
    encoder.write_image(&[0; 3], 1, 1, ExtendedColorType::Rgb8).map_err(io::Error::other)?;
    fs::write(folder.join("texel.x"), textured("texel.png"))
}

/// Writes a folder with many small files that all match each other.
pub fn many(folder: &Path, count: usize) -> io::Result<()> {
    fs::create_dir(folder.join("many"))?;
    for number in 0..count {
        let (name, text) = if number % 2 == 0 { ("md5mesh", MESH) } else { ("md5anim", ANIM) };
        fs::write(folder.join("many").join(format!("{number:05}.{name}")), text)?;
    }
    Ok(())
}

/// Writes a snapshot that unpacks to `bytes`, most of them zeros: samples of a clip with 40 joints.
pub fn snapshot_bomb(folder: &Path, bytes: usize) -> io::Result<()> {
    let mut model = Model::default();
    for _ in 0..40 {
        model.skeleton.push("j", None, Transform::IDENTITY);
    }
    // Thirteen numbers for each sample, and thirteen for each joint, of a byte each.
    let samples = bytes / (13 + 40 * 13);
    let numbers = vec![vec![0_i64; samples * (13 + 40 * 13)]];
    let content = postcard::to_allocvec(&(Snapshot::from(&model), numbers)).unwrap();
    let mut file = b"bindpose snapshot 5\n".to_vec();
    file.extend((content.len() as u64).to_le_bytes());
    file.extend(miniz_oxide::deflate::compress_to_vec(&content, 6));
    let digest = xxh3_64(&file);
    file.extend_from_slice(&digest.to_le_bytes());
    fs::File::create(folder.join("bomb.snapshot"))?.write_all(&file)
}

/// Writes settings files, nested as deep as a parser's stack, or without end.
pub fn config(folder: &Path, depth: usize) -> io::Result<()> {
    fs::write(folder.join("base.md5mesh"), MESH)?;
    fs::write(folder.join("deep.toml"), format!("a = {}", "[".repeat(depth)))?;
    fs::write(folder.join("tables.toml"), format!("[{}a]", "a.".repeat(depth)))?;
    fs::write(folder.join("word.toml"), format!("profile = \"{CONTROL}\"").replace('\n', ""))
}

/// Returns the CRC-32 of APPNOTE.TXT 4.4.7 of one byte, repeated.
fn crc_of_equal_bytes(byte: u8, count: usize) -> u32 {
    let bit = |crc: u32, _| (crc >> 1) ^ (0xEDB8_8320 & 0_u32.wrapping_sub(crc & 1));
    let table: [u32; 256] = std::array::from_fn(|low| (0..8).fold(low as u32, bit));
    let mut crc = !0_u32;
    for _ in 0..count {
        crc = table[(crc as u8 ^ byte) as usize] ^ (crc >> 8);
    }
    !crc
}

/// Writes a game with a mesh, and with an archive of decl files of spaces: small when packed, too much together.
pub fn decls(folder: &Path, count: usize, blanks: usize) -> io::Result<()> {
    fs::create_dir_all(folder.join("game/models"))?;
    fs::write(folder.join("game/models/base.md5mesh"), MESH)?;
    let packed = miniz_oxide::deflate::compress_to_vec(&vec![b' '; blanks], 6);
    let checksum = crc_of_equal_bytes(b' ', blanks);
    let (mut locals, mut directory) = (Vec::new(), Vec::new());
    for number in 0..count {
        let name = format!("materials/m{number}.mtr");
        let mut common = b"\x14\0\0\0\x08\0\0\0\0\0".to_vec();
        common.extend([checksum, packed.len() as u32, blanks as u32].map(u32::to_le_bytes).as_flattened());
        common.extend([name.len() as u16, 0].map(u16::to_le_bytes).as_flattened());
        let start = (locals.len() as u32).to_le_bytes();
        directory.extend([b"PK\x01\x02\x14\0".as_slice(), &common, &[0; 10], &start, name.as_bytes()].concat());
        locals.extend([b"PK\x03\x04".as_slice(), &common, name.as_bytes(), &packed].concat());
    }
    let counts = [count as u16; 2].map(u16::to_le_bytes);
    let sizes = [directory.len() as u32, locals.len() as u32].map(u32::to_le_bytes);
    let end = [b"PK\x05\x06\0\0\0\0".as_slice(), counts.as_flattened(), sizes.as_flattened(), &[0, 0]].concat();
    fs::write(folder.join("game/pak000.pk4"), [locals, directory, end].concat())
}

/// Writes archives: one with a claimed size that is far too large, a tiny one of `zeros` bytes, one with more files
/// than usual, and a truncated one.
pub fn archives(folder: &Path, zeros: usize) -> io::Result<()> {
    // Local header, bytes, and a record of the directory (APPNOTE.TXT 4.3).
    let entry = |name: &str, packed: &[u8], size: u32, checksum: u32| {
        let mut common = b"\x14\0\0\0\x08\0\0\0\0\0".to_vec();
        common.extend([checksum, packed.len() as u32, size].map(u32::to_le_bytes).as_flattened());
        common.extend([name.len() as u16, 0].map(u16::to_le_bytes).as_flattened());
        let local = [b"PK\x03\x04".as_slice(), &common, name.as_bytes(), packed].concat();
        (local, [b"PK\x01\x02\x14\0".as_slice(), &common, &[0; 14], name.as_bytes()].concat())
    };
    let end = |count: u16, directory: usize, start: usize| {
        let count = [count, count].map(u16::to_le_bytes);
        let sizes = [directory as u32, start as u32].map(u32::to_le_bytes);
        [b"PK\x05\x06\0\0\0\0".as_slice(), count.as_flattened(), sizes.as_flattened(), &[0, 0]].concat()
    };
    let archive = |name: &str, packed: &[u8], size: u32, checksum: u32| {
        let (local, directory) = entry(name, packed, size, checksum);
        [local.clone(), directory.clone(), end(1, directory.len(), local.len())].concat()
    };
    fs::write(folder.join("lie.pk4"), archive("a.md5mesh", b"\x03\0", 0xFFFF_0000, 0))?;
    let packed = miniz_oxide::deflate::compress_to_vec(&vec![0; zeros], 6);
    let bomb = archive("zeros.md5mesh", &packed, zeros as u32, crc_of_equal_bytes(0, zeros));
    fs::write(folder.join("cut.pk4"), &bomb[..bomb.len() / 2])?;
    fs::write(folder.join("bomb.pk4"), bomb)?;
    let (local, _) = entry("a", b"\x03\0", 0, 0);
    let directory: Vec<u8> = (0..200_001).flat_map(|number| entry(&format!("f{number}"), b"\x03\0", 0, 0).1).collect();
    fs::write(
        folder.join("many.pk4"),
        [local.clone(), directory.clone(), end(u16::MAX, directory.len(), local.len())].concat(),
    )
}

/// Writes clips of 20 joints whose root alone moves: a few bytes for the poses of all joints in a frame.
pub fn long_clips(folder: &Path, count: usize, frames: usize) -> io::Result<()> {
    const JOINTS: usize = 20;
    let mut text = format!(
        "MD5Version 10\ncommandline \"\"\nnumFrames {frames}\nnumJoints {JOINTS}\nframeRate 24\n\
         numAnimatedComponents 1\nhierarchy {{\n"
    );
    for joint in 0..JOINTS {
        let _ = writeln!(text, "\"j{joint}\" {} {} 0", joint as isize - 1, usize::from(joint == 0));
    }
    text += &format!("}}\nbounds {{\n{}}}\nbaseframe {{\n", "( 0 0 0 ) ( 1 1 1 )\n".repeat(frames));
    text += &format!("{}}}\n", "( 0 0 0 ) ( 0 0 0 )\n".repeat(JOINTS));
    for frame in 0..frames {
        let _ = writeln!(text, "frame {frame} {{\n{}\n}}", frame % 7);
    }
    (0..count).try_for_each(|clip| fs::write(folder.join(format!("c{clip}.md5anim")), &text))
}
