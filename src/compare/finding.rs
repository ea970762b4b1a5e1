//! What a comparison found, in a sentence, and methods that agree in one row.

use super::report::{Agreement, MethodReport};
use super::table::Table;
use bindpose_core::skin::MethodId;
use glam::Vec3;
use serde::Serialize;

/// Methods show the same if no vertex is farther apart than this share of the model's extent.
pub const SAME_WITHIN: f64 = 1e-3;
/// Groups whose departure is told in the sentence; the table has all.
const MOST_NAMED: usize = 3;
/// A method that loses less than this share of the thickness keeps it.
const KEPT: f64 = 0.05;

/// The turn that a comparison is about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TurnReport {
    /// The joint's name.
    pub joint: String,
    /// Twisting, bending or turning.
    pub verb: &'static str,
    /// The first angle of a sweep, degrees.
    pub from: Option<f64>,
    /// The angle, or the last one of a sweep, degrees.
    pub degrees: f64,
}

/// Methods that show the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// Their names.
    pub methods: Vec<String>,
    /// How far the worst vertex is from the weighted sum over all influences, as a share of the model's extent.
    pub departs_by: f64,
    /// The joint that moves this vertex most.
    pub joint: Option<String>,
    /// The number of its moment.
    pub moment: usize,
    /// Similarity of the least similar picture, over the figure's pixels.
    pub similarity: Option<f64>,
    /// Where a joint is turned: what is left of the thickness there at the moment that leaves least.
    pub thickness: Option<f64>,
    /// The number of that moment.
    pub thinnest: Option<usize>,
    /// Where a joint is turned: the volume over that before the turn, at the moment that leaves least.
    pub volume: Option<f64>,
}

/// Positions of a method's vertices, model space: by moment, by mesh.
pub type Positions = Vec<Vec<Vec<Vec3>>>;

/// Methods that show the same, by their numbers, and what the first of them made.
#[derive(Debug, Clone, PartialEq)]
pub struct Alike {
    /// At least one.
    pub methods: Vec<usize>,
    /// Of the first; of the others they need not be kept.
    pub positions: Positions,
}

/// Puts a method where it is as near to the first of a group as `bounds` says, a distance for each moment; else in a group
/// of its own.
pub fn join(groups: &mut Vec<Alike>, method: usize, positions: Positions, bounds: &[f64]) {
    match groups.iter_mut().find(|group| is_same(&group.positions, &positions, bounds)) {
        Some(group) => group.methods.push(method),
        None => groups.push(Alike { methods: vec![method], positions }),
    }
}

fn is_same(left: &Positions, right: &Positions, bounds: &[f64]) -> bool {
    let moments = left.iter().zip(right).zip(bounds);
    moments.into_iter().all(|((left, right), &bound)| {
        let vertices = left.iter().flatten().zip(right.iter().flatten());
        // What is not a number is not the same.
        vertices.into_iter().all(|(left, right)| f64::from(left.distance(*right)) <= bound)
    })
}

/// The groups, the nearest to the weighted sum first.
pub fn groups(methods: &[MethodReport], alike: &[Alike]) -> Vec<Group> {
    let group = |alike: &Alike| {
        let reports = || alike.methods.iter().map(|&number| &methods[number]);
        let moments = || reports().flat_map(|method| method.moments.iter().enumerate());
        let (moment, worst) = moments().max_by(|a, b| a.1.linear.max_of_extent.total_cmp(&b.1.linear.max_of_extent))?;
        let thicknesses = moments().filter_map(|(number, moment)| Some((number, moment.thickness?)));
        let thinnest = thicknesses.min_by(|a, b| a.1.total_cmp(&b.1));
        Some(Group {
            methods: reports().map(|method| method.method.clone()).collect(),
            departs_by: worst.linear.max_of_extent,
            joint: worst.linear.joint.clone(),
            moment,
            similarity: moments().filter_map(|(_, m)| m.picture).map(|p| p.similarity).reduce(f64::min),
            thickness: thinnest.map(|(_, thickness)| thickness),
            thinnest: thinnest.map(|(number, _)| number),
            volume: moments().filter_map(|(_, moment)| moment.volume).reduce(f64::min),
        })
    };
    let mut groups: Vec<Group> = alike.iter().filter_map(group).collect();
    groups.sort_by(|a, b| a.departs_by.total_cmp(&b.departs_by));
    groups
}

