//! Thickness that helper joints keep at a turned joint, by method and by engine.

use super::chart::Chart;
use super::finding::{self, TurnReport, percent};
use super::plan::{Plan, sweep_angles};
use super::table::Table;
use super::turn::{Seam, verb};
use bindpose_core::engines::ENGINES;
use bindpose_core::escape::markdown_line;
use bindpose_core::model::{JointId, Mesh, Model};
use bindpose_core::pose::{LocalPose, ModelPose, Turn};
use bindpose_core::skin::{MethodId, Prepared, Skinned, TimedPose, reference};
use bindpose_player::paint;
use glam::DVec3;
use serde::Serialize;

/// Largest number of groups of engines named in the sentence.
const MOST_NAMED: usize = 3;

/// A model without and with helpers.
pub type Pair<'a> = [&'a Model; 2];

/// Smallest share of the thickness left at a joint: of the width of a cross-section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gain {
    /// Method or engine.
    pub name: String,
    /// Without helpers.
    pub without: f64,
    /// With helpers.
    pub with: f64,
}

/// Gains by helpers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HelperReport {
    /// Conclusion in a sentence.
    pub finding: String,
    /// Number of helpers and their joint, in words.
    pub helpers: String,
    /// The turn.
    pub turn: TurnReport,
    /// Angle at which the weighted sum loses most without helpers, in degrees.
    pub degrees: f64,
    /// Thickness left at this angle by each method that supports the model, with all influences of the file.
    pub methods: Vec<Gain>,
    /// Thickness left at this angle by each MD5 engine, with the influences that it keeps.
    pub engines: Vec<Gain>,
    /// All angles, in degrees.
    pub angles: Vec<f64>,
    /// Thickness left by the weighted sum at each angle, without and with helpers.
    pub thickness: [Vec<f64>; 2],
}

impl HelperReport {
    /// Measures a turn; both models have the plan's clip. `helpers` describes the helper joints. Returns `None` if
    /// nothing is turned, or no vertex is blended between turned and other joints.
    pub fn new(pair: Pair<'_>, plan: &Plan, methods: &[MethodId], helpers: String) -> Option<Self> {
        let (turn, local) = plan.turn.as_ref()?;
        let skeleton = &pair[0].skeleton;
        let before = local.to_model(skeleton);
        let seam = Seam::new(pair[0], &before, turn)?;
        let thickness = pair.map(|model| {
            let left = |&time: &f64| seam.thickness(&paint::linear_positions(model, &posed(model, plan, time)));
            plan.times.iter().map(left).collect::<Vec<f64>>()
        });
        let angles = || plan.angles.iter().zip(&plan.times).zip(&thickness[0]);
        let ((&degrees, &time), _) = angles().min_by(|a, b| a.1.total_cmp(b.1))?;
        let poses = pair.map(|model| posed(model, plan, time));
        let gain = |name: &str, id: MethodId, meshes: [&[Mesh]; 2]| {
            let left = |number: usize| {
                let pose = TimedPose { pose: &poses[number], time };
                let positions = positions(pair[number], meshes[number], plan, id, pose)?;
                Some(seam.thickness(&positions))
            };
            Some(Gain { name: name.to_owned(), without: left(0)?, with: left(1)? })
        };
        let own = pair.map(|model| model.meshes.as_slice());
        let methods: Vec<Gain> = methods.iter().filter_map(|&id| gain(id.method().name, id, own)).collect();
        let engines = ENGINES.iter().filter_map(|engine| {
            let held = pair.map(|model| {
                let mut meshes = model.meshes.clone();
                engine.hold_meshes(&mut meshes);
                meshes
            });
            gain(engine.name(), engine.method(), [&held[0], &held[1]])
        });
        let engines: Vec<Gain> = engines.collect();
        let turn = TurnReport {
            joint: skeleton[turn.joint].name.clone(),
            verb: verb(turn, skeleton),
            from: plan.angles.first().copied().filter(|_| plan.angles.len() > 1),
            degrees: turn.degrees,
        };
        let finding = sentence(&turn, &helpers, degrees, &methods, &engines);
        Some(Self { finding, helpers, turn, degrees, methods, engines, angles: plan.angles.clone(), thickness })
    }

