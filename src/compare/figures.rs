//! The figures of the articles: what a twist does to the thickness of a cylinder, a bend to its volume, and how far an example
//! of the bend reaches.

use bindpose_core::cylinder::{Cylinder, Shape};
use bindpose_core::model::{Clip, JointTracks, Mesh, Model, Timeline, TimelineId, Track};
use bindpose_core::skin::{Example, MethodId, Prepared, SIGMA, Skinned, TimedPose, Unavailable, reference};
use glam::{DQuat, DVec3, Vec3};

/// What is measured, and how the second half of the cylinder is turned for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// About the cylinder's own axis, up to 180 degrees; measured is the smallest distance of a vertex from the middle of
    /// its ring, over the radius.
    Twist,
    /// About an axis across it, up to 150 degrees; measured is the enclosed volume over that at rest.
    Bend,
    /// The same for `sjbbe` with some values of sigma.
    Sigma,
}

/// Values of sigma that [`Figure::Sigma`] shows.
const SIGMAS: [f64; 4] = [0.25, 0.5, 1.0, 2.0];

impl Figure {
    /// The angles at which a figure is measured, degrees.
    pub fn angles(self) -> Vec<f64> {
        let last = match self {
            Self::Twist => 180,
            Self::Bend | Self::Sigma => 150,
        };
        (0..=last).step_by(5).map(f64::from).collect()
    }

    /// The turn of the second joint by an angle in degrees.
    pub fn turn(self, degrees: f64) -> DQuat {
        match self {
            Self::Twist => DQuat::from_rotation_x(degrees.to_radians()),
            Self::Bend | Self::Sigma => DQuat::from_rotation_z(degrees.to_radians()),
        }
    }

    /// For people: what is measured.
    pub fn measure(self) -> &'static str {
        match self {
            Self::Twist => "smallest radius / radius at rest",
            Self::Bend | Self::Sigma => "volume / volume at rest",
        }
    }

    /// For people: the heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Twist => "A cylinder twisted about its axis",
            Self::Bend => "A cylinder bent at its middle",
            Self::Sigma => "A bent cylinder with an example at 90 degrees",
        }
    }

    /// For people and for file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Twist => "twist",
            Self::Bend => "bend",
            Self::Sigma => "sigma",
        }
    }
}

/// One line of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What it is called: the method, and with [`Figure::Sigma`] its sigma.
    pub name: String,
    /// The method.
    pub method: MethodId,
    /// How far the example of `sjbbe` reaches.
    pub sigma: f64,
    /// The measure at each of [`Figure::angles`].
    pub ratios: Vec<f64>,
}

/// Measures one figure for some methods on their references; [`Figure::Sigma`] is about `sjbbe` alone, beside `sjb`, which has no
/// examples.
///
/// `sjbbe` is given one example, the mitred elbow of 90 degrees; `morph` the clip that turns from rest to the last
/// angle, with these two keys and nothing between.
pub fn curves(figure: Figure, methods: &[MethodId]) -> Result<Vec<Curve>, Unavailable> {
    let subject = Subject::new(figure);
    if figure == Figure::Sigma {
        let with = |sigma: f64| subject.curve(format!("sjbbe, sigma {sigma}"), MethodId::Sjbbe, sigma);
        let without = subject.curve("sjb".to_owned(), MethodId::Sjb, SIGMA);
        return SIGMAS.into_iter().map(with).chain([without]).collect();
    }
    methods.iter().map(|&method| subject.curve(method.to_string(), method, SIGMA)).collect()
}

/// The cylinder of a figure, and how it is turned.
pub(super) struct Subject {
    figure: Figure,
    pub(super) cylinder: Cylinder,
    /// Two keys, from rest to the last angle; its time is the angle in degrees.
    pub(super) clip: Clip,
}

impl Subject {
    pub(super) fn new(figure: Figure) -> Self {
        let last = figure.angles().last().copied().unwrap_or(0.0);
        Self { figure, cylinder: Cylinder::new(Shape::USUAL), clip: two_keys(figure, last) }
    }

    /// The mitred elbow of 90 degrees, with a sigma.
    pub(super) fn examples(&self, sigma: f64) -> Vec<Example> {
        let elbow = self.cylinder.mitred_elbow(std::f64::consts::FRAC_PI_2);
        elbow.map(|elbow| Example { sigma, ..elbow }).into_iter().collect()
    }

    fn curve(&self, name: String, method: MethodId, sigma: f64) -> Result<Curve, Unavailable> {
        let Self { figure, cylinder, clip } = self;
        let prepared = Prepared::new(method, &cylinder.skeleton, &cylinder.mesh, &self.examples(sigma), Some(clip))?;
        let mut skinned = Skinned::default();
        let mut at = |degrees: f64| {
            let pose = cylinder.turned(figure.turn(degrees));
            reference(&prepared, TimedPose { pose: &pose, time: degrees }, &mut skinned);
            match figure {
                Figure::Twist => smallest_radius(cylinder, &skinned.positions),
                Figure::Bend | Figure::Sigma => volume(&cylinder.mesh, &skinned.positions),
            }
        };
        let rest = at(0.0);
        Ok(Curve { name, method, sigma, ratios: figure.angles().iter().map(|&degrees| at(degrees) / rest).collect() })
    }
}

/// A clip whose time is the angle in degrees.
fn two_keys(figure: Figure, last: f64) -> Clip {
    let values = vec![DQuat::IDENTITY, figure.turn(last)];
    let rotation = Some(Track { timeline: TimelineId(0), values });
    Clip {
        name: figure.name().into(),
        duration: last,
        timelines: Timeline::new(vec![0.0, last]).into_iter().collect(),
        joints: vec![JointTracks::default(), JointTracks::Parts { translation: None, rotation, scale: None }],
        ..Clip::default()
    }
}

