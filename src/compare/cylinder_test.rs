//! The cylinder tests of the articles: radius after a twist, volume after a bend, and the reach of an example of the
//! bend.

use super::section::{Section, sections};
use bindpose_core::cylinder::{Cylinder, Shape};
use bindpose_core::model::{Clip, JointTracks, Mesh, Model, Timeline, TimelineId, Track};
use bindpose_core::skin::{Example, MethodId, Prepared, SIGMA, Skinned, TimedPose, Unavailable, reference};
use glam::{DQuat, DVec3, Vec3};

/// Deformation of the cylinder, and the value measured on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CylinderTest {
    /// Turns the second joint about the cylinder's axis by up to 180 degrees. Measures the smallest share left of
    /// a cross-section's width.
    Twist,
    /// Turns the second joint about an axis across the cylinder by up to 150 degrees. Measures the enclosed volume,
    /// divided by the volume at rest.
    Bend,
    /// As [`Bend`](Self::Bend), for `sjbbe` with several values of sigma.
    Sigma,
}

/// Values of sigma in [`CylinderTest::Sigma`], radians.
const SIGMAS: [f64; 4] = [0.25, 0.5, 1.0, 2.0];

impl CylinderTest {
    /// Returns the measured angles, in degrees.
    pub fn angles(self) -> Vec<f64> {
        let last = if self == Self::Twist { 180 } else { 150 };
        (0..=last).step_by(5).map(f64::from).collect()
    }

    /// Returns the rotation of the second joint by an angle in degrees.
    pub fn turn(self, degrees: f64) -> DQuat {
        match self {
            Self::Twist => DQuat::from_rotation_x(degrees.to_radians()),
            Self::Bend | Self::Sigma => DQuat::from_rotation_z(degrees.to_radians()),
        }
    }

    /// Returns the description of the values.
    pub fn measure(self) -> &'static str {
        if self == Self::Twist { "smallest width / width at rest" } else { "volume / volume at rest" }
    }

    /// Returns the heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Twist => "A cylinder twisted about its axis",
            Self::Bend => "A cylinder bent at its middle",
            Self::Sigma => "A bent cylinder with an example at 90 degrees",
        }
    }

    /// Returns the name in options and file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Twist => "twist",
            Self::Bend => "bend",
            Self::Sigma => "sigma",
        }
    }
}

/// Measurements of one method.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Name of the method, with its sigma in [`CylinderTest::Sigma`].
    pub name: String,
    /// The method.
    pub method: MethodId,
    /// Reach of the example of `sjbbe`, in radians.
    pub sigma: f64,
    /// Measured value at each of [`CylinderTest::angles`].
    pub ratios: Vec<f64>,
}

/// Measures the references of some methods. [`CylinderTest::Sigma`] ignores `methods`: it measures `sjbbe`, and `sjb`,
/// which has no examples.
///
/// `sjbbe` gets one example, the mitred elbow of 90 degrees. `morph` gets a clip with two keys, at rest and at the last
/// angle.
///
/// # Errors
///
/// [`Unavailable`]: a method cannot show the cylinder.
pub fn curves(test: CylinderTest, methods: &[MethodId]) -> Result<Vec<Curve>, Unavailable> {
    let subject = TestCylinder::new(test);
    if test == CylinderTest::Sigma {
        let with = |sigma: f64| subject.curve(format!("sjbbe, sigma {sigma}"), MethodId::Sjbbe, sigma);
        let without = subject.curve("sjb".to_owned(), MethodId::Sjb, SIGMA);
        return SIGMAS.into_iter().map(with).chain([without]).collect();
    }
    methods.iter().map(|&method| subject.curve(method.to_string(), method, SIGMA)).collect()
}

