//! Instructions of the skinning shaders, counted from their source by the rule of docs/methods.md "Instructions".
//!
//! A call is counted as if its body stood in its place, a loop as often as it runs: the source is walked as a program would be,
//! with types in place of values. It understands what GLSL `shaders/` is written in; the rest is an error.

mod lex;
#[cfg(test)]
mod tests;

use crate::shaders;
use bindpose_core::skin::{Method, SkinningStage};
use lex::{Token, tokens};
use serde::Serialize;
use std::collections::HashMap;

/// What a shader does to one vertex.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Instructions {
    /// On numbers that are not whole.
    pub arithmetic: u32,
    /// On whole numbers, which choose registers, and what makes them whole.
    pub addresses: u32,
    /// Texels read.
    pub texture_reads: u32,
}

impl Instructions {
    /// All together.
    pub fn total(self) -> u32 {
        self.arithmetic + self.addresses + self.texture_reads
    }
}

/// A shader cannot be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("its instructions cannot be counted: {0}")]
pub struct Uncounted(String);

/// What the vertex shader of a method does to a vertex with so many influences, light and camera left out; `None` where the CPU
/// skins. Of `gpu-hierarchy` its vertex shader alone, not what its passes draw.
///
/// # Errors
///
/// [`Uncounted`] if its file has what is not understood here.
pub fn of_method(method: &Method, influences: u32) -> Result<Option<Instructions>, Uncounted> {
    if method.stage == SkinningStage::Cpu {
        return Ok(None);
    }
    let file = |name: &str| shaders::built_in(name).ok_or_else(|| Uncounted(format!("there is no {name}")));
    let source = [file("quaternion.glsl")?, file(&format!("{}.vert", method.name))?].concat();
    count(&source, "skin", influences).map(Some)
}

/// What a function of a shader does, all that it calls included.
fn count(source: &str, function: &str, influences: u32) -> Result<Instructions, Uncounted> {
    let tokens = tokens(source, &[("INFLUENCES", influences)]);
    let mut counter = Counter {
        tokens: &tokens,
        place: 0,
        functions: HashMap::new(),
        scopes: Vec::new(),
        found: Instructions::default(),
        of_address: 0,
        depth: 0,
        influences,
    };
    counter.globals()?;
    let (_, function) =
        counter.functions.get(function).cloned().ok_or_else(|| Uncounted(format!("no function {function}")))?;
    counter.call(&function)?;
    Ok(counter.found)
}

/// A type as far as instructions go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Type {
    is_whole: bool,
    /// Components of a vector, or of a matrix' column; 0 for what is no number.
    rows: u32,
    columns: u32,
    is_array: bool,
}

impl Type {
    const fn vector(rows: u32) -> Self {
        Self { is_whole: false, rows, columns: 1, is_array: false }
    }

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "float" | "bool" => Self::vector(1),
            "int" => Self { is_whole: true, ..Self::vector(1) },
            "vec2" => Self::vector(2),
            "vec3" => Self::vector(3),
            "vec4" => Self::vector(4),
            "mat3" => Self { columns: 3, ..Self::vector(3) },
            "mat4" => Self { columns: 4, ..Self::vector(4) },
            "void" | "sampler2D" => Self::vector(0),
            _ => return None,
        })
    }

    /// Of two operands of a sum, or of a product number by number.
    fn wider(self, other: Self) -> Self {
        if (self.columns, self.rows) >= (other.columns, other.rows) { self } else { other }
    }
}

/// What an expression is.
#[derive(Debug, Clone)]
struct Value<'a> {
    kind: Type,
    /// A product that a sum can take in.
    is_product: bool,
    /// What it is, where the source says so.
    number: Option<f64>,
    /// The variable that it names.
    variable: Option<&'a str>,
}

impl Value<'_> {
    fn of(kind: Type) -> Self {
        Self { kind, is_product: false, number: None, variable: None }
    }

    fn constant(number: f64, is_whole: bool) -> Self {
        Self { number: Some(number), ..Self::of(Type { is_whole, ..Type::vector(1) }) }
    }
}

#[derive(Debug, Clone, Copy)]
struct Variable {
    kind: Type,
    /// Of whole numbers: what it is.
    number: Option<f64>,
}

