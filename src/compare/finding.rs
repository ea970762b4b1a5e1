//! Conclusions of a comparison in a sentence, and groups of methods of the same shape.

use super::method_report::{Agreement, MethodReport};
use super::table::Table;
use super::tear::{STRETCHED, Tears};
use bindpose_core::skin::MethodId;
use glam::Vec3;
use serde::Serialize;

/// Methods give the same shape if no vertex differs by more than this share of the model's extent.
pub const SAME_WITHIN: f64 = 1e-3;
/// Largest number of groups named in the sentence. The table has all of them.
const MOST_NAMED: usize = 3;
/// Loss of thickness below which a method counts as keeping the thickness.
const KEPT: f64 = 0.05;
/// Loss of volume from which a surface that keeps its thickness has a dent.
const DENT: f64 = 0.1;

/// Introduction of a report for newcomers.
pub(super) const INTRODUCTION: &str = "A skinning method computes the vertices of a mesh from the joints of a skeleton. \
    Here all methods were given the same poses. The reference is the weighted sum: each joint that influences a vertex moves \
    it to a position of its own, and the result is the average of these positions by the weights.";

/// Term in the conclusions, and its meaning.
pub(super) const LINEAR: (&str, &str) =
    ("linear methods", "those that compute the weighted sum itself, each in its own way");

/// The turn under test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TurnReport {
    /// Name of the joint.
    pub joint: String,
    /// "twisting", "bending" or "turning".
    pub verb: &'static str,
    /// First angle of a sweep, in degrees.
    pub from: Option<f64>,
    /// The angle, or the last of a sweep, in degrees.
    pub degrees: f64,
}

/// Methods that give the same shape.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodGroup {
    /// Names of the methods.
    pub methods: Vec<String>,
    /// Largest distance of a vertex from the weighted sum over all influences, as a share of the model's extent.
    pub departs_by: f64,
    /// Joint with the largest weight of this vertex.
    pub joint: Option<String>,
    /// Index of the pose.
    #[serde(rename = "moment")]
    pub pose: usize,
    /// Similarity of the least similar image, over the model's pixels.
    pub similarity: Option<f64>,
    /// Largest tears of all poses.
    pub tears: Tears,
    /// Smallest share left of a cross-section's width at the turned joint, over all poses.
    pub thickness: Option<f64>,
    /// Smallest share left of a cross-section's area at the turned joint, over all poses.
    pub area: Option<f64>,
    /// Index of the pose with the smallest thickness.
    pub thinnest: Option<usize>,
    /// Smallest volume at the turned joint over all poses, divided by the volume before the turn.
    pub volume: Option<f64>,
}

/// Positions of a method's vertices in model space, by pose, mesh and vertex.
pub type VertexPositions = Vec<Vec<Vec<Vec3>>>;

/// Methods of the same shape.
#[derive(Debug, Clone, PartialEq)]
pub struct SameShape {
    /// Indices of at least one method.
    pub methods: Vec<usize>,
    /// Vertices of the first method.
    pub positions: VertexPositions,
}

/// Adds a method to the first group whose first method it matches within `bounds`, one distance per pose. Without a
/// match, it starts a new group.
pub fn join(groups: &mut Vec<SameShape>, method: usize, positions: VertexPositions, bounds: &[f64]) {
    match groups.iter_mut().find(|group| is_same(&group.positions, &positions, bounds)) {
        Some(group) => group.methods.push(method),
        None => groups.push(SameShape { methods: vec![method], positions }),
    }
}

fn is_same(left: &VertexPositions, right: &VertexPositions, bounds: &[f64]) -> bool {
    left.iter().zip(right).zip(bounds).all(|((left, right), &bound)| {
        let vertices = left.iter().flatten().zip(right.iter().flatten());
        // NaN is not the same.
        vertices.into_iter().all(|(left, right)| f64::from(left.distance(*right)) <= bound)
    })
}

