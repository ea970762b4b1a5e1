//! Reads ragdolls: the bodies that move joints, and the constraints between them.

use super::fault::FaultKind;
use super::lex::Lexer;
use super::{Parsed, Word, body};
use crate::Span;

/// Kinds of constraints.
const CONSTRAINTS: [&str; 6] = ["fixed", "ballAndSocketJoint", "universalJoint", "hinge", "slider", "spring"];

/// Body of a ragdoll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RagdollBody {
    /// Name of the body.
    pub name: Word,
    /// Joint that the body moves. The engine ignores a ragdoll that has a body without one.
    pub joint: Option<Word>,
}

/// Ragdoll: names of bodies and constraints. Shapes and masses are not read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ragdoll {
    /// Bodies in file order.
    pub bodies: Vec<RagdollBody>,
    /// Names of the constraints in file order.
    pub constraints: Vec<Word>,
}

// ragdoll ::= '{' { 'settings' block | 'body' name block | constraint name block } '}'
/// Reads a ragdoll.
pub fn parse_ragdoll(bytes: &[u8], decl: Span) -> Parsed<Ragdoll> {
    let mut lexer = body(bytes, decl);
    let mut ragdoll = Ragdoll::default();
    while let Some(word) = lexer.next().filter(|token| !token.is("}")) {
        let is_constraint = CONSTRAINTS.iter().any(|kind| word.is(kind));
        if !is_constraint && !word.is("body") && !word.is("settings") {
            lexer.add(FaultKind::Expected { expected: "'body'", found: word.to_text() }, word.span);
            break;
        }
        let name = if word.is("settings") { None } else { lexer.next() };
        let joint = joint_of_block(&mut lexer);
        let Some(name) = name.map(Word::from) else { continue };
        match is_constraint {
            true => ragdoll.constraints.push(name),
            false => ragdoll.bodies.push(RagdollBody { name, joint }),
        }
    }
    Parsed { decl: ragdoll, faults: lexer.faults }
}

/// Reads a block, and returns the value of its key `joint`. Vectors have the word with a parenthesis: `joint( "hips" )`.
fn joint_of_block(lexer: &mut Lexer<'_>) -> Option<Word> {
    let mut joint = None;
    let mut is_key = false;
    while let Some(token) = lexer.next().filter(|token| !token.is_exactly("}")) {
        if is_key && !token.is_exactly("(") {
            joint = Some(Word::from(token));
            is_key = false;
        } else {
            is_key = token.is("joint");
        }
    }
    joint
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ragdoll(text: &str) -> Parsed<Ragdoll> {
        parse_ragdoll(text.as_bytes(), Span::new(0, text.len()))
    }

    #[test]
    fn bodies_name_joints_and_constraints_have_names() {
        let parsed = ragdoll(
            "{ settings { totalMass 1 } Body \"hips\" { model box( ( -1, -1, -1 ), joint( \"head\" ) ) origin joint ( \"chest\" )
             joint \"origin\" mod axis containedJoints \"*origin\" }
             body \"arm\" { model bone( joint(\"a\"), joint(\"b\"), 5 ) Joint \"upper arm\" }
             hinge \"elbow\" { body1 \"hips\" body2 \"arm\" anchor joint( \"a\" ) } ballandsocketjoint \"neck\" { } }",
        );
        let joint = |body: &RagdollBody| (body.name.text.clone(), body.joint.as_ref().unwrap().text.clone());
        let bodies: Vec<_> = parsed.decl.bodies.iter().map(joint).collect();
        assert_eq!(bodies, [("hips", "origin"), ("arm", "upper arm")].map(|(a, b)| (a.to_owned(), b.to_owned())));
        let constraints: Vec<_> = parsed.decl.constraints.iter().map(|name| &*name.text).collect();
        assert_eq!((constraints, parsed.is_rejected()), (vec!["elbow", "neck"], false));
    }

    #[test]
    fn an_unknown_word_ends_the_ragdoll() {
        let parsed = ragdoll("{ bone \"a\" { } body \"b\" { joint \"origin\" } }");
        assert!(parsed.is_rejected() && parsed.decl.bodies.is_empty());
        assert!(ragdoll("{ body \"b\" { ").decl.bodies[0].joint.is_none());
    }
}
