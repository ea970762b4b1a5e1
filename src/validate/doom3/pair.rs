//! Match of a clip and a mesh (dhewm3 d3xp/anim/Anim.cpp: CheckModelHierarchy).

use super::Joint;
use crate::codes::{Rule, pair};
use bindpose_core::engines::EngineId;
use bindpose_parsers::Span;

/// A difference for which a clip does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Our rule for the count, a name or a parent.
    pub rule: Rule,
    /// The engine's message, which has no file or line.
    pub message: String,
    /// True if the engine continues.
    pub is_warning: bool,
    /// True if the engine then compares joints that the mesh lacks.
    pub reads_outside: bool,
    /// Joint of the clip. Empty for the count.
    pub span: Span,
}

/// Compares as the engine does: the count, then name and parent of each joint.
///
/// If a different count is only a warning, the common joints are still compared.
pub fn check_pair(engine: EngineId, mesh: &[Joint], anim: &[Joint], mesh_name: &str, anim_name: &str) -> Vec<Mismatch> {
    let mut found = Vec::new();
    if mesh.len() != anim.len() {
        let message = match engine {
            EngineId::Quake4 => format!(
                "Model '{mesh_name}' has different # of joints ({}) than anim '{anim_name}' ({})",
                mesh.len(),
                anim.len()
            ),
            _ => {
                format!("Model '{mesh_name}' has different # of joints than anim '{anim_name}'")
            }
        };
        let is_warning = engine == EngineId::Rbdoom3Bfg;
        found.push(Mismatch {
            rule: pair::JOINT_COUNT,
            message,
            is_warning,
            reads_outside: false,
            span: Span::default(),
        });
        if !is_warning {
            return found;
        }
    }
    let differing = mesh.iter().zip(anim).find_map(|(ours, theirs)| {
        let (rule, message) = if ours.name != theirs.name {
            (pair::JOINT_NAME, format!("Model '{mesh_name}''s joint names don't match anim '{anim_name}''s"))
        } else if !same_parent(engine, ours.parent, theirs.parent) {
            (pair::JOINT_PARENT, format!("Model '{mesh_name}' has different joint hierarchy than anim '{anim_name}'"))
        } else {
            return None;
        };
        Some(Mismatch { rule, message, is_warning: false, reads_outside: false, span: theirs.span })
    });
    if let (None, Some(count)) = (&differing, found.first_mut()) {
        count.reads_outside = anim.len() > mesh.len();
    }
    found.extend(differing);
    found
}

fn same_parent(engine: EngineId, mesh: i32, anim: i32) -> bool {
    match engine {
        // Parents of roots are not compared.
        EngineId::Rbdoom3Bfg if mesh < 0 => true,
        // A mesh's root has no parent, but a clip's root keeps its number: -7 matches nothing.
        _ => mesh.max(-1) == anim,
    }
}
