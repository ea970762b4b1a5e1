//! Meshes split into batches whose palettes fit a method (docs/methods.md "Limits and batches").
//!
//! One splitter serves both the indexed methods and `ffp`: a batch of at most four joints *is* a set of four matrices.

use super::pack::{SlotSet, pack};
use crate::model::{Influence, Mesh};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Triangles of one draw call, and their joints.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Indices into [`Mesh::bind`] of the palette entries, ascending. All are used.
    pub slots: Vec<u32>,
    /// Index in the mesh of each vertex of the batch. A vertex may be in several batches, and twice in one if a
    /// triangle lost influences.
    pub vertices: Vec<u32>,
    /// Triangles as indices into `vertices`, in the mesh's order.
    pub triangles: Vec<[u32; 3]>,
    /// Influences of nonzero weight, vertex by vertex. [`Influence::slot`] is the palette index.
    pub influences: Vec<Influence>,
    /// Start of each vertex' influences in `influences`. One more entry than vertices.
    pub influence_starts: Vec<u32>,
}

impl Batch {
    /// Influences of one vertex of the batch, in file order.
    pub fn influences_of(&self, vertex: usize) -> &[Influence] {
        let [start, end] = [self.influence_starts[vertex], self.influence_starts[vertex + 1]];
        &self.influences[start as usize..end as usize]
    }

    /// Converts the batch to a mesh whose bind joints are its palette.
    pub fn to_mesh(&self, mesh: &Mesh) -> Mesh {
        fn pick<T: Copy>(all: &[T], which: &[u32]) -> Vec<T> {
            which.iter().filter_map(|&index| all.get(index as usize).copied()).collect()
        }
        Mesh {
            name: mesh.name.clone(),
            material: mesh.material,
            source_mesh: mesh.source_mesh,
            source_vertices: pick(&mesh.source_vertices, &self.vertices),
            positions: pick(&mesh.positions, &self.vertices),
            normals: pick(&mesh.normals, &self.vertices),
            tangents: pick(&mesh.tangents, &self.vertices),
            uvs: pick(&mesh.uvs, &self.vertices),
            colors: pick(&mesh.colors, &self.vertices),
            triangles: self.triangles.clone(),
            bind: pick(&mesh.bind, &self.slots),
            influences: self.influences.clone(),
            influence_starts: self.influence_starts.clone(),
        }
    }
}

/// A mesh split into batches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Split {
    /// Batches that together contain every triangle once.
    pub batches: Vec<Batch>,
    /// Indices of the triangles that lost their lightest influences because their corners use more joints than a batch
    /// may; ascending.
    pub trimmed: Vec<u32>,
    /// Number of influences dropped over all corners of those triangles.
    pub dropped_influences: usize,
}

impl Split {
    /// Joins the batches to a mesh. A vertex that triangles trimmed differently occurs once for each set of its
    /// influences, next to its other forms; the rest is as in `mesh`.
    pub fn to_mesh(&self, mesh: &Mesh) -> Mesh {
        let mut forms: BTreeMap<(u32, Vec<u32>), Vec<Influence>> = BTreeMap::new();
        let form = |batch: &Batch, local: u32| {
            let influences = batch.influences_of(local as usize).iter();
            let influences: Vec<_> =
                influences.map(|it| Influence { slot: batch.slots[it.slot as usize], ..*it }).collect();
            let slots = influences.iter().map(|it| it.slot).collect();
            ((batch.vertices[local as usize], slots), influences)
        };
        for batch in &self.batches {
            forms.extend((0..batch.vertices.len() as u32).map(|local| form(batch, local)));
        }
        let drawn: HashSet<u32> = forms.keys().map(|(vertex, _)| *vertex).collect();
        let left = (0..mesh.vertex_count() as u32).filter(|vertex| !drawn.contains(vertex));
        let left = left.map(|vertex| ((vertex, Vec::new()), mesh.influences_of(vertex as usize).to_vec()));
        forms.extend(left.collect::<Vec<_>>());
        let numbers: HashMap<_, u32> = forms.keys().zip(0..).collect();
        let mut whole = Batch { slots: (0..mesh.bind.len() as u32).collect(), ..Batch::default() };
        for batch in &self.batches {
            let corners = |corners: &[u32; 3]| corners.map(|corner| numbers[&form(batch, corner).0]);
            whole.triangles.extend(batch.triangles.iter().map(corners));
        }
        whole.influence_starts.push(0);
        for ((vertex, _), influences) in &forms {
            whole.vertices.push(*vertex);
            whole.influences.extend(influences);
            whole.influence_starts.push(whole.influences.len() as u32);
        }
        whole.to_mesh(mesh)
    }

