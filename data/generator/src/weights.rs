//! Weights of the mannequin's vertices.
//!
//! They only depend on the position, so every level of detail bends in the same way. A limb's share comes from the
//! distances to trunk and limb. Along a limb, each joint is replaced by the next across a plane.

use crate::maths::smoothstep;
use crate::rig::{Joint, at, id, on_side};
use crate::shape::Body;
use glam::{DVec3, dvec3};

/// Largest number of joints that influence a vertex.
pub const MOST: usize = 4;

/// Share of a second joint if one joint has all. Smaller shares are dropped.
const LEAST: f64 = 0.005;

/// A joint and its share.
pub type Share = (usize, f64);

/// Returns the shares of all joints at `point`, two to four of them, largest first. Their sum is exactly 1 at six
/// decimals.
pub fn weights(body: &Body, joints: &[Joint], point: DVec3) -> Vec<Share> {
    let mut shares = [0.0; id::COUNT];
    let parts = body.parts(point);
    let legs = [0, 1].map(|side| {
        let hip = on_side(at::THIGH, side);
        // The crease runs from the crotch up and outwards to the hip bone.
        let below = (hip - point).dot(dvec3(0.1, -0.42 * hip.y.signum(), 0.9).normalize());
        let nearer = smoothstep(-1.0, 1.0, parts.legs[1 - side] - parts.legs[side]);
        smoothstep(-2.6, 2.6, below) * nearer * smoothstep(2.5, 0.2, parts.legs[side])
    });
    let arms = [0, 1].map(|side| smoothstep(-1.9, 1.7, parts.trunk - parts.arms[side]));
    let rest = 1.0 - legs[0] - legs[1];
    let trunk = (rest * (1.0 - arms[0] - arms[1])).max(0.0);
    for side in 0..2 {
        let arm = arms[side] * rest;
        let chain = [id::UPPER_ARM[side], id::FOREARM[side], id::HAND[side]];
        let [upper, fore, hand] = along(joints, &chain, point, &[1.7, 1.5]);
        shares[chain[0]] += arm * upper;
        shares[chain[1]] += arm * fore;
        shares[chain[2]] += arm * hand;
        let chain = [id::THIGH[side], id::SHIN[side], id::FOOT[side], id::TOE[side]];
        let [thigh, shin, foot, toe] = along(joints, &chain, point, &[2.4, 1.7, 1.1]);
        for (joint, share) in chain.into_iter().zip([thigh, shin, foot, toe]) {
            shares[joint] += legs[side] * share;
        }
    }
    // Up the trunk, each gate passes the rest on to the next joint.
    let gates = [
        smoothstep(-2.6, 2.6, point.z - at::WAIST.z),
        smoothstep(-2.6, 2.6, point.z - at::SPINE.z),
        smoothstep(-2.8, 2.8, point.z - at::CHEST.z),
        smoothstep(-1.6, 1.8, (point - at::NECK).dot(dvec3(-0.25, 0.0, 1.0)) - 0.16 * point.y.abs()),
        smoothstep(-1.4, 1.4, (point - at::HEAD).dot(dvec3(0.55, 0.0, 0.84))),
    ];
    let mut left = trunk;
    for (joint, gate) in (id::PELVIS..).zip(gates) {
        shares[joint] += left * (1.0 - gate);
        left *= gate;
    }
    shares[id::HEAD] += left;
    // The shoulder gets the upper outer part of the chest.
    for side in 0..2 {
        let out = point.y * crate::rig::side_sign(side);
        let share = smoothstep(1.4, 5.7, out) * smoothstep(50.0, 55.0, point.z) * shares[id::CHEST];
        shares[id::SHOULDER[side]] += share;
        shares[id::CHEST] -= share;
    }
    rounded(&shares, joints, point)
}

/// Divides a limb's share among its joints.
///
/// `reach[n]` is half the length over which joint n is replaced by joint n + 1.
fn along<const N: usize>(joints: &[Joint], chain: &[usize; N], point: DVec3, reach: &[f64]) -> [f64; N] {
    let mut shares = [0.0; N];
    let mut left = 1.0;
    for n in 0..N - 1 {
        let here = joints[chain[n + 1]].bind.position;
        let before = (here - joints[chain[n]].bind.position).normalize();
        let bone = joints[chain[n + 1]].bind.rotation * DVec3::X;
        let gate = smoothstep(-reach[n], reach[n], (point - here).dot((before + bone).normalize()));
        shares[n] = left * (1.0 - gate);
        left *= gate;
    }
    shares[N - 1] = left;
    shares
}

/// Returns the [`MOST`] largest shares, at least two, at six decimals with sum 1.
fn rounded(shares: &[f64; id::COUNT], joints: &[Joint], point: DVec3) -> Vec<Share> {
    let mut kept: Vec<Share> = shares.iter().copied().enumerate().filter(|&(_, share)| share > LEAST * 0.9).collect();
    kept.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    kept.truncate(MOST);
    if let [(only, _)] = kept[..] {
        kept = vec![(only, 1.0 - LEAST), (neighbour(joints, only, point), LEAST)];
    }
    let sum: f64 = kept.iter().map(|&(_, share)| share).sum();
    let mut millionths: Vec<i64> = kept.iter().map(|&(_, share)| libm::round(share / sum * 1e6) as i64).collect();
    millionths[0] += 1_000_000 - millionths.iter().sum::<i64>();
    kept.iter().zip(millionths).map(|(&(joint, _), share)| (joint, share as f64 / 1e6)).collect()
}

/// Returns the joint at the end of a bone that is nearer to `point`; a limb's lower end counts from a third on.
fn neighbour(joints: &[Joint], joint: usize, point: DVec3) -> usize {
    let here = joints[joint].bind;
    let child = joint + 1;
    if joints.get(child).is_some_and(|below| below.parent == Some(joint)) {
        let bone = joints[child].bind.position - here.position;
        if (point - here.position).dot(bone) > 0.3 * bone.length_squared() {
            return child;
        }
    }
    joints[joint].parent.filter(|&parent| parent != id::ORIGIN).unwrap_or(id::WAIST)
}
