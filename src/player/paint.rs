//! Vertex colours by weights, losses, distances and batches.

use super::Colouring;
use bindpose_core::model::{JointId, Model};
use bindpose_core::skin::{self, Method, MethodId, is_in_support};
use glam::{Vec3, Vec4};

/// Colours for the vertices of all meshes: linear RGBA.
pub type Colours = Vec<Vec<Vec4>>;

/// Painted vertex buffers: true for the other file, the method, and the clip for methods that depend on it.
pub(super) type PaintTarget = (bool, MethodId, Option<usize>);

/// Inputs of vertex colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PaintKey {
    pub(super) colouring: Colouring,
    pub(super) joint: Option<JointId>,
}

/// Colour of vertices to which the colouring does not apply.
const QUIET: Vec4 = Vec4::new(0.32, 0.33, 0.35, 1.0);
/// Colour of vertices without weights.
const WEIGHTLESS: Vec4 = Vec4::new(0.9, 0.0, 0.6, 1.0);

/// Returns blue, green, yellow, red for shares from 0 to 1, which are clamped. A share that is not finite is red.
/// Linear RGBA.
pub fn heat(share: f32) -> Vec4 {
    const STOPS: [Vec3; 5] = [
        Vec3::new(0.03, 0.06, 0.35),
        Vec3::new(0.02, 0.35, 0.60),
        Vec3::new(0.10, 0.55, 0.12),
        Vec3::new(0.90, 0.75, 0.05),
        Vec3::new(0.85, 0.05, 0.02),
    ];
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 };
    let position = share * (STOPS.len() - 1) as f32;
    let stop = (position as usize).min(STOPS.len() - 2);
    STOPS[stop].lerp(STOPS[stop + 1], position - stop as f32).extend(1.0)
}

/// Returns [`heat`] as sRGB, 0 to 255, for legends.
pub fn heat_srgb(share: f32) -> [u8; 3] {
    let encode = |linear: f32| (255.0 * linear.max(0.0).powf(1.0 / 2.2)).round() as u8;
    heat(share).truncate().to_array().map(encode)
}

/// Colours the vertices in the support of a joint red, others grey.
pub fn support(model: &Model, joint: JointId) -> Colours {
    let of_mesh = |mesh: &bindpose_core::model::Mesh| {
        let colour = |vertex| if is_in_support(&model.skeleton, mesh, vertex, joint) { heat(1.0) } else { QUIET };
        (0..mesh.vertex_count()).map(colour).collect()
    };
    model.meshes.iter().map(of_mesh).collect()
}

/// Colours each vertex by the weight of a joint; grey if it is 0.
pub fn weights(model: &Model, joint: JointId) -> Colours {
    let of_mesh = |mesh: &bindpose_core::model::Mesh| {
        let is_joint = |slot: u32| mesh.bind.get(slot as usize).is_some_and(|bound| bound.joint == joint);
        let weight = |vertex| -> f32 {
            let influences = mesh.influences_of(vertex).iter();
            influences.filter(|influence| is_joint(influence.slot)).map(|influence| influence.weight).sum()
        };
        let colour = |weight: f32| if weight == 0.0 { QUIET } else { heat(weight) };
        (0..mesh.vertex_count()).map(|vertex| colour(weight(vertex))).collect()
    };
    model.meshes.iter().map(of_mesh).collect()
}

/// Colours each vertex by the weight that it loses to a method's limit, red from a quarter on. Vertices without any
/// weight are pink.
pub fn dropped(model: &Model, method: &Method) -> Colours {
    let of_mesh = |mesh: &bindpose_core::model::Mesh| {
        let limit = method.influences.unwrap_or(usize::MAX);
        let colour = |vertex| {
            let mut weights: Vec<f32> = mesh.influences_of(vertex).iter().map(|influence| influence.weight).collect();
            let whole: f32 = weights.iter().sum();
            if weights.iter().all(|&weight| weight == 0.0) {
                return WEIGHTLESS;
            }
            weights.sort_by(|a, b| b.total_cmp(a));
            let lost: f32 = weights.iter().skip(limit).sum::<f32>() / whole;
            if lost == 0.0 { QUIET } else { heat(0.4 + 2.4 * lost) }
        };
        (0..mesh.vertex_count()).map(colour).collect()
    };
    model.meshes.iter().map(of_mesh).collect()
}

