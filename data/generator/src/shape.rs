//! The mannequin's body as one implicit surface: smoothly joined tubes and ellipsoids.
//!
//! All functions compute distances to a surface in inches (negative inside), which are exact near the surface and
//! approximate far from it. The body is symmetric to the plane y = 0.

use crate::maths::{frame, smooth_max, smooth_min, spline};
use crate::rig::at;
use glam::{DMat3, DQuat, DVec3, dvec3};

/// A limb: an axis with elliptic cross-sections that change along it.
struct Tube {
    from: DVec3,
    length: f64,
    /// Rotation from model to local space: x along the axis, y across, z in depth.
    local: DMat3,
    /// Position along the axis (0 to 1), and radius across, radius in depth, shift across, shift in depth.
    keys: Vec<(f64, [f64; 4])>,
    /// Exponent of the cross-section: 2 is an ellipse, larger values are squarer.
    power: f64,
    /// Length of the rounded ends beyond the axis, as a share of the mean radius there.
    caps: [f64; 2],
    /// Largest distance of any part of the tube from its middle.
    reach: f64,
}

impl Tube {
    fn new(from: DVec3, to: DVec3, across: DVec3, keys: &[(f64, [f64; 4])]) -> Self {
        let rotation = DMat3::from_quat(frame((to - from).normalize(), across));
        let length = from.distance(to);
        let widest = keys.iter().fold(0.0f64, |most, (_, [a, b, c, d])| most.max(a + c.abs()).max(b + d.abs()));
        Self {
            from,
            length,
            local: rotation.transpose(),
            keys: keys.to_vec(),
            power: 2.0,
            caps: [1.0, 1.0],
            reach: length * 0.5 + widest * 1.5,
        }
    }

    /// Creates an upright tube from keys along z, whose position is the height.
    fn upright(power: f64, keys: &[(f64, [f64; 4])]) -> Self {
        let (low, high) = (keys[0].0, keys[keys.len() - 1].0);
        let keys: Vec<_> = keys.iter().map(|&(z, key)| ((z - low) / (high - low), key)).collect();
        let mut tube = Self::new(dvec3(0.0, 0.0, low), dvec3(0.0, 0.0, high), DVec3::Y, &keys);
        tube.power = power;
        tube
    }

    fn distance(&self, point: DVec3) -> f64 {
        let local = self.local * (point - self.from);
        let place = (local.x / self.length).clamp(0.0, 1.0);
        let [across, depth, shift_across, shift_depth] = spline(&self.keys, place);
        let round = dvec3(local.x - place * self.length, local.y - shift_across, local.z - shift_depth);
        let cap = if place < 0.5 { self.caps[0] } else { self.caps[1] };
        ellipsoid(round, dvec3((across + depth) * 0.5 * cap, across, depth), self.power)
    }

    fn far(&self, point: DVec3) -> f64 {
        let middle = self.from + self.local.row(0) * (self.length * 0.5);
        point.distance(middle) - self.reach
    }
}

/// Returns the distance to an ellipsoid at the origin, to first order; `power` as in [`Tube`].
fn ellipsoid(point: DVec3, radii: DVec3, power: f64) -> f64 {
    let share = (point / radii).abs();
    if share.max_element() < 1e-3 {
        return -radii.min_element();
    }
    if power == 2.0 {
        let level = share.length();
        level * (level - 1.0) / (share / radii).length()
    } else {
        let raised = |v: f64, by: f64| if v > 0.0 { libm::exp(by * libm::log(v)) } else { 0.0 };
        let sum = raised(share.x, power) + raised(share.y, power) + raised(share.z, power);
        let level = raised(sum, 1.0 / power);
        let gradient = dvec3(
            raised(share.x, power - 1.0) / radii.x,
            raised(share.y, power - 1.0) / radii.y,
            raised(share.z, power - 1.0) / radii.z,
        ) * raised(level, 1.0 - power);
        (level - 1.0) / gradient.length()
    }
}

enum Form {
    Tube(Tube),
    Ellipsoid { center: DVec3, local: DMat3, radii: DVec3 },
}

