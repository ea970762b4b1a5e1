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
    use super::super::testing;
    use super::*;
    use glam::Vec3;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn used(mesh: &Mesh, vertex: u32) -> impl Iterator<Item = Influence> + '_ {
        mesh.influences_of(vertex as usize).iter().copied().filter(|influence| influence.weight != 0.0)
    }

    /// A triangle of three joints with a limit of two keeps the heaviest; its neighbour shares two vertices and keeps all.
    #[test]
    fn a_trimmed_vertex_has_a_form_for_each_set_of_joints() {
        let (skeleton, bind) = testing::chain(3, 1.0);
        let vertices: [(Vec3, &[(u32, f32)]); 5] = [
            (Vec3::X, &[(0, 1.0)]),
            (Vec3::Y, &[(0, 0.5), (1, 0.5)]),
            (Vec3::Z, &[(0, 0.2), (1, 0.4), (2, 0.4)]),
            (Vec3::ONE, &[(0, 1.0)]),
            (Vec3::ZERO, &[(2, 1.0)]),
        ];
        let mesh = testing::mesh(&skeleton, &bind, &vertices, vec![[0, 1, 2], [1, 0, 3]]);
        let whole = split(&mesh, Some(2)).to_mesh(&mesh);
        assert_eq!(whole.source_vertices, [0, 1, 2, 3, 4]);
        let weights: Vec<_> = whole.influences_of(2).iter().map(|it| (it.slot, it.weight)).collect();
        assert_eq!(weights, [(0, 0.2 / (0.2_f32 + 0.4)), (1, 0.4 / (0.2_f32 + 0.4))]);
        assert_eq!((whole.influences_of(1), whole.influences_of(4)), (mesh.influences_of(1), mesh.influences_of(4)));
        let mut triangles = whole.triangles;
        triangles.sort_unstable();
        assert_eq!(triangles, [[0, 1, 2], [1, 0, 3]]);
        // Of four joints in a pair of triangles, the shared vertex loses another one in each.
        let vertices: [(Vec3, &[(u32, f32)]); 3] =
            [(Vec3::X, &[(0, 0.4), (1, 0.3), (2, 0.3)]), (Vec3::Y, &[(1, 1.0)]), (Vec3::Z, &[(2, 1.0)])];
        let mesh = testing::mesh(&skeleton, &bind, &vertices, vec![[0, 1, 1], [0, 2, 2]]);
        let whole = split(&mesh, Some(2)).to_mesh(&mesh);
        assert_eq!(whole.source_vertices, [0, 0, 1, 2]);
        let slots = |vertex| whole.influences_of(vertex).iter().map(|it| it.slot).collect::<Vec<_>>();
        assert_eq!([slots(0), slots(1)], [[0, 1], [0, 2]]);
        assert_eq!(whole.triangles.iter().copied().collect::<BTreeSet<_>>(), [[0, 2, 2], [1, 3, 3]].into());
    }

    /// Checks all guarantees of a split against the mesh.
    fn check(mesh: &Mesh, limit: Option<usize>) -> Split {
        let result = split(mesh, limit);
        let mut drawn: Vec<[u32; 3]> = Vec::new();
        for batch in &result.batches {
            assert!(limit.is_none_or(|limit| batch.slots.len() <= limit), "{} slots of {limit:?}", batch.slots.len());
            assert!(batch.slots.is_sorted_by(|a, b| a < b));
            assert_eq!(batch.influence_starts.len(), batch.vertices.len() + 1);
            let used: BTreeSet<u32> = batch.influences.iter().map(|influence| influence.slot).collect();
            assert!(used.into_iter().eq(0..batch.slots.len() as u32), "a joint of the palette is unused");
            let corners: BTreeSet<u32> = batch.triangles.iter().flatten().copied().collect();
            assert!(corners.into_iter().eq(0..batch.vertices.len() as u32), "a vertex of the batch is unused");
            drawn.extend(batch.triangles.iter().map(|corners| corners.map(|corner| batch.vertices[corner as usize])));
            if result.trimmed.is_empty() {
                for (local, &vertex) in batch.vertices.iter().enumerate() {
                    let expected: Vec<Influence> = used_influences(mesh, vertex);
                    let back = batch.influences_of(local).iter();
                    let actual: Vec<_> = back.map(|i| Influence { slot: batch.slots[i.slot as usize], ..*i }).collect();
                    assert_eq!(actual, expected);
                }
                let distinct: BTreeSet<u32> = batch.vertices.iter().copied().collect();
                assert_eq!(distinct.len(), batch.vertices.len());
            }
        }
        let mut expected = mesh.triangles.clone();
        expected.sort_unstable();
        drawn.sort_unstable();
        assert_eq!(drawn, expected, "every triangle once");
        result
    }

    fn used_influences(mesh: &Mesh, vertex: u32) -> Vec<Influence> {
        used(mesh, vertex).collect()
    }

    /// Returns the number of batches by first-fit in file order.
    fn first_fit(mesh: &Mesh, limit: usize) -> usize {
        let mut batches: Vec<BTreeSet<u32>> = Vec::new();
        for corners in &mesh.triangles {
            let joints: BTreeSet<u32> = corners.iter().flat_map(|&corner| used(mesh, corner)).map(|i| i.slot).collect();
            match batches.iter_mut().find(|batch| batch.union(&joints).count() <= limit) {
                Some(batch) => batch.extend(joints),
                None => batches.push(joints),
            }
        }
        batches.len()
    }

    fn fan(joints: usize, weights: &[&[(u32, f32)]], triangles: &[[u32; 3]]) -> Mesh {
        let (skeleton, bind) = testing::chain(joints, 1.0);
        let position = |number: usize| Vec3::new(number as f32, 1.0, 0.0);
        let vertices: Vec<_> =
            weights.iter().enumerate().map(|(number, weights)| (position(number), *weights)).collect();
        testing::mesh(&skeleton, &bind, &vertices, triangles.to_vec())
    }

    #[test]
    fn without_a_limit_there_is_one_batch() {
        let mesh = fan(9, &[&[(7, 1.0)], &[(2, 0.5), (3, 0.5)], &[(2, 1.0)], &[(0, 1.0)]], &[[0, 1, 2]]);
        let result = check(&mesh, None);
        assert_eq!(result.batches.len(), 1);
        assert_eq!(result.batches[0].slots, [2, 3, 7]);
        assert_eq!(result.batches[0].vertices, [0, 1, 2], "a vertex without a triangle is not drawn");
    }

    #[test]
    fn the_files_order_goes_to_and_fro() {
        let weights: [&[(u32, f32)]; 4] = [&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)], &[(3, 1.0)]];
        let mesh = fan(4, &weights, &[[0, 1, 1], [1, 0, 0], [2, 3, 3], [0, 1, 0], [0, 0, 0], [1, 2, 2]]);
        assert_eq!(draws_in_file_order(&mesh, 2), 4);
        assert_eq!(draws_in_file_order(&mesh, 3), 3);
        assert_eq!(draws_in_file_order(&mesh, 4), 1);
        assert_eq!(draws_in_file_order(&fan(4, &weights, &[]), 2), 0);
    }

    #[test]
    fn a_joint_without_weight_takes_no_slot() {
        let mesh = fan(5, &[&[(0, 1.0), (4, 0.0)], &[(1, 1.0)], &[(2, 0.5), (3, 0.5)]], &[[0, 1, 2]]);
        assert_eq!(check(&mesh, Some(4)).trimmed, [0_u32; 0]);
    }

    /// docs/methods.md "Limits and batches": the joints with the largest weights summed over the corners are kept.
    #[test]
    fn a_triangle_over_the_limit_keeps_its_heaviest_joints() {
        let mesh = fan(
            6,
            &[&[(0, 0.6), (1, 0.4)], &[(2, 0.7), (3, 0.3)], &[(4, 0.2), (5, 0.8)], &[(4, 1.0)]],
            &[[0, 1, 2], [3, 2, 2]],
        );
        // Sums: 5 0.8, 2 0.7, 0 0.6, 1 0.4, 3 0.3, 4 0.2. The three kept are 5, 2 and 0.
        let result = check(&mesh, Some(3));
        assert_eq!((result.trimmed.as_slice(), result.dropped_influences), (&[0][..], 3));
        let trimmed = result.batches.iter().find(|batch| batch.slots == [0, 2, 5]).expect("the trimmed triangle's");
        for local in 0..3 {
            assert_eq!(trimmed.influences_of(local).iter().map(|i| i.weight).collect::<Vec<_>>(), [1.0]);
        }
        let whole = result.batches.iter().find(|batch| batch.slots == [4, 5]).expect("the other triangle's");
        assert_eq!(whole.influences_of(1).iter().map(|i| i.weight).collect::<Vec<_>>(), [0.2, 0.8]);
        assert_eq!(result.duplicated_vertices(), 1);
    }

    #[test]
    fn a_corner_that_loses_all_follows_the_heaviest_joint() {
        let mesh = fan(3, &[&[(0, 1.0)], &[(1, 1.0)], &[(1, 0.5), (2, 0.5)]], &[[0, 1, 2]]);
        let result = check(&mesh, Some(1));
        assert_eq!(result.batches[0].slots, [1]);
        assert_eq!(result.batches[0].influences_of(0)[0].offset, Vec3::new(-1.0, 1.0, 0.0));
        assert_eq!(result.dropped_influences, 2);
    }

    /// Only two of the weights 0.1, 0.6 and 0.3 may stay. The rest still counts as dropped.
    #[test]
    fn beyond_a_bound_a_vertex_keeps_its_heaviest_influences() {
        let mesh = fan(4, &[&[(0, 0.1), (1, 0.6), (2, 0.3), (3, 0.0)], &[(3, 1.0)]], &[[0, 1, 1]]);
        let weights = |pulls: &Pulls| pulls.of(0).iter().map(|influence| influence.weight).collect::<Vec<_>>();
        let whole = Pulls::new(&mesh, 2, 6);
        assert_eq!((weights(&whole), &whole.counts[..]), (vec![0.1, 0.6, 0.3], &[3, 1][..]));
        let cut = Pulls::new(&mesh, 2, 5);
        assert_eq!((weights(&cut), &cut.counts[..]), (vec![0.6, 0.3], &[3, 1][..]));
    }

    #[test]
    fn a_batch_as_a_mesh_is_skinned_alike() {
        let (skeleton, _, tube) = testing::tube(2.0, 1.0, 8, 6);
        let pose = testing::turned(&skeleton, &[(1, glam::DQuat::from_rotation_z(1.0))]);
        let whole = super::super::Skinned::linear(&tube, &pose);
        for batch in &check(&tube, Some(2)).batches {
            let part = batch.to_mesh(&tube);
            let skinned = super::super::Skinned::linear(&part, &pose);
            for (local, &vertex) in batch.vertices.iter().enumerate() {
                assert_eq!(skinned.positions[local], whole.positions[vertex as usize]);
                assert_eq!(skinned.normals[local], whole.normals[vertex as usize]);
            }
        }
    }

    /// Returns a strip over a chain of joints, four influences per vertex.
    fn strip(joints: usize, per_joint: usize) -> Mesh {
        let count = joints * per_joint;
        let weights: Vec<Vec<(u32, f32)>> = (0..count)
            .map(|vertex| {
                let first = (vertex / per_joint).min(joints - 4) as u32;
                (0..4).map(|k| (first + k, 0.25)).collect()
            })
            .collect();
        let weights: Vec<&[(u32, f32)]> = weights.iter().map(|weights| &weights[..]).collect();
        let triangles: Vec<[u32; 3]> = (2..count as u32).map(|vertex| [vertex - 2, vertex - 1, vertex]).collect();
        fan(joints, &weights, &triangles)
    }

    #[test]
    fn three_hundred_joints_fit_into_palettes_of_every_size() {
        let mesh = strip(300, 3);
        for limit in [12, 18, 26, 29, 32, 57, 82, 100, 256, 300] {
            let result = check(&mesh, Some(limit));
            assert_eq!(result.trimmed, [0_u32; 0], "{limit}");
            assert!(result.batches.len() <= first_fit(&mesh, limit), "{limit}");
            // A triangle spans five neighbours at most, so a batch of n joints may share four with the next.
            assert!(result.batches.len() <= 300_usize.div_ceil(limit - 4), "{limit}: {}", result.batches.len());
        }
        assert!(!check(&mesh, Some(4)).trimmed.is_empty());
    }

    fn random_mesh() -> impl Strategy<Value = Mesh> {
        let influence = (0_u32..24, prop_oneof![Just(0.0_f32), 0.01_f32..1.0]);
        let vertices = prop::collection::vec(prop::collection::vec(influence, 0..5), 3..40);
        vertices.prop_flat_map(|weights| {
            let corner = 0..weights.len() as u32;
            let triangles = prop::collection::vec([corner.clone(), corner.clone(), corner], 0..80);
            triangles.prop_map(move |triangles| {
                let weights: Vec<&[(u32, f32)]> = weights.iter().map(|weights| &weights[..]).collect();
                fan(24, &weights, &triangles)
            })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::skin::testing::random_cases()))]
        #[test]
        fn random_meshes_keep_every_promise(mesh in random_mesh(), limit in 1_usize..26) {
            let result = check(&mesh, Some(limit));
            if result.trimmed.is_empty() {
                prop_assert!(result.batches.len() <= first_fit(&mesh, limit));
            }
            prop_assert_eq!(&result, &split(&mesh, Some(limit)), "twice the same");
        }
    }
}
