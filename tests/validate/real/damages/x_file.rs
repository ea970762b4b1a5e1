//! Damages of a text `.x` file.

use super::Damage;
use super::Repair::{Exact, Silent};

pub const FILES: &[Damage] = &[
    ("too many vertices are announced", |f| f.add(f.object("Mesh", 0, 1)?, 1), Exact),
    ("too few vertices are announced", |f| f.add(f.object("Mesh", 0, 1)?, -1), Exact),
    ("too many faces are announced", |f| f.add(f.faces()?, 1), Exact),
    ("too few faces are announced", |f| f.add(f.faces()?, -1), Exact),
    ("too many normals are announced", |f| f.add(f.object("MeshNormals", 0, 1)?, 1), Exact),
    ("too few texture coordinates are announced", |f| f.add(f.object("MeshTextureCoords", 0, 1)?, -1), Exact),
    ("too many weights are announced", |f| f.add(f.object("SkinWeights", 0, 2)?, 1), Exact),
    ("too few keys are announced", |f| f.add(f.object("AnimationKey", 0, 2)?, -1), Exact),
    ("too many materials are announced", |f| f.add(f.object("MeshMaterialList", 0, 1)?, 1), Silent),
    (
        "a material past the list",
        |f| {
            let count: String = f.0[f.object("MeshMaterialList", 0, 1)?].trim().trim_end_matches(';').to_owned();
            f.number(f.object("MeshMaterialList", 0, 3)?, &count)
        },
        Silent,
    ),
    (
        "a weight for a vertex past the mesh",
        |f| {
            let count: String = f.0[f.object("Mesh", 0, 1)?].trim().trim_end_matches(';').to_owned();
            f.number(f.object("SkinWeights", 0, 3)?, &count)
        },
        Silent,
    ),
    (
        "a bone is misspelt",
        |f| {
            let line = f.object("SkinWeights", 0, 1)?;
            let name = f.name(line)?;
            f.set(line, &name, &format!("{name}q"))
        },
        Silent,
    ),
    (
        "a bone in single quotes",
        |f| {
            let line = f.object("SkinWeights", 0, 1)?;
            let name = f.name(line)?;
            f.set(line, &format!("\"{name}\""), &format!("'{name}'"))
        },
        Silent,
    ),
    ("no vertices are announced", |f| f.number(f.object("Mesh", 0, 1)?, "0"), Exact),
    ("no weights are announced", |f| f.number(f.object("SkinWeights", 0, 2)?, "0"), Exact),
    (
        "the header is there twice",
        |f| {
            let line = f.0[0].clone();
            f.0.insert(1, line);
            Some(2)
        },
        Silent,
    ),
    ("a key time is negative", |f| f.number(f.object("AnimationKey", 0, 4)?, "-4"), Silent),
    ("a coordinate is nan", |f| f.number(f.object("Mesh", 0, 2)?, "nan"), Silent),
    ("a coordinate is -1.#IND00", |f| f.number(f.object("Mesh", 0, 2)?, "-1.#IND00"), Silent),
    (
        "a decimal comma",
        |f| {
            let line = f.object("Mesh", 0, 2)?;
            f.set(line, ".", ",")
        },
        Silent,
    ),
    ("a letter in a number", |f| f.number(f.object("Mesh", 0, 2)?, "1O.5"), Silent),
    ("a texture coordinate is nan", |f| f.number(f.object("MeshTextureCoords", 0, 2)?, "nan"), Silent),
    (
        "a matrix has 15 numbers",
        |f| {
            let line = f.object("FrameTransformMatrix", 0, 1)?;
            f.set(line, "0.000000,", "")
        },
        Silent,
    ),
    ("a matrix is nan", |f| f.number(f.object("FrameTransformMatrix", 0, 1)?, "nan"), Silent),
    (
        "a matrix with a row of zeros",
        |f| {
            let line = f.object("FrameTransformMatrix", 0, 1)?;
            f.0[line] = "     0.000000, 0.000000, 0.000000, 0.000000,".to_owned();
            // The matrix as a whole is at fault.
            Some(line)
        },
        Silent,
    ),
    ("Frame is misspelt", |f| f.set(f.find("Frame", 1, 0)?, "Frame", "Frmae"), Silent),
    ("Mesh is misspelt", |f| f.set(f.find("Mesh", 0, 0)?, "Mesh", "Mehs"), Silent),
    ("AnimationKey is misspelt", |f| f.set(f.find("AnimationKey", 0, 0)?, "AnimationKey", "AnimationKye"), Silent),
    (
        "a matrix has no brace",
        |f| {
            let matrix = f.find("FrameTransformMatrix", 0, 0)?;
            let brace = f.end_of_block(matrix)?;
            f.set(brace, "}", "")?;
            Some(matrix + 1)
        },
        Silent,
    ),
    (
        "a mesh has no brace",
        |f| {
            let mesh = f.find("Mesh", 0, 0)?;
            f.set(mesh, "{", "")?;
            // The word that is there instead.
            Some(f.next(mesh)? + 1)
        },
        Silent,
    ),
    ("version 0909", |f| f.set(0, "0303", "0909"), Silent),
    ("text is said to be binary", |f| f.set(0, "txt", "bin"), Silent),
    (
        "the file ends in a number",
        |f| {
            let line = f.object("Mesh", 0, 7)?;
            f.cut(line, 16)
        },
        Silent,
    ),
    ("a key of kind 7", |f| f.number(f.object("AnimationKey", 0, 1)?, "7"), Silent),
    ("key times fall", |f| f.number(f.object("AnimationKey", 0, 5)?, "0"), Silent),
    ("a key time is far too late", |f| f.number(f.object("AnimationKey", 0, 5)?, "900000000"), Silent),
    (
        "a key has too few values",
        |f| {
            let line = f.object("AnimationKey", 0, 3)?;
            f.set(line, ";4;", ";3;").or_else(|| f.set(line, ";3;", ";2;"))
        },
        Silent,
    ),
    (
        "a rotation key of zeros",
        |f| {
            let from = f.find("AnimationSet", 0, 0)?;
            let line = (from..f.0.len()).find(|&line| f.0[line].contains(";4;"))?;
            let key = f.0[line].find(";4;")?;
            f.0[line].truncate(key);
            f.0[line].push_str(";4;0.0,0.0,0.0,0.0;;,");
            Some(line + 1)
        },
        Silent,
    ),
    (
        "an animation of a frame that is not there",
        |f| {
            let animation = f.find("Animation", 0, 0)?;
            let reference = f.next(animation)?;
            f.set(reference, "}", "q}")
        },
        Silent,
    ),
    (
        "two frames of one name",
        |f| {
            let (first, second) = (f.find("Frame", 1, 0)?, f.find("Frame", 3, 0)?);
            let name = f.0[first].split_whitespace().nth(1)?.to_owned();
            f.word(second, 1, &name)
        },
        Silent,
    ),
    (
        "a byte in a name that is no letter",
        |f| {
            let frame = f.find("Frame", 2, 0)?;
            let name = f.0[frame].split_whitespace().nth(1)?.to_owned();
            f.word(frame, 1, &format!("{name}\u{ff}"))
        },
        Silent,
    ),
    (
        "a frame has no brace",
        |f| {
            let frame = f.find("Frame", 1, 0)?;
            f.set(frame, "{", "")
        },
        Silent,
    ),
    (
        "an animation set has no brace",
        |f| {
            let set = f.find("AnimationSet", 0, 0)?;
            f.set(set, "{", "")
        },
        Silent,
    ),
    (
        "the reference of an animation has no braces",
        |f| {
            let reference = f.next(f.find("Animation", 0, 0)?)?;
            f.set(reference, "{", "")?;
            f.set(reference, "}", "")
        },
        Silent,
    ),
    (
        "key type and count are swapped",
        |f| {
            let kind = f.object("AnimationKey", 0, 1)?;
            f.0.swap(kind, kind + 1);
            Some(kind + 1)
        },
        Silent,
    ),
    ("a key type is missing", |f| f.lose("AnimationKey", 1), Silent),
    ("the number of keys is missing", |f| f.lose("AnimationKey", 2), Silent),
    ("the number of vertices is missing", |f| f.lose("Mesh", 1), Silent),
    ("the number of normals is missing", |f| f.lose("MeshNormals", 1), Silent),
    ("the number of texture coordinates is missing", |f| f.lose("MeshTextureCoords", 1), Silent),
    ("the number of materials is missing", |f| f.lose("MeshMaterialList", 1), Silent),
    ("the number of material indices is missing", |f| f.lose("MeshMaterialList", 2), Silent),
    ("a bone is missing", |f| f.lose("SkinWeights", 1), Silent),
    ("the number of weights is missing", |f| f.lose("SkinWeights", 2), Silent),
    (
        "the number of faces is missing",
        |f| {
            let faces = f.faces()?;
            f.remove(faces);
            Some(faces + 1)
        },
        Silent,
    ),
    (
        "a key type of other keys",
        |f| {
            let kind = f.object("AnimationKey", 0, 1)?;
            let other = if f.0[f.next(f.next(kind)?)?].contains(";4;") { "2" } else { "0" };
            f.number(kind, other)
        },
        Silent,
    ),
    ("a key type is -1", |f| f.number(f.object("AnimationKey", 0, 1)?, "-1"), Silent),
    ("a material index is -1", |f| f.number(f.object("MeshMaterialList", 0, 5)?, "-1"), Silent),
    (
        "a weight is nan",
        |f| {
            let count = f.object("SkinWeights", 0, 2)?;
            let weights: usize = f.0[count].trim().trim_end_matches(';').parse().ok()?;
            f.number(f.skip(count, weights + 2)?, "nan")
        },
        Silent,
    ),
    (
        "a SkinWeights is there twice",
        |f| {
            let (from, to) = (f.find("SkinWeights", 1, 0)?, f.end_of_block(f.find("SkinWeights", 1, 0)?)?);
            let again = f.0[from..=to].to_vec();
            f.0.splice(to + 1..to + 1, again);
            Some(to + 3)
        },
        Silent,
    ),
    (
        "a SkinWeights is missing",
        |f| {
            let (from, to) = (f.find("SkinWeights", 1, 0)?, f.end_of_block(f.find("SkinWeights", 1, 0)?)?);
            f.0.drain(from..=to);
            f.object("XSkinMeshHeader", 0, 3).map(|line| line + 1)
        },
        Silent,
    ),
    (
        "a frame has a dot in its name",
        |f| {
            let frame = f.find("Frame", 2, 0)?;
            f.set(frame, "_", ".")
        },
        Silent,
    ),
    (
        "a vertex has four numbers",
        |f| {
            let line = f.object("Mesh", 0, 7)?;
            let at = f.0[line].find(|letter: char| !letter.is_whitespace())?;
            f.0[line].insert_str(at, "1.0;");
            Some(line + 1)
        },
        Silent,
    ),
    (
        "no time in a key",
        |f| {
            let line = f.object("AnimationKey", 0, 5)?;
            let (time, rest) = f.0[line].split_once(';')?;
            time.trim().parse::<u32>().ok()?;
            f.0[line] = rest.to_owned();
            Some(line + 1)
        },
        Silent,
    ),
];