/// The smallest distance of a vertex from the centre of its ring.
fn smallest_radius(cylinder: &Cylinder, positions: &[DVec3]) -> f64 {
    let rings = (0..cylinder.rings()).map(|ring| {
        let ring = &positions[cylinder.ring(ring)];
        let centre = ring.iter().sum::<DVec3>() / ring.len() as f64;
        ring.iter().map(|position| position.distance(centre)).fold(f64::INFINITY, f64::min)
    });
    rings.fold(f64::INFINITY, f64::min)
}

/// Volume inside a closed mesh, by the divergence theorem.
pub fn volume(mesh: &Mesh, positions: &[DVec3]) -> f64 {
    let six = mesh.triangles.iter().map(|corners| {
        let [a, b, c] = corners.map(|corner| positions[corner as usize]);
        a.dot(b.cross(c))
    });
    six.sum::<f64>() / 6.0
}

/// Volume inside all meshes of a model; `positions` of each mesh's vertices.
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

    fn at(figure: Figure, method: MethodId, degrees: f64) -> f64 {
        let place = figure.angles().iter().position(|&angle| angle == degrees).unwrap();
        curves(figure, &[method]).unwrap()[0].ratios[place]
    }

    #[test]
    fn nothing_changes_at_rest() {
        for figure in [Figure::Twist, Figure::Bend, Figure::Sigma] {
            let all: Vec<MethodId> = MethodId::all().collect();
            for curve in curves(figure, &all).unwrap() {
                assert!((curve.ratios[0] - 1.0).abs() < 1e-12, "{} {}", curve.name, figure.name());
            }
        }
    }

    /// docs/methods.md "Comparisons in images".
    #[test]
    fn a_twist_of_180_degrees_collapses_linear_methods_only() {
        let is_linear = |id: &MethodId| id.method().is_linear;
        for method in MethodId::all().filter(is_linear).chain([MethodId::Morph]) {
            let ratio = at(Figure::Twist, method, 180.0);
            assert!(ratio < 0.05, "{method}: {ratio}");
        }
        let blended = [MethodId::Sjb, MethodId::Sjbbe, MethodId::Sbs, MethodId::Dqs, MethodId::DqsScale];
        for method in
            blended.into_iter().chain([MethodId::BulgeFreeDqs, MethodId::LogMatrix, MethodId::Cor, MethodId::Rigid])
        {
            let ratio = at(Figure::Twist, method, 180.0);
            assert!(ratio > 0.95, "{method}: {ratio}");
        }
    }

    /// The surface around a vertex turns with it, so that `ddm` keeps more of the radius than a linear blend; where it is as thin as
    /// here, less than its own rotation would.
    #[test]
    fn direct_delta_mush_is_thinner_than_its_rotation_and_thicker_than_linear() {
        for degrees in [60.0, 120.0, 180.0] {
            let [linear, mush] = [MethodId::Cpu, MethodId::Ddm].map(|method| at(Figure::Twist, method, degrees));
            assert!(mush > linear + 0.05 && mush < 0.95, "{mush} beside {linear} at {degrees}");
        }
    }

    /// Half way between two keys a point on a circle has gone straight: cos(half the angle between the keys) for the end
    /// that turns, and the worst ring of the reference at the keys is no better.
    #[test]
    fn morph_shortens_between_distant_keys() {
        assert!(at(Figure::Twist, MethodId::Morph, 90.0) < 0.05);
        assert!(at(Figure::Bend, MethodId::Morph, 75.0) < at(Figure::Bend, MethodId::Cpu, 75.0));
    }

    /// A linear blend of two halves bent by `a` scales the middle ring by cos(a/2) across the bend.
    #[test]
    fn a_bend_costs_linear_methods_volume_and_the_example_gives_it_back() {
        let linear = [90.0, 150.0].map(|angle| at(Figure::Bend, MethodId::MatrixBlend, angle));
        assert!(linear[0] < 0.93 && linear[1] < linear[0], "{linear:?}");
        for method in [MethodId::Sjb, MethodId::Sbs, MethodId::Dqs, MethodId::Cor] {
            let ratio = at(Figure::Bend, method, 90.0);
            assert!(ratio > linear[0] + 0.01, "{method}: {ratio} beside {}", linear[0]);
        }
        // Dual quaternions bulge on the outside; what is drawn back to its distance from the bone costs volume.
        let [bulging, flat] = [MethodId::Dqs, MethodId::BulgeFreeDqs].map(|method| at(Figure::Bend, method, 90.0));
        assert!(flat < bulging - 0.01 && flat > linear[0] + 0.01, "{flat} beside {bulging}");
        let mitred = at(Figure::Bend, MethodId::Sjbbe, 90.0);
        // The elbow of 32 corners keeps its volume to the last digit of f32 positions and a few triangles askew.
        assert!((mitred - 1.0).abs() < 1e-3, "{mitred}");
    }

    /// In the example's pose all values of sigma show the example. 60 degrees before it, of an example that reaches 0.25 radians
    /// exp(-(pi/3)^2 / (2 * 0.25^2)) = 0.0002 is left.
    #[test]
    fn sigma_says_how_far_an_example_reaches() {
        let lines = curves(Figure::Sigma, &[]).unwrap();
        let at = |line: usize, degrees: f64| {
            lines[line].ratios[Figure::Sigma.angles().iter().position(|&angle| angle == degrees).unwrap()]
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
}
