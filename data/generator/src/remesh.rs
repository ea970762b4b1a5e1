//! Even triangles: splits long edges, collapses short ones, flips edges for valence, moves vertices along the surface.
//!
//! After Botsch and Kobbelt, "A remeshing approach to multiresolution modeling" (2004), section 4. The surface's edge,
//! if it has one, is in the plane y = 0 and stays there.

use crate::polygonise::Surface;
use glam::DVec3;

/// The surface that a mesh is fitted to.
pub struct Target<'a> {
    /// Returns the target edge length at a point.
    pub length: &'a dyn Fn(DVec3) -> f64,
    /// Returns the nearest point of the true surface.
    pub project: &'a dyn Fn(DVec3) -> DVec3,
}

/// Remeshes `surface` in `rounds` rounds. Ten rounds give edges within about a third of the target length.
pub fn remesh(surface: Surface, rounds: usize, target: &Target) -> Surface {
    let mut mesh = surface;
    for _ in 0..rounds {
        mesh = split_long(mesh, target);
        let mut fan = Fans::new(mesh);
        fan.collapse_short(target);
        fan.flip();
        fan.relax(target);
        fan.relax(target);
        mesh = fan.compact();
    }
    mesh
}

/// Splits every edge that is longer than 4/3 of the target length.
fn split_long(mut mesh: Surface, target: &Target) -> Surface {
    let too_long = |a: DVec3, b: DVec3| a.distance(b) > (target.length)((a + b) * 0.5) * 4.0 / 3.0;
    let mut edges: Vec<(u32, u32)> = mesh
        .triangles
        .iter()
        .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
        .map(|(a, b)| (a.min(b), a.max(b)))
        .filter(|&(a, b)| too_long(mesh.positions[a as usize], mesh.positions[b as usize]))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let first = mesh.positions.len() as u32;
    for &(a, b) in &edges {
        mesh.positions.push((mesh.positions[a as usize] + mesh.positions[b as usize]) * 0.5);
    }
    let middle = |a: u32, b: u32| edges.binary_search(&(a.min(b), a.max(b))).ok().map(|n| first + n as u32);
    let mut triangles = Vec::new();
    for &[a, b, c] in &mesh.triangles {
        match [middle(a, b), middle(b, c), middle(c, a)] {
            [None, None, None] => triangles.push([a, b, c]),
            [Some(m), None, None] => triangles.extend([[a, m, c], [m, b, c]]),
            [None, Some(m), None] => triangles.extend([[b, m, a], [m, c, a]]),
            [None, None, Some(m)] => triangles.extend([[c, m, b], [m, a, b]]),
            [Some(m), Some(n), None] => triangles.extend([[m, b, n], [a, m, n], [a, n, c]]),
            [None, Some(m), Some(n)] => triangles.extend([[m, c, n], [b, m, n], [b, n, a]]),
            [Some(n), None, Some(m)] => triangles.extend([[m, a, n], [c, m, n], [c, n, b]]),
            [Some(m), Some(n), Some(o)] => triangles.extend([[a, m, o], [m, b, n], [o, n, c], [m, n, o]]),
        }
    }
    mesh.triangles = triangles;
    mesh
}

/// A mesh with the triangles around each vertex; removed triangles are `None`.
struct Fans {
    positions: Vec<DVec3>,
    triangles: Vec<Option<[u32; 3]>>,
    around: Vec<Vec<u32>>,
    edge: Vec<bool>,
}

impl Fans {
    fn new(mesh: Surface) -> Self {
        let mut around = vec![Vec::new(); mesh.positions.len()];
        for (number, triangle) in mesh.triangles.iter().enumerate() {
            for &vertex in triangle {
                around[vertex as usize].push(number as u32);
            }
        }
        let mut fans = Self {
            edge: vec![false; mesh.positions.len()],
            positions: mesh.positions,
            triangles: mesh.triangles.into_iter().map(Some).collect(),
            around,
        };
        for vertex in 0..fans.positions.len() as u32 {
            fans.edge[vertex as usize] = fans.neighbours(vertex).len() != fans.around[vertex as usize].len();
        }
        fans
    }

