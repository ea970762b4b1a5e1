//! Checks that no input makes the readers of decls panic, hang or nest without end, and that every position is in the
//! file.

use bindpose_parsers::Span;
use bindpose_parsers::decl::{
    DeclKind, Fault, parse_entity, parse_file, parse_image_program, parse_material, parse_model, parse_skin,
    parse_table,
};
use proptest::prelude::*;

/// Reads the input as every kind of decl.
fn read(bytes: &[u8]) {
    let all = |faults: &[Fault]| {
        for fault in faults {
            assert!(fault.span.start <= fault.span.end && fault.span.end as usize <= bytes.len(), "{fault:?}");
            assert!(!fault.kind.to_string().is_empty());
        }
    };
    for folder in [DeclKind::Material, DeclKind::EntityDef] {
        let file = parse_file(bytes, folder);
        all(&file.faults);
        for decl in &file.decls {
            assert!(decl.name_span.end <= decl.body.start && decl.body.end as usize <= bytes.len());
            all(&parse_material(bytes, decl.body).faults);
            all(&parse_model(bytes, decl.body).faults);
        }
    }
    let whole = Span::new(0, bytes.len());
    all(&parse_table(bytes, whole).faults);
    all(&parse_material(bytes, whole).faults);
    all(&parse_skin(bytes, whole).faults);
    all(&parse_model(bytes, whole).faults);
    all(&parse_entity(bytes, whole).faults);
    match parse_image_program(bytes) {
        Ok(parsed) => {
            all(&parsed.faults);
            // Writing the program as text must not panic either.
            parsed.decl.to_string();
        }
        Err(fault) => all(&[fault]),
    }
}

/// Words of decls, so that random input gets past the first checks.
const WORDS: [&str; 40] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    "-",
    "*",
    "\"",
    "\"a\"",
    "material",
    "table",
    "skin",
    "model",
    "entityDef",
    "a/b.tga",
    "blend",
    "map",
    "diffusemap",
    "addnormals(",
    "heightmap(",
    "scale",
    "rotate",
    "rgb",
    "time",
    "parm1",
    "+",
    "if",
    "0.5",
    "010",
    "1.2.3",
    "anim walk",
    "mesh x.md5mesh",
    "channel torso",
    "frame 1",
    "sound\n",
    "inherit",
    "//",
    "/*",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read(&bytes);
    }

    #[test]
    fn any_words_are_read(words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..120)) {
        read(words.join(" ").as_bytes());
    }
}

#[test]
fn depth_and_length_end_in_faults() {
    for piece in ["{", "(", "invertColor(", "{ map addnormals(", "rgb (", "1+", "a[", "-", "\"a\" \\ "] {
        read(piece.repeat(20_000 / piece.len()).as_bytes());
    }
}
