//! Changes to the valid mesh and clip, and the engines' messages about them.

pub const MESH: &str = include_str!("../cases/validate/base.md5mesh");
pub const ANIM: &str = include_str!("../cases/validate/base.md5anim");

/// Changes to the mesh and to the clip, and the message of each engine.
pub struct Case<const ENGINES: usize> {
    pub id: &'static str,
    pub mesh: &'static [(&'static str, &'static str)],
    pub anim: &'static [(&'static str, &'static str)],
    pub said: [&'static str; ENGINES],
}

/// Returns `base` with the first occurrence of each `from`, which must exist, replaced.
pub fn change(base: &str, id: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(base.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{id}: the base has no {from:?}");
        text.replacen(from, to, 1)
    })
}
