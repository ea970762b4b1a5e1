//! Names of files inside a game: relative, separated by `/`, not case-sensitive.

/// Reason why an engine never finds a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// The name is empty or only a slash.
    #[error("the name is empty")]
    Empty,
    /// The name contains `..` anywhere, even as in `a..b`.
    #[error("a name with '..' is never found")]
    DotDot,
    /// The name contains `::`, a drive on old systems.
    #[error("a name with '::' is never found")]
    Colons,
}

/// Normalises a name for searching archives: lower case, `\` replaced with `/`, one leading slash removed.
///
/// # Errors
///
/// Returns [`BadName`] for names that engines refuse.
pub fn game_name(text: &str) -> Result<String, BadName> {
    let name = fold(text);
    let name = name.strip_prefix('/').unwrap_or(&name);
    match () {
        () if name.is_empty() => Err(BadName::Empty),
        () if name.contains("..") => Err(BadName::DotDot),
        () if name.contains("::") => Err(BadName::Colons),
        () => Ok(name.to_owned()),
    }
}

/// Converts ASCII letters to lower case, as engines do, and replaces `\` with `/`.
pub fn fold(text: &str) -> String {
    text.replace('\\', "/").to_ascii_lowercase()
}

/// Returns the folder of a name, without a slash at its end. Returns an empty text for a bare file name.
pub fn folder_of(name: &str) -> &str {
    name.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folded_and_bad_ones_refused() {
        assert_eq!(game_name("Models\\MD5/A.md5mesh").as_deref(), Ok("models/md5/a.md5mesh"));
        assert_eq!(game_name("/def/x.def").as_deref(), Ok("def/x.def"));
        // F07
        for (name, why) in [
            ("../secret", BadName::DotDot),
            ("a/../b", BadName::DotDot),
            ("a..b.txt", BadName::DotDot),
            ("x::y", BadName::Colons),
            ("", BadName::Empty),
            ("/", BadName::Empty),
        ] {
            assert_eq!(game_name(name), Err(why), "{name}");
        }
    }
}
