//! Reads images in advance on threads that do not draw.

use super::{ImageSource, Located, Texture, TextureFinder};
use bindpose_core::image_search::{ImageRole, SurfaceNames};
use bindpose_core::model::Model;
use bindpose_core::model::surface::Map;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes of texels after which no more images are read ahead.
const MOST_AHEAD: u64 = 256 << 20;

/// Images of a model that were read ahead. Each can be taken once.
#[derive(Debug, Default)]
pub struct ReadAhead(Mutex<HashMap<ImageSource, Texture>>);

impl ReadAhead {
    /// Reads the images of a model's surfaces on all threads, up to 256 MiB of texels. Other images are read when they
    /// are used.
    pub fn of(model: &Model, textures: &TextureFinder<'_>) -> Self {
        let bytes = AtomicU64::new(0);
        let read = |place: ImageSource| {
            if bytes.load(Ordering::Relaxed) >= MOST_AHEAD {
                return None;
            }
            let texture = textures.read(&place);
            if let Texture::Found { image, .. } = &texture {
                bytes.fetch_add(image.as_raw().len() as u64, Ordering::Relaxed);
            }
            Some((place, texture))
        };
        Self(Mutex::new(sources(model, textures).into_par_iter().filter_map(read).collect()))
    }

    pub(super) fn take(&self, place: &ImageSource) -> Option<Texture> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(place)
    }
}

/// Returns the sources of the images of a model.
fn sources(model: &Model, textures: &TextureFinder<'_>) -> HashSet<ImageSource> {
    let mut sources = HashSet::new();
    let mut add = |located| {
        if let Located::At(source, _) = located {
            sources.insert(source);
        }
    };
    for (slot, (material, known_as)) in model.materials.iter().zip(model.names_of_surfaces()).enumerate() {
        let surface = SurfaceNames::of(material, &known_as, slot);
        add(textures.locate_for(&surface));
        for stage in material.surface.iter().flat_map(|surface| &surface.stages) {
            match &stage.map {
                Some(Map::Image(program)) => add(textures.locate(&program.to_string())),
                Some(Map::Cube(program, sides)) => add(textures.locate_cube(&program.to_string(), *sides)),
                None => {}
            }
        }
        for role in ImageRole::LAYERS {
            if let Some(layer) = textures.layer(&surface, role, material.surface.is_some()) {
                add(Located::At(ImageSource::from(&layer), Some(layer.rule)));
            }
        }
    }
    sources
}
