//! Joints in parents-first order.

use super::Transform;
use crate::suggest;
use glam::DVec3;

/// Index of a joint in its [`Skeleton`], already checked to be in range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointId(u32);

impl JointId {
    /// Returns the index for slices with one entry per joint.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Name, parent and rest pose of a joint.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Name from the file. Not necessarily unique.
    pub name: String,
    /// Parent. `None` for a root. Several roots are allowed.
    pub parent: Option<JointId>,
    /// Rest pose in the parent's space, used for a joint without a track.
    ///
    /// The bind pose is separate and belongs to each mesh ([`super::BindJoint::inverse_bind`]).
    pub rest_local: Transform,
}

/// Joints, every parent before its children.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
}

impl Skeleton {
    /// Returns an empty skeleton.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a joint. `parent` must be an id of this skeleton.
    pub fn push(&mut self, name: impl Into<String>, parent: Option<JointId>, rest_local: Transform) -> JointId {
        let id = JointId(self.joints.len() as u32);
        debug_assert!(parent.is_none_or(|parent| parent < id), "parent id of another skeleton");
        self.joints.push(Joint { name: name.into(), parent, rest_local });
        id
    }

    /// Returns the joints, parents first.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Replaces the rest pose of a joint.
    pub fn set_rest_local(&mut self, joint: JointId, rest_local: Transform) {
        self.joints[joint.index()].rest_local = rest_local;
    }

    /// Renames a joint.
    pub fn set_name(&mut self, joint: JointId, name: impl Into<String>) {
        self.joints[joint.index()].name = name.into();
    }

    /// Returns the number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// True if there are no joints.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Returns the id of the joint at `index`. Returns `None` out of range.
    pub fn id(&self, index: usize) -> Option<JointId> {
        (index < self.joints.len()).then_some(JointId(index as u32))
    }

    /// Returns all ids, parents first.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = JointId> + use<> {
        (0..self.joints.len() as u32).map(JointId)
    }

    /// Returns the number of ancestors of each joint.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths: Vec<u32> = Vec::with_capacity(self.len());
        for joint in &self.joints {
            depths.push(joint.parent.map_or(0, |parent| depths[parent.index()] + 1));
        }
        depths
    }

    /// Returns the direction of a joint's bone as a unit vector in joint space: towards the mean of its children, else
    /// away from its parent. Returns `None` if that has no length.
    pub fn bone(&self, joint: JointId) -> Option<DVec3> {
        let children = self.joints.iter().filter(|child| child.parent == Some(joint));
        let sum: DVec3 = children.map(|child| child.rest_local.translation).sum();
        let own = &self[joint].rest_local;
        sum.try_normalize().or_else(|| (own.rotation.inverse() * own.translation).try_normalize())
    }

    /// Returns the first joint of this name; case-sensitive.
    pub fn find(&self, name: &str) -> Option<JointId> {
        self.ids().find(|id| self.joints[id.index()].name == name)
    }

    /// Returns the joint that a user names, ignoring case if there is no exact match.
    ///
    /// # Errors
    ///
    /// No such joint.
    pub fn named(&self, name: &str) -> Result<JointId, UnknownJoint> {
        let same = |id: &JointId| self[*id].name.eq_ignore_ascii_case(name);
        self.find(name).or_else(|| self.ids().find(same)).ok_or_else(|| {
            let near = suggest::nearest(name, self.joints.iter().map(|joint| joint.name.as_str()));
            let near = near.map(|near| format!("did you mean '{near}'?"));
            UnknownJoint(name.to_owned(), near.unwrap_or_else(|| "`bindpose info` lists the joints".into()))
        })
    }
}

impl std::ops::Index<JointId> for Skeleton {
    type Output = Joint;

    fn index(&self, joint: JointId) -> &Joint {
        &self.joints[joint.index()]
    }
}

/// A name that no joint has. The text suggests another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no joint is called '{0}'; {1}")]
pub struct UnknownJoint(String, String);
