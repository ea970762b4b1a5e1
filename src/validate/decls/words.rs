//! Doom 3's own messages for faults of decls.

use bindpose_parsers::decl::FaultKind;

/// Returns the line that Doom 3 prints for a fault of a decl, without file and line. Empty if it prints nothing.
pub(super) fn printed(fault: &FaultKind, decl: &str) -> String {
    let bare = |expected: &str| expected.trim_matches('\'').to_owned();
    match fault {
        FaultKind::NestedComment => "nested comment".to_owned(),
        FaultKind::OpenString => "newline inside string".to_owned(),
        FaultKind::Character { byte } => format!("unknown punctuation {}", char::from(*byte)),
        FaultKind::TwoDots => "more than one dot in number".to_owned(),
        FaultKind::MissingName => "Missing decl name".to_owned(),
        FaultKind::MissingBlock { found, .. } | FaultKind::StrayBrace { swallowed: found } => {
            format!("Expecting '{{' but found '{found}'")
        }
        FaultKind::NoDefinition { .. } => "Type without definition at end of file".to_owned(),
        FaultKind::Expected { expected: "a frame's number", found } => {
            format!("expected integer value, found '{found}'")
        }
        FaultKind::Expected { expected, found } => format!("expected '{}' but found '{found}'", bare(expected)),
        FaultKind::UnexpectedEnd { .. } => "Unexpected end of file".to_owned(),
        FaultKind::UnexpectedLineEnd { .. } => "Unexpected end of line".to_owned(),
        FaultKind::UnknownMaterialWord { word } => format!("unknown general material parameter '{word}' in '{decl}'"),
        FaultKind::UnknownStageWord { word } => format!("unknown token '{word}' in material '{decl}'"),
        FaultKind::UnknownBlend { word } => format!("unknown blend mode '{word}' in material '{decl}'"),
        FaultKind::UnknownDeform { word } => format!("Bad deform type '{word}'"),
        FaultKind::UnknownTexGen { word } => format!("bad texGen '{word}' in material {decl}"),
        FaultKind::StageWithoutImage => format!("material '{decl}' had stage with no image"),
        FaultKind::TooManyStages => format!("material '{decl}' exceeded 256 stages"),
        FaultKind::BadMinus { found } => format!("Bad negative number '{found}'"),
        FaultKind::BadTerm { found } => format!("Bad term '{found}'"),
        FaultKind::NoRotationTable => "no sinTable for rotate defined".to_owned(),
        FaultKind::ImageProgramWord { expected, found } => format!("expected '{expected}' but found '{found}'"),
        FaultKind::UnknownModelWord { word, .. } => format!("unknown token '{word}'"),
        FaultKind::UnknownAnimWord { word } | FaultKind::UnknownCommand { word } => format!("Unknown command '{word}'"),
        FaultKind::AnimName { name } => format!("Invalid animation name '{name}'"),
        FaultKind::DuplicateAnim { name } => format!("Duplicate anim '{name}'"),
        FaultKind::TooManySynced => "Exceeded max synced anims (3)".to_owned(),
        FaultKind::AnimBeforeMesh => "Must specify mesh before defining anims".to_owned(),
        FaultKind::ChannelBeforeMesh => "Must specify mesh before defining channels".to_owned(),
        FaultKind::UnknownChannel { name } => format!("Unknown channel '{name}'"),
        FaultKind::MeshExtension { .. } => "Invalid model for MD5 mesh".to_owned(),
        FaultKind::RemovesOwn { name } => {
            format!("Anim '{name}' was not inherited.  Anim should be removed from the model def.")
        }
        FaultKind::BrokenTable { why } => match &**why {
            FaultKind::Expected { expected: "'}' or ','", .. } => "expected comma or brace".to_owned(),
            FaultKind::Expected { expected: "snap, clamp or '{'", found } => format!("unknown token '{found}'"),
            FaultKind::Expected { found, .. } => format!("expected float value, found '{found}'"),
            why => printed(why, decl),
        },
        FaultKind::UnquotedKey { found } => format!("Expected quoted string, but found '{found}'"),
        FaultKind::DuplicateKey { key } => format!("'{key}' already defined"),
        _ => String::new(),
    }
}