impl Form {
    fn distance(&self, point: DVec3, needed: f64) -> f64 {
        match self {
            Form::Tube(tube) => {
                let far = tube.far(point);
                if far > needed { far } else { tube.distance(point) }
            }
            Form::Ellipsoid { center, local, radii } => {
                let far = point.distance(*center) - radii.max_element() * 1.5;
                if far > needed { far } else { ellipsoid(*local * (point - *center), *radii, 2.0) }
            }
        }
    }
}

/// One primitive of a part.
struct Piece {
    form: Form,
    /// Radius of its rounded union with the previous shape, in inches.
    blend: f64,
    /// True if it also exists on the other side; the two are joined over `blend` too.
    paired: bool,
    /// True if it is subtracted.
    carved: bool,
}

/// Primitives that are joined one after the other.
#[derive(Default)]
struct Part(Vec<Piece>);

impl Part {
    fn tube(&mut self, blend: f64, tube: Tube) {
        self.0.push(Piece { form: Form::Tube(tube), blend, paired: false, carved: false });
    }

    fn ellipsoid(&mut self, blend: f64, center: DVec3, radii: DVec3) {
        self.turned_ellipsoid(blend, center, radii, DVec3::X, DVec3::Y);
    }

    fn turned_ellipsoid(&mut self, blend: f64, center: DVec3, radii: DVec3, x: DVec3, y: DVec3) {
        let local = DMat3::from_quat(frame(x.normalize(), y)).transpose();
        self.0.push(Piece { form: Form::Ellipsoid { center, local, radii }, blend, paired: false, carved: false });
    }

    fn pair(&mut self) {
        if let Some(last) = self.0.last_mut() {
            last.paired = true;
        }
    }

    fn carve(&mut self) {
        if let Some(last) = self.0.last_mut() {
            last.carved = true;
        }
    }

    fn distance(&self, point: DVec3) -> f64 {
        let mirrored = dvec3(point.x, -point.y, point.z);
        let mut nearest = f64::MAX;
        for piece in &self.0 {
            let needed = if piece.carved { -nearest } else { nearest } + piece.blend;
            let mut distance = piece.form.distance(point, needed);
            if piece.paired {
                distance = smooth_min(distance, piece.form.distance(mirrored, needed), piece.blend);
            }
            nearest = match nearest {
                f64::MAX => distance,
                _ if piece.carved => smooth_max(nearest, -distance, piece.blend),
                _ => smooth_min(nearest, distance, piece.blend),
            };
        }
        nearest
    }
}

/// Level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Separate fingers.
    Full,
    /// Mittens.
    Light,
}

/// The whole body.
pub struct Body {
    trunk: Part,
    arm: Part,
    leg: Part,
}

/// Distances to the parts of a body, from which skin weights are computed.
pub struct Distances {
    /// Trunk, from pelvis to head.
    pub trunk: f64,
    /// Left and right arm.
    pub arms: [f64; 2],
    /// Left and right leg.
    pub legs: [f64; 2],
}

impl Body {
    /// Creates the mannequin.
    pub fn mannequin(detail: Detail) -> Self {
        Self { trunk: trunk(), arm: arm(detail), leg: leg() }
    }

    /// Returns the distance to the skin.
    pub fn distance(&self, point: DVec3) -> f64 {
        join(&self.parts(point))
    }

    /// Returns the distances to the separate parts.
    pub fn parts(&self, point: DVec3) -> Distances {
        let mirrored = dvec3(point.x, -point.y, point.z);
        Distances {
            trunk: self.trunk.distance(point),
            arms: [self.arm.distance(point), self.arm.distance(mirrored)],
            legs: [on_ground(self.leg.distance(point), point), on_ground(self.leg.distance(mirrored), point)],
        }
    }

