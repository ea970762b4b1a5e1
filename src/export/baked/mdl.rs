//! Quake's `.mdl`: vertices in steps of 1/255 of the box around all frames, and one image for the whole model.

use super::shell::Shell;
use super::{Baked, Counts, FRAME_NAME, FRAME_RATE, Rounding, Skin, Written, floats, text, words};
use crate::Error;
use crate::loss::Loss;
use bindpose_core::model::{Mesh, bounds_of};
use bindpose_parsers::quake::{VertexModel, normals};
use glam::{DVec3, IVec2, Vec2, Vec3};

/// Distance beyond the edge of an image that rounded decimals explain, in images.
const EDGE: f32 = 1e-3;

/// Writes the file.
pub(super) fn write(
    baked: &Baked,
    skin: &Skin,
    is_grouped: bool,
    old: Option<&VertexModel>,
    losses: &mut Vec<Loss>,
) -> Result<Written, Error> {
    let meshes = || baked.meshes.iter().map(|prepared| &prepared.mesh);
    let shells: Vec<Shell> = meshes().map(|mesh| Shell::new(mesh, onto_image)).collect();
    meshes().zip(&shells).for_each(|(mesh, shell)| losses.extend(lost(mesh, shell)));
    let vertices = |frame: usize| -> Result<Vec<(DVec3, DVec3)>, Error> {
        let pose = baked.pose(frame);
        let mut all = Vec::new();
        for (mesh, shell) in shells.iter().enumerate() {
            all.extend(baked.vertices(mesh, shell, &pose)?);
        }
        Ok(all)
    };
    let grid = Grid::new(baked, vertices)?;
    let base = vertices(0)?;
    let mut bytes = Vec::new();
    let triangles = || {
        let mut first = 0;
        shells.iter().flat_map(move |shell| {
            let before = first;
            first += shell.vertices.len();
            shell.triangles.iter().map(move |corners| corners.map(|corner| corner as usize + before))
        })
    };
    let areas: f64 =
        triangles().map(|[a, b, c]| (base[b].0 - base[a].0).cross(base[c].0 - base[a].0).length() / 2.0).sum();
    let counts =
        Counts { vertices: base.len(), triangles: triangles().count(), frames: baked.frames.len(), surfaces: 1 };
    bytes.extend(b"IDPO");
    words(&mut bytes, [6]);
    floats(&mut bytes, [grid.scale, grid.origin]);
    bytes.extend((grid.radius as f32).to_le_bytes());
    floats(&mut bytes, [Vec3::ZERO]);
    words(&mut bytes, [1, skin.width as usize, skin.height as usize, counts.vertices, counts.triangles]);
    let frames = if is_grouped { baked.groups.len() } else { baked.frames.len() };
    words(&mut bytes, [frames, 0, old.map_or(0, |old| old.flags as usize)]);
    bytes.extend(((areas / counts.triangles as f64) as f32).to_le_bytes());
    words(&mut bytes, [0]);
    bytes.extend(&skin.texels);
    for (mesh, shell) in meshes().zip(&shells) {
        let place = skin.places.get(mesh.material.index()).copied().unwrap_or([0, skin.width, skin.height]);
        shell.uvs.iter().for_each(|uv| words(&mut bytes, texel(*uv, place)));
    }
    triangles().for_each(|[a, b, c]| words(&mut bytes, [1, a, b, c]));
    let rounding = add_frames(&mut bytes, baked, &grid, is_grouped, vertices)?;
    Ok(Written { bytes, rounding, counts })
}

/// Appends the frames, or a group for each clip. Returns how far their positions are from the exact ones.
fn add_frames(
    bytes: &mut Vec<u8>,
    baked: &Baked,
    grid: &Grid,
    is_grouped: bool,
    vertices: impl Fn(usize) -> Result<Vec<(DVec3, DVec3)>, Error>,
) -> Result<Rounding, Error> {
    let mut rounding = Rounding { bits: 8, moved: 0.0, size: baked.size };
    let mut start = 0;
    for &length in &baked.groups {
        let (frames, box_of_group) = (start..start + length, bytes.len() + 8);
        let mut corners = Vec::new();
        if is_grouped {
            // The box of a group is that of its frames, which follow. The times are the frames' ends.
            words(bytes, [1, length]);
            bytes.extend([0; 8]);
            (1..=length).for_each(|end| bytes.extend((end as f32 / FRAME_RATE as f32).to_le_bytes()));
        }
        for frame in frames {
            let vertices = vertices(frame)?;
            let packed = grid.packed(&vertices);
            for (exact, packed) in vertices.iter().zip(&packed) {
                rounding.add(exact.0, grid.position(packed));
            }
            if !is_grouped {
                words(bytes, [0]);
            }
            let around = edges(&packed);
            corners.extend(around);
            bytes.extend(around.as_flattened());
            text(bytes, &baked.frames[frame].0, FRAME_NAME);
            bytes.extend(packed.as_flattened());
        }
        if is_grouped {
            bytes[box_of_group..box_of_group + 8].copy_from_slice(edges(&corners).as_flattened());
        }
        start += length;
    }
    Ok(rounding)
}

