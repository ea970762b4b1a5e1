//! Arrays that a mesh's records are written to, and the consequences of their indices.

use super::super::{Fallible, Slots, Stop, before_gap, read_outside, refuse};
use super::Version;
use crate::codes::mesh;
use crate::verdict::{Outcome, Verdict};
use bindpose_parsers::Span;
use std::collections::BTreeSet;

/// Number of records that fit in 256 MiB.
const MOST_VERTICES: u64 = (256 << 20) / 16;
const MOST_WEIGHTS: u64 = (256 << 20) / 20;
/// Weights between minus and plus this value count as 0.
const EPSILON: f64 = f32::EPSILON as f64;

pub(super) struct Vert {
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) span: Span,
}

pub(super) struct Weight {
    pub(super) joint: u32,
    pub(super) weight: f64,
    pub(super) span: Span,
}

/// An array that grows to the highest index written. Other elements are zero.
pub(super) struct Growing<T> {
    written: Slots<T>,
    length: u32,
}

impl<T> Default for Growing<T> {
    fn default() -> Self {
        Self { written: Slots::new(), length: 0 }
    }
}

impl<T> Growing<T> {
    pub(super) fn resize(&mut self, length: u32) {
        self.length = length;
        self.written.split_off(&length.into());
    }

    pub(super) fn put(&mut self, slot: u32, record: T) {
        self.length = self.length.max(slot.saturating_add(1));
        self.written.insert(slot.into(), record);
    }
}

#[derive(Default)]
pub(super) struct Surface {
    pub(super) verts: Growing<Vert>,
    pub(super) tris: Growing<([u32; 3], Span)>,
    pub(super) weights: Growing<Weight>,
    /// Span of `numverts`.
    pub(super) verts_span: Span,
    /// Span of the number after `numtris`.
    pub(super) tris_span: Span,
}

impl Surface {
    pub(super) fn is_empty(&self) -> bool {
        self.verts.length == 0 || self.tris.length == 0
    }

    /// Checks what the importer reads while it builds the mesh.
    pub(super) fn check(&self, version: Version, verdict: &mut Verdict, num_joints: usize) -> Fallible<()> {
        if version == Version::Later {
            self.check_sizes()?;
        }
        let used = self.check_triangles(version, verdict)?;
        let gap = before_gap(&self.verts.written, |vert| vert.span).unwrap_or(self.verts_span);
        if let Some(lost) = used.iter().find(|&&corner| !self.verts.written.contains_key(&corner.into())) {
            verdict.add_misread(mesh::RECORD_COUNT, gap, || {
                format!("vertex {lost} is used, but was not read, so it is at the origin")
            });
        }
        if version == Version::Release {
            self.check_copies(&used, gap, verdict);
        }
        let strays = self.strays(version, num_joints);
        for vert in self.verts.written.values() {
            self.check_weights(vert, &strays, version, verdict, num_joints)?;
        }
        Ok(())
    }

    /// Refuses a mesh that is too large. Each triangle may need three separate vertices with their weights.
    fn check_sizes(&self) -> Fallible<()> {
        let [verts, tris, weights] = [self.verts.length, self.tris.length, self.weights.length];
        let span = self.verts_span;
        let corners = 3 * u64::from(tris);
        if u64::from(verts) + corners > MOST_VERTICES {
            return refuse(Outcome::Refuses, mesh::TOO_MANY_VERTICES, span, "MD5MESH: too many vertices");
        }
        let copies = u64::from(weights) * corners / u64::from(verts.max(1));
        if copies > MOST_WEIGHTS {
            return refuse(Outcome::Refuses, mesh::TOO_MANY_WEIGHTS, span, "MD5MESH: too many weights");
        }
        Ok(())
    }

    /// Checks the indices of the copies that the release makes of vertices used twice: they begin after all vertices, but
    /// the mesh has only three vertices per triangle.
    fn check_copies(&self, used: &BTreeSet<u32>, gap: Span, verdict: &mut Verdict) {
        let count = used.len() as u32;
        if overruns(self.verts.length, self.tris.length, count) {
            verdict.add_undefined(mesh::RECORD_COUNT, self.verts_span, || {
                "vertices that no triangle uses make the release write behind its array".to_owned()
            });
        } else if u64::from(count) < 3 * u64::from(self.tris.length) && count < self.verts.length {
            let is_unused = |(slot, _): &(&i64, &Vert)| u32::try_from(**slot).is_ok_and(|slot| !used.contains(&slot));
            let (rule, span) = match self.verts.written.iter().find(is_unused) {
                Some((_, vert)) => (mesh::UNUSED_VERTEX, vert.span),
                None => (mesh::RECORD_COUNT, gap),
            };
            verdict.add_misread(rule, span, || {
                "triangles name vertices beyond the end of the mesh, because others are not used".to_owned()
            });
        }
    }

