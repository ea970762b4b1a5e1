//! `.md5mesh`.

use super::geometry::{bind_maps, influence_count, positions, used_weights, weights_of};
use super::joints::{self, JointLine};
use super::outliers::{self, Spike};
use super::parsed::line_break;
use crate::codes::{Group, Rule, mesh, shared};
use crate::finding::{Finding, Findings, OWN_FILE, is_near};
use crate::taint::Part;
use bindpose_core::budget::Budget;
use bindpose_core::import::md5::placed;
use bindpose_parsers::md5::{Int, Mesh, MeshFile, Text, Weight};
use bindpose_parsers::{Span, counted};
use glam::{DAffine3, DVec3};

/// Largest deviation of a weight sum from 1. Exporters that print four decimals are off by 1e-4 per weight.
const SUM_TOLERANCE: f64 = 1e-3;
/// Largest distance, in model units, between the bind positions implied by a vertex's weights.
const RESIDUAL: f64 = 0.01;
/// Number of joints from which the skeleton's size indicates the size of its mesh.
const FEWEST_JOINTS: usize = 5;
/// Plausible distances of a vertex from its joint, as fractions of the skeleton's size. Characters have about a tenth.
const LEAST_OFFSET: f64 = 0.002;
const MOST_OFFSET: f64 = 2.0;
/// Distance of a joint from the middle of the others from which it is wrong, as a multiple of their size.
const FAR_JOINT: f64 = 20.0;
/// Subject of the note about checks omitted because vertices share too many weights.
const UNCHECKED: &str = "its weights and triangles are";
/// Largest number of items that a note lists.
const LISTED: usize = 20;

/// Joints in the bind pose, and positions of numbers that are not finite. These were read as 0, so findings that result
/// from the zeros are not reported.
struct Bind<'a> {
    file: &'a MeshFile<'a>,
    /// Transforms from joint to model space.
    maps: Vec<DAffine3>,
    /// First bytes of the numbers that are not finite, ascending.
    unknown: Vec<u32>,
}

impl<'a> Bind<'a> {
    fn new(file: &'a MeshFile<'a>, findings: &Findings) -> Self {
        let unknown = findings.broken.spans(Part::Number).map(|span| span.start).collect();
        Self { file, maps: bind_maps(file), unknown }
    }

    /// True if the record contains such a number.
    fn is_unknown_in(&self, record: Span) -> bool {
        let next = self.unknown.partition_point(|&start| start < record.start);
        self.unknown.get(next).is_some_and(|&start| start < record.end)
    }

    /// True for each vertex with a weight or a joint that contains a number that is not finite. Empty if there are no
    /// such numbers.
    fn unknown_vertices(&self, mesh: &Mesh) -> Vec<bool> {
        if self.unknown.is_empty() {
            return Vec::new();
        }
        let joint = |weight: &Weight| self.file.joints.get(weight.joint as usize);
        let in_joint = |weight: &Weight| joint(weight).is_some_and(|joint| self.is_unknown_in(joint.span));
        let of = |weight: &Weight| self.is_unknown_in(weight.span) || in_joint(weight);
        (0..mesh.verts.len()).map(|vertex| weights_of(mesh, vertex).iter().any(of)).collect()
    }
}

/// Checks names and parents of the joints.
pub fn check_joints(file: &MeshFile, findings: &mut Findings) {
    let joints = file.joints.iter();
    let lines: Vec<JointLine> =
        joints.map(|joint| JointLine { name: &joint.name, parent: joint.parent, span: joint.span }).collect();
    joints::check(Group::Mesh, &lines, file.num_joints.span, findings);
    joints::check_subtrees(&lines, findings);
}

