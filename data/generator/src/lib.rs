//! The sample models of bindpose: made here, from nothing but numbers, the same bytes on every machine.
//!
//! [`rig`] places the joints, [`shape`] is the body as an implicit surface, [`polygonise`] and [`remesh`] make even
//! triangles of it, [`weights`] binds them, [`unwrap`] and [`paint`] give them a texture, [`motion`] moves them and
//! [`md5`] makes documents of the result.

pub mod cylinder;
pub mod directx;
pub mod examples;
pub mod mannequin;
pub mod maths;
pub mod md5;
pub mod motion;
pub mod paint;
pub mod polygonise;
pub mod remesh;
pub mod rig;
pub mod sample;
pub mod shape;
pub mod unwrap;
pub mod weights;

use anyhow::Result;
use bindpose_parsers::md5::{write_anim, write_mesh};
use shape::Detail;

/// Every file of `data/` that is made: its path there and its bytes.
///
/// # Errors
/// None in practice: writing to memory and encoding a picture of a fixed size do not fail.
pub fn generate() -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    let mut add = |name: &str, bytes: Vec<u8>| files.push((format!("md5/{name}"), bytes));

    let full = mannequin::make(Detail::Full);
    let light = mannequin::make(Detail::Light);
    for (name, sample) in [("mannequin.md5mesh", &full), ("mannequin_light.md5mesh", &light)] {
        add(name, mesh_bytes(sample)?);
    }
    for motion in motion::all(&full.joints) {
        add(&format!("{}.md5anim", motion.name), anim_bytes(&motion, &[&full, &light])?);
    }
    add("mannequin.png", paint::mannequin(&full)?);

    let cylinder = cylinder::sample();
    add("cylinder.md5mesh", mesh_bytes(&cylinder)?);
    for motion in [cylinder::bend(), cylinder::twist()] {
        add(&format!("{}.md5anim", motion.name), anim_bytes(&motion, &[&cylinder])?);
    }
    add("cylinder.png", paint::cylinder()?);

    for (name, model, made) in [
        ("mannequin_light", &light, examples::mannequin(&light)),
        ("cylinder", &cylinder, examples::cylinder(&cylinder)),
    ] {
        add(&format!("{name}.examples.toml"), examples::list(model, "examples", &made).into_bytes());
        for example in &made {
            add(&format!("examples/{}.md5mesh", example.name), mesh_bytes(&example.sample(model))?);
        }
    }
    Ok(files)
}

fn mesh_bytes(sample: &sample::Sample) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write_mesh(&md5::mesh_file(sample), &mut bytes)?;
    Ok(bytes)
}

fn anim_bytes(motion: &sample::Motion, skins: &[&sample::Sample]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write_anim(&md5::anim_file(&skins[0].joints, motion, skins), &mut bytes)?;
    Ok(bytes)
}
