//! Ragdolls (`articulatedFigure`): rigid bodies, and the joints of the model that they move.

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
    /// Bodies in file order.
    pub bodies: Vec<RagdollBody>,
    /// Constraints in file order.
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
    /// Joints that define its shape and position.
    pub measured: Vec<Word>,
}

/// Connection of two bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RagdollConstraint {
    /// Name of the constraint.
    pub name: Word,
    /// `body1` and `body2`.
    pub bodies: [Option<Word>; 2],
    /// Joints that define its anchor and axes.
    pub measured: Vec<Word>,
}

/// A keyword of a block, in lower case, and its arguments: `n` a number, `v` a vector, `w` a word, `s` a shape, `c` kinds of
/// contents, `f` three or four frictions, `x` a matrix in parentheses, `,` a comma.
type Keyword = (&'static str, &'static str);

const SETTINGS: &[Keyword] = &[
    ("mesh", "w"),
    ("anim", "w"),
    ("model", "w"),
    ("skin", "w"),
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
    ("joint", "w"),
    ("mod", "w"),
    ("density", "n"),
    ("inertiascale", "x"),
    ("friction", "n,n,n"),
    ("contents", "c"),
    ("clipmask", "c"),
    ("selfcollision", "n"),
    ("containedjoints", "w"),
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
/// Kinds of constraints with their keywords other than `body1` and `body2`.
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
const BODIES: &[Keyword] = &[("body1", "w"), ("body2", "w")];

/// Returns all keywords in lower case.
pub(super) fn keywords() -> impl Iterator<Item = &'static str> {
    let of_constraints = CONSTRAINTS.iter().flat_map(|(_, keywords)| keywords.iter());
    let arguments = SETTINGS.iter().chain(BODY).chain(BODIES).chain(of_constraints).map(|(word, _)| *word);
    ["settings", "body"].into_iter().chain(CONSTRAINTS.iter().map(|(word, _)| *word)).chain(arguments)
}

/// Returns the shapes of a body.
pub(super) fn shapes() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|(word, _)| *word)
}

/// Arguments of a block that the decl stores.
#[derive(Default)]
struct Arguments {
    /// Words and shapes, by keyword.
    words: Vec<(&'static str, Word)>,
    /// Joints named in vectors.
    measured: Vec<Word>,
}

impl Arguments {
    /// Returns the argument of a keyword. The last one counts if the keyword is repeated.
    fn word(&self, keyword: &str) -> Option<Word> {
        self.words.iter().rev().find(|(of, _)| *of == keyword).map(|(_, word)| word.clone())
    }
}

/// Parses an articulatedFigure. `decl` is the span of its block. An unknown word ends it, as in the engine.
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
            ragdoll.model = block(lexer, &[SETTINGS])?.word("model").or(ragdoll.model.take());
            continue;
        }
        let keywords = CONSTRAINTS.iter().find(|(known, _)| *known == kind).map(|(_, keywords)| *keywords);
        if keywords.is_none() && kind != "body" {
            return Err(Fault { kind: FaultKind::UnknownRagdollWord { word: token.to_text() }, span: token.span });
        }
        let name: Word = word(lexer, "a name")?.into();
        if let Some(keywords) = keywords {
            let read = block(lexer, &[BODIES, keywords])?;
            let bodies = ["body1", "body2"].map(|keyword| read.word(keyword));
            ragdoll.constraints.push(RagdollConstraint { name, bodies, measured: read.measured });
            continue;
        }
        if ["origin", "world"].iter().any(|taken| name.text.eq_ignore_ascii_case(taken)) {
            return Err(Fault { kind: FaultKind::RagdollName { name: name.text }, span: name.span });
        }
        let read = block(lexer, &[BODY])?;
        for what in ["model", "joint"] {
            if read.word(what).is_none() {
                return Err(Fault { kind: FaultKind::BodyWithout { name: name.text, what }, span: name.span });
            }
        }
        let contained = read.word("containedjoints").map(|list| joint_list(&list)).unwrap_or_default();
        ragdoll.bodies.push(RagdollBody { name, joint: read.word("joint"), contained, measured: read.measured });
    }
}

fn block(lexer: &mut Lexer<'_>, keywords: &[&[Keyword]]) -> Fallible<Arguments> {
    let mut read = Arguments::default();
    require(lexer, "'{'")?;
    loop {
        let token = word(lexer, "'}'")?;
        if token.is_exactly("}") {
            return Ok(read);
        }
        let mut known = keywords.iter().flat_map(|some| some.iter());
        let Some(keyword) = known.find(|(known, _)| token.is(known)) else {
            return Err(Fault { kind: FaultKind::UnknownRagdollWord { word: token.to_text() }, span: token.span });
        };
        read_arguments(lexer, *keyword, &mut read)?;
    }
}

/// Reads the arguments of a keyword. Values of numbers are not stored. Like the engine, accepts any word as a number.
fn read_arguments(lexer: &mut Lexer<'_>, (keyword, arguments): Keyword, read: &mut Arguments) -> Fallible<()> {
    for argument in arguments.chars() {
        match argument {
            ',' => require(lexer, "','")?,
            'n' => number(lexer)?,
            'v' => vector(lexer, &mut read.measured)?,
            'f' => {
                three_numbers(lexer)?;
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
            'x' => {
                require(lexer, "'('")?;
                while !lexer.eat(")") {
                    word(lexer, "')'")?;
                }
            }
            's' => {
                let shape = word(lexer, "a shape")?;
                let Some(known) = SHAPES.iter().find(|(known, _)| shape.is(known)) else {
                    return Err(Fault { kind: FaultKind::UnknownShape { word: shape.to_text() }, span: shape.span });
                };
                require(lexer, "'('")?;
                read_arguments(lexer, *known, read)?;
                require(lexer, "')'")?;
                read.words.push((keyword, shape.into()));
            }
            _ => read.words.push((keyword, word(lexer, "a word")?.into())),
        }
    }
    Ok(())
}

fn number(lexer: &mut Lexer<'_>) -> Fallible<()> {
    lexer.eat("-");
    word(lexer, "a number").map(drop)
}

fn three_numbers(lexer: &mut Lexer<'_>) -> Fallible<()> {
    number(lexer)?;
    for _ in 0..2 {
        require(lexer, "','")?;
        number(lexer)?;
    }
    Ok(())
}

// vector ::= ['-'] ( '(' x ',' y ',' z ')' | 'joint' '(' name ')' | ('bonecenter' | 'bonedir') '(' name ',' name ')' )
fn vector(lexer: &mut Lexer<'_>, joints: &mut Vec<Word>) -> Fallible<()> {
    lexer.eat("-");
    let token = word(lexer, "a vector")?;
    let count = match token.to_text().as_str() {
        "(" => {
            three_numbers(lexer)?;
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
