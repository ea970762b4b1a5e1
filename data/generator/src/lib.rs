//! The sample models of bindpose: made here, from nothing but numbers, the same bytes on every machine.
//!
//! [`rig`] places the joints, [`shape`] is the body as an implicit surface, [`polygonise`] and [`remesh`] make even
//! triangles of it, [`weights`] binds them, [`unwrap`] and [`paint`] give them a texture, [`motion`] moves them and
//! [`md5`] makes documents of the result.

pub mod cylinder;
pub mod mannequin;
pub mod maths;
pub mod md5;
pub mod polygonise;
pub mod remesh;
pub mod rig;
pub mod sample;
pub mod shape;
pub mod unwrap;
pub mod weights;
pub mod motion;
pub mod write;

use anyhow::Result;

/// Every file of `data/`: its path there and its bytes.
pub fn generate() -> Result<Vec<(String, Vec<u8>)>> {
    let made = |detail, edge| {
        let body = shape::Body::mannequin(detail);
        mannequin::bind(&body, &mannequin::skin(&body, edge))
    };
    let full = made(shape::Detail::Full, 0.6);
    let light = made(shape::Detail::Light, 1.6);
    let mut files = Vec::new();
    for (name, sample) in [("mannequin", &full), ("mannequin_light", &light)] {
        eprintln!("{name} {} {}", sample.vertices.len(), sample.triangles.len());
        files.push((format!("md5/{name}.md5mesh"), write::mesh(&md5::mesh_file(sample))));
    }
    for motion in motion::all(&full.joints) {
        let file = md5::anim_file(&full.joints, &motion, &[&full, &light]);
        files.push((format!("md5/{}.md5anim", motion.name), write::anim(&file)));
    }
    let cylinder = cylinder::sample();
    files.push(("md5/cylinder.md5mesh".to_owned(), write::mesh(&md5::mesh_file(&cylinder))));
    for motion in [cylinder::bend(), cylinder::twist()] {
        let file = md5::anim_file(&cylinder.joints, &motion, &[&cylinder]);
        files.push((format!("md5/{}.md5anim", motion.name), write::anim(&file)));
    }
    Ok(files)
}
