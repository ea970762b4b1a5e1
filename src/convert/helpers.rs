//! Helper joints by the name of their joint.

use super::Error;
use bindpose_core::model::{MOST_HELPERS, Model, add_helpers, existing_helpers};
use std::fmt;
use std::str::FromStr;

/// Helper joints to add to a joint, written `JOINT=N`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Helpers {
    /// Name of the joint.
    pub joint: String,
    /// Number of its helpers.
    pub count: usize,
}

impl FromStr for Helpers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (joint, count) = text.rsplit_once('=')?;
            let count = count.trim().parse().ok().filter(|count| (1..=MOST_HELPERS).contains(count))?;
            (!joint.is_empty()).then(|| Self { joint: joint.to_owned(), count })
        };
        read().ok_or_else(|| format!("expected JOINT=N with N from 1 to {MOST_HELPERS}, such as forearm_l=2"))
    }
}

impl fmt::Display for Helpers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} helper joint{} at {}", self.count, if self.count == 1 { "" } else { "s" }, self.joint)
    }
}

impl Helpers {
    /// Adds the helpers to a model. Adds to `notes` a sentence about them, and one about helpers that already existed.
    ///
    /// # Errors
    ///
    /// No such joint, or a joint that cannot get helpers.
    pub fn add_to(&self, model: &mut Model, notes: &mut Vec<String>) -> Result<(), Error> {
        let joint = model.skeleton.named(&self.joint)?;
        let name = model.skeleton[joint].name.clone();
        let existing = existing_helpers(model, joint);
        if !existing.is_empty() {
            let names: Vec<&str> = existing.iter().map(|&joint| model.skeleton[joint].name.as_str()).collect();
            notes.push(format!("'{name}' has twist or helper joints already: {}", names.join(", ")));
        }
        let vertices = add_helpers(model, joint, self.count).map_err(Error::of("--helpers"))?;
        let joints =
            if self.count == 1 { "1 helper joint moves" } else { &format!("{} helper joints move", self.count) };
        notes.push(format!("{joints} {vertices} vertices between '{name}' and its parent"));
        Ok(())
    }
}