/// Returns by how many images a triangle is moved so that it lies on the image, as far as it can.
fn onto_image(uvs: [Vec2; 3]) -> IVec2 {
    let [a, b, c] = uvs;
    -(a.min(b).min(c) + EDGE).floor().as_ivec2()
}

/// Returns what the file lacks of a mesh.
fn lost(mesh: &Mesh, shell: &Shell) -> impl Iterator<Item = Loss> {
    let is_stretched = |corners: &&[u32; 3]| corners.iter().any(|&corner| is_beyond(shell, corner));
    let (unused, stretched) = (shell.unused(mesh), shell.triangles.iter().filter(is_stretched).count());
    let unused = (unused > 0).then(|| Loss::UnusedVertices { mesh: mesh.name.clone(), vertices: unused });
    let what =
        format!("the repetition of the image on {stretched} triangles of mesh '{}'; its edge is stretched", mesh.name);
    unused.into_iter().chain((stretched > 0).then_some(Loss::NotCarried { what }))
}

fn is_beyond(shell: &Shell, vertex: u32) -> bool {
    shell.uvs[vertex as usize].max_element() > 1.0 + EDGE
}

/// Returns the seam flag and the texel of texture coordinates; engines add half a texel.
fn texel(uv: Vec2, [left, width, height]: [u32; 3]) -> [usize; 3] {
    let on = |part: f32, length: u32| ((part * length as f32).floor().max(0.0) as u32).min(length.saturating_sub(1));
    [0, (left + on(uv.x, width)) as usize, on(uv.y, height) as usize]
}

/// Steps of positions: `byte * scale + origin`.
struct Grid {
    scale: Vec3,
    origin: Vec3,
    /// Largest distance of a vertex from the origin of the model.
    radius: f64,
    /// Quake's normals by their numbers.
    normals: Vec<DVec3>,
}

impl Grid {
    fn new(baked: &Baked, vertices: impl Fn(usize) -> Result<Vec<(DVec3, DVec3)>, Error>) -> Result<Self, Error> {
        let mut corners = Vec::with_capacity(2 * baked.frames.len());
        let mut radius = 0.0_f64;
        for frame in 0..baked.frames.len() {
            let placed = vertices(frame)?;
            corners.extend(
                bounds_of(placed.iter().map(|(position, _)| *position)).map(<[DVec3; 2]>::from).into_iter().flatten(),
            );
            radius = placed.iter().map(|(position, _)| position.length()).fold(radius, f64::max);
        }
        let (min, max) = bounds_of(corners).unwrap_or_default();
        // A flat axis keeps a scale by which readers can divide.
        let step = |length: f64| if length > 0.0 { (length / 255.0) as f32 } else { 1.0 };
        let normals = normals().into_iter().map(|normal| Vec3::from_array(normal).as_dvec3()).collect();
        let scale = Vec3::from_array((max - min).to_array().map(step));
        let grid = Self { scale, origin: min.as_vec3(), radius, normals };
        match grid.scale.is_finite() && grid.origin.is_finite() {
            true => Ok(grid),
            false => Err(Error::Numbers("the model has numbers that 32 bits cannot hold".into())),
        }
    }

    /// Returns the bytes of vertices: position and number of the normal.
    fn packed(&self, vertices: &[(DVec3, DVec3)]) -> Vec<[u8; 4]> {
        let packed = |(position, normal): &(DVec3, DVec3)| {
            // The casts saturate.
            let [x, y, z] = ((*position - self.origin.as_dvec3()) / self.scale.as_dvec3()).round().to_array();
            let far = |number: &usize| self.normals[*number].dot(*normal);
            let nearest = (0..self.normals.len()).max_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0);
            [x as u8, y as u8, z as u8, nearest as u8]
        };
        vertices.iter().map(packed).collect()
    }

    fn position(&self, &[x, y, z, _]: &[u8; 4]) -> DVec3 {
        DVec3::new(x.into(), y.into(), z.into()) * self.scale.as_dvec3() + self.origin.as_dvec3()
    }
}

/// Returns the corners of the box around packed vertices.
fn edges(packed: &[[u8; 4]]) -> [[u8; 4]; 2] {
    let fold = |pick: fn(u8, u8) -> u8| {
        let [x, y, z, _] = packed
            .iter()
            .copied()
            .reduce(|a, b| std::array::from_fn(|part| pick(a[part], b[part])))
            .unwrap_or_default();
        [x, y, z, 0]
    };
    [fold(u8::min), fold(u8::max)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_move_onto_the_image() {
        let at = |x: f32, y: f32| onto_image([Vec2::new(x, y), Vec2::new(x + 0.5, y), Vec2::new(x, y + 0.5)]);
        assert_eq!([at(0.0, 0.5), at(-0.0005, 0.0), at(2.25, -1.0)], [IVec2::ZERO, IVec2::ZERO, IVec2::new(-2, 1)]);
        assert_eq!(texel(Vec2::new(1.0, 0.99), [8, 4, 4]), [0, 11, 3]);
        assert_eq!(texel(Vec2::new(-0.5, 0.26), [0, 4, 4]), [0, 0, 1]);
    }
}