    /// Heading of the images.
    pub const IMAGES: &str = "Without and with helpers";

    /// Returns the heading of the report.
    pub fn title(&self) -> String {
        format!("Helper joints at {}", self.turn.joint)
    }

    /// Explains helpers and the thickness to newcomers.
    pub fn about(&self) -> String {
        format!(
            "Helper joints lie at {0}, have equal shares of its rotation, and take the weights that vertices have for {0} and its \
             parent. For the thickness, planes across the bone cut the surface between turned and other joints before the turn, \
             and the cuts move with the surface: the width of a cut over that before, the smallest of all cuts and directions. At \
             100 % the limb keeps its thickness.",
            self.turn.joint
        )
    }

    /// Formats the gains as a table, one row per engine and method.
    pub fn table(&self) -> Table {
        let mut table = Table::new(["engine or method", "thickness left", "with helpers"]);
        for gain in self.engines.iter().chain(&self.methods) {
            table.push([gain.name.clone(), percent(gain.without), percent(gain.with)]);
        }
        table
    }

    /// Draws the thickness left by the weighted sum over the angle.
    pub fn chart(&self) -> Chart {
        let names = ["without helpers".to_owned(), format!("with {}", self.helpers)];
        let title = format!("Thickness at {} by the weighted sum", self.turn.joint);
        let lines: Vec<_> = names.into_iter().zip(self.thickness.iter().cloned()).collect();
        Chart::over_angles(&title, "thickness / thickness before", &self.angles, &lines, [0.0, 1.05])
    }

    /// Formats the report as Markdown. `images` are titles and files in the same folder.
    pub fn markdown(&self, images: &[(&str, &str)]) -> String {
        let images: String =
            images.iter().map(|(title, file)| format!("\n## {title}\n\n![{title}]({file})\n")).collect();
        let [title, finding, about] = [&self.title(), &self.finding, &self.about()].map(|text| markdown_line(text));
        format!("# {title}\n\n{finding}\n\n{about}\n\n{}{images}", self.table().markdown())
    }
}

/// Plans a twist of a joint about its bone by up to half a turn, from the rest pose, as a new clip of the model; `None` without a
/// bone.
pub fn half_a_turn(model: &mut Model, joint: JointId) -> Option<Plan> {
    let axis = model.skeleton.bone(joint)?;
    let turns = sweep_angles(0.0, 180.0).into_iter().map(|degrees| Turn { joint, axis, degrees }).collect();
    let base = LocalPose::rest(&model.skeleton);
    Some(Plan::of_turns(model, base, Vec::new(), Some(turns)))
}

/// Returns the pose of the plan's clip at a time.
fn posed(model: &Model, plan: &Plan, time: f64) -> ModelPose {
    let clip = plan.clip.and_then(|clip| model.clips.get(clip));
    LocalPose::of_clip(&model.skeleton, clip, time).to_model(&model.skeleton)
}

/// Computes the vertices of a method's reference by mesh. Returns `None` if it does not support the model.
fn positions(
    model: &Model,
    meshes: &[Mesh],
    plan: &Plan,
    id: MethodId,
    pose: TimedPose<'_>,
) -> Option<Vec<Vec<glam::Vec3>>> {
    let clip = plan.clip.and_then(|clip| model.clips.get(clip));
    let mut skinned = Skinned::default();
    let of_mesh = |prepared: &Prepared| {
        reference(prepared, pose, &mut skinned);
        skinned.positions.iter().map(DVec3::as_vec3).collect()
    };
    Some(Prepared::all(id, &model.skeleton, meshes, &[], clip).ok()?.iter().map(of_mesh).collect())
}

/// Groups gains that are equal in whole percent, the largest group first.
fn grouped(gains: &[Gain]) -> Vec<([u32; 2], Vec<String>)> {
    let mut groups: Vec<([u32; 2], Vec<String>)> = Vec::new();
    for gain in gains {
        let left = [gain.without, gain.with].map(|share| (100.0 * share).round() as u32);
        match groups.iter_mut().find(|(known, _)| *known == left) {
            Some((_, names)) => names.push(gain.name.clone()),
            None => groups.push((left, vec![gain.name.clone()])),
        }
    }
    groups.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    groups
}