/// Creates the groups, sorted by their distance from the weighted sum, the nearest first.
pub fn groups(methods: &[MethodReport], same: &[SameShape]) -> Vec<MethodGroup> {
    let group = |same: &SameShape| {
        let reports = || same.methods.iter().map(|&number| &methods[number]);
        let poses = || reports().flat_map(|method| method.poses.iter().enumerate());
        let (pose, worst) = poses().max_by(|a, b| a.1.linear.max_of_extent.total_cmp(&b.1.linear.max_of_extent))?;
        let thicknesses = poses().filter_map(|(number, pose)| Some((number, pose.thickness?)));
        let thinnest = thicknesses.min_by(|a, b| a.1.total_cmp(&b.1));
        Some(MethodGroup {
            methods: reports().map(|method| method.method.clone()).collect(),
            departs_by: worst.linear.max_of_extent,
            joint: worst.linear.joint.clone(),
            pose,
            similarity: poses().filter_map(|(_, pose)| pose.image).map(|image| image.similarity).reduce(f64::min),
            thickness: thinnest.map(|(_, thickness)| thickness),
            thinnest: thinnest.map(|(number, _)| number),
            tears: poses().map(|(_, pose)| pose.tears).fold(Tears::default(), Tears::max),
            area: poses().filter_map(|(_, pose)| pose.area).reduce(f64::min),
            volume: poses().filter_map(|(_, pose)| pose.volume).reduce(f64::min),
        })
    };
    let mut groups: Vec<MethodGroup> = same.iter().filter_map(group).collect();
    groups.sort_by(|a, b| a.departs_by.total_cmp(&b.departs_by));
    groups
}

/// Formats the groups as a table, one row per group; `poses` are the names of the poses.
pub fn table(groups: &[MethodGroup], poses: &[String]) -> Table {
    let is_turned = groups.iter().any(|group| group.thickness.is_some());
    let mut headings = vec!["method", "from weighted sum", "worst joint", "at", "similarity", "tears"];
    if is_turned {
        headings.extend(["thickness left", "area left", "volume left"]);
    }
    headings.push("methods of this shape");
    let mut table = Table::new(headings);
    for group in groups {
        let is_same = group.departs_by <= SAME_WITHIN;
        let mut row = vec![
            label(&group.methods),
            percent(group.departs_by),
            group.joint.clone().filter(|_| !is_same).unwrap_or_else(|| "-".to_owned()),
            poses.get(group.pose).cloned().filter(|_| !is_same).unwrap_or_else(|| "-".to_owned()),
            group.similarity.map_or("-".to_owned(), |similarity| format!("{similarity:.4}")),
            tears_text(&group.tears),
        ];
        if is_turned {
            row.extend([group.thickness, group.area, group.volume].map(|left| left.map_or("-".to_owned(), percent)));
        }
        row.push(if group.methods.len() > 1 { group.methods.join(", ") } else { String::new() });
        table.push(row);
    }
    table
}

