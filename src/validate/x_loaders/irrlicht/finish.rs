//! Conversion of meshes to buffers, one per material, which combines vertices, weights and joints.

use super::model::Mesh;
use super::objects::Objects;
use super::{Program, crash};
use crate::codes::x as rules;
use crate::verdict::Fallible;
use bindpose_parsers::Span;
use std::collections::HashMap;

/// Number of vertices that a 16-bit index can address.
const ADDRESSED: usize = 65_536;
/// Number of weights per vertex that Luanti keeps.
const INFLUENCES: usize = 4;
/// Share of a vertex's weight that may be lost without a report, as one of five equal weights.
const UNSEEN: f32 = 0.2;

impl Objects<'_, '_> {
    /// Combines everything that was read.
    pub fn finish(&mut self) -> Fallible<()> {
        if let Some(span) = self.tokens.infinite {
            self.verdict.add_misread(rules::NOT_FINITE, span, || {
                "the number is not finite, and what it belongs to is not shown".to_owned()
            });
        }
        let meshes = std::mem::take(&mut self.meshes);
        let mut buffers = 0;
        for mesh in &meshes {
            self.finish_mesh(mesh, buffers)?;
            buffers += mesh.materials.max(1);
        }
        self.check_joints()?;
        for joint in &self.joints {
            let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
            let Some(part) = joint.channels.lost_part(joint.matrix.as_ref().unwrap_or(&identity)) else { continue };
            let name = joint.name;
            self.verdict.add_misread(rules::FRAME_MATRIX_LOST, joint.channels.span, || {
                let name = String::from_utf8_lossy(name);
                format!("keys replace the matrix of '{name}', and its {part} is lost")
            });
        }
        Ok(())
    }

    fn finish_mesh(&mut self, mesh: &Mesh, buffers: usize) -> Fallible<()> {
        let buffer_of = |triangle: usize| match mesh.face_materials.is_empty() {
            true => 0,
            false => mesh.face_materials.get(triangle).copied().unwrap_or(0),
        };
        // Buffer of each vertex that a face uses, and number of vertices in each buffer.
        let mut used: HashMap<u32, u32> = HashMap::new();
        let mut sizes: HashMap<u32, usize> = HashMap::new();
        let mut copied = Vec::new();
        for (corner, &index) in mesh.indices.iter().enumerate() {
            let buffer = buffer_of(corner / 3);
            if buffer as usize >= mesh.materials.max(1) {
                return crash(
                    rules::MATERIAL_COUNT,
                    mesh.material_span,
                    "a face has a material that is not among those in the list",
                );
            }
            if index >= mesh.vertices {
                let span = mesh.wrong_index.unwrap_or(mesh.span);
                return crash(rules::FACE_INDEX, span, "a vertex is read from outside of the list");
            }
            if used.get(&index).is_some_and(|known| *known != buffer) {
                copied.push(index);
            }
            if used.insert(index, buffer) != Some(buffer) {
                *sizes.entry(buffer).or_default() += 1;
            }
        }
        if let Some(&size) = sizes.values().find(|&&size| size > ADDRESSED) {
            self.verdict.add_misread(rules::BUFFER_VERTICES, mesh.span, || {
                format!("{size} vertices are more than 65536: faces are drawn between other vertices")
            });
        }
        self.finish_weights(mesh, buffers, &used, &copied)
    }

    fn finish_weights(
        &mut self,
        mesh: &Mesh,
        buffers: usize,
        used: &HashMap<u32, u32>,
        copied: &[u32],
    ) -> Fallible<()> {
        let mut by_vertex: HashMap<u32, Vec<f32>> = HashMap::new();
        for weight in &mesh.weights {
            if mesh.indices.is_empty() || weight.vertex >= mesh.vertices {
                if mesh.indices.is_empty() && self.program == Program::Irrlicht {
                    return crash(rules::WEIGHT_INDEX, weight.span, "a weight of a mesh without faces is looked up");
                }
                self.log_at_weight(weight.span);
                continue;
            }
            let counts = self.program == Program::Irrlicht || weight.strength > 0.0;
            if counts && !used.contains_key(&weight.vertex) {
                self.loose_weight(mesh, weight.span, weight.vertex, buffers)?;
            }
            if weight.strength > 0.0 {
                by_vertex.entry(weight.vertex).or_default().push(weight.strength);
            }
        }
        if copied.iter().any(|vertex| by_vertex.contains_key(vertex)) {
            let message = "X loader: Duplicated vertex, animation might be corrupted.";
            self.verdict.add_misread(rules::SHARED_VERTEX, mesh.material_span, || {
                format!("{message} A vertex of two materials is copied, and the copy has no weights")
            });
        }
        self.check_influences(mesh, by_vertex);
        Ok(())
    }

    fn log_at_weight(&mut self, span: Span) {
        self.tokens.last = span;
        self.log(rules::WEIGHT_INDEX, "X loader: Weight id out of range".to_owned());
    }

