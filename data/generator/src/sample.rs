//! A sample model before it is converted to files.

use crate::rig::{Joint, Pose};
use crate::weights::Share;
use glam::{DVec2, DVec3};

/// One vertex of a mesh.
#[derive(Debug, Clone)]
pub struct Vertex {
    /// Position in the bind pose, in model space, in inches.
    pub position: DVec3,
    /// Texture coordinates; (0, 0) is the left end of the image's top row.
    pub uv: DVec2,
    /// Joints and their shares, whose sum is 1.
    pub shares: Vec<Share>,
}

/// A mesh with its skeleton.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Name of the shader: the texture's file name without extension.
    pub shader: &'static str,
    /// The skeleton.
    pub joints: Vec<Joint>,
    /// Vertices. Those at texture seams appear once per side, with equal positions and shares.
    pub vertices: Vec<Vertex>,
    /// Vertex indices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// An animation: a pose per frame.
#[derive(Debug, Clone)]
pub struct Motion {
    /// File name without extension.
    pub name: &'static str,
    /// Frames per second.
    pub rate: u32,
    /// The frames. The last one of a loop is a copy of the first.
    pub frames: Vec<Pose>,
}

impl Sample {
    /// Returns the shares of three vertices.
    pub fn shares(&self, corners: [u32; 3]) -> [&[Share]; 3] {
        corners.map(|vertex| &self.vertices[vertex as usize].shares[..])
    }

    /// Removes vertices that belong to no triangle.
    pub fn without_unused(mut self) -> Self {
        let mut number = vec![None; self.vertices.len()];
        let mut kept = Vec::new();
        for vertex in self.triangles.iter_mut().flatten() {
            let old = *vertex as usize;
            *vertex = *number[old].get_or_insert_with(|| {
                kept.push(self.vertices[old].clone());
                kept.len() as u32 - 1
            });
        }
        self.vertices = kept;
        self
    }
}