/// Colours the vertices of triangles with more joints than fixed-function hardware has matrices, where the triangle loses
/// influences: yellow for more than two (GeForce 256), red for more than four (Radeon 7500), others grey.
pub fn matrices(model: &Model) -> Colours {
    let of_mesh = |mesh: &bindpose_core::model::Mesh| {
        let seen = skin::as_seen_by(MethodId::Ffp.method(), mesh).mesh;
        let mut colours = vec![QUIET; mesh.vertex_count()];
        for (matrices, share) in [(2, 0.75), (4, 1.0)] {
            let corners = skin::split(&seen, Some(matrices)).trimmed.into_iter().map(|it| seen.triangles[it as usize]);
            corners.flatten().for_each(|corner| colours[corner as usize] = heat(share));
        }
        colours
    };
    model.meshes.iter().map(of_mesh).collect()
}

/// Returns the largest finite distance, or 0 if there is none.
pub fn largest(distances: &[Vec<f32>]) -> f32 {
    distances.iter().flatten().copied().filter(|d| d.is_finite()).fold(0.0, f32::max)
}

/// Colours vertices by distance, red from `most` on, grey for 0.
pub fn distances(distances: &[Vec<f32>], most: f32) -> Colours {
    let colour = |&distance: &f32| if most == 0.0 || distance == 0.0 { QUIET } else { heat(distance / most) };
    distances.iter().map(|mesh| mesh.iter().map(colour).collect()).collect()
}

/// Returns the colour of a batch, distinct from its neighbours'. Linear RGBA.
pub fn of_batch(number: usize) -> Vec4 {
    // Steps of the golden ratio around the circle of hues.
    let hue = (number as f32 * 0.618_034).fract() * 6.0;
    let channel = |offset: f32| {
        let k = (offset + hue) % 6.0;
        1.0 - k.min(4.0 - k).clamp(0.0, 1.0)
    };
    let [r, g, b] = [5.0, 3.0, 1.0].map(|offset| 0.12 + 0.6 * channel(offset));
    Vec4::new(r, g, b, 1.0)
}

/// Returns the distances between the vertices of two models; `None` if they differ in the number of meshes or vertices.
pub fn apart(left: &[Vec<Vec3>], right: &[Vec<Vec3>]) -> Option<Vec<Vec<f32>>> {
    let same = left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.len() == right.len());
    let mesh = |(left, right): (&Vec<Vec3>, &Vec<Vec3>)| left.iter().zip(right).map(|(a, b)| a.distance(*b)).collect();
    same.then(|| left.iter().zip(right).map(mesh).collect())
}

/// Returns the largest distance, its vertex, and the joint that moves this vertex most; `None` without vertices.
pub fn worst(model: &Model, distances: &[Vec<f32>]) -> Option<(f32, super::VertexRef, Option<JointId>)> {
    let all = distances.iter().enumerate().flat_map(|(mesh, distances)| {
        distances.iter().enumerate().map(move |(vertex, &distance)| (distance, super::VertexRef { mesh, vertex }))
    });
    let (distance, vertex) = all.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let joint = model.meshes.get(vertex.mesh)?.heaviest(vertex.vertex).map(|(_, joint)| joint);
    Some((distance, vertex, joint))
}

/// Computes the vertices of all meshes in a pose, in model space, by linear blending without limits.
pub fn linear_positions(model: &Model, posed: &bindpose_core::pose::ModelPose) -> Vec<Vec<Vec3>> {
    let of_mesh = |mesh: &bindpose_core::model::Mesh| {
        let mut positions = vec![Vec3::ZERO; mesh.vertex_count()];
        skin::linear_positions(mesh, posed, |vertex, position| positions[vertex] = position);
        positions
    };
    model.meshes.iter().map(of_mesh).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_rises_from_blue_to_red() {
        let (cold, hot) = (heat(0.0), heat(1.0));
        assert!(cold.z > cold.x && hot.x > hot.z);
        assert_eq!(heat(f32::NAN), hot, "not finite counts as the worst");
        assert_eq!(heat(7.0), hot);
    }

    #[test]
    fn neighbouring_batches_differ_in_colour() {
        for batch in 0..20 {
            assert!(of_batch(batch).distance(of_batch(batch + 1)) > 0.15, "{batch}");
        }
    }

    #[test]
    fn distances_need_the_same_meshes() {
        let one = vec![vec![Vec3::ZERO, Vec3::X]];
        let other = vec![vec![Vec3::ZERO, Vec3::X * 3.0]];
        assert_eq!(apart(&one, &other), Some(vec![vec![0.0, 2.0]]));
        assert_eq!(apart(&one, &[vec![Vec3::ZERO]]), None);
        assert_eq!(apart(&one, &[]), None);
    }
}
