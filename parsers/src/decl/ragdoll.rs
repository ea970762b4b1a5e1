//! Ragdolls: the bodies of a ragdoll, and the joints of the model that they move.

use super::fault::{Fault, FaultKind};
use super::lex::Lexer;
use super::model::joint_list;
use super::{ChannelJoint, Fallible, Parsed, Word, body, require, word};
use crate::Span;

/// A ragdoll.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ragdoll {
    /// Model decl for the editor; in the game an entity brings its own.
    pub model: Option<Word>,
    /// Skin for the editor.
    pub skin: Option<Word>,
    /// In file order.
    pub bodies: Vec<RagdollBody>,
    /// In file order.
    pub constraints: Vec<RagdollConstraint>,
}

/// A rigid body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RagdollBody {
    /// Name, by which constraints refer to it.
    pub name: Word,
    /// Joint that it moves.
    pub joint: Option<Word>,
    /// Joints that follow it, in the syntax of a channel.
    pub contained: Vec<ChannelJoint>,
    /// Joints by which its shape and position are given.
    pub measured: Vec<Word>,
}

/// A connection of two bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RagdollConstraint {
    /// Name.
    pub name: Word,
    /// `body1` and `body2`.
    pub bodies: [Option<Word>; 2],
    /// Joints by which its anchor and axes are given.
    pub measured: Vec<Word>,
}

/// A keyword of a block, in lower case, and its arguments: `n` a number, `v` a vector, `w` a word, `c` a list of contents, `s` a
/// shape, `j`, `l`, `1`, `2`, `m` and `k` words that are kept; `,` a comma.
type Keyword = (&'static str, &'static str);

const SETTINGS: &[Keyword] = &[
    ("mesh", "w"),
    ("anim", "w"),
    ("model", "m"),
    ("skin", "k"),
    ("friction", "f"),
    ("totalmass", "n"),
    ("suspendspeed", "n,n,n,n"),
    ("nomovetime", "n"),
    ("nomovetranslation", "n"),
    ("nomoverotation", "n"),
    ("minmovetime", "n"),
    ("maxmovetime", "n"),
    ("contents", "c"),
    ("clipmask", "c"),
    ("selfcollision", "n"),
];
const BODY: &[Keyword] = &[
    ("model", "s"),
    ("origin", "v"),
    ("angles", "v"),
    ("joint", "j"),
    ("mod", "w"),
    ("density", "n"),
    ("inertiascale", "x"),
    ("friction", "n,n,n"),
    ("contents", "c"),
    ("clipmask", "c"),
    ("selfcollision", "n"),
    ("containedjoints", "l"),
    ("frictiondirection", "v"),
    ("contactmotordirection", "v"),
];
/// Shapes of a body's model.
const SHAPES: &[Keyword] = &[
    ("box", "v,v"),
    ("octahedron", "v,v"),
    ("dodecahedron", "v,v"),
    ("cylinder", "v,v,n"),
    ("cone", "v,v,n"),
    ("bone", "v,v,n"),
];
/// Kinds of constraints with their keywords beside `body1` and `body2`.
const CONSTRAINTS: &[(&str, &[Keyword])] = &[
    ("fixed", &[]),
    (
        "ballandsocketjoint",
        &[("anchor", "v"), ("conelimit", "v,n,v"), ("pyramidlimit", "v,n,n,n,v"), ("friction", "n")],
    ),
    (
        "universaljoint",
        &[("anchor", "v"), ("shafts", "v,v"), ("conelimit", "v,n"), ("pyramidlimit", "v,n,n,n"), ("friction", "n")],
    ),
    ("hinge", &[("anchor", "v"), ("axis", "v"), ("limit", "n,n,n"), ("friction", "n")]),
    ("slider", &[("axis", "v"), ("friction", "n")]),
    (
        "spring",
        &[
            ("anchor1", "v"),
            ("anchor2", "v"),
            ("friction", "n"),
            ("stretch", "n"),
            ("compress", "n"),
            ("damping", "n"),
            ("restlength", "n"),
            ("minlength", "n"),
            ("maxlength", "n"),
        ],
    ),
];
const BODIES: &[Keyword] = &[("body1", "1"), ("body2", "2")];

/// All keywords, in lower case.
pub(super) fn keywords() -> impl Iterator<Item = &'static str> {
    let of_constraints = CONSTRAINTS.iter().flat_map(|(_, keywords)| keywords.iter());
    let arguments = SETTINGS.iter().chain(BODY).chain(BODIES).chain(of_constraints).map(|(word, _)| *word);
    ["settings", "body"].into_iter().chain(CONSTRAINTS.iter().map(|(word, _)| *word)).chain(arguments)
}

/// Shapes of a body.
pub(super) fn shapes() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|(word, _)| *word)
}

/// Words of a block that are kept.
#[derive(Default)]
struct Kept {
    /// Argument of each keyword, by the letter of its place.
    words: Vec<(char, Word)>,
    /// Joints named in vectors.
    measured: Vec<Word>,
}

