//! The mannequin for Doom 3: mesh, clips, images, materials, skins, a model decl and entities, packed into a pk4.

use crate::md5;
use crate::paint::{Colour, Mannequin};
use crate::sample::Sample;
use crate::unwrap::SIZE;
use anyhow::{Context, Result};
use bindpose_parsers::md5::{AnimFile, write_anim, write_mesh};

/// Name of the mesh's surface.
const MATERIAL: &str = "models/md5/mannequin/mannequin";
const FOLDER: &str = "models/md5/mannequin";

const MATERIALS: &str = include_str!("mannequin.mtr");
const SKINS: &str = include_str!("mannequin.skin");
const DECLS: &str = include_str!("mannequin.def");

/// Creates the pk4.
///
/// # Errors
/// None in practice: writing to memory cannot fail, and its parts are smaller than 4 GiB.
pub fn pack(sample: &Sample, clips: &[(&str, AnimFile)], images: &Mannequin) -> Result<Vec<u8>> {
    let mut mesh_file = md5::mesh_file(sample);
    for mesh in &mut mesh_file.meshes {
        mesh.shader.bytes = MATERIAL.as_bytes().into();
    }
    let mut mesh = Vec::new();
    write_mesh(&mesh_file, &mut mesh)?;
    let mut files = vec![
        ("def/mannequin.def".to_owned(), DECLS.as_bytes().to_vec()),
        ("materials/mannequin.mtr".to_owned(), MATERIALS.as_bytes().to_vec()),
        ("skins/mannequin.skin".to_owned(), SKINS.as_bytes().to_vec()),
        (format!("{FOLDER}/mannequin.md5mesh"), mesh),
        (format!("{FOLDER}/mannequin.tga"), tga(&images.detailed, 3)),
        (format!("{FOLDER}/mannequin_h.tga"), tga(&images.heights, 1)),
        (format!("{FOLDER}/mannequin_s.tga"), tga(&images.shine, 1)),
        (format!("{FOLDER}/mannequin_glow.tga"), tga(&images.glow, 1)),
    ];
    for (name, clip) in clips {
        let mut bytes = Vec::new();
        write_anim(clip, &mut bytes)?;
        files.push((format!("{FOLDER}/{name}.md5anim"), bytes));
    }
    zip(&files)
}

/// Encodes an uncompressed TGA file of 8 or 24 bits, bottom row first, which is the engine's preferred form.
fn tga(image: &[Colour], channels: usize) -> Vec<u8> {
    let side = (SIZE as u16).to_le_bytes();
    let kind = if channels == 1 { 3 } else { 2 };
    let mut bytes =
        vec![0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, side[0], side[1], side[0], side[1], 8 * channels as u8, 0];
    for row in image.chunks(SIZE as usize).rev() {
        for texel in row {
            let texel = (texel.clamp(Colour::ZERO, Colour::ONE) * 255.0 + 0.5).floor().to_array();
            // Blue comes first.
            bytes.extend(texel.iter().take(channels).rev().map(|&channel| channel as u8));
        }
    }
    bytes
}

/// Creates a zip file (APPNOTE.TXT 4.3) without times, so that it does not depend on the date.
fn zip(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>> {
    /// 1 January 1980, midnight.
    const TIME_AND_DATE: [u8; 4] = [0, 0, 0x21, 0];
    let (mut zip, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let packed = miniz_oxide::deflate::compress_to_vec(bytes, 9);
        let offset = u32::try_from(zip.len()).context("the archive is too large")?;
        // Version 2.0, no flags, deflated.
        let mut common = vec![20, 0, 0, 0, 8, 0];
        common.extend(TIME_AND_DATE);
        let sizes = [rawzip::crc32(bytes), u32::try_from(packed.len())?, u32::try_from(bytes.len())?];
        common.extend(sizes.map(u32::to_le_bytes).as_flattened());
        common.extend([u16::try_from(name.len())?, 0].map(u16::to_le_bytes).as_flattened());
        zip.extend(b"PK\x03\x04");
        zip.extend(&common);
        zip.extend(name.as_bytes());
        zip.extend(&packed);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let count = u16::try_from(files.len())?.to_le_bytes();
    let sizes = [u32::try_from(directory.len())?, u32::try_from(zip.len())?];
    zip.extend(&directory);
    zip.extend(b"PK\x05\x06\0\0\0\0");
    zip.extend([count, count].as_flattened());
    zip.extend(sizes.map(u32::to_le_bytes).as_flattened());
    zip.extend([0, 0]);
    Ok(zip)
}
