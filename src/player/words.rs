//! What the player says of itself in words.

use super::{BasePose, Player};
use crate::play::Repeat;
use crate::skin::{Cost, MethodId};
use bindpose_core::diagnostic::Escaped;

impl Player {
    /// Model, whose playback, clip, frame, how it is played, frames per second, method: a window's title.
    pub fn title(&self, frames_per_second: f64) -> String {
        let (state, playback) = (&self.state, &self.state.playback);
        let mut parts = vec![Escaped(&self.model().name).to_string()];
        parts.extend(self.engine().map(|engine| format!("as {}", engine.title)));
        match self.current_clip() {
            Some(clip) => {
                parts.push(Escaped(&clip.name).to_string());
                parts.push(format!("frame {}/{}", playback.frame(), playback.last_frame()));
            }
            None => parts.push("no clip".into()),
        }
        if let Some(film) = state.shown_film() {
            parts.push(format!("camera at {:.2} of {:.2} s", film.time(), film.duration()));
        }
        match state.base_pose {
            BasePose::Clip => {}
            other => parts.push(other.name().into()),
        }
        match playback.repeat {
            Repeat::Loop => {}
            Repeat::Clamp => parts.push("once".into()),
            Repeat::PingPong => parts.push("ping-pong".into()),
        }
        if playback.paused {
            parts.push("paused".into());
        } else {
            if playback.speed != 1.0 {
                parts.push(format!("speed {}", playback.speed));
            }
            if state.is_moving() {
                parts.push(format!("{frames_per_second:.0} fps"));
            }
        }
        parts.push(state.method.method().name.into());
        parts.join(" | ")
    }
}

/// A line on each thing that a method's limits took away, or that it cannot do exactly.
pub(super) fn cost_notes(method: MethodId, cost: &Cost) -> Vec<String> {
    let mut notes = Vec::new();
    if cost.reduced_vertices > 0 {
        let most = 100.0 * cost.most_dropped;
        let limit = method.method().influences.unwrap_or(0);
        notes.push(format!(
            "{method} takes {limit} influences per vertex: {} vertices lost some, at most {most:.1} % of their weight",
            cost.reduced_vertices
        ));
    }
    if cost.divided_vertices > 0 {
        let vertices = cost.divided_vertices;
        notes.push(format!("the weights of {vertices} vertices do not sum to 1; {method} divides them by their sum"));
    }
    if cost.broken_conditions > 0 {
        let vertices = cost.broken_conditions;
        notes.push(format!(
            "{method} is exact where a joint meets the joints that start at its end; {vertices} vertices follow others"
        ));
    }
    if cost.trimmed_triangles > 0 {
        notes.push(format!(
            "{} triangles use more joints than a batch of {method} may, and lost some",
            cost.trimmed_triangles
        ));
    }
    notes
}
