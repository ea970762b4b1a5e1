//! Square of two triangles that covers a whole target.

use super::Error;
use glium::backend::Facade;
use glium::index::{NoIndices, PrimitiveType};
use glium::vertex::{Vertex as _, VertexBuffer, VertexFormat};
use glium::{DrawParameters, Program, Surface};

#[derive(Debug, Clone, Copy)]
struct Corner {
    corner: [f32; 2],
}
glium::implement_vertex!(Corner, corner);

/// A square from -1 to 1 in clip space.
pub(super) struct Square(VertexBuffer<Corner>);

impl Square {
    pub fn new(facade: &impl Facade) -> Result<Self, Error> {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let corners = corners.map(|corner| Corner { corner });
        VertexBuffer::immutable(facade, &corners).map(Self).map_err(Error::resource("vertex buffer"))
    }

    /// Returns the format of its vertices.
    pub fn format() -> VertexFormat {
        Corner::build_bindings()
    }

    /// Draws the square; `what` names the pass in an error.
    pub fn draw(
        &self,
        surface: &mut impl Surface,
        program: &Program,
        uniforms: &impl glium::uniforms::Uniforms,
        parameters: &DrawParameters<'_>,
        what: &'static str,
    ) -> Result<(), Error> {
        let triangles = NoIndices(PrimitiveType::TrianglesList);
        surface.draw(&self.0, triangles, program, uniforms, parameters).map_err(Error::resource(what))
    }
}