    /// Returns the gradient of the distance, which points outwards and is not normalised, by central differences.
    pub fn gradient(&self, point: DVec3) -> DVec3 {
        const STEP: f64 = 1e-3;
        let slope =
            |axis: DVec3| (self.distance(point + axis * STEP) - self.distance(point - axis * STEP)) / (2.0 * STEP);
        dvec3(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z))
    }

    /// Moves `point` a step towards the skin of the body with the arm of `side` turned about `pivot`.
    pub fn towards_raised(&self, point: DVec3, side: usize, turn: DQuat, pivot: DVec3) -> DVec3 {
        let distance = |point: DVec3| {
            let mut parts = self.parts(point);
            let back = self.parts(pivot + turn.conjugate() * (point - pivot));
            parts.arms[side] = back.arms[side];
            join(&parts)
        };
        newton(distance, point)
    }

    /// Moves a point near the skin onto it by Newton's method.
    pub fn project(&self, mut point: DVec3) -> DVec3 {
        for _ in 0..3 {
            let next = newton(|point| self.distance(point), point);
            let done = next.distance_squared(point) < 1e-8;
            point = next;
            if done {
                break;
            }
        }
        point
    }
}

/// Joins the parts.
fn join(Distances { trunk, arms, legs }: &Distances) -> f64 {
    let legs = smooth_min(legs[0], legs[1], 1.6);
    smooth_min(smooth_min(*trunk, legs, 2.6), arms[0].min(arms[1]), 2.6)
}