    /// Returns the vertices that triangles use.
    fn check_triangles(&self, version: Version, verdict: &mut Verdict) -> Fallible<BTreeSet<u32>> {
        let mut used = BTreeSet::new();
        let mut end = self.tris_span;
        let mut written = self.tris.written.iter();
        for slot in 0..i64::from(self.tris.length) {
            let Some((_, (corners, span))) = written.next().filter(|(known, _)| **known == slot) else {
                if version == Version::Later {
                    let message = "MD5MESH: face is missing its three vertex indices";
                    return refuse(Outcome::Refuses, mesh::RECORD_COUNT, end, message);
                }
                verdict.add_undefined(mesh::RECORD_COUNT, end, || "a triangle without corners is read".to_owned());
                return Err(Stop::Lost);
            };
            end = *span;
            for (number, &corner) in corners.iter().enumerate() {
                // The release checks only the first corner, and compares it with the triangles' number of corners.
                let is_refused = match version {
                    Version::Later => corner >= self.verts.length,
                    Version::Release => number == 0 && u64::from(corner) >= 3 * u64::from(self.tris.length),
                };
                if is_refused {
                    return refuse(Outcome::Refuses, mesh::INDEX_RANGE, *span, "MD5MESH: Invalid vertex index");
                }
                if corner >= self.verts.length {
                    read_outside(verdict, *span, "vertex", corner, self.verts.length);
                } else {
                    used.insert(corner);
                }
            }
        }
        Ok(used)
    }

    fn strays(&self, version: Version, num_joints: usize) -> Slots<&Weight> {
        let is_stray = |weight: &Weight| {
            // The release ignores weights that are nearly 0.
            let is_none = weight.weight < EPSILON && weight.weight >= -EPSILON && version == Version::Release;
            weight.joint as usize >= num_joints && !is_none
        };
        let written = self.weights.written.iter().map(|(&slot, weight)| (slot, weight));
        written.filter(|(_, weight)| is_stray(weight)).collect()
    }

    fn check_weights(
        &self,
        vert: &Vert,
        strays: &Slots<&Weight>,
        version: Version,
        verdict: &mut Verdict,
        num_joints: usize,
    ) -> Fallible<()> {
        let end = vert.first.wrapping_add(vert.count);
        if end <= vert.first {
            return Ok(());
        }
        let length = self.weights.length;
        // Declared but missing weights name joint 0.
        let is_blank = num_joints == 0 && vert.first < length && version == Version::Later;
        let stray = strays.range(i64::from(vert.first)..i64::from(end)).next();
        if let Some((_, weight)) = stray.filter(|_| !is_blank) {
            if version == Version::Later {
                return refuse(Outcome::Refuses, mesh::INDEX_RANGE, weight.span, "MD5MESH: Invalid bone index");
            }
            read_outside(verdict, weight.span, "joint", weight.joint, num_joints);
        }
        if is_blank {
            return refuse(Outcome::Refuses, mesh::INDEX_RANGE, vert.span, "MD5MESH: Invalid bone index");
        }
        if end > length {
            if version == Version::Release {
                read_outside(verdict, vert.span, "weight", end - 1, length);
            }
            return refuse(Outcome::Refuses, mesh::INDEX_RANGE, vert.span, "MD5MESH: Invalid weight index");
        }
        Ok(())
    }
}

/// True if the release writes past its array of vertices. It allocates three per triangle, in an array that grows to at
/// least twice its size, and appends copies of vertices to all existing ones.
fn overruns(verts: u32, tris: u32, used: u32) -> bool {
    let (verts, corners, used) = (u64::from(verts), 3 * u64::from(tris), u64::from(used));
    let room = if corners > verts { corners.max(2 * verts) } else { verts };
    corners > used && verts + corners - used > room
}