#[derive(Debug, Clone)]
struct Function<'a> {
    parameters: Vec<(&'a str, Type)>,
    /// Where its body starts.
    body: usize,
}

struct Counter<'a> {
    tokens: &'a [Token<'a>],
    place: usize,
    functions: HashMap<&'a str, (Type, Function<'a>)>,
    scopes: Vec<HashMap<&'a str, Variable>>,
    found: Instructions,
    /// How many `int(…)` are open.
    of_address: u32,
    /// How many calls are open.
    depth: u32,
    /// Of the vertex.
    influences: u32,
}

/// Calls in calls; GLSL has no recursion.
const DEEPEST: u32 = 16;

impl<'a> Counter<'a> {
    // What stands outside of functions.

    fn globals(&mut self) -> Result<(), Uncounted> {
        self.scopes.push(HashMap::new());
        self.declare("INFLUENCES", Type { is_whole: true, ..Type::vector(1) }, Some(f64::from(self.influences)));
        self.declare("gl_FragCoord", Type::vector(4), None);
        self.declare("gl_FragColor", Type::vector(4), None);
        while self.place < self.tokens.len() {
            while self.take_any(&["attribute", "uniform", "varying", "in", "const"]).is_some() {}
            let kind = self.kind()?;
            let name = self.name()?;
            if self.take("(") {
                let parameters = self.parameters()?;
                let body = self.place;
                self.functions.insert(name, (kind, Function { parameters, body }));
                self.skip_block()?;
                continue;
            }
            let is_array = self.take("[");
            if is_array {
                while !self.take("]") {
                    self.next()?;
                }
            }
            self.declare(name, Type { is_array, ..kind }, None);
            self.expect(";")?;
        }
        Ok(())
    }

    fn parameters(&mut self) -> Result<Vec<(&'a str, Type)>, Uncounted> {
        let mut parameters = Vec::new();
        while !self.take(")") {
            while self.take_any(&["in", "out", "inout", "const"]).is_some() {}
            let kind = self.kind()?;
            parameters.push((self.name()?, kind));
            self.take(",");
        }
        Ok(parameters)
    }

    // Statements.

    fn call(&mut self, function: &Function<'a>) -> Result<(), Uncounted> {
        if self.depth == DEEPEST {
            return Err(Uncounted("a function calls itself".into()));
        }
        self.depth += 1;
        let back = std::mem::replace(&mut self.place, function.body);
        // A body sees its parameters and what is global.
        let callers = self.scopes.split_off(1);
        self.scopes
            .push(function.parameters.iter().map(|&(name, kind)| (name, Variable { kind, number: None })).collect());
        self.statement()?;
        self.scopes.truncate(1);
        self.scopes.extend(callers);
        self.place = back;
        self.depth -= 1;
        Ok(())
    }

    fn statement(&mut self) -> Result<(), Uncounted> {
        if self.take("{") {
            self.scopes.push(HashMap::new());
            while !self.take("}") {
                self.statement()?;
            }
            self.scopes.pop();
        } else if self.take("if") {
            self.expect("(")?;
            self.expression()?;
            self.expect(")")?;
            self.statement()?;
            if self.take("else") {
                self.statement()?;
            }
        } else if self.take("for") {
            self.repeat()?;
        } else if self.take("return") {
            if !self.take(";") {
                self.expression()?;
                self.expect(";")?;
            }
        } else if let Some(kind) = self.peek().and_then(Type::named).filter(|_| self.peek_after() != Some("(")) {
            self.place += 1;
            loop {
                let name = self.name()?;
                let value = if self.take("=") { Some(self.choice()?) } else { None };
                let number = value.and_then(|value| value.number).filter(|_| kind.is_whole);
                self.declare(name, kind, number);
                if !self.take(",") {
                    break;
                }
            }
            self.expect(";")?;
        } else {
            self.expression()?;
            self.expect(";")?;
        }
        Ok(())
    }

    /// A loop whose bounds are known.
    fn repeat(&mut self) -> Result<(), Uncounted> {
        self.expect("(")?;
        self.scopes.push(HashMap::new());
        self.statement()?;
        let condition = self.place;
        loop {
            self.place = condition;
            let goes_on = self.expression()?.number.ok_or_else(|| Uncounted("a loop whose end is not known".into()))?;
            self.expect(";")?;
            let step = self.place;
            self.skip_to_end_of_brackets()?;
            let body = self.place;
            if goes_on == 0.0 {
                self.skip_statement()?;
                break;
            }
            self.statement()?;
            self.place = step;
            self.expression()?;
            self.place = body;
        }
        self.scopes.pop();
        Ok(())
    }