    /// Returns the number of vertex copies beyond the first, over all batches.
    pub fn duplicated_vertices(&self) -> usize {
        let drawn: usize = self.batches.iter().map(|batch| batch.vertices.len()).sum();
        let mut sources: Vec<u32> = self.batches.iter().flat_map(|batch| batch.vertices.iter().copied()).collect();
        sources.sort_unstable();
        sources.dedup();
        drawn - sources.len()
    }
}

/// Splits a mesh so that no batch uses more than `limit` of its bind joints (`None`: one batch; 0 counts as 1).
///
/// Influences of weight zero do not count. Triangles that use more than `limit` joints keep those with the largest
/// weights summed over the corners, and the weights of each corner are divided by their remaining sum. A corner that
/// loses all influences follows the heaviest joint kept (D3DX's choice is unpublished). This cannot happen if `limit`
/// is at least three times the influence limit.
///
/// With at most 4096 distinct sets of joints over all triangles, there are never more batches than by first-fit in file
/// order. If the corners together have more than 2^27 influences and need several batches, each vertex first loses all
/// but its `limit` heaviest.
pub fn split(mesh: &Mesh, limit: Option<usize>) -> Split {
    let limit = limit.unwrap_or(usize::MAX).max(1);
    let pulls = Pulls::new(mesh, limit, MOST_INFLUENCES);
    let joints = TriangleJoints::new(mesh, &pulls, limit);
    let packing = pack(&joints.sets, limit);
    let mut batches = vec![Building::default(); packing.bins];

    // Triangles with only one possible batch come first: they determine the batches of vertices, and the others follow
    // their vertices.
    let mut chosen: Vec<Option<usize>> = vec![None; mesh.triangles.len()];
    for only in [true, false] {
        for (triangle, corners) in mesh.triangles.iter().enumerate() {
            let homes = &packing.homes[joints.set_of[triangle]];
            if (homes.len() == 1) != only {
                continue;
            }
            let present = |&&home: &&usize| corners.iter().filter(|&corner| batches[home].has(*corner)).count();
            let home = homes.iter().min_by_key(|home| (3 - present(home), **home)).copied();
            if let Some(home) = home {
                corners.iter().for_each(|&corner| batches[home].announce(corner));
                chosen[triangle] = Some(home);
            }
        }
    }
    let mut result = Split::default();
    for (triangle, corners) in mesh.triangles.iter().enumerate() {
        let Some(home) = chosen[triangle] else { continue };
        let kept = joints.trimmed.get(&(triangle as u32));
        let local = corners.map(|corner| match kept {
            None => batches[home].vertex(&pulls, corner),
            Some(kept) => batches[home].trimmed_vertex(mesh, &pulls, corner, kept, &mut result.dropped_influences),
        });
        batches[home].triangles.push(local);
        if kept.is_some() {
            result.trimmed.push(triangle as u32);
        }
    }
    result.batches = batches.into_iter().filter(|batch| !batch.triangles.is_empty()).map(Building::finish).collect();
    result
}

/// Returns the number of draws without [`split`]: triangles in file order, with a new draw whenever the joints of the
/// next one do not fit the palette of `limit` joints (0 counts as 1).
pub fn draws_in_file_order(mesh: &Mesh, limit: usize) -> usize {
    let limit = limit.max(1);
    let joints = TriangleJoints::new(mesh, &Pulls::new(mesh, limit, MOST_INFLUENCES), limit);
    let (mut palette, mut draws) = (HashSet::<u32>::new(), 0);
    // A run of triangles with equal joints needs one check.
    for sets in joints.set_of.chunk_by(|one, next| one == next) {
        let set = &joints.sets[sets[0]];
        let missing = set.iter().filter(|slot| !palette.contains(*slot)).count();
        if draws == 0 || palette.len() + missing > limit {
            draws += 1;
            palette.clear();
        }
        palette.extend(set);
    }
    draws
}