    fn neighbours(&self, vertex: u32) -> Vec<u32> {
        let mut all: Vec<u32> = self.corners_around(vertex).flatten().filter(|&other| other != vertex).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn corners_around(&self, vertex: u32) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.around[vertex as usize].iter().filter_map(|&triangle| self.triangles[triangle as usize])
    }

    /// Returns the triangles at an edge: one at the surface's edge, otherwise two.
    fn sharing(&self, a: u32, b: u32) -> Vec<u32> {
        let has = |&number: &u32| self.triangles[number as usize].is_some_and(|corners| corners.contains(&b));
        self.around[a as usize].iter().copied().filter(has).collect()
    }

    fn at(&self, vertex: u32) -> DVec3 {
        self.positions[vertex as usize]
    }

    fn normal(&self, [a, b, c]: [u32; 3]) -> DVec3 {
        (self.at(b) - self.at(a)).cross(self.at(c) - self.at(a))
    }

    /// Removes edges shorter than 4/5 of the target length, unless that creates long ones or flips a triangle.
    fn collapse_short(&mut self, target: &Target) {
        for from in 0..self.positions.len() as u32 {
            let here = self.at(from);
            let limit = (target.length)(here);
            let mut near: Vec<(f64, u32)> =
                self.neighbours(from).into_iter().map(|to| (self.at(to).distance(here), to)).collect();
            near.retain(|&(distance, _)| distance < limit * 0.8);
            near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            if let Some(&(_, to)) = near.iter().find(|&&(_, to)| self.may_collapse(from, to, limit * 4.0 / 3.0)) {
                self.collapse(from, to);
            }
        }
    }

    fn may_collapse(&self, from: u32, to: u32, longest: f64) -> bool {
        let shared = self.sharing(from, to);
        let edge_edge = shared.len() == 1;
        if self.edge[from as usize] && !(edge_edge && self.edge[to as usize]) {
            return false;
        }
        let [mine, theirs] = [self.neighbours(from), self.neighbours(to)];
        let common = mine.iter().filter(|vertex| theirs.contains(vertex)).count();
        // The link condition keeps the mesh a surface. A valence of three would leave a fold.
        let fold = |vertex: u32, valence: usize| !self.edge[vertex as usize] && valence <= 3;
        if common != shared.len() || fold(from, mine.len()) || fold(to, theirs.len()) {
            return false;
        }
        if mine.iter().any(|&vertex| vertex != to && self.at(vertex).distance(self.at(to)) > longest) {
            return false;
        }
        self.corners_around(from).filter(|corners| !corners.contains(&to)).all(|corners| {
            let moved = corners.map(|vertex| if vertex == from { to } else { vertex });
            let (before, after) = (self.normal(corners), self.normal(moved));
            before.dot(after) > 0.5 * before.length() * after.length()
        })
    }

    fn collapse(&mut self, from: u32, to: u32) {
        for number in std::mem::take(&mut self.around[from as usize]) {
            let Some(corners) = self.triangles[number as usize] else { continue };
            if corners.contains(&to) {
                self.triangles[number as usize] = None;
                for vertex in corners {
                    self.around[vertex as usize].retain(|&other| other != number);
                }
            } else {
                self.triangles[number as usize] = Some(corners.map(|vertex| if vertex == from { to } else { vertex }));
                self.around[to as usize].push(number);
            }
        }
    }

    /// Flips edges between two triangles if that brings valences nearer to six (four at the surface's edge).
    fn flip(&mut self) {
        for a in 0..self.positions.len() as u32 {
            for b in self.neighbours(a) {
                if a < b {
                    self.flip_one(a, b);
                }
            }
        }
    }

