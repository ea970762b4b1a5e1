//! Normals that point inwards or are missing.

use bindpose_core::import::shading;
use bindpose_core::model::{Mesh, Model};
use glam::Vec3;

/// Correction of normals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Normals {
    /// Keeps all normals.
    Keep,
    /// Flips the normals of a mesh if most point to the back of their triangles, and computes missing ones.
    #[default]
    Fix,
    /// Computes all normals from the triangles.
    Recompute,
}

/// Corrects the normals of all meshes. Returns a sentence for each mesh changed by [`Normals::Fix`].
pub fn fix_normals(model: &mut Model, treatment: Normals) -> Vec<String> {
    let mut notes = Vec::new();
    for mesh in &mut model.meshes {
        match treatment {
            Normals::Keep => {}
            Normals::Fix => notes.extend(fixed(mesh)),
            Normals::Recompute => {
                mesh.normals = shading::normals(&mesh.positions, &mesh.triangles);
            }
        }
    }
    notes
}

fn fixed(mesh: &mut Mesh) -> Option<String> {
    let backward = mesh.triangles.iter().filter(|corners| {
        let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
        let sum: Vec3 = corners.iter().map(|&corner| mesh.normals[corner as usize]).sum();
        (b - a).cross(c - a).dot(sum) < 0.0
    });
    let backward = backward.count();
    let mut what = Vec::new();
    if 2 * backward > mesh.triangles.len() {
        if volume(mesh) < 0.0 {
            mesh.triangles.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
            what.push("its triangles had the wrong winding and were reversed".to_owned());
        } else {
            mesh.normals.iter_mut().for_each(|normal| *normal = -*normal + Vec3::ZERO);
            what.push(format!("the normals pointed to the back of {backward} triangles and were flipped"));
        }
    }
    let missing = |normal: &Vec3| !normal.is_finite() || normal.length_squared() < 1e-6;
    let count = mesh.normals.iter().filter(|normal| missing(normal)).count();
    if count > 0 {
        let computed = shading::normals(&mesh.positions, &mesh.triangles);
        mesh.normals
            .iter_mut()
            .zip(computed)
            .filter(|(normal, _)| missing(normal))
            .for_each(|(normal, new)| *normal = new);
        what.push(format!("{count} missing normals were computed"));
    }
    (!what.is_empty()).then(|| format!("mesh '{}': {} (--normals keep leaves them)", mesh.name, what.join("; ")))
}

/// Returns six times the signed volume between the triangles and the centre of the vertices. It is negative if a closed
/// mesh is inside out.
fn volume(mesh: &Mesh) -> f64 {
    let centre = mesh.positions.iter().map(|position| position.as_dvec3()).sum::<glam::DVec3>();
    let centre = centre / mesh.positions.len().max(1) as f64;
    let of_triangle = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize].as_dvec3() - centre);
        a.dot(b.cross(c))
    };
    mesh.triangles.iter().map(of_triangle).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a tetrahedron seen from outside, with outward normals.
    fn tetrahedron() -> Mesh {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let normals = positions.iter().map(|position| (*position - Vec3::splat(0.25)).normalize()).collect();
        Mesh { positions, normals, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], ..Mesh::default() }
    }

    #[test]
    fn inverted_meshes_and_normals_are_flipped() {
        let right = tetrahedron();
        let treated = |mesh: &Mesh, treatment| {
            let mut model = Model { meshes: vec![mesh.clone()], ..Model::default() };
            let notes = fix_normals(&mut model, treatment).len();
            (notes, model.meshes[0].normals.clone(), model.meshes[0].triangles.clone())
        };
        let same = |notes: usize, mesh: &Mesh| (notes, mesh.normals.clone(), mesh.triangles.clone());
        assert_eq!(treated(&right, Normals::Fix), same(0, &right));
        let inward = Mesh { normals: right.normals.iter().map(|normal| -*normal).collect(), ..right.clone() };
        assert_eq!(treated(&inward, Normals::Fix), same(1, &right));
        assert_eq!(treated(&inward, Normals::Keep), same(0, &inward));
        let wound = Mesh { triangles: right.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect(), ..right.clone() };
        assert_eq!(treated(&wound, Normals::Fix), same(1, &right));
        // The tip's three faces sum to its direction from the centre of the face below: -1/√3 on each axis.
        let mut without = right.clone();
        without.normals[0] = Vec3::ZERO;
        let (notes, normals, _) = treated(&without, Normals::Fix);
        assert!(notes == 1 && normals[0].distance(Vec3::splat(-(1.0_f32 / 3.0).sqrt())) < 1e-6, "{normals:?}");
    }
}
