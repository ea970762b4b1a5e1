//! Reads expressions of materials: numbers that change with time and entity.

use super::fault::{Fault, FaultKind};
use super::lex::{Lexer, TokenKind};
use super::{Fallible, MAX_DEPTH, require, word};

/// Value that is evaluated at each draw.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// Constant value.
    Number(f64),
    /// Seconds since the game began.
    Time,
    /// `parm0` to `parm11`: parameters of the entity. The first four are its colour.
    Parm(u8),
    /// `global0` to `global7`.
    Global(u8),
    /// Loudness of the entity's sound.
    Sound,
    /// 1 if the graphics card supports fragment programs.
    FragmentPrograms,
    /// Value of a table at an index in cycles.
    Table(String, Box<Expression>),
    /// Operation on two values.
    Binary(Operator, Box<Expression>, Box<Expression>),
}

/// Operation on two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are what they are called")]
pub enum Operator {
    Multiply,
    Divide,
    /// Remainder of integers. A divisor of 0 counts as 1.
    Modulo,
    Add,
    Subtract,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

/// Operators by rank, the strongest first.
const LEVELS: [&[(&str, Operator)]; 4] = [
    &[("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Modulo)],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[
        (">", Operator::Greater),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        ("<=", Operator::LessOrEqual),
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
    ],
    &[("&&", Operator::And), ("||", Operator::Or)],
];

impl Operator {
    /// Returns the result for two values. Comparisons give 1 or 0.
    pub fn apply(self, a: f64, b: f64) -> f64 {
        let truth = |holds| if holds { 1.0 } else { 0.0 };
        match self {
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Modulo => {
                let divisor = b as i32;
                f64::from((a as i32).wrapping_rem(if divisor == 0 { 1 } else { divisor }))
            }
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Greater => truth(a > b),
            Self::GreaterOrEqual => truth(a >= b),
            Self::Less => truth(a < b),
            Self::LessOrEqual => truth(a <= b),
            Self::Equal => truth(a == b),
            Self::NotEqual => truth(a != b),
            Self::And => truth(a != 0.0 && b != 0.0),
            Self::Or => truth(a != 0.0 || b != 0.0),
        }
    }
}

// expression ::= level 4, where level n ::= level n-1 [ operator level n ] and level 0 ::= term: operators of one level
// group from the right, so that 8 - 4 - 2 is 6
pub(super) fn expression(lexer: &mut Lexer<'_>) -> Fallible<Expression> {
    level(lexer, LEVELS.len(), 0)
}

fn level(lexer: &mut Lexer<'_>, number: usize, depth: usize) -> Fallible<Expression> {
    let Some(operators) = number.checked_sub(1).and_then(|below| LEVELS.get(below)) else { return term(lexer, depth) };
    if depth > MAX_DEPTH {
        let span = lexer.peek().map_or(lexer.end_point(), |token| token.span);
        return Err(Fault { kind: FaultKind::TooDeep { limit: MAX_DEPTH }, span });
    }
    let left = level(lexer, number - 1, depth)?;
    // The lexer reads a slash between blanks as a name. `8/4` is 8 and the name `/4`.
    let found = lexer.peek().and_then(|token| operators.iter().find(|(mark, _)| token.is_exactly(mark)));
    let Some(&(_, operator)) = found else { return Ok(left) };
    lexer.next();
    let right = level(lexer, number, depth + 1)?;
    Ok(Expression::Binary(operator, Box::new(left), Box::new(right)))
}

// term ::= '(' expression ')' | ['-'] number | time | parmN | globalN | sound | fragmentPrograms | table '[' expression
// ']'
fn term(lexer: &mut Lexer<'_>, depth: usize) -> Fallible<Expression> {
    let token = word(lexer, "a term of an expression")?;
    if let TokenKind::Number(value, _) = token.kind {
        return Ok(Expression::Number(value));
    }
    if token.is_exactly("(") {
        let inside = level(lexer, LEVELS.len(), depth + 1)?;
        require(lexer, "')'")?;
        return Ok(inside);
    }
    if token.is_exactly("-") {
        let number = word(lexer, "a number")?;
        return match number.kind {
            TokenKind::Number(value, _) => Ok(Expression::Number(-value)),
            _ => Err(Fault { kind: FaultKind::BadMinus { found: number.to_text() }, span: token.span.to(number.span) }),
        };
    }
    let numbered = |prefix: &str, count: u8| {
        let text = token.to_text().to_ascii_lowercase();
        (0..count).find(|number| text.strip_prefix(prefix) == Some(number.to_string().as_str()))
    };
    match () {
        () if token.is("time") => Ok(Expression::Time),
        () if token.is("sound") => Ok(Expression::Sound),
        () if token.is("fragmentPrograms") => Ok(Expression::FragmentPrograms),
        () => {
            if let Some(number) = numbered("parm", 12) {
                return Ok(Expression::Parm(number));
            }
            if let Some(number) = numbered("global", 8) {
                return Ok(Expression::Global(number));
            }
            // A name without brackets cannot be a table.
            if !lexer.peek().is_some_and(|next| next.is_exactly("[")) {
                return Err(Fault { kind: FaultKind::BadTerm { found: token.to_text() }, span: token.span });
            }
            require(lexer, "'['")?;
            let index = level(lexer, LEVELS.len(), depth + 1)?;
            require(lexer, "']'")?;
            Ok(Expression::Table(token.to_text().to_ascii_lowercase(), Box::new(index)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    fn read(text: &str) -> Fallible<Expression> {
        expression(&mut Lexer::new(text.as_bytes(), Span::new(0, text.len())))
    }

    /// Returns the value of an expression of constants.
    fn value(expression: &Expression) -> f64 {
        match expression {
            Expression::Number(value) => *value,
            Expression::Binary(operator, a, b) => operator.apply(value(a), value(b)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn m26_operators_of_one_level_group_from_the_right() {
        for (text, expected) in [
            ("8 - 4 - 2", 6.0),
            ("8 / 4 / 2", 4.0),
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("-2 + 5", 3.0),
            ("8/4", 8.0),
            ("7 % 4.9", 3.0),
            ("7 % 0", 0.0),
            ("1 < 2 && 3 == 3", 1.0),
            ("0 || 2 != 2", 0.0),
            ("3 >= 3 + 1", 0.0),
        ] {
            assert_eq!(value(&read(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn terms_are_read_in_any_case() {
        assert_eq!(read("TIME"), Ok(Expression::Time));
        assert_eq!(read("Parm11"), Ok(Expression::Parm(11)));
        assert_eq!(read("global7"), Ok(Expression::Global(7)));
        let Ok(Expression::Table(name, _)) = read("SinTable[time * 2]") else { panic!("no table") };
        assert_eq!(name, "sintable");
    }

    #[test]
    fn bad_terms_are_faults() {
        let fault = |text: &str| read(text).unwrap_err().kind;
        assert_eq!(fault("parm12"), FaultKind::BadTerm { found: "parm12".into() });
        assert_eq!(fault("-time"), FaultKind::BadMinus { found: "time".into() });
        // `--` is one word and no operator: the expression ends before it.
        assert_eq!(read("8--4"), Ok(Expression::Number(8.0)));
        assert_eq!(fault("(1"), FaultKind::UnexpectedEnd { expected: "')'" });
        assert_eq!(fault(&"(".repeat(10_000)), FaultKind::TooDeep { limit: MAX_DEPTH });
        assert_eq!(fault(&"1+".repeat(10_000)), FaultKind::TooDeep { limit: MAX_DEPTH });
    }
}