    fn flip_one(&mut self, a: u32, b: u32) {
        let [left, right] = self.sharing(a, b)[..] else { return };
        let (Some(first), Some(second)) = (self.triangles[left as usize], self.triangles[right as usize]) else {
            return;
        };
        let opposite = |corners: [u32; 3]| corners.into_iter().find(|&vertex| vertex != a && vertex != b);
        let (Some(c), Some(d)) = (opposite(first), opposite(second)) else { return };
        if !self.sharing(c, d).is_empty() {
            return;
        }
        // `first` runs a → b → c in some rotation, or b → a → c.
        let place = first.iter().position(|&vertex| vertex == a).unwrap_or(0);
        let forward = first[(place + 1) % 3] == b;
        let turned = if forward { [[c, a, d], [d, b, c]] } else { [[d, a, c], [c, b, d]] };
        // A triangle with all corners at the surface's edge would be in the plane of the mirror instead of on the
        // surface.
        let [first_flat, second_flat] = [first, second].map(|corners| self.at_edge(corners));
        if !first_flat && !second_flat && self.off_valence([a, b, c, d], -1) >= self.off_valence([a, b, c, d], 0) {
            return;
        }
        let direction = match (first_flat, second_flat) {
            (true, _) => self.normal(second),
            (_, true) => self.normal(first),
            _ => self.normal(first).normalize_or_zero() + self.normal(second).normalize_or_zero(),
        }
        .normalize_or_zero();
        let folds = |&corners: &[u32; 3]| self.normal(corners).normalize_or_zero().dot(direction) < 0.7;
        if turned.iter().any(|corners| folds(corners) || self.at_edge(*corners)) {
            return;
        }
        self.triangles[left as usize] = Some(turned[0]);
        self.triangles[right as usize] = Some(turned[1]);
        self.around[a as usize].retain(|&number| number != right);
        self.around[b as usize].retain(|&number| number != left);
        self.around[c as usize].push(right);
        self.around[d as usize].push(left);
    }

    fn at_edge(&self, corners: [u32; 3]) -> bool {
        corners.iter().all(|&vertex| self.edge[vertex as usize])
    }

    /// Returns the sum of squared errors of the four corners' valences if the first two changed by `change` and the
    /// others by the opposite.
    fn off_valence(&self, [a, b, c, d]: [u32; 4], change: i64) -> i64 {
        let off = |vertex: u32, change: i64| {
            let wanted = if self.edge[vertex as usize] { 4 } else { 6 };
            let off = self.neighbours(vertex).len() as i64 + change - wanted;
            off * off
        };
        off(a, change) + off(b, change) + off(c, -change) + off(d, -change)
    }

    /// Moves every vertex towards the middle of its neighbours along the surface, and back onto the true surface.
    fn relax(&mut self, target: &Target) {
        let moved: Vec<DVec3> = (0..self.positions.len() as u32)
            .map(|vertex| {
                let here = self.at(vertex);
                let mut neighbours = self.neighbours(vertex);
                if neighbours.is_empty() {
                    return here;
                }
                if self.edge[vertex as usize] {
                    neighbours.retain(|&other| self.sharing(vertex, other).len() == 1);
                }
                // Division by the target length gives coarse and fine neighbours the same weight.
                let (mut sum, mut weights) = (DVec3::ZERO, 0.0);
                for &other in &neighbours {
                    let weight = 1.0 / (target.length)((here + self.at(other)) * 0.5);
                    sum += self.at(other) * weight;
                    weights += weight;
                }
                let normal =
                    self.corners_around(vertex).map(|corners| self.normal(corners)).sum::<DVec3>().normalize_or_zero();
                let towards = sum / weights - here;
                let mut moved = (target.project)(here + (towards - normal * towards.dot(normal)) * 0.7);
                if self.edge[vertex as usize] {
                    moved.y = 0.0;
                }
                moved
            })
            .collect();
        self.positions = moved;
    }

    fn compact(self) -> Surface {
        let mut number = vec![u32::MAX; self.positions.len()];
        let mut surface = Surface::default();
        for corners in self.triangles.into_iter().flatten() {
            surface.triangles.push(corners.map(|vertex| {
                let slot = &mut number[vertex as usize];
                if *slot == u32::MAX {
                    *slot = surface.positions.len() as u32;
                    surface.positions.push(self.positions[vertex as usize]);
                }
                *slot
            }));
        }
        surface
    }
}