/// Checks a mesh file by itself.
pub fn check(file: &MeshFile, bytes: &[u8], budget: &Budget, findings: &mut Findings) {
    check_joints(file, findings);
    let bind = Bind::new(file, findings);
    for (index, joint) in file.joints.iter().enumerate() {
        if bind.is_unknown_in(joint.span) {
            continue;
        }
        joints::check_rotation(joint.rotation, || joint.span, format_args!("joint[{index}]"), findings);
    }
    for joint in &file.joints {
        line_break(bytes, joint.span, "joint", findings);
    }
    for (keyword, count) in [("numJoints", file.num_joints), ("numMeshes", file.num_meshes)] {
        check_count(keyword, count, findings);
    }
    check_totals(file, findings);
    let mut volumes = Vec::with_capacity(file.meshes.len());
    for (index, mesh) in file.meshes.iter().enumerate() {
        let mut volume = Volume::default();
        check_mesh(mesh, index, &bind, bytes, budget, &mut volume, findings);
        volumes.push(volume);
    }
    check_unit(file, &bind.maps, findings);
    check_volumes(file, &volumes, findings);
}

/// Reports meshes that are inside out, if they enclose most of the file's volume.
fn check_volumes(file: &MeshFile, volumes: &[Volume], findings: &mut Findings) {
    let mut whole = Volume::default();
    for volume in volumes {
        whole.triangles += volume.triangles;
        whole.signed += volume.signed;
        whole.absolute += volume.absolute;
    }
    let inwards: Vec<usize> = (0..volumes.len()).filter(|&mesh| volumes[mesh].is_negative()).collect();
    let (Some(&first), true) = (inwards.first(), whole.triangles >= Volume::FEWEST && whole.is_negative()) else {
        return;
    };
    let count: usize = inwards.iter().map(|&mesh| volumes[mesh].triangles).sum();
    findings.add(mesh::INSIDE_OUT, file.meshes[first].num_tris.span, || match inwards[..] {
        _ if count == whole.triangles => format!("the triangles of the file, {count} in all, face inwards"),
        [only] => format!("the triangles of mesh {only}, {count} of {} in all, face inwards", whole.triangles),
        _ => format!(
            "the triangles of {} meshes, the first of them mesh {first}, {count} of {} in all, face inwards",
            inwards.len(),
            whole.triangles
        ),
    });
}

/// Compares the typical distance of a vertex from its joint with the size of the skeleton.
fn check_unit(file: &MeshFile, maps: &[DAffine3], findings: &mut Findings) {
    let size = outliers::diagonal(maps.iter().map(|map| map.translation));
    let Some(first) = file.meshes.iter().find(|mesh| !mesh.weights.is_empty()) else { return };
    if let Some((index, distance, times)) = far_joint(file, maps)
        && let Some(joint) = file.joints.get(index)
    {
        let name = joint.name.to_name();
        findings.add_at(mesh::FAR_VERTEX, joint.span, format_args!("joint[{index}]"), || {
            format!("joint {index} '{name}' is {distance:.2} units from the others, {times:.0} times their size: its vertices follow it")
        });
        return;
    }
    if file.joints.len() < FEWEST_JOINTS || size <= 0.0 {
        return;
    }
    let weights = file.meshes.iter().flat_map(|mesh| &mesh.weights);
    let mut distances: Vec<f64> = weights.map(|weight| DVec3::from_array(weight.offset).length() / size).collect();
    distances.sort_unstable_by(f64::total_cmp);
    let usual = distances[distances.len() / 2];
    if !(LEAST_OFFSET..=MOST_OFFSET).contains(&usual) {
        findings.add(mesh::OTHER_UNIT, first.num_weights.span, || {
            format!("half of the vertices are at least {usual:.4} times the skeleton's size away from their joints: mesh and skeleton seem to be in different units")
        });
    }
}