/// Groups curves that differ by less than 0.001. Returns one curve per group with all of the group's names.
pub fn distinct(curves: &[Curve]) -> Vec<(String, &Curve)> {
    let mut groups: Vec<Vec<&Curve>> = Vec::new();
    for curve in curves {
        let same =
            |group: &&mut Vec<&Curve>| group[0].ratios.iter().zip(&curve.ratios).all(|(a, b)| (a - b).abs() < 1e-3);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(curve),
            None => groups.push(vec![curve]),
        }
    }
    groups.into_iter().map(|group| (joint_name(&group), group[0])).collect()
}

fn joint_name(group: &[&Curve]) -> String {
    let is_linear = |curve: &&&Curve| curve.method.method().is_linear;
    let linear = group.iter().filter(is_linear).map(|curve| curve.method.to_string());
    let mut names: Vec<String> = match linear.clone().count() {
        0 | 1 => linear.collect(),
        count => vec![format!("linear ({count} methods)")],
    };
    names.extend(group.iter().filter(|curve| !is_linear(curve)).map(|curve| curve.name.clone()));
    names.join(", ")
}

pub(super) struct TestCylinder {
    test: CylinderTest,
    pub(super) cylinder: Cylinder,
    /// Clip with two keys, at rest and at the last angle. Its time in seconds is the angle in degrees.
    pub(super) clip: Clip,
}

impl TestCylinder {
    pub(super) fn new(test: CylinderTest) -> Self {
        let last = test.angles().last().copied().unwrap_or(0.0);
        Self { test, cylinder: Cylinder::new(Shape::USUAL), clip: two_keys(test, last) }
    }

    /// Returns the mitred elbow of 90 degrees as an example with the given sigma.
    pub(super) fn examples(&self, sigma: f64) -> Vec<Example> {
        let elbow = self.cylinder.mitred_elbow(std::f64::consts::FRAC_PI_2);
        elbow.map(|elbow| Example { sigma, ..elbow }).into_iter().collect()
    }

    fn curve(&self, name: String, method: MethodId, sigma: f64) -> Result<Curve, Unavailable> {
        let Self { test, cylinder, clip } = self;
        let prepared = Prepared::new(method, &cylinder.skeleton, &cylinder.mesh, &self.examples(sigma), Some(clip))?;
        let mut skinned = Skinned::default();
        let sections = cylinder_sections(cylinder);
        let mut at = |degrees: f64| {
            let pose = cylinder.turned(test.turn(degrees));
            reference(&prepared, TimedPose { pose: &pose, time: degrees }, &mut skinned);
            match test {
                CylinderTest::Twist => {
                    let positions = [skinned.positions.iter().map(DVec3::as_vec3).collect()];
                    sections.iter().map(|section| section.left(&positions).0).fold(1.0, f64::min)
                }
                CylinderTest::Bend | CylinderTest::Sigma => volume(&cylinder.mesh, &skinned.positions),
            }
        };
        let rest = at(0.0);
        Ok(Curve { name, method, sigma, ratios: test.angles().iter().map(|&degrees| at(degrees) / rest).collect() })
    }
}

/// Creates a clip whose time in seconds is the angle in degrees.
fn two_keys(test: CylinderTest, last: f64) -> Clip {
    let values = vec![DQuat::IDENTITY, test.turn(last)];
    let rotation = Some(Track { timeline: TimelineId(0), values });
    Clip {
        name: test.name().into(),
        duration: last,
        timelines: Timeline::new(vec![0.0, last]).into_iter().collect(),
        joints: vec![JointTracks::default(), JointTracks::Parts { translation: None, rotation, scale: None }],
        ..Clip::default()
    }
}

/// Cuts the cylinder across its axis at each ring and between.
fn cylinder_sections(cylinder: &Cylinder) -> Vec<Section> {
    let triangles: Vec<(usize, [u32; 3])> = cylinder.mesh.triangles.iter().map(|&corners| (0, corners)).collect();
    let axes = (DVec3::ZERO, DVec3::X, DVec3::Z);
    sections(std::slice::from_ref(&cylinder.mesh), std::slice::from_ref(&cylinder.mesh.positions), axes, &triangles)
}