    /// Handles the weight of a vertex that no face uses: its buffer has index -1.
    fn loose_weight(&mut self, mesh: &Mesh, span: Span, vertex: u32, buffers: usize) -> Fallible<()> {
        let all = buffers + mesh.materials.max(1);
        if self.program == Program::Irrlicht {
            self.verdict.add_misread(rules::LOOSE_WEIGHT, span, || {
                format!("Skinned Mesh: Weight buffer id too large: vertex {vertex} is in no face, and vertex 0 gets its weight")
            });
            return Ok(());
        }
        if buffers == 0 {
            let message = format!("vector::_M_range_check: __n (which is 65535) >= this->size() (which is {all})");
            return crash(rules::LOOSE_WEIGHT, span, message);
        }
        self.verdict.add_misread(rules::LOOSE_WEIGHT, span, || {
            format!("vertex {vertex} is in no face, and a vertex of the mesh before gets its weight")
        });
        Ok(())
    }

    /// Reports lost weights: Luanti keeps the four strongest of a vertex.
    fn check_influences(&mut self, mesh: &Mesh, by_vertex: HashMap<u32, Vec<f32>>) {
        if self.program == Program::Irrlicht {
            return;
        }
        let mut worst: Option<(u32, f32, usize)> = None;
        for (vertex, mut strengths) in by_vertex {
            if strengths.len() <= INFLUENCES {
                continue;
            }
            strengths.sort_by(|a, b| b.total_cmp(a));
            let lost: f32 = strengths.iter().skip(INFLUENCES).sum();
            let share = lost / strengths.iter().sum::<f32>();
            // The first among equals, so that reports are reproducible.
            if worst.is_none_or(|(known, most, _)| share > most || share == most && vertex < known) {
                worst = Some((vertex, share, strengths.len()));
            }
        }
        if let Some((vertex, share, count)) = worst.filter(|&(_, share, _)| share > UNSEEN + f32::EPSILON) {
            self.verdict.add_misread(rules::INFLUENCES_4, mesh.span, || {
                format!(
                    "of {count} weights of vertex {vertex} the four strongest move it: {:.0} % is lost",
                    share * 100.0
                )
            });
        }
    }

    /// Reports a frame below another with the same name: joints would be their own ancestors.
    fn check_joints(&mut self) -> Fallible<()> {
        // Irrlicht traverses from joints without a parent. There, a frame remains below all its parents.
        if let Some(joint) = self.repeated_below_roots().filter(|_| self.program == Program::Irrlicht) {
            let span = self.joints.get(joint).map_or(self.tokens.last, |joint| joint.span);
            return crash(rules::DUPLICATE_FRAME, span, "matrices of joints are multiplied without an end");
        }
        let mut state = vec![0_u8; self.joints.len()];
        for start in 0..self.joints.len() {
            let mut path = Vec::new();
            let mut next = Some(start);
            while let Some(joint) = next.filter(|&joint| state.get(joint) == Some(&0)) {
                if let Some(state) = state.get_mut(joint) {
                    *state = 1;
                }
                path.push(joint);
                next = self.joints.get(joint).and_then(|joint| joint.parent);
            }
            if let Some(joint) = next.filter(|&joint| state.get(joint) == Some(&1)) {
                return self.cycle(joint);
            }
            for joint in path {
                if let Some(state) = state.get_mut(joint) {
                    *state = 2;
                }
            }
        }
        Ok(())
    }

    fn cycle(&mut self, joint: usize) -> Fallible<()> {
        let span = self.joints.get(joint).map_or(self.tokens.last, |joint| joint.span);
        match self.program {
            Program::Luanti => crash(rules::DUPLICATE_FRAME, span, "joint hierarchy must be acyclic"),
            Program::Luanti516 => crash(rules::DUPLICATE_FRAME, span, "joints are sorted without an end"),
            Program::Irrlicht => {
                self.verdict.add_misread(rules::DUPLICATE_FRAME, span, || {
                    "the frame is below itself, and its matrix is not applied".to_owned()
                });
                Ok(())
            }
        }
    }

    /// Returns a joint that is below itself and below a joint without a parent.
    fn repeated_below_roots(&self) -> Option<usize> {
        let mut is_child = vec![false; self.joints.len()];
        for &child in self.joints.iter().flat_map(|joint| &joint.children) {
            if let Some(is_child) = is_child.get_mut(child) {
                *is_child = true;
            }
        }
        let roots = is_child.iter().enumerate().filter(|(_, is_child)| !**is_child).map(|(root, _)| root);
        // Joints on the path from the root, and those whose children are all known.
        let (mut is_open, mut is_done) = (vec![false; self.joints.len()], vec![false; self.joints.len()]);
        for root in roots {
            let mut path = vec![(root, 0)];
            while let Some((joint, next)) = path.last_mut() {
                let Some(&child) = self.joints.get(*joint).and_then(|joint| joint.children.get(*next)) else {
                    (is_open[*joint], is_done[*joint]) = (false, true);
                    path.pop();
                    continue;
                };
                (is_open[*joint], *next) = (true, *next + 1);
                if is_open[child] || child == *joint {
                    return Some(child);
                }
                if !is_done[child] {
                    path.push((child, 0));
                }
            }
        }
        None
    }
}