/// Names the engines and methods that gain, grouped by their gain.
fn sentence(turn: &TurnReport, helpers: &str, degrees: f64, methods: &[Gain], engines: &[Gain]) -> String {
    let everyone: Vec<String> = methods.iter().map(|gain| gain.name.clone()).collect();
    let of_engines = grouped(engines).into_iter().take(MOST_NAMED).map(|(left, names)| {
        let text = match names.as_slice() {
            names if names.len() == engines.len() => "all MD5 engines".to_owned(),
            [first, second, _, _, ..] => format!("{first}, {second} and {} more engines", names.len() - 2),
            names => finding::listed(names),
        };
        (left, names.len(), text)
    });
    let of_methods = grouped(methods).into_iter().map(|(left, names)| {
        let text = finding::called(&names, &everyone);
        (left, names.len(), text)
    });
    let clauses = of_engines.chain(of_methods).filter(|([without, with], ..)| without != with);
    let clauses: Vec<String> = clauses
        .enumerate()
        .map(|(number, ([without, with], count, names))| {
            let verb = if count == 1 { "keeps" } else { "keep" };
            let of = if number == 0 { " of the thickness" } else { "" };
            format!("{names} {verb} {with} %{of}, {without} % without")
        })
        .collect();
    let clauses = if clauses.is_empty() { "nothing changes".to_owned() } else { clauses.join("; ") };
    let TurnReport { joint, verb, .. } = turn;
    finding::capitalised(&format!("{verb} {joint} by {degrees} degrees with {helpers}: {clauses}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::cylinder::{Cylinder, Shape};
    use bindpose_core::model::add_helpers;

    /// In a chain of three joints, each is turned 60 degrees from the next. Between two of them, linear blending leaves
    /// cos(30 degrees).
    #[test]
    fn two_helpers_leave_the_cosine_of_a_third_of_half_the_turn() {
        let Cylinder { skeleton, mesh, .. } = Cylinder::new(Shape { segments: 256, ..Shape::USUAL });
        let mut model = Model { skeleton, meshes: vec![mesh], ..Model::default() };
        let joint = model.skeleton.find("far").unwrap();
        let base = LocalPose::rest(&model.skeleton);
        let turns = [0.0, 90.0, 180.0].map(|degrees| Turn { joint, axis: DVec3::X, degrees });
        let plan = Plan::of_turns(&mut model, base, Vec::new(), Some(turns.to_vec()));
        let mut helped = model.clone();
        add_helpers(&mut helped, joint, 2).unwrap();
        let methods = [MethodId::MatrixBlend, MethodId::Cpu, MethodId::Dqs];
        let report = HelperReport::new([&model, &helped], &plan, &methods, "2 helper joints at far".into()).unwrap();
        assert_eq!(report.degrees, 180.0);
        let (dual, linear): (Vec<&Gain>, Vec<&Gain>) =
            report.methods.iter().take(2).chain(&report.engines).partition(|gain| gain.name == "cube2");
        for gain in linear {
            // As bytes, two weights of one half may add up to 254 of 255.
            assert!(gain.without < 0.02 && (gain.with - 0.75_f64.sqrt()).abs() < 4e-3, "{gain:?}");
        }
        // Cube 2 blends dual quaternions, which keep nearly all of the thickness.
        assert!(dual.len() == 1 && dual.iter().all(|gain| gain.without > 0.99 && gain.with > 0.99), "{dual:?}");
        let expected = [1.0, 0.5_f64.sqrt(), 0.0].into_iter().zip([1.0, 15_f64.to_radians().cos(), 0.75_f64.sqrt()]);
        for ((without, with), (left, helped)) in expected.zip(report.thickness[0].iter().zip(&report.thickness[1])) {
            assert!((left - without).abs() < 0.02 && (helped - with).abs() < 2e-3, "{left} {helped}");
        }
        assert!(report.finding.contains("the linear methods keep 87 %, "), "{}", report.finding);
        assert!(report.finding.starts_with("Twisting far by 180 degrees with 2 helper joints at far: "));
    }
}
