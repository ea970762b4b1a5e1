//! `ddm`: the palette in a texture, and the smoothed surroundings of each vertex in another.

use super::{BatchMesh, Error, JointUpload, StagedTexture, Upload, UploadContext, WithTexture, inconsistent};
use crate::float_texture::fixed_texture;
use crate::joint_uniforms::rows;
use crate::vertex_layout::immutable;
use bindpose_core::skin::{Data, DeltaMush, Method, MushPart};
use glium::implement_vertex;

/// Texels per joint, and per part of a vertex.
const TEXELS: usize = 3;
/// Joints per row, as in ddm.vert.
const JOINTS_A_ROW: usize = 256;
/// Texels per row of parts, unless the driver supports fewer or a vertex needs more.
const USUAL_WIDTH: usize = 1024;

/// Centre of the surface around a vertex, and its parts in the texture: column, row, number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings {
    centre: [f32; 3],
    parts: [f32; 3],
}
implement_vertex!(Surroundings, centre, parts);

pub(super) fn new(method: &Method, input: &UploadContext<'_>) -> Result<Box<dyn Upload>, Error> {
    let Data::DeltaMush(mush) = &input.prepared.data else {
        return Err(inconsistent(method, "smoothed surroundings that were not prepared"));
    };
    let texture_size = input.texture_size as usize;
    let joints = input.prepared.mesh.bind.len();
    let size = [TEXELS * joints.clamp(1, JOINTS_A_ROW), joints.div_ceil(JOINTS_A_ROW).max(1)];
    let laid_out = LaidOut::new(mush, texture_size);
    let (width, height) = (laid_out.width, laid_out.rows());
    if size.into_iter().chain([width, height]).any(|side| side > texture_size) {
        let reason = format!("it needs more texels than the driver's textures of {texture_size}x{texture_size} have");
        return Err(Error::unavailable(method, reason));
    }
    let BatchMesh { mesh, source, .. } = input.batch;
    let of_vertex = |_: &_, vertex: usize| laid_out.rows[mush.row_of(source[vertex] as usize)];
    let surroundings = immutable(input.context, mesh, of_vertex)?;
    let texture = StagedTexture::new(input.context, ["palette", "palette_texels"], size)?;
    let palette = JointUpload::boxed([], [texture], Some(surroundings), |posing, [], [palette]| {
        palette.set(posing.palette_of_whole_mesh().iter().flat_map(rows));
    });
    let moments = fixed_texture(input.context, &laid_out.texels, width as u32, height as u32)?;
    Ok(WithTexture::boxed(palette, ["moments", "moment_texels"], moments))
}

/// All parts as texels. The parts of a vertex are in one row.
struct LaidOut {
    width: usize,
    texels: Vec<[f32; 4]>,
    /// One entry per vertex of the smoothed mesh.
    rows: Vec<Surroundings>,
}

impl LaidOut {
    fn new(mush: &DeltaMush, texture_size: usize) -> Self {
        let most = mush.rows().map(|(_, parts)| parts.len()).max().unwrap_or(0);
        let width = USUAL_WIDTH.min(texture_size).max(TEXELS * most);
        let mut texels: Vec<[f32; 4]> = Vec::new();
        let mut rows = Vec::new();
        for (centre, parts) in mush.rows() {
            if texels.len() % width + TEXELS * parts.len() > width {
                texels.resize(texels.len().next_multiple_of(width), [0.0; 4]);
            }
            let place = [texels.len() % width, texels.len() / width, parts.len()];
            rows.push(Surroundings { centre: centre.as_vec3().to_array(), parts: place.map(|number| number as f32) });
            for MushPart { slot, square: [xx, xy, xz, yy, yz, zz], first, weight } in parts {
                let numbers = [[xx, xy, xz, yy], [yz, zz, first.x, first.y], [first.z, weight, f64::from(slot), 0.0]];
                texels.extend(numbers.map(|texel| texel.map(|number| number as f32)));
            }
        }
        texels.resize(texels.len().next_multiple_of(width).max(width), [0.0; 4]);
        Self { width, texels, rows }
    }

    fn rows(&self) -> usize {
        self.texels.len() / self.width
    }
}