/// Joints of each triangle: few distinct sets, many triangles.
struct TriangleJoints {
    sets: Vec<SlotSet>,
    set_of: Vec<usize>,
    /// Slots kept by triangles over the limit, heaviest first.
    trimmed: HashMap<u32, Vec<u32>>,
}

impl TriangleJoints {
    fn new(mesh: &Mesh, influences: &Pulls, limit: usize) -> Self {
        if mesh.bind.len() <= limit {
            // One batch, regardless of the triangles.
            let all = (0..mesh.bind.len() as u32).collect();
            return Self { sets: vec![all], set_of: vec![0; mesh.triangles.len()], trimmed: HashMap::new() };
        }
        let mut known: HashMap<SlotSet, usize> = HashMap::new();
        let mut joints = Self { sets: Vec::new(), set_of: Vec::new(), trimmed: HashMap::new() };
        for (triangle, corners) in mesh.triangles.iter().enumerate() {
            let mut pulls: Vec<(u32, f32)> =
                corners.iter().flat_map(|&corner| influences.of(corner)).map(|it| (it.slot, it.weight)).collect();
            pulls.sort_by_key(|&(slot, _)| slot);
            pulls.dedup_by(|next, sum| {
                let same = next.0 == sum.0;
                if same {
                    sum.1 += next.1;
                }
                same
            });
            if pulls.len() > limit {
                pulls.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                pulls.truncate(limit);
                joints.trimmed.insert(triangle as u32, pulls.iter().map(|&(slot, _)| slot).collect());
            }
            let mut set: SlotSet = pulls.into_iter().map(|(slot, _)| slot).collect();
            set.sort_unstable();
            let next = joints.sets.len();
            let index = *known.entry(set.clone()).or_insert(next);
            if index == next {
                joints.sets.push(set);
            }
            joints.set_of.push(index);
        }
        joints
    }
}

/// Largest number of influences over all corners of a mesh in several batches.
const MOST_INFLUENCES: usize = 1 << 27;

/// Influences of nonzero weight of each vertex.
struct Pulls {
    influences: Vec<Influence>,
    starts: Vec<usize>,
    /// Number of such influences of each vertex before the reduction to the limit.
    counts: Vec<usize>,
}

impl Pulls {
    fn new(mesh: &Mesh, limit: usize, most: usize) -> Self {
        let over_corners =
            || mesh.triangles.iter().flatten().map(|&vertex| mesh.influences_of(vertex as usize).len()).sum::<usize>();
        let is_cut = mesh.bind.len() > limit && over_corners() > most;
        let mut pulls = Self { influences: Vec::new(), starts: vec![0], counts: Vec::new() };
        for vertex in 0..mesh.vertex_count() {
            let start = pulls.influences.len();
            let used = mesh.influences_of(vertex).iter().filter(|influence| influence.weight != 0.0);
            pulls.influences.extend(used);
            pulls.counts.push(pulls.influences.len() - start);
            if is_cut {
                pulls.influences[start..].sort_by(|a, b| b.weight.total_cmp(&a.weight));
                pulls.influences.truncate(start.saturating_add(limit));
            }
            pulls.starts.push(pulls.influences.len());
        }
        pulls
    }

    fn of(&self, vertex: u32) -> &[Influence] {
        let vertex = vertex as usize;
        &self.influences[self.starts[vertex]..self.starts[vertex + 1]]
    }
}

/// A batch to which triangles are added. Influences use the mesh's slots until [`Building::finish`].
#[derive(Default, Clone)]
struct Building {
    /// Vertices assigned to this batch, with any influences.
    announced: std::collections::HashSet<u32>,
    /// Batch vertex by mesh vertex and, if a triangle lost influences, the slots that it kept.
    known: HashMap<(u32, Option<Vec<u32>>), u32>,
    vertices: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    influences: Vec<Influence>,
    influence_starts: Vec<u32>,
}

