//! Posed copies, drawn as many at once as the method supports.

use super::Error;
use super::gpu_model::GpuModel;
use super::instance::Instance;
use super::material_images::GpuMaterial;
use super::method_pipeline::MethodPipeline;
use bindpose_core::skin::MethodId;
use glam::Vec3;
use std::collections::BTreeSet;

/// Splits copies into groups that are drawn at once.
pub(super) fn groups<'i, 'a>(
    gpu_model: &mut GpuModel,
    method: MethodId,
    instances: &'i [Instance<'a>],
) -> Result<Vec<&'i [Instance<'a>]>, Error> {
    let clip = |instance: &Instance<'_>| GpuModel::clip_of(method, instance.pose.clip);
    let mut groups = Vec::new();
    for alike in instances.chunk_by(|a, b| clip(a) == clip(b)) {
        let (pipeline, _) = gpu_model.pipeline(method, clip_of(method, alike))?;
        groups.extend(alike.chunks(pipeline.copies_at_once()));
    }
    Ok(groups)
}

/// Computes and uploads the poses of a group.
pub(super) fn bring_to_pose(gpu_model: &mut GpuModel, method: MethodId, group: &[Instance<'_>]) -> Result<(), Error> {
    let (pipeline, _) = gpu_model.pipeline(method, clip_of(method, group))?;
    pipeline.fill(group);
    pipeline.upload()
}

/// Returns the clip of a group if the method depends on it.
fn clip_of(method: MethodId, group: &[Instance<'_>]) -> Option<usize> {
    group.first().and_then(|instance| GpuModel::clip_of(method, instance.pose.clip))
}

/// Batches of a method in the poses uploaded last.
pub(super) struct Posed<'a> {
    pub pipeline: &'a MethodPipeline,
    materials: &'a [GpuMaterial],
    /// Indices of the visible batches, in the order of their materials.
    pub order: Vec<usize>,
    /// Position of a copy that is not instanced, in model space.
    pub position: Vec3,
}

impl<'a> Posed<'a> {
    pub fn new(
        gpu_model: &'a mut GpuModel,
        method: MethodId,
        group: &[Instance<'_>],
        hidden: Option<&BTreeSet<usize>>,
    ) -> Result<Self, Error> {
        let (pipeline, materials) = gpu_model.pipeline(method, clip_of(method, group))?;
        let mut posed = Self { position: pipeline.position_of(group), pipeline, materials, order: Vec::new() };
        let is_shown = |&number: &usize| {
            let mesh = posed.pipeline.batches[number].shape.mesh_index;
            hidden.is_none_or(|hidden| !hidden.contains(&mesh))
                && posed.material(number).is_none_or(|(_, material)| material.surface.is_drawn)
        };
        let mut order: Vec<usize> = (0..posed.pipeline.batches.len()).filter(is_shown).collect();
        let sort = |number: usize| posed.material(number).map_or(0.0, |(_, material)| material.surface.sort.0);
        order.sort_by(|&a, &b| sort(a).total_cmp(&sort(b)));
        posed.order = order;
        Ok(posed)
    }

    /// Returns index and material of a batch.
    pub fn material(&self, batch: usize) -> Option<(usize, &'a GpuMaterial)> {
        let number = self.pipeline.batches[batch].shape.mesh.material.index();
        Some((number, self.materials.get(number)?))
    }
}