/// Returns the joint that is far from all others, its distance from their middle, and the latter as a multiple of their
/// size. A root may be far away: it need not move vertices.
fn far_joint(file: &MeshFile, maps: &[DAffine3]) -> Option<(usize, f64, f64)> {
    let median = |part: fn(&DVec3) -> f64| {
        let mut parts: Vec<f64> = maps.iter().map(|map| part(&map.translation)).collect();
        parts.sort_unstable_by(f64::total_cmp);
        parts.get(parts.len() / 2).copied().unwrap_or(0.0)
    };
    let middle = DVec3::new(median(|point| point.x), median(|point| point.y), median(|point| point.z));
    let distances = maps.iter().map(|map| map.translation.distance(middle)).enumerate();
    let (index, distance) = distances.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let others = maps.iter().enumerate().filter(|&(other, _)| other != index);
    let size = outliers::diagonal(others.map(|(_, map)| map.translation));
    let is_child = file.joints.get(index).is_some_and(|joint| joint.parent.value >= 0);
    (is_child && maps.len() > 3 && size > 0.0 && distance > FAR_JOINT * size)
        .then(|| (index, distance, distance / size))
}

/// Volume enclosed by triangles.
#[derive(Default)]
struct Volume {
    triangles: usize,
    /// Six times the volume. Negative if triangles face inwards.
    signed: f64,
    /// Sum of the absolute volumes of the triangles, times six.
    absolute: f64,
}

impl Volume {
    /// Smallest number of triangles considered: fewer are a sign or a blade of grass.
    const FEWEST: usize = 12;
    /// Fraction of the absolute volume that must be inside out.
    const SHARE: f64 = 0.35;

    /// Adds a triangle. `middle` is the reference point of its mesh.
    fn add(&mut self, middle: DVec3, corners: [DVec3; 3]) {
        let [a, b, c] = corners.map(|corner| corner - middle);
        let share = a.dot(b.cross(c));
        self.triangles += 1;
        self.signed += share;
        self.absolute += share.abs();
    }

    fn is_negative(&self) -> bool {
        self.signed < -Self::SHARE * self.absolute
    }
}

pub(super) fn check_count(keyword: &'static str, count: Int, findings: &mut Findings) {
    if count.value < 1 && !findings.broken.within(&[Part::Value], count.span) {
        findings.add(shared::COUNT, count.span, || format!("{keyword} is {}, expected at least 1", count.value));
    }
}

/// Compares single meshes and their totals with engines' limits.
fn check_totals(file: &MeshFile, findings: &mut Findings) {
    let total: u64 = file.meshes.iter().map(|mesh| mesh.verts.len() as u64).sum();
    let largest = |count: fn(&Mesh) -> usize| {
        file.meshes.iter().max_by_key(|mesh| count(mesh)).map(|mesh| (count(mesh) as u64, mesh))
    };
    type Quantity = (Rule, fn(&Mesh) -> usize, fn(&Mesh) -> Span);
    let quantities: [Quantity; 3] = [
        (mesh::TOO_MANY_VERTICES, |mesh| mesh.verts.len(), |mesh| mesh.num_verts.span),
        (mesh::TOO_MANY_TRIANGLES, |mesh| mesh.tris.len(), |mesh| mesh.num_tris.span),
        (mesh::TOO_MANY_WEIGHTS, |mesh| mesh.weights.len(), |mesh| mesh.num_weights.span),
    ];
    for (rule, count, span) in quantities {
        let Some((most, mesh)) = largest(count) else { continue };
        let limits: Vec<_> = super::exceeded(Group::Mesh, rule, total.max(most))
            .filter(|limit| if limit.per_file { total > limit.most } else { most > limit.most })
            .collect();
        limited(rule, span(mesh), most, &limits, findings);
    }
    let meshes = file.meshes.len() as u64;
    let mut limits: Vec<_> = super::exceeded(Group::Mesh, mesh::TOO_MANY_MESHES, meshes).collect();
    limits.retain(|limit| limit.most < meshes);
    limited(mesh::TOO_MANY_MESHES, file.num_meshes.span, meshes, &limits, findings);
}

