//! The mannequin at each level of detail.

use crate::maths::{mix, smoothstep};
use crate::polygonise::{Surface, mirror, polygonise};
use crate::remesh::{Target, remesh};
use crate::rig;
use crate::sample::{Sample, Vertex};
use crate::shape::{Body, Detail};
use crate::unwrap::unwrap;
use crate::weights::weights;
use glam::{DVec3, dvec3};

/// Creates the mannequin, with about 13,000 or about 2,000 vertices.
pub fn make(detail: Detail) -> Sample {
    let body = Body::mannequin(detail);
    let (edge, hands) = match detail {
        Detail::Full => (0.62, 0.3),
        Detail::Light => (1.76, 0.64),
    };
    bind(&body, &skin(&body, edge, hands))
}

/// Creates the skin with edges of about `edge` inches on trunk and limbs, `hands` at the hands, and in between
/// elsewhere.
pub fn skin(body: &Body, edge: f64, hands: f64) -> Surface {
    let rough = polygonise(dvec3(-8.0, 0.0, -1.0), dvec3(10.0, 30.0, 74.0), 0.36, |point| body.distance(point));
    let length = |p: DVec3| match () {
        _ if p.y > 19.0 => mix(edge * 0.75, hands, smoothstep(19.0, 23.0, p.y)),
        _ if p.z > 63.0 || p.z < 4.0 => edge * 0.75,
        _ => edge,
    };
    let target = Target { length: &length, project: &|point| body.project(point) };
    mirror(&remesh(rough, 10, &target))
}

/// Binds a skin to the skeleton and cuts it for its texture.
pub fn bind(body: &Body, skin: &Surface) -> Sample {
    let joints = rig::mannequin();
    let shares: Vec<_> = skin.positions.iter().map(|&point| weights(body, &joints, point)).collect();
    let unwrapped = unwrap(skin, &shares);
    let vertices = unwrapped.source.iter().zip(&unwrapped.uv).map(|(&source, &uv)| Vertex {
        position: skin.positions[source as usize],
        uv,
        shares: shares[source as usize].clone(),
    });
    Sample { shader: "mannequin", vertices: vertices.collect(), triangles: unwrapped.triangles, joints }
}
