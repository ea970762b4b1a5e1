//! The sample models of bindpose, generated from numbers only, with the same bytes on every machine.
//!
//! [`rig`] places the joints. [`shape`] is the body as an implicit surface, which [`polygonise`] and [`remesh`] turn
//! into even triangles. [`weights`] binds them, [`unwrap`] and [`paint`] texture them, and [`motion`] moves them.
//! [`banner`] is a model for Quake, and [`examples`] defines the shape of bent parts. [`md5`] and [`directx`] create
//! documents of the result, and [`game`] packs the files that Doom 3 needs.

#![forbid(unsafe_code)]

pub mod banner;
pub mod cylinder;
pub mod directx;
pub mod examples;
pub mod game;
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
use bindpose_parsers::md5::{AnimFile, MeshFile, write_anim, write_mesh};
use bindpose_parsers::x::{Encoding, write};
use md5::Stored;
use sample::{Motion, Sample};
use shape::Detail;

/// Returns every generated file of `data/`: its path there and its bytes.
///
/// # Errors
/// None in practice: writing to memory and encoding an image of a fixed size cannot fail.
pub fn generate() -> Result<Vec<(String, Vec<u8>)>> {
    let full = mannequin::make(Detail::Full);
    let light = mannequin::make(Detail::Light);
    let cylinder = cylinder::sample();
    let mannequin_clips = animations(&motion::all(&light.joints), &[&full, &light]);
    let cylinder_clips = animations(&[cylinder::bend(), cylinder::twist()], &[&cylinder]);

    let images = paint::mannequin(&full);
    let mut files = Files::default();
    files.mesh("md5/mannequin", &full)?;
    files.add("game/mannequin.pk4".to_owned(), game::pack(&light, &mannequin_clips, &images)?);
    for (name, sample, image, clips, examples) in [
        ("mannequin_light", &light, paint::mannequin_png(&images)?, &mannequin_clips, examples::mannequin(&light)),
        ("cylinder", &cylinder, paint::cylinder()?, &cylinder_clips, examples::cylinder(&cylinder)),
    ] {
        files.mesh(&format!("md5/{name}"), sample)?;
        for (clip, file) in clips {
            files.anim(&format!("md5/{clip}"), file)?;
        }
        let texture = format!("{}.png", sample.shader);
        files.twins(name, &md5::mesh_file(sample), &texture, clips);
        for folder in ["md5", "x"] {
            files.add(format!("{folder}/{texture}"), image.clone());
        }
        files.add(format!("md5/{name}.examples.toml"), examples::list(sample, "examples", &examples).into_bytes());
        for example in &examples {
            files.mesh(&format!("md5/examples/{}", example.name), &example.sample(sample))?;
        }
    }
    let banner = banner::sample();
    files.mesh("quake/progs/banner", &banner)?;
    files.anim("quake/progs/banner", &md5::anim_file(&banner.joints, &banner::wave(), &[&banner], Stored::All))?;
    files.add("quake/progs/banner_00_00.png".to_owned(), paint::banner()?);
    Ok(files.0)
}

/// Returns the names and files of clips. The bounds contain all of `skins`.
fn animations(motions: &[Motion], skins: &[&Sample]) -> Vec<(&'static str, AnimFile<'static>)> {
    let file = |motion: &Motion| (motion.name, md5::anim_file(&skins[0].joints, motion, skins, Stored::Changing));
    motions.iter().map(file).collect()
}

/// Paths and bytes.
#[derive(Default)]
struct Files(Vec<(String, Vec<u8>)>);

impl Files {
    fn add(&mut self, path: String, bytes: Vec<u8>) {
        self.0.push((path, bytes));
    }

    fn mesh(&mut self, path: &str, sample: &Sample) -> Result<()> {
        let mut bytes = Vec::new();
        write_mesh(&md5::mesh_file(sample), &mut bytes)?;
        self.add(format!("{path}.md5mesh"), bytes);
        Ok(())
    }

    fn anim(&mut self, path: &str, file: &AnimFile) -> Result<()> {
        let mut bytes = Vec::new();
        write_anim(file, &mut bytes)?;
        self.add(format!("{path}.md5anim"), bytes);
        Ok(())
    }

    /// Adds a model with its clips as .x files in every encoding.
    fn twins(&mut self, name: &str, mesh: &MeshFile, texture: &str, clips: &[(&str, AnimFile)]) {
        let document = directx::document(mesh, texture, clips);
        for (suffix, encoding) in [
            ("", Encoding::TEXT),
            ("_bin", Encoding::BINARY),
            ("_tzip", Encoding::TEXT.compressed()),
            ("_bzip", Encoding::BINARY.compressed()),
        ] {
            self.add(format!("x/{name}{suffix}.x"), write(&document, encoding));
        }
    }
}