impl Building {
    fn has(&self, vertex: u32) -> bool {
        self.announced.contains(&vertex)
    }

    fn announce(&mut self, vertex: u32) {
        self.announced.insert(vertex);
    }

    fn vertex(&mut self, pulls: &Pulls, vertex: u32) -> u32 {
        if let Some(&local) = self.known.get(&(vertex, None)) {
            return local;
        }
        self.append((vertex, None), pulls.of(vertex).iter().copied())
    }

    fn trimmed_vertex(&mut self, mesh: &Mesh, pulls: &Pulls, vertex: u32, kept: &[u32], dropped: &mut usize) -> u32 {
        let all = pulls.counts[vertex as usize];
        let mut left = pulls.of(vertex).to_vec();
        left.retain(|influence| kept.contains(&influence.slot));
        if left.len() == all {
            return self.vertex(pulls, vertex);
        }
        *dropped += all - left.len();
        let sum: f32 = left.iter().map(|influence| influence.weight).sum();
        if sum != 0.0 {
            left.iter_mut().for_each(|influence| influence.weight /= sum);
        } else if let Some(&heaviest) = kept.first() {
            let inverse_bind = mesh.bind[heaviest as usize].inverse_bind;
            let offset = inverse_bind.transform_point3(mesh.positions[vertex as usize].as_dvec3()).as_vec3();
            left = vec![Influence { slot: heaviest, weight: 1.0, offset }];
        }
        let key = (vertex, Some(left.iter().map(|influence| influence.slot).collect()));
        match self.known.get(&key) {
            Some(&local) => local,
            None => self.append(key, left),
        }
    }

    fn append(&mut self, key: (u32, Option<Vec<u32>>), influences: impl IntoIterator<Item = Influence>) -> u32 {
        let local = self.vertices.len() as u32;
        self.vertices.push(key.0);
        self.known.insert(key, local);
        self.influence_starts.push(self.influences.len() as u32);
        self.influences.extend(influences);
        local
    }

    fn finish(mut self) -> Batch {
        self.influence_starts.push(self.influences.len() as u32);
        let mut slots: Vec<u32> = self.influences.iter().map(|influence| influence.slot).collect();
        slots.sort_unstable();
        slots.dedup();
        for influence in &mut self.influences {
            // Every slot is in `slots`, which was collected from these influences.
            influence.slot = slots.partition_point(|&slot| slot < influence.slot) as u32;
        }
        Batch {
            slots,
            vertices: self.vertices,
            triangles: self.triangles,
            influences: self.influences,
            influence_starts: self.influence_starts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BindJoint, Skeleton, Transform};
    use glam::{DAffine3, Vec3};

    /// Only two of the weights 0.1, 0.6 and 0.3 may stay. The rest still counts as dropped.
    #[test]
    fn beyond_a_bound_a_vertex_keeps_its_heaviest_influences() {
        let joint = Skeleton::new().push("", None, Transform::IDENTITY);
        let pull = |(slot, weight)| Influence { slot, weight, offset: Vec3::ZERO };
        let mesh = Mesh {
            positions: vec![Vec3::ZERO; 2],
            triangles: vec![[0, 1, 1]],
            bind: vec![BindJoint { joint, inverse_bind: DAffine3::IDENTITY }; 4],
            influences: [(0, 0.1), (1, 0.6), (2, 0.3), (3, 0.0), (3, 1.0)].map(pull).into(),
            influence_starts: vec![0, 4, 5],
            ..Mesh::default()
        };
        let weights = |pulls: &Pulls| pulls.of(0).iter().map(|influence| influence.weight).collect::<Vec<_>>();
        let whole = Pulls::new(&mesh, 2, 6);
        assert_eq!((weights(&whole), &whole.counts[..]), (vec![0.1, 0.6, 0.3], &[3, 1][..]));
        let cut = Pulls::new(&mesh, 2, 5);
        assert_eq!((weights(&cut), &cut.counts[..]), (vec![0.6, 0.3], &[3, 1][..]));
    }
}