/// Moves a point one step of Newton's method towards a surface, by at most half an inch.
fn newton(distance: impl Fn(DVec3) -> f64, point: DVec3) -> DVec3 {
    const STEP: f64 = 1e-5;
    let here = distance(point);
    let slope = |axis: DVec3| (distance(point + axis * STEP) - here) / STEP;
    let gradient = dvec3(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
    point - (gradient * (here / gradient.length_squared().max(1e-6))).clamp_length_max(0.5)
}

/// Cuts a part off at the ground, z = 0, with a rounded edge.
fn on_ground(distance: f64, point: DVec3) -> f64 {
    smooth_max(distance, -point.z, 0.5)
}

#[expect(clippy::too_many_lines, reason = "one solid after the other")]
fn trunk() -> Part {
    let mut part = Part::default();
    // Columns: height; half width, half depth, 0, shift backwards (the tube's third axis points to -x).
    let mut torso = Tube::upright(
        2.3,
        &[
            (35.4, [3.4, 2.9, 0.0, 0.3]),
            (37.5, [4.7, 3.4, 0.0, 0.3]),
            (39.8, [5.65, 3.7, 0.0, 0.1]),
            (42.0, [5.2, 3.6, 0.0, -0.15]),
            (44.6, [4.9, 3.4, 0.0, -0.25]),
            (47.5, [5.15, 3.6, 0.0, -0.1]),
            (51.0, [5.95, 4.1, 0.0, 0.1]),
            (54.0, [6.55, 4.35, 0.0, 0.3]),
            (56.6, [6.5, 3.9, 0.0, 0.6]),
            (58.2, [5.4, 3.0, 0.0, 0.85]),
            (59.6, [3.6, 2.2, 0.0, 0.95]),
        ],
    );
    torso.caps = [0.4, 0.3];
    part.tube(1.0, torso);
    // Chest.
    part.turned_ellipsoid(2.8, dvec3(1.6, 3.0, 53.8), dvec3(1.8, 3.3, 2.6), dvec3(1.0, 0.25, 0.1), DVec3::Y);
    part.pair();
    // Shoulder blades.
    part.turned_ellipsoid(2.6, dvec3(-3.2, 3.4, 54.6), dvec3(1.4, 2.7, 3.4), dvec3(1.0, -0.3, 0.0), DVec3::Y);
    part.pair();
    // Slope from the neck to the shoulder.
    part.tube(
        2.4,
        Tube::new(
            dvec3(-1.1, 0.8, 60.7),
            dvec3(-0.8, 7.0, 58.2),
            DVec3::X,
            &[(0.0, [1.8, 1.3, 0.0, 0.0]), (1.0, [1.8, 1.2, 0.0, 0.0])],
        ),
    );
    part.pair();
    // Seat.
    part.ellipsoid(2.2, dvec3(-2.3, 2.75, 36.3), dvec3(2.7, 2.9, 3.2));
    part.pair();
    // Neck.
    part.tube(
        2.0,
        Tube::new(
            dvec3(-1.2, 0.0, 58.0),
            dvec3(-0.75, 0.0, 67.0),
            DVec3::Y,
            &[(0.0, [2.4, 2.5, 0.0, 0.0]), (0.35, [2.05, 2.15, 0.0, 0.0]), (1.0, [2.2, 2.3, 0.0, 0.0])],
        ),
    );
    // Face from the chin to the brow, then the skull.
    let mut face = Tube::upright(
        2.15,
        &[
            (64.3, [1.6, 1.55, 0.0, -1.5]),
            (65.4, [2.25, 2.4, 0.0, -0.9]),
            (67.2, [2.7, 3.1, 0.0, -0.4]),
            (69.2, [2.95, 3.45, 0.0, -0.1]),
        ],
    );
    face.caps = [0.5, 0.92];
    part.tube(0.9, face);
    part.ellipsoid(1.8, dvec3(-0.8, 0.0, 68.5), dvec3(3.35, 2.95, 3.45));
    // Nose.
    part.turned_ellipsoid(1.0, dvec3(3.0, 0.0, 66.9), dvec3(0.65, 0.42, 1.2), dvec3(1.0, 0.0, 0.25), DVec3::Y);
    // Eye sockets.
    part.turned_ellipsoid(1.1, dvec3(3.75, 1.35, 67.75), dvec3(0.75, 1.0, 0.62), dvec3(1.0, 0.3, 0.0), DVec3::Y);
    part.pair();
    part.carve();
    part
}

#[expect(clippy::too_many_lines, reason = "one solid after the other")]
fn arm(detail: Detail) -> Part {
    let mut part = Part::default();
    let outer = dvec3(0.0, 1.0, 1.0);
    // Shoulder cap.
    part.turned_ellipsoid(
        1.0,
        at::UPPER_ARM + dvec3(0.05, 0.2, 0.1),
        dvec3(3.4, 2.3, 2.4),
        at::FOREARM - at::UPPER_ARM,
        outer,
    );
    // One tube from shoulder to wrist. The third axis points forward, and the elbow is behind the straight line.
    part.tube(
        1.8,
        Tube::new(
            at::UPPER_ARM,
            at::HAND,
            outer,
            &[
                (0.0, [2.1, 2.2, 0.0, 0.0]),
                (0.15, [1.95, 2.1, 0.0, -0.25]),
                (0.3, [1.75, 1.95, 0.0, -0.55]),
                (0.45, [1.5, 1.6, 0.0, -0.95]),
                (0.53, [1.42, 1.45, 0.0, -1.1]),
                (0.63, [1.5, 1.55, 0.0, -0.9]),
                (0.75, [1.35, 1.4, 0.0, -0.55]),
                (0.9, [0.95, 1.1, 0.0, -0.15]),
                (1.0, [0.8, 1.05, 0.0, 0.0]),
            ],
        ),
    );
    // Palm and fingers are thin towards the outer axis and wide forward.
    let along = (at::FINGERTIPS - at::HAND).normalize();
    let knuckles = at::HAND + along * 3.6;
    part.tube(
        0.9,
        Tube::new(
            at::HAND,
            knuckles,
            outer,
            &[(0.0, [0.8, 1.05, 0.0, 0.0]), (0.5, [0.85, 1.5, 0.0, 0.05]), (1.0, [0.7, 1.7, 0.0, 0.1])],
        ),
    );
    match detail {
        Detail::Full => fingers(&mut part, along),
        Detail::Light => part.tube(
            0.6,
            Tube::new(
                knuckles,
                at::FINGERTIPS + dvec3(0.0, -0.6, -0.3),
                outer,
                &[
                    (0.0, [0.66, 1.65, 0.0, 0.1]),
                    (0.35, [0.6, 1.6, 0.0, 0.08]),
                    (0.7, [0.52, 1.4, 0.0, 0.03]),
                    (1.0, [0.42, 0.95, 0.0, 0.0]),
                ],
            ),
        ),
    }
    // Thumb.
    let root = at::HAND + along * 1.1 + dvec3(0.75, 0.0, -0.1);
    let joint = root + along * 1.35 + dvec3(1.05, -0.35, -0.4);
    part.tube(0.8, Tube::new(root, joint, outer, &[(0.0, [0.75, 0.8, 0.0, 0.0]), (1.0, [0.55, 0.57, 0.0, 0.0])]));
    let tip = joint + along * 1.35 + dvec3(0.35, -0.15, -0.2);
    part.tube(0.4, Tube::new(joint, tip, outer, &[(0.0, [0.55, 0.57, 0.0, 0.0]), (1.0, [0.4, 0.43, 0.0, 0.0])]));
    part
}

/// Adds four fingers of two bones each, slightly spread and curled.
fn fingers(part: &mut Part, along: DVec3) {
    let wide = (DVec3::X - along * along.x).normalize();
    let outer = wide.cross(along);
    for (place, spread, length, radius) in
        [(1.27, 0.07, 3.4, 0.47), (0.44, 0.01, 3.8, 0.49), (-0.38, -0.05, 3.5, 0.47), (-1.12, -0.12, 2.8, 0.41)]
    {
        let from = at::HAND + along * (3.55 - 0.12 * place * place) + wide * (place + 0.1);
        let first = (along + wide * spread - outer * 0.05).normalize();
        let second = (along + wide * spread - outer * 0.35).normalize();
        let knuckle = from + first * (length * 0.5);
        let tip = knuckle + second * (length * 0.5 - radius * 0.8);
        let round = |from: f64, to: f64| [(0.0, [from, from, 0.0, 0.0]), (1.0, [to, to, 0.0, 0.0])];
        part.tube(0.35, Tube::new(from, knuckle, outer, &round(radius * 1.1, radius)));
        part.tube(0.2, Tube::new(knuckle, tip, outer, &round(radius, radius * 0.8)));
    }
}

fn leg() -> Part {
    let mut part = Part::default();
    // One tube from hip to ankle. Across is outwards (+y), and the third axis points forward.
    part.tube(
        1.0,
        Tube::new(
            at::THIGH + dvec3(0.0, -0.1, 0.4),
            at::FOOT,
            DVec3::Y,
            &[
                (0.0, [2.4, 3.1, -0.05, -0.2]),
                (0.09, [2.9, 3.4, 0.05, 0.0]),
                (0.19, [3.0, 3.4, 0.0, 0.25]),
                (0.34, [2.75, 3.0, -0.05, 0.5]),
                (0.45, [2.3, 2.45, -0.1, 0.6]),
                (0.52, [2.05, 2.25, -0.1, 0.7]),
                (0.58, [1.95, 2.05, -0.05, 0.45]),
                (0.68, [2.1, 2.25, 0.0, -0.15]),
                (0.79, [1.75, 1.85, 0.0, -0.15]),
                (0.9, [1.25, 1.45, 0.0, 0.05]),
                (1.0, [1.2, 1.5, 0.0, 0.1]),
            ],
        ),
    );
    // Foot: from the heel over the instep to the toes.
    part.tube(
        1.5,
        Tube::new(
            at::FOOT + dvec3(-1.1, -0.1, -2.4),
            at::TOE_TIP + dvec3(-0.8, 0.0, 0.25),
            DVec3::Y,
            &[
                (0.0, [1.4, 1.45, 0.0, 0.15]),
                (0.25, [1.45, 1.85, 0.0, 0.8]),
                (0.5, [1.7, 1.6, 0.0, 0.6]),
                (0.7, [1.95, 1.25, 0.0, 0.3]),
                (0.88, [1.9, 1.05, 0.0, 0.1]),
                (1.0, [1.6, 0.9, 0.0, 0.05]),
            ],
        ),
    );
    part
}