fn limited(rule: Rule, span: Span, count: u64, limits: &[&'static crate::profiles::Limit], findings: &mut Findings) {
    let Some(lowest) = limits.iter().min_by_key(|limit| limit.most) else { return };
    if let Some(finding) = findings.add(rule, span, || lowest.message(count)).0 {
        for limit in limits {
            let scope = if limit.per_file { "in all" } else { "in a mesh" };
            finding.note(format!("{} has room for {} {} {scope}", limit.profile.name, limit.most, limit.quantity));
        }
        finding.only = Some(limits.iter().map(|limit| limit.profile).collect());
    }
}

fn check_mesh(
    mesh: &Mesh,
    index: usize,
    bind: &Bind,
    bytes: &[u8],
    budget: &Budget,
    volume: &mut Volume,
    findings: &mut Findings,
) {
    if mesh.name.is_some() {
        let span = mesh.name.as_ref().map_or(mesh.span, |name| name.span);
        findings.add_at(mesh::MESH_NAME, span, format_args!("mesh[{index}]"), || "a mesh has a 'name' line".to_owned());
    }
    check_shader(&mesh.shader, index, findings);
    if mesh.verts.is_empty() || mesh.tris.is_empty() {
        let span = Span { start: mesh.span.start, end: mesh.span.start.saturating_add(4).min(mesh.span.end) };
        findings.add_at(mesh::EMPTY_MESH, span, format_args!("mesh[{index}]"), || {
            format!(
                "mesh {index} has {} and {}",
                counted(mesh.verts.len(), "vertex", "vertices"),
                counted(mesh.tris.len(), "triangle", "triangles")
            )
        });
    }
    check_records(mesh, index, bytes, findings);
    let influences = (influence_count(mesh), "weights");
    let vertices = (1, "mesh");
    if super::can_follow(budget, influences, vertices, size_of::<Weight>(), mesh.num_weights.span, UNCHECKED, findings)
    {
        let mut unknown = bind.unknown_vertices(mesh);
        let points = positions(mesh, &bind.maps);
        let mut spikes = outliers::spikes_of(mesh, &points, &bind.maps);
        let is_known = !findings.broken.within(&[Part::Records, Part::Weights], mesh.span);
        spikes.retain(|spike| is_known && unknown.get(spike.vertex) != Some(&true));
        check_spikes(mesh, index, &points, bind, &spikes, findings);
        // Spikes are already reported, so their distances and areas are not.
        unknown.resize(mesh.verts.len(), false);
        spikes.iter().for_each(|spike| unknown[spike.vertex] = true);
        check_weights(mesh, index, &bind.maps, &unknown, bytes, findings);
        check_triangles(mesh, index, &points, &unknown, volume, findings);
    }
    check_use(mesh, index, findings);
}

fn check_shader(shader: &Text, index: usize, findings: &mut Findings) {
    let name = shader.to_name();
    let is_path = name.contains('/') || name.contains('\\');
    if is_path || name.contains('.') {
        let added = findings.add_at(mesh::SHADER_PATH, shader.span, format_args!("mesh[{index}].shader"), || {
            let what = if is_path { "a path" } else { "an extension" };
            format!("the shader '{name}' has {what}")
        });
        let material = name.replace('\\', "/").to_lowercase();
        let material = material.rsplit_once('.').map_or(&*material, |(head, _)| head);
        added.note(format_args!("Doom 3 looks for the material '{material}'"));
    }
}

/// Checks numbers and lines of the records.
fn check_records(mesh: &Mesh, index: usize, bytes: &[u8], findings: &mut Findings) {
    let records = mesh.verts.iter().map(|vert| ("vert", vert.number, vert.span));
    numbered(records, index, findings);
    numbered(mesh.tris.iter().map(|tri| ("tri", tri.number, tri.span)), index, findings);
    numbered(mesh.weights.iter().map(|weight| ("weight", weight.number, weight.span)), index, findings);
    if let Some(numbers) = findings.get(mesh::RECORD_NUMBER).filter(|numbers| numbers.count > 1) {
        findings.broken.mark(Part::Records, numbers.first.span);
    }
    place_record_count(findings, bytes);
    let spans = mesh.verts.iter().map(|vert| ("vertex", vert.span));
    let spans = spans.chain(mesh.tris.iter().map(|tri| ("triangle", tri.span)));
    let mut before: Option<Span> = None;
    for (what, span) in spans.chain(mesh.weights.iter().map(|weight| ("weight", weight.span))) {
        line_break(bytes, span, what, findings);
        let between = before.replace(span).and_then(|before| bytes.get(before.end as usize..span.start as usize));
        // assimp knows CR alone as the end of a line.
        if between.is_some_and(|between| !between.contains(&b'\n') && !between.contains(&b'\r')) {
            findings.add(shared::LINE_BREAK, span, || format!("this {what} is on the line of the one before it"));
        }
    }
}

/// Moves the finding about a wrong count of records to the first record with a wrong number: one is missing before it, or it is
/// repeated.
fn place_record_count(findings: &mut Findings, bytes: &[u8]) {
    let (Some(count), Some(numbers)) = (findings.get(mesh::RECORD_COUNT), findings.get(mesh::RECORD_NUMBER)) else {
        return;
    };
    // Another count between them begins another list.
    let between = bytes.get(count.first.span.end as usize..numbers.first.span.start as usize);
    let is_of_list = between.is_some_and(|between| memchr::memmem::find(between, b"num").is_none());
    if count.count > 1 || numbers.count == 1 || !is_of_list {
        return;
    }
    let Some(numbers) = findings.take(mesh::RECORD_NUMBER, |_| true) else { return };
    let Some(count) = findings.get_mut(mesh::RECORD_COUNT) else { return };
    count.message = format!("{}: {}", count.message, numbers.message);
    count.related(OWN_FILE, count.first.span, "the count");
    count.first = numbers.first;
    count.add_said(numbers.said);
}

fn numbered(records: impl Iterator<Item = (&'static str, i64, Span)>, index: usize, findings: &mut Findings) {
    for ((keyword, number, span), expected) in records.zip(0i64..) {
        if number != expected {
            findings.add_at(mesh::RECORD_NUMBER, span, format_args!("mesh[{index}].{keyword}[{expected}]"), || {
                format!("found {keyword} {number} in the place of {keyword} {expected}")
            });
        }
    }
}

/// Reports a vertex with more weights than engines support.
fn check_influences(weights: usize, vertex: usize, index: usize, span: Span, findings: &mut Findings) {
    for rule in [mesh::INFLUENCES_4, mesh::INFLUENCES_8] {
        if super::exceeded(Group::Mesh, rule, weights as u64).next().is_some() {
            let path = format_args!("mesh[{index}].vert[{vertex}]");
            findings.add_at(rule, span, path, || format!("vertex {vertex} of mesh {index} has {weights} weights"));
        }
    }
}

fn check_weights(
    mesh: &Mesh,
    index: usize,
    maps: &[DAffine3],
    unknown: &[bool],
    bytes: &[u8],
    findings: &mut Findings,
) {
    let mut bare = Vec::new();
    // Weight at fault for the last wrong sum.
    let mut culprit: Option<&Weight> = None;
    for (vertex, vert) in mesh.verts.iter().enumerate() {
        let weights = weights_of(mesh, vertex);
        let path = format_args!("mesh[{index}].vert[{vertex}]");
        let sum: f64 = weights.iter().map(|weight| weight.bias).sum();
        let is_known = unknown.get(vertex) != Some(&true);
        if !is_known {
            // The zeros in place of unknown numbers falsify the sum and the position.
        } else if weights.iter().all(|weight| weight.bias == 0.0) {
            bare.push(vertex);
            findings.add_at(mesh::NO_WEIGHTS, vert.span, path, || {
                let why = if weights.is_empty() { "has no weights" } else { "has only weights of 0" };
                format!("vertex {vertex} of mesh {index} {why}: it sits at the model's origin")
            });
        } else if findings.broken.within(&[Part::Weights], mesh.span) {
            // All weights after a gap belong to other vertices.
        } else if (sum - 1.0).abs() > SUM_TOLERANCE && weights.iter().all(|weight| weight.bias >= 0.0) {
            // A negative weight is reported by itself.
            culprit = only_wrong(weights);
            findings.add_at(mesh::WEIGHT_SUM, vert.span, path, || {
                format!("the weights of vertex {vertex} of mesh {index} sum to {sum:.6}")
            });
        }
        check_influences(weights.len(), vertex, index, vert.span, findings);
        if weights.len() > 1 && is_known {
            check_residual(weights, vertex, index, maps, vert.span, findings);
        }
    }
    if let (Some(culprit), Some(finding)) = (culprit, findings.get_mut(mesh::WEIGHT_SUM))
        && finding.count == 1
    {
        name_odd_weight(culprit, index, bytes, finding);
        if finding.subject == Some("joint") {
            findings.take(shared::FRACTION_DROPPED, |known| {
                known.count == 1 && is_near(bytes, known.first.span, culprit.span)
            });
        }
    }
    check_signs(mesh, index, findings);
    if let Some(finding) = findings.get_mut(mesh::NO_WEIGHTS).filter(|_| bare.len() > 1) {
        let listed: Vec<String> = bare.iter().take(LISTED).map(usize::to_string).collect();
        let rest = bare.len().saturating_sub(LISTED);
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        finding.note(format!("in mesh {index}: vertices {}{rest}", listed.join(", ")));
    }
}

/// Moves the finding about a vertex's sum to the weight that is wrong.
fn name_odd_weight(weight: &Weight, index: usize, bytes: &[u8], finding: &mut Finding) {
    let vertex = std::mem::replace(&mut finding.first.span, weight.span);
    finding.related(OWN_FILE, vertex, "the vertex");
    if let Some(word) = bias_in_place_of_joint(weight, bytes) {
        let number = weight.number;
        finding.message =
            format!("joint and bias of weight {number} of mesh {index} seem to be swapped: '{word}' is no joint");
        finding.remedy = Some("swap joint and bias, or export again");
        finding.subject = Some("joint");
    }
}

/// Returns the word in the place of a weight's joint if it has a decimal point, and the word after it has none.
fn bias_in_place_of_joint(weight: &Weight, bytes: &[u8]) -> Option<String> {
    let record = String::from_utf8_lossy(bytes.get(weight.span.range())?);
    let mut words = record.split_ascii_whitespace().skip(2);
    let (joint, bias) = (words.next()?, words.next()?);
    (joint.contains('.') && !bias.contains('.')).then(|| joint.to_owned())
}

/// Reports negative weights.
fn check_signs(mesh: &Mesh, index: usize, findings: &mut Findings) {
    for (slot, weight) in mesh.weights.iter().enumerate() {
        if weight.bias < 0.0 {
            findings.add_at(mesh::NEGATIVE_WEIGHT, weight.span, format_args!("mesh[{index}].weight[{slot}]"), || {
                format!("weight {slot} of mesh {index} is {}", weight.bias)
            });
        }
    }
}

/// Returns the weight whose bias must be wrong if the sum is: the only one, or the only one above 1.
fn only_wrong(weights: &[Weight]) -> Option<&Weight> {
    let mut wrong = weights.iter().filter(|weight| weights.len() == 1 || weight.bias > 1.0 + SUM_TOLERANCE);
    wrong.next().filter(|_| wrong.next().is_none())
}

/// Reports a vertex whose weights disagree about its position.
fn check_residual(
    weights: &[bindpose_parsers::md5::Weight],
    vertex: usize,
    index: usize,
    maps: &[DAffine3],
    span: Span,
    findings: &mut Findings,
) {
    let total: f64 = weights.iter().map(|weight| weight.bias).sum();
    if total == 0.0 {
        return;
    }
    let mean = weights.iter().map(|weight| placed(weight, maps) * weight.bias).sum::<glam::DVec3>() / total;
    let apart = weights.iter().filter(|weight| weight.bias != 0.0).map(|weight| placed(weight, maps).distance(mean));
    let most = apart.fold(0.0, f64::max);
    if most > RESIDUAL {
        findings.add_at(mesh::BIND_RESIDUAL, span, format_args!("mesh[{index}].vert[{vertex}]"), || {
            format!(
                "the weights of vertex {vertex} of mesh {index} place it up to {most:.4} units away from their mean"
            )
        });
    }
}

/// Reports vertices far from the rest of the mesh, at the weight that pulls them there.
fn check_spikes(mesh: &Mesh, index: usize, points: &[DVec3], bind: &Bind, spikes: &[Spike], findings: &mut Findings) {
    for &Spike { vertex, distance, share } in spikes {
        let Some(slot) = outliers::culprit(mesh, vertex, points, &bind.maps) else { continue };
        let (Some(vert), Some(weight)) = (mesh.verts.get(vertex), mesh.weights.get(slot)) else { continue };
        let joint = bind.file.joints.get(weight.joint as usize).map_or_else(String::new, |joint| joint.name.to_name());
        findings.add_at(mesh::FAR_VERTEX, weight.span, format_args!("mesh[{index}].weight[{slot}]"), || {
            let percent = 100.0 * share;
            format!("vertex {vertex} of mesh {index} is {distance:.2} units from its nearest neighbour, {percent:.0} % of the model's size: weight {slot} of joint '{joint}' pulls it there")
        }).related(OWN_FILE, vert.span, "the vertex");
    }
}

fn check_triangles(
    mesh: &Mesh,
    index: usize,
    points: &[DVec3],
    unknown: &[bool],
    volume: &mut Volume,
    findings: &mut Findings,
) {
    let middle = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    for (number, tri) in mesh.tris.iter().enumerate() {
        let [a, b, c] = tri.corners;
        let path = format_args!("mesh[{index}].tri[{number}]");
        if a == b || b == c || a == c {
            findings.add_at(mesh::DEGENERATE_TRIANGLE, tri.span, path, || {
                format!("triangle {number} of mesh {index} uses a vertex twice")
            });
            continue;
        }
        if tri.corners.iter().any(|&vertex| unknown.get(vertex as usize) == Some(&true)) {
            continue;
        }
        let corner = |vertex: u32| points.get(vertex as usize).copied().unwrap_or_default();
        // The file's triangles are clockwise.
        volume.add(middle, [corner(a), corner(c), corner(b)]);
        let (ab, ac) = (corner(b) - corner(a), corner(c) - corner(a));
        // The area is below the precision of six decimals.
        let longest = ab.length_squared().max(ac.length_squared());
        if ab.cross(ac).length_squared() <= 1e-16 * longest * longest {
            findings.add_at(mesh::DEGENERATE_TRIANGLE, tri.span, path, || {
                format!("triangle {number} of mesh {index} has no area")
            });
        }
    }
}

/// Reports unused weights and vertices.
fn check_use(mesh: &Mesh, index: usize, findings: &mut Findings) {
    let used = used_weights(mesh);
    for (slot, weight) in mesh.weights.iter().enumerate().filter(|&(slot, _)| used.get(slot) == Some(&false)) {
        findings.add_at(mesh::UNUSED_WEIGHT, weight.span, format_args!("mesh[{index}].weight[{slot}]"), || {
            format!("weight {slot} of mesh {index} belongs to no vertex")
        });
    }
    let mut used = vec![false; mesh.verts.len()];
    for corner in mesh.tris.iter().flat_map(|tri| tri.corners) {
        if let Some(slot) = used.get_mut(corner as usize) {
            *slot = true;
        }
    }
    for (vertex, vert) in mesh.verts.iter().enumerate().filter(|&(vertex, _)| used.get(vertex) == Some(&false)) {
        findings.add_at(mesh::UNUSED_VERTEX, vert.span, format_args!("mesh[{index}].vert[{vertex}]"), || {
            format!("vertex {vertex} of mesh {index} belongs to no triangle")
        });
    }
}