impl Kept {
    /// The last word of a letter.
    fn take(&self, letter: char) -> Option<Word> {
        self.words.iter().rev().find(|(of, _)| *of == letter).map(|(_, word)| word.clone())
    }
}

/// Reads a ragdoll.
pub fn parse_ragdoll(bytes: &[u8], decl: Span) -> Parsed<Ragdoll> {
    let mut lexer = body(bytes, decl);
    let mut ragdoll = Ragdoll::default();
    if let Err(fault) = read(&mut lexer, &mut ragdoll) {
        lexer.faults.push(fault);
    }
    lexer.faults.sort_by_key(|fault| fault.span.start);
    Parsed { decl: ragdoll, faults: lexer.faults }
}

// ragdoll ::= '{' { 'settings' block | 'body' name block | constraint name block } '}', where case does not matter
fn read(lexer: &mut Lexer<'_>, ragdoll: &mut Ragdoll) -> Fallible<()> {
    loop {
        let token = word(lexer, "'}'")?;
        let kind = token.to_text().to_ascii_lowercase();
        if kind == "}" {
            return Ok(());
        }
        if kind == "settings" {
            let kept = block(lexer, &[SETTINGS])?;
            (ragdoll.model, ragdoll.skin) =
                (kept.take('m').or(ragdoll.model.take()), kept.take('k').or(ragdoll.skin.take()));
            continue;
        }
        let keywords = CONSTRAINTS.iter().find(|(known, _)| *known == kind).map(|(_, keywords)| *keywords);
        if keywords.is_none() && kind != "body" {
            return Err(Fault { kind: FaultKind::UnknownRagdollWord { word: token.to_text() }, span: token.span });
        }
        let name: Word = word(lexer, "a name")?.into();
        if let Some(keywords) = keywords {
            let kept = block(lexer, &[BODIES, keywords])?;
            let bodies = ['1', '2'].map(|letter| kept.take(letter));
            ragdoll.constraints.push(RagdollConstraint { name, bodies, measured: kept.measured });
            continue;
        }
        if ["origin", "world"].iter().any(|taken| name.text.eq_ignore_ascii_case(taken)) {
            return Err(Fault { kind: FaultKind::RagdollName { name: name.text }, span: name.span });
        }
        let kept = block(lexer, &[BODY])?;
        let joint = kept.take('j');
        for (missing, what) in [(kept.take('s'), "model"), (joint.clone(), "joint")] {
            if missing.is_none() {
                return Err(Fault { kind: FaultKind::BodyWithout { name: name.text, what }, span: name.span });
            }
        }
        let contained = kept.take('l').map(|list| joint_list(&list)).unwrap_or_default();
        ragdoll.bodies.push(RagdollBody { name, joint, contained, measured: kept.measured });
    }
}

fn block(lexer: &mut Lexer<'_>, keywords: &[&[Keyword]]) -> Fallible<Kept> {
    let mut kept = Kept::default();
    require(lexer, "'{'")?;
    loop {
        let token = word(lexer, "'}'")?;
        if token.is_exactly("}") {
            return Ok(kept);
        }
        let mut known = keywords.iter().flat_map(|some| some.iter());
        let Some((_, arguments)) = known.find(|(known, _)| token.is(known)) else {
            return Err(Fault { kind: FaultKind::UnknownRagdollWord { word: token.to_text() }, span: token.span });
        };
        read_arguments(lexer, arguments, &mut kept)?;
    }
}

/// Reads what follows a keyword. The values of numbers are not kept, and a word in place of one is not refused, as in the engine.
fn read_arguments(lexer: &mut Lexer<'_>, arguments: &str, kept: &mut Kept) -> Fallible<()> {
    for argument in arguments.chars() {
        match argument {
            ',' => require(lexer, "','")?,
            'n' => number(lexer)?,
            'v' => vector(lexer, &mut kept.measured)?,
            'w' => drop(word(lexer, "a word")?),
            // The fourth number of a ragdoll's friction may be left out.
            'f' => {
                read_arguments(lexer, "n,n,n", kept)?;
                if lexer.eat(",") {
                    number(lexer)?;
                }
            }
            'c' => {
                word(lexer, "a kind of contents")?;
                while lexer.eat(",") {
                    word(lexer, "a kind of contents")?;
                }
            }
            // Nine numbers in brackets.
            'x' => {
                require(lexer, "'('")?;
                while !lexer.eat(")") {
                    word(lexer, "')'")?;
                }
            }
            's' => {
                let shape = word(lexer, "a shape")?;
                let Some((_, arguments)) = SHAPES.iter().find(|(known, _)| shape.is(known)) else {
                    return Err(Fault { kind: FaultKind::UnknownShape { word: shape.to_text() }, span: shape.span });
                };
                require(lexer, "'('")?;
                read_arguments(lexer, arguments, kept)?;
                require(lexer, "')'")?;
                kept.words.push((argument, shape.into()));
            }
            _ => kept.words.push((argument, word(lexer, "a name")?.into())),
        }
    }
    Ok(())
}