/// A row for each group; `moments` are the columns' names of moments.
pub fn table(groups: &[Group], moments: &[String]) -> Table {
    let is_turned = groups.iter().any(|group| group.thickness.is_some());
    let mut headings = vec!["method", "from weighted sum", "worst joint", "moment", "similarity"];
    if is_turned {
        headings.extend(["thickness left", "volume left"]);
    }
    headings.push("methods that show the same");
    let mut table = Table::new(headings);
    for group in groups {
        let is_same = group.departs_by <= SAME_WITHIN;
        let mut row = vec![
            label(&group.methods),
            percent(group.departs_by),
            group.joint.clone().filter(|_| !is_same).unwrap_or_else(|| "-".to_owned()),
            moments.get(group.moment).cloned().filter(|_| !is_same).unwrap_or_else(|| "-".to_owned()),
            group.similarity.map_or("-".to_owned(), |similarity| format!("{similarity:.4}")),
        ];
        if is_turned {
            row.extend([group.thickness, group.volume].map(|left| left.map_or("-".to_owned(), percent)));
        }
        row.push(if group.methods.len() > 1 { group.methods.join(", ") } else { String::new() });
        table.push(row);
    }
    table
}

/// A short name of methods that show the same.
pub fn label(methods: &[String]) -> String {
    match methods {
        [only] => only.clone(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
        [] => String::new(),
    }
}

/// What was found, in a sentence or two.
pub fn sentence(methods: &[MethodReport], groups: &[Group], turn: Option<&TurnReport>, moments: &[String]) -> String {
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
        Some(turn) => of_turn(groups, turn, moments),
        None => of_clip(groups, moments),
    };
    text
}

fn of_turn(groups: &[Group], turn: &TurnReport, moments: &[String]) -> String {
    let loss = |group: &Group| 1.0 - group.thickness.unwrap_or(1.0);
    let mut losers: Vec<(String, Vec<String>)> = Vec::new();
    let mut by_loss: Vec<&Group> = groups.iter().collect();
    by_loss.sort_by(|a, b| loss(b).total_cmp(&loss(a)));
    // Of a sweep it is told where the worst is worst.
    let worst = by_loss.first().and_then(|group| moments.get(group.thinnest?)).filter(|_| turn.from.is_some());
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
    capitalised(&text)
}