/// Returns a short name of a group.
pub fn label(methods: &[String]) -> String {
    match methods {
        [only] => only.clone(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
        [] => String::new(),
    }
}

/// States the conclusion in one or two sentences; `poses` are the names of the poses.
pub fn sentence(
    methods: &[MethodReport],
    groups: &[MethodGroup],
    turn: Option<&TurnReport>,
    poses: &[String],
) -> String {
    let with = |verdict: Agreement| {
        let names = methods.iter().filter(|method| method.verdict == verdict).map(|method| method.method.clone());
        names.collect::<Vec<_>>()
    };
    let (off, refused) = (with(Agreement::Off), with(Agreement::Refused));
    let mut text = match off.len() {
        0 => String::new(),
        1 => format!("{} does not agree with its own reference. ", off[0]),
        _ => format!("{} do not agree with their own references. ", listed(&off)),
    };
    text += &match refused.len() {
        0 => String::new(),
        1 => format!("The program of {} was refused. ", refused[0]),
        _ => format!("The programs of {} were refused. ", listed(&refused)),
    };
    let turned = turn.filter(|_| groups.iter().any(|group| group.thickness.is_some()));
    text += &match turned {
        _ if groups.is_empty() => "No method could be compared.".to_owned(),
        Some(turn) => of_turn(groups, turn, poses),
        None => of_clip(groups, poses),
    };
    text + &of_tears(groups)
}

fn of_turn(groups: &[MethodGroup], turn: &TurnReport, poses: &[String]) -> String {
    let loss = |group: &MethodGroup| 1.0 - group.thickness.unwrap_or(1.0);
    let mut losers: Vec<(String, Vec<String>)> = Vec::new();
    let mut by_loss: Vec<&MethodGroup> = groups.iter().collect();
    by_loss.sort_by(|a, b| loss(b).total_cmp(&loss(a)));
    // The angle with the largest loss of a sweep.
    let worst = by_loss.first().and_then(|group| poses.get(group.thinnest?)).filter(|_| turn.from.is_some());
    let at = worst.map_or(String::new(), |angle| format!(", most of all at {angle}"));
    let mut keepers = Vec::new();
    for group in by_loss {
        let lost = format!("{:.0} %", 100.0 * loss(group));
        if loss(group) < KEPT {
            keepers.extend(group.methods.clone());
        } else if let Some((_, names)) = losers.last_mut().filter(|(known, _)| *known == lost) {
            names.extend(group.methods.clone());
        } else {
            losers.push((lost, group.methods.clone()));
        }
    }
    let everyone: Vec<String> = groups.iter().flat_map(|group| group.methods.clone()).collect();
    let mut clauses = Vec::new();
    for (number, (lost, names)) in losers.iter().enumerate() {
        let of = if number == 0 { format!(" of the thickness there{at}") } else { String::new() };
        let verb = if names.len() == 1 { "loses" } else { "lose" };
        clauses.push(format!("{} {verb} {lost}{of}", called(names, &everyone)));
    }
    match (keepers.len(), losers.len()) {
        (0, _) => {}
        (1, 0) => clauses.push(format!("{} keeps the thickness there", keepers[0])),
        (_, 0) => clauses.push("all methods keep the thickness there".to_owned()),
        (1, _) => clauses.push(format!("{} keeps it", keepers[0])),
        _ => clauses.push(format!("{} keep it", called(&keepers, &everyone))),
    }
    let (verb, joint) = (turn.verb, &turn.joint);
    let angles = match turn.from {
        Some(from) => format!("from {from} to {}", turn.degrees),
        None => format!("by {}", turn.degrees),
    };
    let text = format!("{verb} {joint} {angles} degrees, {}.", clauses.join("; "));
    capitalised(&text) + &of_dents(groups, &everyone)
}

/// Names groups that keep the thickness but not the volume: a surface can fold inwards and stay as wide.
fn of_dents(groups: &[MethodGroup], everyone: &[String]) -> String {
    let lost = |left: Option<f64>| 1.0 - left.unwrap_or(1.0);
    let mut dented: Vec<&MethodGroup> =
        groups.iter().filter(|group| lost(group.thickness) < KEPT && lost(group.volume) >= DENT).collect();
    dented.sort_by(|a, b| lost(b.volume).total_cmp(&lost(a.volume)));
    let clause = |(number, group): (usize, &&MethodGroup)| {
        let verb = if group.methods.len() == 1 { "loses" } else { "lose" };
        let of = if number == 0 { " of the volume" } else { "" };
        format!("{} {verb} {:.0} %{of}", called(&group.methods, everyone), 100.0 * lost(group.volume))
    };
    let clauses: Vec<String> = dented.iter().enumerate().map(clause).collect();
    if clauses.is_empty() { String::new() } else { format!(" Dents are left: {}.", clauses.join("; ")) }
}

fn of_clip(groups: &[MethodGroup], poses: &[String]) -> String {
    let everyone: Vec<String> = groups.iter().flat_map(|group| group.methods.clone()).collect();
    let (same, others): (Vec<&MethodGroup>, Vec<&MethodGroup>) =
        groups.iter().partition(|group| group.departs_by <= SAME_WITHIN);
    let same: Vec<String> = same.into_iter().flat_map(|group| group.methods.clone()).collect();
    let within = percent(SAME_WITHIN);
    let agree = match same.len() {
        0 => String::new(),
        1 => format!("{} agrees with the weighted sum of the file within {within} of the size", same[0]),
        _ if others.is_empty() => {
            return format!("All {} methods give the same shape within {within} of the size.", same.len());
        }
        _ => {
            format!("{} agree with the weighted sum of the file within {within} of the size", called(&same, &everyone))
        }
    };
    let departs = |group: &&MethodGroup| {
        let verb = if group.methods.len() == 1 { "departs" } else { "depart" };
        let at = group.joint.as_ref().map_or(String::new(), |joint| format!(" at {joint}"));
        let when = poses.get(group.pose).map_or(String::new(), |pose| format!(" ({pose})"));
        format!("{} {verb} by {}{at}{when}", called(&group.methods, &everyone), percent(group.departs_by))
    };
    // The groups with the largest distances are named first.
    let more = others.iter().rev().skip(MOST_NAMED).map(|group| group.methods.len()).sum::<usize>();
    let more = match more {
        0 => None,
        1 => Some("one more departs by less".to_owned()),
        more => Some(format!("{more} more depart by less")),
    };
    let agree = Some(agree).filter(|text| !text.is_empty());
    let clauses: Vec<String> =
        agree.into_iter().chain(others.iter().rev().take(MOST_NAMED).map(departs)).chain(more).collect();
    capitalised(&format!("{}.", clauses.join("; ")))
}

/// Describes tears in a cell; "-" without any.
fn tears_text(tears: &Tears) -> String {
    let gap = (tears.gap > SAME_WITHIN).then(|| format!("gap {}", percent(tears.gap)));
    let count = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let parts = [gap, count(tears.stretched, "stretched"), count(tears.turned_over, "turned over")];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    if text.is_empty() { "-".to_owned() } else { text }
}

/// Names groups that open gaps between meshes or stretch more triangles than the group nearest to the weighted sum.
fn of_tears(groups: &[MethodGroup]) -> String {
    let everyone: Vec<String> = groups.iter().flat_map(|group| group.methods.clone()).collect();
    let usual = groups.first().map_or(0, |group| group.tears.stretched);
    let tears = |group: &&MethodGroup| group.tears.gap > SAME_WITHIN || group.tears.stretched > usual;
    let mut torn: Vec<&MethodGroup> = groups.iter().filter(tears).collect();
    torn.sort_by(|a, b| b.tears.gap.total_cmp(&a.tears.gap).then(b.tears.stretched.cmp(&a.tears.stretched)));
    let clause = |group: &&MethodGroup| {
        let Tears { stretched, turned_over, .. } = group.tears;
        let gap = (group.tears.gap > SAME_WITHIN).then(|| format!("gaps of {} of the size", percent(group.tears.gap)));
        let stretched = (stretched > usual)
            .then(|| format!("{stretched} triangles stretched to more than {STRETCHED} times their length"));
        let over = (turned_over > 0).then(|| format!("{turned_over} turned over"));
        let what: Vec<String> = [gap, stretched, over].into_iter().flatten().collect();
        format!("{} ({})", called(&group.methods, &everyone), what.join(", "))
    };
    let clauses: Vec<String> = torn.iter().take(MOST_NAMED).map(clause).collect();
    if clauses.is_empty() { String::new() } else { format!(" The surface tears with {}.", listed(&clauses)) }
}

/// Lists methods in the order of their table. If all linear methods of `everyone` are among them, they are called "the
/// linear methods".
pub(super) fn called(names: &[String], everyone: &[String]) -> String {
    let mut names = names.to_vec();
    names.sort_by_key(|name| MethodId::all().position(|id| id.method().name == name));
    let is_linear = |name: &&String| name.parse::<MethodId>().is_ok_and(|id| id.method().is_linear);
    let linear = everyone.iter().filter(is_linear).count();
    if linear < 2 || names.iter().filter(is_linear).count() < linear {
        return listed(&names);
    }
    let others = names.iter().filter(|name| !is_linear(name)).cloned();
    listed(&std::iter::once("the linear methods".to_owned()).chain(others).collect::<Vec<_>>())
}

pub(super) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

pub(super) fn capitalised(text: &str) -> String {
    // Names of methods keep their case.
    match text.strip_prefix("the ").map(|rest| ("The ", rest)).or_else(|| {
        [("twisting ", "Twisting "), ("bending ", "Bending "), ("turning ", "Turning ")]
            .into_iter()
            .find_map(|(small, large)| text.strip_prefix(small).map(|rest| (large, rest)))
    }) {
        Some((start, rest)) => format!("{start}{rest}"),
        None => text.to_owned(),
    }
}

/// Formats a share in percent with two significant digits.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent.abs() {
        // Rounding errors of 32-bit numbers.
        tiny if tiny < 0.0005 => "0 %".to_owned(),
        small if small < 1.0 => {
            let digits = format!("{percent:.*}", if small < 0.01 { 3 } else { 2 });
            format!("{} %", digits.trim_end_matches('0'))
        }
        small if small < 10.0 => format!("{percent:.1} %"),
        _ => format!("{percent:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method_report::{PoseReport, VertexDeviation};
    use bindpose_core::skin::Cost;

    fn group(methods: &[&str], departs_by: f64, thickness: Option<f64>) -> MethodGroup {
        MethodGroup {
            methods: methods.iter().map(ToString::to_string).collect(),
            departs_by,
            joint: Some("forearm_l".into()),
            pose: 1,
            similarity: Some(0.5),
            thickness,
            thinnest: thickness.map(|_| 1),
            tears: Tears::default(),
            area: thickness,
            volume: thickness,
        }
    }

    /// Creates the report of a method that leaves these shares of the thickness, one per pose.
    fn swept(name: &str, left: &[f64]) -> MethodReport {
        let pose = |&left: &f64| PoseReport {
            time: 0.0,
            own: VertexDeviation::default(),
            linear: VertexDeviation::default(),
            image: None,
            tears: Tears::default(),
            thickness: Some(left),
            area: Some(left * left),
            volume: Some(0.5 + 0.5 * left),
        };
        MethodReport {
            method: name.into(),
            about: "",
            verdict: Agreement::Agrees,
            reason: None,
            batches: 1,
            cost: Cost::default(),
            trimmed_movement: 0.0,
            bytes_per_frame: 0,
            bytes_fixed: 0,
            registers: 0,
            instructions: None,
            frame_ms: None,
            tolerance: 1e-5,
            poses: left.iter().map(pose).collect(),
        }
    }

    #[test]
    fn a_refused_program_is_not_called_wrong() {
        let verdicts = |verdicts: &[(&str, Agreement)]| {
            let method = |&(name, verdict): &(&str, Agreement)| MethodReport { verdict, ..swept(name, &[]) };
            sentence(&verdicts.iter().map(method).collect::<Vec<_>>(), &[], None, &[])
        };
        assert_eq!(
            verdicts(&[("sjb", Agreement::Refused)]),
            "The program of sjb was refused. No method could be compared."
        );
        assert_eq!(
            verdicts(&[("sjb", Agreement::Refused), ("cpu", Agreement::Off), ("dqs", Agreement::Refused)]),
            "cpu does not agree with its own reference. The programs of sjb and dqs were refused. No method could be compared."
        );
    }

    /// A full turn ends as it began; the largest loss is half-way.
    #[test]
    fn a_sweep_reports_the_largest_loss_and_its_angle() {
        let methods = [swept("cpu", &[1.0, 0.7, 0.0, 0.7, 1.0]), swept("dqs", &[1.0; 5])];
        let same = |method| SameShape { methods: vec![method], positions: Vec::new() };
        let groups = groups(&methods, &[same(0), same(1)]);
        let left: Vec<_> = groups.iter().map(|group| (group.thickness, group.thinnest, group.volume)).collect();
        assert_eq!(left, [(Some(0.0), Some(2), Some(0.5)), (Some(1.0), Some(0), Some(1.0))]);
        let turn = TurnReport { joint: "arm".into(), verb: "bending", from: Some(0.0), degrees: 360.0 };
        let angles = ["0\u{b0}", "90\u{b0}", "180\u{b0}", "270\u{b0}", "360\u{b0}"].map(String::from);
        assert_eq!(
            sentence(&methods, &groups, Some(&turn), &angles),
            "Bending arm from 0 to 360 degrees, cpu loses 100 % of the thickness there, most of all at 180\u{b0}; dqs keeps it."
        );
    }

    #[test]
    fn a_turn_names_methods_that_lose_and_keep_thickness() {
        let turn = TurnReport { joint: "forearm_l".into(), verb: "twisting", from: None, degrees: 175.0 };
        let groups = [
            group(&["cpu", "matrix-blend", "morph"], 0.0, Some(0.0436)),
            group(&["dqs"], 0.03, Some(0.999)),
            group(&["sjb", "sjbbe"], 0.03, Some(0.97)),
            group(&["rigid"], 0.05, Some(0.5)),
        ];
        assert_eq!(
            sentence(&[], &groups, Some(&turn), &[]),
            "Twisting forearm_l by 175 degrees, the linear methods and morph lose 96 % of the thickness there; rigid loses \
             50 %; sjb, sjbbe and dqs keep it."
        );
        assert_eq!(
            sentence(&[], &groups[1..3], Some(&turn), &[]),
            "Twisting forearm_l by 175 degrees, all methods keep the thickness there."
        );
        let dented = [
            MethodGroup { volume: Some(0.82), ..group(&["cpu", "morph"], 0.0, Some(0.98)) },
            MethodGroup { volume: Some(0.87), ..group(&["sjb"], 0.01, Some(0.98)) },
            MethodGroup { volume: Some(0.92), ..group(&["sjbbe"], 0.02, Some(0.98)) },
        ];
        assert_eq!(
            sentence(&[], &dented, Some(&turn), &[]),
            "Twisting forearm_l by 175 degrees, all methods keep the thickness there. Dents are left: cpu and morph lose \
             18 % of the volume; sjb loses 13 %."
        );
    }

    #[test]
    fn a_clip_names_methods_that_agree_and_differ() {
        let poses = ["0.000 s".to_owned(), "0.417 s".to_owned()];
        let groups = [
            group(&["cpu", "matrix-blend"], 1e-7, None),
            group(&["dqs"], 0.0123, None),
            group(&["rigid", "sjb"], 0.4, None),
        ];
        assert_eq!(
            sentence(&[], &groups, None, &poses),
            "The linear methods agree with the weighted sum of the file within 0.1 % of the size; sjb and rigid depart by \
             40 % at forearm_l (0.417 s); dqs departs by 1.2 % at forearm_l (0.417 s)."
        );
        let many: Vec<MethodGroup> = [0.01, 0.02, 0.03, 0.04, 0.05].map(|by| group(&["dqs"], by, None)).into();
        let text = sentence(&[], &many, None, &[]);
        assert!(
            text.starts_with("dqs departs by 5.0 % at forearm_l; ") && text.ends_with("; 2 more depart by less."),
            "{text}"
        );
        assert_eq!(
            sentence(&[], &groups[..1], None, &poses),
            "All 2 methods give the same shape within 0.1 % of the size."
        );
    }

    #[test]
    fn methods_within_the_bound_of_the_first_are_grouped() {
        let at = |x: f32| vec![vec![vec![Vec3::ZERO, Vec3::X * x]]];
        let mut groups = Vec::new();
        for (method, x) in [1.0, 1.05, 2.0, 1.95, f32::NAN].into_iter().enumerate() {
            join(&mut groups, method, at(x), &[0.1]);
        }
        let methods: Vec<_> = groups.iter().map(|group| group.methods.as_slice()).collect();
        assert_eq!(methods, [&[0, 1][..], &[2, 3], &[4]]);
        assert_eq!(groups[1].positions, at(2.0));
    }

    #[test]
    fn a_row_names_all_methods_of_its_group() {
        let rows =
            table(&[group(&["cpu", "ffp"], 1e-9, None), group(&["dqs"], 0.03, None)], &[String::new(), "0.4 s".into()])
                .rows;
        assert_eq!(rows[0], ["cpu and 1 more", "0 %", "-", "-", "0.5000", "-", "cpu, ffp"]);
        assert_eq!(rows[1], ["dqs", "3.0 %", "forearm_l", "0.4 s", "0.5000", "-", ""]);
    }
}