fn number(lexer: &mut Lexer<'_>) -> Fallible<()> {
    lexer.eat("-");
    word(lexer, "a number").map(drop)
}

// vector ::= ['-'] ( '(' x ',' y ',' z ')' | 'joint' '(' name ')' | ('bonecenter' | 'bonedir') '(' name ',' name ')' )
fn vector(lexer: &mut Lexer<'_>, joints: &mut Vec<Word>) -> Fallible<()> {
    lexer.eat("-");
    let token = word(lexer, "a vector")?;
    let count = match token.to_text().as_str() {
        "(" => {
            read_arguments(lexer, "n,n,n", &mut Kept::default())?;
            return require(lexer, "')'");
        }
        "joint" => 1,
        "bonecenter" | "bonedir" => 2,
        _ => {
            let kind = FaultKind::Expected { expected: "a vector", found: token.to_text() };
            return Err(Fault { kind, span: token.span });
        }
    };
    require(lexer, "'('")?;
    for number in 0..count {
        if number > 0 {
            require(lexer, "','")?;
        }
        joints.push(word(lexer, "a joint")?.into());
    }
    require(lexer, "')'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ragdoll(text: &str) -> Parsed<Ragdoll> {
        parse_ragdoll(text.as_bytes(), Span::new(0, text.len()))
    }

    fn texts(words: &[Word]) -> Vec<&str> {
        words.iter().map(|word| word.text.as_str()).collect()
    }

    #[test]
    fn bodies_and_constraints_name_joints() {
        let read = ragdoll(
            "{ settings { model \"imp\" skin \"\" friction 0.01, 0.01, 0.8, 0.5 suspendSpeed 20, 30, 40, 60\n\
             contents corpse clipMask solid, corpse selfCollision 1 totalMass -1 }\n\
             body \"hips\" { joint \"origin\" mod orientation model box( ( -10, -10, -10 ), ( 10, 10, 10 ) )\n\
             origin bonecenter( \"hips\", \"waist\" ) density 0.2 friction 0.01, 0.01, 0.8\n\
             inertiaScale ( 1 0 0 0 1 0 0 0 1 ) containedJoints \"*origin -*chest\" }\n\
             body \"chest\" { joint \"chest\" model bone( joint( \"chest\" ), -bonedir( \"chest\", \"neck\" ), 5 ) }\n\
             universalJoint \"waist\" { body1 \"chest\" body2 \"hips\" anchor joint( \"waist\" )\n\
             shafts ( 0, 0, 1 ), ( 0, 0, -1 ) pyramidLimit ( 1, 0, 0 ), 90, 60, 0 friction 0.5 } }",
        );
        assert_eq!(read.faults, []);
        let Ragdoll { model, bodies, constraints, .. } = read.decl;
        assert_eq!(model.map(|model| model.text).as_deref(), Some("imp"));
        let [hips, chest] = &bodies[..] else { panic!("{bodies:?}") };
        assert_eq!(texts(&hips.measured), ["hips", "waist"]);
        let contained = hips.contained.iter().map(|item| (&*item.joint.text, item.with_descendants, item.removed));
        assert_eq!(contained.collect::<Vec<_>>(), [("origin", true, false), ("chest", true, true)]);
        assert_eq!(texts(&chest.measured), ["chest", "chest", "neck"]);
        assert_eq!(texts(&constraints[0].bodies.clone().map(|body| body.expect("a body"))), ["chest", "hips"]);
        assert_eq!(texts(&constraints[0].measured), ["waist"]);
    }

    #[test]
    fn one_wrong_word_loses_the_ragdoll() {
        let fault = |text: &str| ragdoll(text).rejected_by().map(|fault| fault.kind.to_string());
        let body = |inner: &str| fault(&format!("{{ body \"a\" {{ {inner} }} }}"));
        let shape = "model box( ( 0, 0, 0 ), ( 1, 1, 1 ) )";
        assert_eq!(body(&format!("{shape} joint \"b\"")), None);
        assert_eq!(body("joint \"b\"").as_deref(), Some("the body 'a' has no model"));
        assert_eq!(body(shape).as_deref(), Some("the body 'a' has no joint"));
        assert_eq!(body("weight 3").as_deref(), Some("'weight' is not a keyword of this part of a ragdoll"));
        assert_eq!(body("model ball( 1 )").as_deref(), Some("'ball' is not a shape of a body"));
        assert_eq!(body("origin ( 0 0 0 )").as_deref(), Some("expected ',', found '0'"));
        assert!(fault("{ body \"World\" { } }").is_some_and(|told| told.contains("may not be called 'World'")));
        assert!(fault("{ body \"a\" {").is_some());
    }
}