fn of_clip(groups: &[Group], moments: &[String]) -> String {
    let everyone: Vec<String> = groups.iter().flat_map(|group| group.methods.clone()).collect();
    let (same, others): (Vec<&Group>, Vec<&Group>) = groups.iter().partition(|group| group.departs_by <= SAME_WITHIN);
    let same: Vec<String> = same.into_iter().flat_map(|group| group.methods.clone()).collect();
    let within = percent(SAME_WITHIN);
    let agree = match same.len() {
        0 => String::new(),
        1 => format!("{} agrees with the weighted sum of the file within {within} of the size", same[0]),
        _ if others.is_empty() => {
            return format!("All {} methods show the same within {within} of the size.", same.len());
        }
        _ => {
            format!("{} agree with the weighted sum of the file within {within} of the size", called(&same, &everyone))
        }
    };
    let departs = |group: &&Group| {
        let verb = if group.methods.len() == 1 { "departs" } else { "depart" };
        let at = group.joint.as_ref().map_or(String::new(), |joint| format!(" at {joint}"));
        let when = moments.get(group.moment).map_or(String::new(), |moment| format!(" ({moment})"));
        format!("{} {verb} by {}{at}{when}", called(&group.methods, &everyone), percent(group.departs_by))
    };
    // Those that depart most say most.
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

/// Names of methods in the order of their table; all linear ones that took part are called that.
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

fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

fn capitalised(text: &str) -> String {
    // A method's name stays as it is written.
    match text.strip_prefix("the ").map(|rest| ("The ", rest)).or_else(|| {
        [("twisting ", "Twisting "), ("bending ", "Bending "), ("turning ", "Turning ")]
            .into_iter()
            .find_map(|(small, large)| text.strip_prefix(small).map(|rest| (large, rest)))
    }) {
        Some((start, rest)) => format!("{start}{rest}"),
        None => text.to_owned(),
    }
}

/// A share for people: two digits that count.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent.abs() {
        // Rounding of 32-bit numbers.
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
    use crate::compare::report::{MomentReport, VertexDeviation};
    use bindpose_core::skin::Cost;

    fn group(methods: &[&str], departs_by: f64, thickness: Option<f64>) -> Group {
        Group {
            methods: methods.iter().map(ToString::to_string).collect(),
            departs_by,
            joint: Some("forearm_l".into()),
            moment: 1,
            similarity: Some(0.5),
            thickness,
            thinnest: thickness.map(|_| 1),
            volume: thickness,
        }
    }

    /// A method whose moments leave so much of thickness and volume.
    fn swept(name: &str, left: &[f64]) -> MethodReport {
        let moment = |&left: &f64| MomentReport {
            time: 0.0,
            own: VertexDeviation::default(),
            linear: VertexDeviation::default(),
            picture: None,
            thickness: Some(left),
            volume: Some(0.5 + 0.5 * left),
        };
        MethodReport {
            method: name.into(),
            verdict: Agreement::Agrees,
            reason: None,
            batches: 1,
            cost: Cost::default(),
            trimmed_movement: 0.0,
            bytes_per_frame: 0,
            bytes_fixed: 0,
            tolerance: 1e-5,
            moments: left.iter().map(moment).collect(),
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

    /// A full turn ends as it began; what was lost was lost half way.
    #[test]
    fn a_sweep_tells_what_was_lost_where_most_was() {
        let methods = [swept("cpu", &[1.0, 0.7, 0.0, 0.7, 1.0]), swept("dqs", &[1.0; 5])];
        let alike = |method| Alike { methods: vec![method], positions: Vec::new() };
        let groups = groups(&methods, &[alike(0), alike(1)]);
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
    fn a_turn_says_who_loses_and_who_keeps() {
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
    }

    #[test]
    fn a_clip_says_who_agrees_and_who_departs_where() {
        let moments = ["0.000 s".to_owned(), "0.417 s".to_owned()];
        let groups = [
            group(&["cpu", "matrix-blend"], 1e-7, None),
            group(&["dqs"], 0.0123, None),
            group(&["rigid", "sjb"], 0.4, None),
        ];
        assert_eq!(
            sentence(&[], &groups, None, &moments),
            "The linear methods agree with the weighted sum of the file within 0.1 % of the size; sjb and rigid depart by \
             40 % at forearm_l (0.417 s); dqs departs by 1.2 % at forearm_l (0.417 s)."
        );
        let many: Vec<Group> = [0.01, 0.02, 0.03, 0.04, 0.05].map(|by| group(&["dqs"], by, None)).into();
        let text = sentence(&[], &many, None, &[]);
        assert!(
            text.starts_with("dqs departs by 5.0 % at forearm_l; ") && text.ends_with("; 2 more depart by less."),
            "{text}"
        );
        assert_eq!(
            sentence(&[], &groups[..1], None, &moments),
            "All 2 methods show the same within 0.1 % of the size."
        );
    }

    #[test]
    fn methods_within_the_bound_of_the_first_are_together() {
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
    fn a_row_names_all_that_show_the_same() {
        let rows =
            table(&[group(&["cpu", "ffp"], 1e-9, None), group(&["dqs"], 0.03, None)], &[String::new(), "0.4 s".into()])
                .rows;
        assert_eq!(rows[0], ["cpu and 1 more", "0 %", "-", "-", "0.5000", "cpu, ffp"]);
        assert_eq!(rows[1], ["dqs", "3.0 %", "forearm_l", "0.4 s", "0.5000", ""]);
    }
}
