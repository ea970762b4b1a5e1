//! Joints and vertices in the view: their positions, picking, and close-ups.

use super::steps::NO_JOINT;
use super::{Change, Gizmo, Player, Viewport, paint, pick};
use bindpose_core::model::JointId;
use bindpose_core::pose::ModelPose;
use glam::{DAffine3, DQuat, DVec3, Vec2};

impl Player {
    /// Looks at the selected joint and everything that it moves, as last drawn.
    pub fn focus_on_joint(&mut self) {
        let Some(joint) = self.state.joint else { return self.notes.push(NO_JOINT.into()) };
        let (Some(at), Some((_, posed))) = (self.joint_in_world(joint), self.pose()) else { return };
        let centre = posed.0[joint.index()].translation.as_vec3();
        let model = self.model();
        let positions = paint::linear_positions(model, posed);
        let mut reach: f32 = 0.0;
        for (mesh, positions) in model.meshes.iter().zip(&positions) {
            let is_moved = |vertex: usize| mesh.heaviest(vertex).is_some_and(|(_, heaviest)| heaviest == joint);
            let moved = positions.iter().enumerate().filter(|&(vertex, _)| is_moved(vertex));
            reach = moved.map(|(_, position)| position.distance(centre)).fold(reach, f32::max);
        }
        // For a joint without vertices, the view includes its neighbours.
        let is_alone = reach == 0.0;
        for (other, known) in model.skeleton.ids().zip(model.skeleton.joints()).filter(|_| is_alone) {
            if known.parent == Some(joint) || model.skeleton[joint].parent == Some(other) {
                reach = reach.max(posed.0[other.index()].translation.as_vec3().distance(centre));
            }
        }
        self.apply(&Change::Focus(at.translation.as_vec3(), reach));
    }

    /// Returns a joint of the first copy in world space, as last drawn.
    pub fn joint_in_world(&self, joint: JointId) -> Option<DAffine3> {
        Some(self.world_from_first() * *self.pose()?.1.0.get(joint.index())?)
    }

    /// Returns the axis (0 to 2) of the selected joint's ring at a pixel. The view has `size` pixels.
    pub fn ring_at(&self, size: Vec2, pixel: Vec2) -> Option<usize> {
        let view = Viewport::new(&self.state.camera, size);
        Gizmo::new(&view, &self.joint_in_world(self.state.joint?)?)?.ring_at(&view, pixel)
    }

    /// Turns the selected joint by its ring of an axis (0 to 2), dragged from one pixel to another.
    pub fn turn_by_ring(&self, size: Vec2, axis: usize, [from, to]: [Vec2; 2]) -> Option<Change> {
        let (view, joint) = (Viewport::new(&self.state.camera, size), self.state.joint?);
        let angle = Gizmo::new(&view, &self.joint_in_world(joint)?)?.turned(&view, axis, from, to);
        let turn = self.state.turns.get(&joint).copied().unwrap_or(DQuat::IDENTITY);
        Some(Change::Turn(joint, turn * DQuat::from_axis_angle(*DVec3::AXES.get(axis)?, angle)))
    }

    /// Selects the joint at a pixel if bones are shown, otherwise the vertex. The view has `size` pixels.
    pub fn pick(&self, size: Vec2, pixel: Vec2) -> Option<Change> {
        /// Largest distance from a joint or from the edge of a mesh, in pixels.
        const REACH: f32 = 10.0;
        let viewport = Viewport::new(&self.state.camera, size);
        let (_, posed) = self.pose()?;
        let world_from_model = self.world_from_first();
        let in_world = ModelPose(posed.0.iter().map(|joint| world_from_model * *joint).collect());
        if self.state.settings.skeleton
            && let Some(joint) = pick::joint_at(&viewport, &in_world, pixel, REACH)
        {
            return Some(Change::SelectJoint(self.model().skeleton.id(joint)));
        }
        let model = self.model();
        let mut positions = paint::linear_positions(model, posed);
        let turn = world_from_model.as_affine3a();
        positions.iter_mut().flatten().for_each(|position| *position = turn.transform_point3(*position));
        let vertex = pick::vertex_at(&viewport, &model.meshes, &positions, &self.state.hidden, pixel, REACH);
        vertex.map(Change::SelectVertex)
    }
}