/// Computes the volume inside a closed mesh by the divergence theorem. `positions` are those of its vertices.
pub fn volume(mesh: &Mesh, positions: &[DVec3]) -> f64 {
    let six = mesh.triangles.iter().map(|corners| {
        let [a, b, c] = corners.map(|corner| positions[corner as usize]);
        a.dot(b.cross(c))
    });
    six.sum::<f64>() / 6.0
}

/// Sums the volumes of a model's meshes; `positions` by mesh and vertex.
pub fn enclosed(model: &Model, positions: &[Vec<Vec3>]) -> f64 {
    let of_mesh = |(mesh, positions): (&Mesh, &Vec<Vec3>)| {
        let positions: Vec<DVec3> = positions.iter().map(|position| position.as_dvec3()).collect();
        volume(mesh, &positions)
    };
    model.meshes.iter().zip(positions).map(of_mesh).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(test: CylinderTest, method: MethodId, degrees: f64) -> f64 {
        let number = test.angles().iter().position(|&angle| angle == degrees).unwrap();
        curves(test, &[method]).unwrap()[0].ratios[number]
    }

    #[test]
    fn nothing_changes_at_rest() {
        for test in [CylinderTest::Twist, CylinderTest::Bend, CylinderTest::Sigma] {
            let all: Vec<MethodId> = MethodId::all().collect();
            for curve in curves(test, &all).unwrap() {
                assert!((curve.ratios[0] - 1.0).abs() < 1e-12, "{} {}", curve.name, test.name());
            }
        }
    }

    /// The values of docs/methods.md, "Comparisons in images".
    #[test]
    fn a_twist_of_180_degrees_collapses_linear_methods_only() {
        let is_linear = |id: &MethodId| id.method().is_linear;
        for method in MethodId::all().filter(is_linear).chain([MethodId::Morph]) {
            let ratio = at(CylinderTest::Twist, method, 180.0);
            assert!(ratio < 0.05, "{method}: {ratio}");
        }
        let blended = [MethodId::Sjb, MethodId::Sjbbe, MethodId::Sbs, MethodId::Dqs, MethodId::DqsScale];
        for method in blended.into_iter().chain([MethodId::BulgeFreeDqs, MethodId::LogMatrix, MethodId::Cor]) {
            let ratio = at(CylinderTest::Twist, method, 180.0);
            assert!(ratio > 0.95 && ratio < 0.999, "{method}: {ratio}");
        }
        // The rings keep their radius, but between two of them all edges along the cylinder pass its axis, and those
        // across the quads are half a side from it.
        let rigid = at(CylinderTest::Twist, MethodId::Rigid, 180.0);
        assert!((rigid - (std::f64::consts::PI / 32.0).sin()).abs() < 1e-3, "{rigid}");
    }

    /// The surface around a vertex turns with it, so `ddm` keeps more of the radius than a linear blend. On a cylinder
    /// this thin, it keeps less than the vertex' own rotation would.
    #[test]
    fn direct_delta_mush_is_thinner_than_its_rotation_and_thicker_than_linear() {
        for degrees in [60.0, 120.0, 180.0] {
            let [linear, mush] = [MethodId::Cpu, MethodId::Ddm].map(|method| at(CylinderTest::Twist, method, degrees));
            assert!(mush > linear + 0.05 && mush < 0.95, "{mush} beside {linear} at {degrees}");
        }
    }

    /// Half-way between two keys, a point on a circle has moved in a straight line. The turned end shrinks to cos(half
    /// the angle between the keys), and the worst ring of the reference at the keys is no better.
    #[test]
    fn morph_shortens_between_distant_keys() {
        assert!(at(CylinderTest::Twist, MethodId::Morph, 90.0) < 0.05);
        assert!(at(CylinderTest::Bend, MethodId::Morph, 75.0) < at(CylinderTest::Bend, MethodId::Cpu, 75.0));
    }

    /// A linear blend of two halves bent by `a` scales the middle ring by cos(a/2) across the bend.
    #[test]
    fn linear_methods_lose_volume_in_a_bend_and_the_example_restores_it() {
        let linear = [90.0, 150.0].map(|angle| at(CylinderTest::Bend, MethodId::MatrixBlend, angle));
        assert!(linear[0] < 0.93 && linear[1] < linear[0], "{linear:?}");
        for method in [MethodId::Sjb, MethodId::Sbs, MethodId::Dqs, MethodId::Cor] {
            let ratio = at(CylinderTest::Bend, method, 90.0);
            assert!(ratio > linear[0] + 0.01, "{method}: {ratio} beside {}", linear[0]);
        }
        // Dual quaternions bulge on the outside. Pulling these vertices back to their distance from the bone costs
        // volume.
        let [bulging, flat] =
            [MethodId::Dqs, MethodId::BulgeFreeDqs].map(|method| at(CylinderTest::Bend, method, 90.0));
        assert!(flat < bulging - 0.01 && flat > linear[0] + 0.01, "{flat} beside {bulging}");
        let mitred = at(CylinderTest::Bend, MethodId::Sjbbe, 90.0);
        // The elbow of 32 corners keeps its volume, except for the rounding of f32 positions and a few skewed
        // triangles.
        assert!((mitred - 1.0).abs() < 1e-3, "{mitred}");
    }

    /// In the example's pose, all values of sigma show the example. 60 degrees before it, an example with a reach of
    /// 0.25 radians keeps exp(-(pi/3)^2 / (2 * 0.25^2)) = 0.0002 of its effect.
    #[test]
    fn sigma_is_the_reach_of_an_example() {
        let lines = curves(CylinderTest::Sigma, &[]).unwrap();
        let at = |line: usize, degrees: f64| {
            lines[line].ratios[CylinderTest::Sigma.angles().iter().position(|&angle| angle == degrees).unwrap()]
        };
        let sjb = lines.len() - 1;
        assert_eq!((lines[0].name.as_str(), lines[sjb].name.as_str()), ("sjbbe, sigma 0.25", "sjb"));
        for (line, Curve { name, .. }) in lines[..sjb].iter().enumerate() {
            assert!((at(line, 90.0) - at(0, 90.0)).abs() < 1e-9, "{name}");
            let apart = (at(line, 30.0) - at(sjb, 30.0)).abs();
            assert!(if line == 0 { apart < 1e-3 } else { apart > 3e-3 }, "{name}: {apart}");
        }
    }

    #[test]
    fn the_volume_of_the_cylinder_at_rest() {
        let cylinder = Cylinder::new(Shape::USUAL);
        let positions: Vec<DVec3> = cylinder.mesh.positions.iter().map(|p| p.as_dvec3()).collect();
        // A prism over a regular polygon of 32 corners.
        let expected = 4.0 * 16.0 * (std::f64::consts::TAU / 32.0).sin();
        assert!((volume(&cylinder.mesh, &positions) - expected).abs() < 1e-5);
    }

    #[test]
    fn equal_curves_are_drawn_once() {
        let curve = |method: MethodId, ratios: [f64; 2]| Curve {
            name: method.to_string(),
            method,
            sigma: 1.0,
            ratios: ratios.to_vec(),
        };
        let curves = [
            curve(MethodId::Cpu, [1.0, 0.0]),
            curve(MethodId::Sjb, [1.0, 1.0]),
            curve(MethodId::MatrixBlend, [1.0, 1e-5]),
            curve(MethodId::Dqs, [1.0, 0.9999]),
            curve(MethodId::Cor, [1.0, 0.9]),
        ];
        let names: Vec<String> = distinct(&curves).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["linear (2 methods)", "sjb, dqs", "cor"]);
    }
}