    // Expressions.

    fn expression(&mut self) -> Result<Value<'a>, Uncounted> {
        let left = self.choice()?;
        let Some(sign) = self.take_any(&["=", "+=", "-=", "*=", "/="]) else { return Ok(left) };
        let right = self.expression()?;
        let variable = left.variable;
        let value = match sign {
            "=" => right,
            _ => self.operation(&sign[..1], left, right),
        };
        self.assign(variable, value.number.filter(|_| value.kind.is_whole));
        Ok(value)
    }

    fn choice(&mut self) -> Result<Value<'a>, Uncounted> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let one = self.choice()?;
        self.expect(":")?;
        let other = self.choice()?;
        let kind = one.kind.wider(other.kind);
        self.add(kind, 1);
        Ok(Value::of(kind))
    }

    fn binary(&mut self, level: usize) -> Result<Value<'a>, Uncounted> {
        const LEVELS: [&[&str]; 6] =
            [&["||"], &["&&"], &["==", "!="], &["<", ">", "<=", ">="], &["+", "-"], &["*", "/"]];
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = self.take_any(signs) {
            let right = self.binary(level + 1)?;
            left = self.operation(sign, left, right);
        }
        Ok(left)
    }

    /// The rule for `+ - * /` and comparisons.
    fn operation(&mut self, sign: &str, left: Value<'a>, right: Value<'a>) -> Value<'a> {
        if let (Some(a), Some(b)) = (left.number, right.number) {
            let truth = |is: bool| f64::from(u8::from(is));
            let number = match sign {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => a / b,
                "<" => truth(a < b),
                ">" => truth(a > b),
                "<=" => truth(a <= b),
                ">=" => truth(a >= b),
                "==" => truth(a == b),
                "!=" => truth(a != b),
                "&&" => truth(a != 0.0 && b != 0.0),
                _ => truth(a != 0.0 || b != 0.0),
            };
            return Value::constant(number, left.kind.is_whole && right.kind.is_whole);
        }
        let kind = left.kind.wider(right.kind);
        match sign {
            "+" | "-" => {
                // A sum of whole numbers one of which is written down is an address with an offset.
                let is_offset = kind.is_whole && (left.number.is_some() || right.number.is_some());
                if !(left.is_product || right.is_product || is_offset) {
                    self.add(kind, kind.columns);
                }
                Value::of(kind)
            }
            "*" => match (left.kind.columns > 1, right.kind.columns > 1) {
                (true, true) => {
                    self.add(kind, kind.columns * kind.columns);
                    Value::of(kind)
                }
                (is_left, is_right) if (is_left && right.kind.rows > 1) || (is_right && left.kind.rows > 1) => {
                    self.add(kind, kind.columns);
                    Value::of(Type::vector(kind.rows))
                }
                _ => {
                    self.add(kind, kind.columns);
                    Value { is_product: true, ..Value::of(kind) }
                }
            },
            "/" => {
                let is_one = left.number == Some(1.0);
                if right.number.is_none() {
                    self.add(kind, right.kind.rows * right.kind.columns);
                }
                if !is_one {
                    self.add(kind, kind.columns);
                }
                Value { is_product: !is_one, ..Value::of(kind) }
            }
            _ => {
                self.add(kind, 1);
                Value::of(Type::vector(1))
            }
        }
    }

    fn unary(&mut self) -> Result<Value<'a>, Uncounted> {
        if self.take("-") {
            let value = self.unary()?;
            return Ok(Value { number: value.number.map(|number| -number), ..value });
        }
        if self.take("!") {
            return self.unary();
        }
        let mut value = self.primary()?;
        loop {
            if self.take("[") {
                self.index()?;
                value = Value::of(element(value.kind));
            } else if self.take(".") {
                let letters = self.name()?.len() as u32;
                value = Value::of(Type { rows: letters, ..value.kind });
            } else if self.take("++") {
                let number = value.number.map(|number| number + 1.0);
                self.assign(value.variable, number);
            } else {
                return Ok(value);
            }
        }
    }

    fn index(&mut self) -> Result<(), Uncounted> {
        self.expression()?;
        self.expect("]")
    }

    fn primary(&mut self) -> Result<Value<'a>, Uncounted> {
        if self.take("(") {
            let value = self.expression()?;
            self.expect(")")?;
            return Ok(Value { variable: None, ..value });
        }
        let token = self.next()?;
        if let Token::Number(text) = token {
            let number = text.parse().map_err(|_| Uncounted(format!("the number {text}")))?;
            return Ok(Value::constant(number, !text.contains(['.', 'e'])));
        }
        let Token::Word(name) = token else { return Err(Uncounted(format!("'{}' is not expected", token.text()))) };
        if !self.take("(") {
            let variable = self.scopes.iter().rev().find_map(|scope| scope.get(name));
            let variable = variable.ok_or_else(|| Uncounted(format!("what is {name}?")))?;
            return Ok(Value { number: variable.number, variable: Some(name), ..Value::of(variable.kind) });
        }
        let makes_whole = name == "int";
        self.of_address += u32::from(makes_whole);
        let mut arguments = Vec::new();
        while !self.take(")") {
            arguments.push(self.choice()?);
            self.take(",");
        }
        let result = self.called(name, &arguments)?;
        self.of_address -= u32::from(makes_whole);
        Ok(result)
    }

    /// A function, a constructor or one of GLSL's own.
    fn called(&mut self, name: &str, arguments: &[Value<'a>]) -> Result<Value<'a>, Uncounted> {
        if let Some((kind, function)) = self.functions.get(name).cloned() {
            self.call(&function)?;
            return Ok(Value::of(kind));
        }
        let first = arguments.first().ok_or_else(|| Uncounted(format!("{name} of nothing")))?;
        if let Some(kind) = Type::named(name) {
            if kind.is_whole && first.number.is_none() && !first.kind.is_whole {
                self.add(kind, 1);
            }
            return Ok(Value { number: first.number.filter(|_| kind.rows == 1), ..Value::of(kind) });
        }
        let kind = arguments.iter().fold(first.kind, |kind, argument| kind.wider(argument.kind));
        let number = Type::vector(1);
        // Slots that instructions and macros of vertex shader 2.0 take; a square root is the inverse of the reciprocal one.
        let (slots, kind) = match name {
            "dot" => (1, number),
            "length" => (3, number),
            "distance" => (4, number),
            "cross" => (2, kind),
            "normalize" => (3, kind),
            "min" | "max" | "abs" | "fract" => (1, kind),
            "clamp" | "mix" | "floor" => (2, kind),
            "inversesqrt" => (first.kind.rows, kind),
            "sqrt" => (2 * first.kind.rows, kind),
            "sin" | "cos" => (8 * first.kind.rows, kind),
            "texture2D" | "texture2DLod" => {
                self.found.texture_reads += 1;
                (0, Type::vector(4))
            }
            _ => return Err(Uncounted(format!("what is {name}(…)?"))),
        };
        self.add(kind, slots);
        Ok(Value::of(kind))
    }

    fn add(&mut self, kind: Type, count: u32) {
        if kind.is_whole || self.of_address > 0 {
            self.found.addresses += count;
        } else {
            self.found.arithmetic += count;
        }
    }

    // Variables.

    fn declare(&mut self, name: &'a str, kind: Type, number: Option<f64>) {
        // What loops run to.
        let number = if name == "influences" && kind.is_whole { Some(f64::from(self.influences)) } else { number };
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, Variable { kind, number });
        }
    }

    fn assign(&mut self, name: Option<&'a str>, number: Option<f64>) {
        let known = name.and_then(|name| self.scopes.iter_mut().rev().find_map(|scope| scope.get_mut(name)));
        if let Some(variable) = known {
            variable.number = number;
        }
    }
}

/// What indexing gives: an array's element, a matrix' column, a vector's component.
fn element(kind: Type) -> Type {
    match kind {
        Type { is_array: true, .. } => Type { is_array: false, ..kind },
        Type { columns: 2.., .. } => Type::vector(kind.rows),
        _ => Type { rows: 1, ..kind },
    }
}
