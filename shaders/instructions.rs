//! Instruction slots of a vertex program: a static count over its GLSL, as vertex shaders 1.1 to 3.0 would need them.
//!
//! Functions are inlined. Expressions that no output depends on are not counted, and equal expressions once.
//! docs/methods.md "Instructions" has the rules.

use std::borrow::Cow;
use std::collections::HashMap;

/// Size of a vertex program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramSize {
    /// Instruction slots of `skin`.
    pub skin: u32,
    /// Instruction slots of the whole program.
    pub slots: u32,
    /// Attributes. Each takes one input register.
    pub inputs: u32,
}

impl ProgramSize {
    /// Returns the slots and inputs of a program; 0 if they are unknown.
    pub fn demand(size: Option<Self>) -> [u32; 2] {
        size.map_or([0; 2], |size| [size.slots, size.inputs])
    }
}

/// Largest number of tokens to read, with those of functions again for each call.
const MOST_TOKENS: usize = 1 << 18;
/// Deepest nesting of expressions, statements and calls.
const DEEPEST: usize = 64;
/// Largest number of rounds of a loop that is unrolled.
const MOST_UNROLLED: f64 = 4.0;

/// Measures the program that draws surfaces by a method with this stem of its shader file, compiled for this number of
/// influences per vertex: further weights are zero. `read` returns the text of a file. Returns `None` for GLSL beyond what our shaders use.
pub fn measure(
    shader: &str,
    influences: usize,
    read: impl Fn(&str) -> Option<Cow<'static, str>>,
) -> Option<ProgramSize> {
    let own = read(&format!("{shader}.vert"))?;
    let examples = if own.contains("correct(") { read("examples.glsl")? } else { Cow::Borrowed("") };
    let count = influences.to_string();
    let tangents = own.contains("out vec3 model_tangent").then_some(("TANGENTS", "1"));
    let defines: Vec<_> = tangents.into_iter().chain([("INFLUENCES", count.as_str())]).collect();
    measure_files(&[&read("quaternion.glsl")?, &examples, &own, &read("figure.vert")?], &defines, influences)
}

fn measure_files(files: &[&str], defines: &[(&str, &str)], influences: usize) -> Option<ProgramSize> {
    let mut counter = Counter {
        tokens: tokens(files, defines)?,
        influences,
        scopes: vec![HashMap::new()],
        outputs: vec!["gl_Position"],
        ..Counter::default()
    };
    while counter.at < counter.tokens.len() {
        counter.global()?;
    }
    counter.at = counter.functions.get("main")?.1;
    counter.statement()?;
    let outputs: Vec<usize> =
        counter.outputs.iter().filter_map(|name| Some(counter.scopes[0].get(name)?.node)).collect();
    let copies = outputs.iter().filter(|&&node| counter.slots(&[node]) == 0).count() as u32;
    Some(ProgramSize {
        skin: counter.slots(&counter.skin) + counter.flow,
        slots: counter.slots(&outputs) + counter.flow + copies,
        inputs: counter.inputs,
    })
}

/// Splits the files into names, numbers and single characters, without comments and inactive branches of `#if`, and with
/// defined names replaced.
fn tokens<'a>(files: &[&'a str], defines: &[(&'a str, &'a str)]) -> Option<Vec<&'a str>> {
    let mut defined: HashMap<&str, &str> = defines.iter().copied().collect();
    // Of each `#if`: true if the branch is active, and if one was.
    let mut branches: Vec<[bool; 2]> = Vec::new();
    let mut tokens = Vec::new();
    for line in files.iter().flat_map(|file| file.lines()) {
        let line = line.split("//").next().unwrap_or_default().trim();
        let is_active = branches.iter().all(|branch| branch[0]);
        if let Some(directive) = line.strip_prefix('#') {
            match *directive.split_whitespace().collect::<Vec<_>>().as_slice() {
                ["define", name, value] if is_active => drop(defined.insert(name, value)),
                ["ifdef", name] => branches.push([defined.contains_key(name); 2]),
                ["if", name, "==", value] => branches.push([defined.get(name) == Some(&value); 2]),
                ["elif", name, "==", value] => {
                    let [_, was_active] = branches.pop()?;
                    let is_active = !was_active && defined.get(name) == Some(&value);
                    branches.push([is_active, was_active || is_active]);
                }
                ["else"] => {
                    let [_, was_active] = branches.pop()?;
                    branches.push([!was_active, true]);
                }
                ["endif"] => drop(branches.pop()?),
                ["version", ..] => {}
                _ => return None,
            }
            continue;
        }
        let mut rest = if is_active { line } else { "" };
        while let Some(first) = rest.chars().next() {
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || (c == '.' && first.is_ascii_digit());
            let length = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()).max(first.len_utf8());
            let (token, after) = rest.split_at(length);
            tokens.push(*defined.get(token).unwrap_or(&token));
            rest = after.trim_start();
        }
    }
    Some(tokens)
}

/// Kind of a value, which decides the number of instructions. A matrix has a number of columns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Scalar,
    Vector,
    Matrix(u32),
}

impl Kind {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "float" | "int" | "bool" | "sampler2D" | "void" => Self::Scalar,
            "vec2" | "vec3" | "vec4" => Self::Vector,
            "mat3" => Self::Matrix(3),
            "mat4" => Self::Matrix(4),
            _ => return None,
        })
    }

    fn columns(self) -> u32 {
        if let Self::Matrix(columns) = self { columns } else { 1 }
    }
}

/// Result of an expression.
#[derive(Clone, Copy)]
struct Value {
    kind: Kind,
    node: usize,
    /// Number that all components have, if it is known.
    known: Option<f64>,
}

/// Instructions of one operation.
struct Node {
    cost: u32,
    operands: Vec<usize>,
    is_product: bool,
    /// For a sum with a constant, the other part.
    without_constant: Option<usize>,
}

/// Parameters, each with its qualifier and name, and the token of the body.
type Function<'a> = (Vec<(&'a str, &'a str)>, usize);

#[derive(Default)]
struct Counter<'a> {
    tokens: Vec<&'a str>,
    at: usize,
    read: usize,
    depth: usize,
    influences: usize,
    /// Number of weights that are not zero.
    weights: usize,
    functions: HashMap<&'a str, Function<'a>>,
    arrays: Vec<&'a str>,
    /// Variables of the program, then those of each function that is being inlined.
    scopes: Vec<HashMap<&'a str, Value>>,
    nodes: Vec<Node>,
    /// Nodes by operation and operands.
    numbers: HashMap<(String, Vec<usize>), usize>,
    outputs: Vec<&'a str>,
    inputs: u32,
    /// Slots of loops.
    flow: u32,
    returned: Option<Value>,
    /// Results of `skin`.
    skin: Vec<usize>,
}

impl<'a> Counter<'a> {
    /// Returns the slots of all that these nodes depend on.
    fn slots(&self, results: &[usize]) -> u32 {
        let (mut seen, mut left, mut slots) = (vec![false; self.nodes.len()], results.to_vec(), 0);
        while let Some(node) = left.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                slots += self.nodes[node].cost;
                left.extend(&self.nodes[node].operands);
            }
        }
        slots
    }

    fn next(&mut self) -> Option<&'a str> {
        self.at += 1;
        self.read += 1;
        self.tokens.get(self.at - 1).copied().filter(|_| self.read <= MOST_TOKENS)
    }

    fn is_next(&self, token: &str) -> bool {
        self.tokens.get(self.at).is_some_and(|next| *next == token)
    }

    fn accept(&mut self, token: &str) -> bool {
        let is_next = self.is_next(token);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, token: &str) -> Option<()> {
        self.accept(token).then_some(())
    }

    /// Skips the rest of a bracket.
    fn skip_bracket(&mut self) -> Option<()> {
        let mut depth = 1;
        while depth > 0 {
            match self.next()? {
                "(" | "{" | "[" => depth += 1,
                ")" | "}" | "]" => depth -= 1,
                _ => {}
            }
        }
        Some(())
    }

    /// Reads a variable of the program or a function.
    fn global(&mut self) -> Option<()> {
        let qualifier = self.next()?;
        if qualifier == "const" {
            return self.statement();
        }
        let of_type = if Kind::named(qualifier).is_some() { qualifier } else { self.next()? };
        let (kind, name) = (Kind::named(of_type)?, self.next()?);
        if self.accept("(") {
            let mut parameters = Vec::new();
            while !self.accept(")") {
                let first = self.next()?;
                let qualifier = if Kind::named(first).is_some() { "in" } else { self.next().and(Some(first))? };
                parameters.push((qualifier, self.next()?));
                self.accept(",");
            }
            self.functions.insert(name, (parameters, self.at));
            self.expect("{")?;
            return self.skip_bracket();
        }
        match qualifier {
            "varying" | "out" => self.outputs.push(name),
            _ => {
                self.inputs += u32::from(matches!(qualifier, "attribute" | "in"));
                // Of three weights, the last is implied.
                self.weights = if name == "weights" {
                    self.influences.saturating_sub(usize::from(of_type == "vec3"))
                } else {
                    self.weights
                };
                let value = self.node(name, kind, 0, &[]);
                self.scopes[0].insert(name, value);
            }
        }
        if self.accept("[") {
            self.arrays.push(name);
            self.skip_bracket()?;
        }
        self.expect(";")
    }

    fn variable(&self, name: &str) -> Option<Value> {
        self.scopes.last()?.get(name).or_else(|| self.scopes[0].get(name)).copied()
    }

    fn assign(&mut self, name: &'a str, value: Value) {
        let is_output = self.outputs.contains(&name);
        let scope = if is_output { self.scopes.first_mut() } else { self.scopes.last_mut() };
        scope.map(|scope| scope.insert(name, value));
    }

    fn deepen(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(())
    }

    fn statement(&mut self) -> Option<()> {
        self.deepen()?;
        let start = self.at;
        match self.next()? {
            "{" => {
                while !self.accept("}") {
                    self.statement()?;
                }
            }
            "const" => self.statement()?,
            "if" => self.branch()?,
            "for" => self.repeat()?,
            "break" => {
                self.flow += 3;
                self.expect(";")?;
            }
            "return" => {
                self.returned = Some(self.expression()?);
                self.expect(";")?;
            }
            _ if self.is_next("(") => {
                self.at = start;
                self.expression()?;
                self.expect(";")?;
            }
            name => {
                let kind = Kind::named(name);
                let name = if kind.is_some() { self.next()? } else { name };
                if kind.is_some() && self.is_next(";") {
                    let unset = self.node("unset", kind?, 0, &[]);
                    self.assign(name, unset);
                } else {
                    self.assignment(name)?;
                }
                self.expect(";")?;
            }
        }
        self.depth -= 1;
        Some(())
    }

    fn assignment(&mut self, name: &'a str) -> Option<()> {
        let part = if self.accept(".") { Some(self.next()?) } else { None };
        let operator = self.next()?;
        if operator != "=" {
            self.expect("=")?;
        }
        let mut value = self.expression()?;
        let old = self.variable(name);
        if operator != "=" {
            let before = part.map_or(old, |part| old.map(|old| self.node(part, Kind::Scalar, 0, &[old])));
            value = self.binary(operator, before?, value);
        }
        if let (Some(part), Some(old)) = (part, old) {
            value = self.node(&format!("set {part}"), old.kind, 0, &[old, value]);
        }
        self.assign(name, value);
        Some(())
    }

    /// Reads an `if`: variables get one of two values.
    fn branch(&mut self) -> Option<()> {
        self.expect("(")?;
        let condition = self.expression()?;
        self.expect(")")?;
        let before = self.scopes.clone();
        self.statement()?;
        for (number, before) in before.into_iter().enumerate() {
            for (name, before) in before {
                let now = *self.scopes[number].get(name)?;
                if now.node != before.node {
                    let chosen = self.node("?", now.kind, 2, &[condition, now, before]);
                    self.scopes[number].insert(name, chosen);
                }
            }
        }
        Some(())
    }

    /// Reads a `for`. A short one is unrolled, others count once.
    fn repeat(&mut self) -> Option<()> {
        self.expect("(")?;
        self.expect("int")?;
        let name = self.next()?;
        self.expect("=")?;
        let first = self.expression()?.known?;
        self.expect(";")?;
        self.expect(name)?;
        self.expect("<")?;
        let rounds = self.expression()?.known.map(|bound| bound - first);
        self.skip_bracket()?;
        let (body, rounds) = (self.at, rounds.filter(|rounds| *rounds <= MOST_UNROLLED));
        for round in 0..rounds.map_or(1, |rounds| rounds as usize) {
            self.at = body;
            let counter = match rounds {
                Some(_) => self.literal(first + round as f64),
                None => self.node(&format!("round of {body}"), Kind::Scalar, 0, &[]),
            };
            self.assign(name, counter);
            self.statement()?;
        }
        self.flow += if rounds.is_none() { 5 } else { 0 };
        Some(())
    }

    fn expression(&mut self) -> Option<Value> {
        self.deepen()?;
        let mut value = self.operation(0)?;
        if self.accept("?") {
            let then = self.expression()?;
            self.expect(":")?;
            let otherwise = self.expression()?;
            let chosen = self.node("?", then.kind.max(otherwise.kind), 2, &[value, then, otherwise]);
            value = Value { known: then.known.filter(|_| then.known == otherwise.known), ..chosen };
        }
        self.depth -= 1;
        Some(value)
    }

    /// Reads an expression of operators, those of a higher level first.
    fn operation(&mut self, level: usize) -> Option<Value> {
        const LEVELS: [&[&str]; 4] = [&["|", "&"], &["=", "!", "<", ">"], &["+", "-"], &["*", "/"]];
        let Some(operators) = LEVELS.get(level) else { return self.operand() };
        let mut value = self.operation(level + 1)?;
        while let Some(&operator) = operators.iter().find(|operator| self.is_next(operator)) {
            self.next()?;
            // The second letter of one such as `==` or `&&`.
            if level < 2 && !self.accept("=") {
                self.accept(operator);
            }
            let right = self.operation(level + 1)?;
            value = self.binary(operator, value, right);
        }
        Some(value)
    }

    fn operand(&mut self) -> Option<Value> {
        let is_negative = self.accept("-");
        let token = self.next()?;
        let mut value = if token == "(" {
            let value = self.expression()?;
            self.expect(")")?;
            value
        } else if token.ends_with('e') && token.starts_with(|c: char| c.is_ascii_digit()) {
            // An exponent and its sign.
            self.next().and(self.next())?;
            self.node("small", Kind::Scalar, 0, &[])
        } else if let Ok(number) = token.parse() {
            self.literal(number)
        } else if self.accept("(") {
            self.call(token)?
        } else {
            self.variable(token)?
        };
        let mut is_array = self.arrays.contains(&token);
        loop {
            let (part, index, weight) = if self.accept(".") {
                let part = self.next()?;
                (part.to_owned(), None, "xyzw".find(part))
            } else if self.accept("[") {
                let index = self.expression()?;
                self.expect("]")?;
                // A constant in an index is part of the instruction that uses it.
                let node = self.nodes[index.node].without_constant.unwrap_or(index.node);
                let weight = index.known.map(|index| index as usize);
                (format!("[{}]", index.node), Some(Value { node, ..index }), weight)
            } else {
                break;
            };
            let kind = match value.kind {
                Kind::Vector if !is_array && (part.len() == 1 || index.is_some()) => Kind::Scalar,
                Kind::Matrix(_) if !is_array => Kind::Vector,
                kind => kind,
            };
            is_array = false;
            value = if token == "weights" && weight.is_some_and(|weight| weight >= self.weights) {
                self.literal(0.0)
            } else {
                let operands: Vec<Value> = std::iter::once(value).chain(index).collect();
                self.node(&part, kind, 0, &operands)
            };
        }
        if is_negative {
            value = Value { known: value.known.map(|number| -number), ..self.node("-", value.kind, 0, &[value]) };
        }
        Some(value)
    }

    fn call(&mut self, name: &'a str) -> Option<Value> {
        let (mut values, mut names) = (Vec::new(), Vec::new());
        while !self.accept(")") {
            names.extend(self.tokens.get(self.at));
            values.push(self.expression()?);
            self.accept(",");
        }
        let Some((parameters, body)) = self.functions.get(name).cloned() else { return self.built_in(name, &values) };
        let back = std::mem::replace(&mut self.at, body);
        self.scopes.push(parameters.iter().map(|&(_, name)| name).zip(values).collect());
        self.returned = None;
        self.statement()?;
        let inner = self.scopes.pop()?;
        self.at = back;
        for ((qualifier, parameter), argument) in parameters.into_iter().zip(names) {
            if qualifier != "in" {
                let value = *inner.get(parameter)?;
                self.assign(argument, value);
                self.skin.extend((name == "skin").then_some(value.node));
            }
        }
        Some(self.returned.take().unwrap_or_else(|| self.literal(0.0)))
    }

    fn built_in(&mut self, name: &str, values: &[Value]) -> Option<Value> {
        let highest = values.iter().map(|value| value.kind).max()?;
        let (kind, cost) = match name {
            "float" => return values.first().copied(),
            "vec2" | "vec3" | "vec4" | "mat3" | "mat4" => {
                let kind = Kind::named(name)?;
                let known =
                    values[0].known.filter(|number| values.len() == 1 && (kind == Kind::Vector || *number == 0.0));
                return Some(Value { known, ..self.node(name, kind, 0, values) });
            }
            "int" | "dot" | "inversesqrt" => (Kind::Scalar, 1),
            "abs" | "max" | "min" | "fract" => (highest, 1),
            "floor" | "clamp" | "sqrt" | "mix" => (highest, 2),
            "texture2DLod" | "cross" => (Kind::Vector, 2),
            "length" => (Kind::Scalar, 3),
            "normalize" => (Kind::Vector, 3),
            "distance" => (Kind::Scalar, 4),
            "sin" | "cos" => (Kind::Scalar, 8),
            _ => return None,
        };
        Some(self.node(name, kind, cost, values))
    }

    fn literal(&mut self, number: f64) -> Value {
        Value { known: Some(number), ..self.node(&number.to_string(), Kind::Scalar, 0, &[]) }
    }

    fn binary(&mut self, operator: &str, a: Value, b: Value) -> Value {
        let kind = a.kind.max(b.kind);
        match (operator, a.known, b.known) {
            ("-", Some(a), Some(b)) => self.literal(a - b),
            ("+", Some(0.0), _) => Value { kind, ..b },
            ("+" | "-", _, Some(0.0)) => Value { kind, ..a },
            ("*", Some(0.0), _) | ("*", _, Some(0.0)) => Value { kind, ..self.literal(0.0) },
            ("*", Some(1.0), _) => b,
            ("+" | "-", ..) => {
                // An addition to a product is one instruction with it.
                let product = [(a, b), (b, a)].into_iter().find(|(value, _)| self.nodes[value.node].is_product);
                let sum = match product {
                    Some((product, other)) => {
                        let sum = self.node(&format!("{operator} {}", product.node), kind, kind.columns(), &[other]);
                        let factors = self.nodes[product.node].operands.clone();
                        self.nodes[sum.node].operands.extend(factors);
                        sum
                    }
                    None => self.node(operator, kind, kind.columns(), &[a, b]),
                };
                self.nodes[sum.node].without_constant = b.known.map(|_| a.node);
                sum
            }
            ("*", ..) => {
                let (kind, cost) = match (a.kind, b.kind) {
                    (Kind::Matrix(columns), Kind::Matrix(_)) => (kind, columns * columns),
                    (Kind::Matrix(columns), Kind::Vector) => (Kind::Vector, columns),
                    _ => (kind, kind.columns()),
                };
                let product = self.node(operator, kind, cost, &[a, b]);
                self.nodes[product.node].is_product = cost == kind.columns();
                product
            }
            ("/", _, None) => self.node(operator, kind, 2, &[a, b]),
            _ => self.node(operator, kind, 1, &[a, b]),
        }
    }

    /// Returns the result of an operation, which is computed once for equal operands.
    fn node(&mut self, operation: &str, kind: Kind, cost: u32, operands: &[Value]) -> Value {
        let operands: Vec<usize> = operands.iter().map(|value| value.node).collect();
        let nodes = &mut self.nodes;
        let node = *self.numbers.entry((operation.to_owned(), operands.clone())).or_insert_with(|| {
            nodes.push(Node { cost, operands, is_product: false, without_constant: None });
            nodes.len() - 1
        });
        Value { kind, node, known: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built_in(method: &str, influences: usize) -> ProgramSize {
        measure(method, influences, |name| crate::built_in(name).map(Cow::Borrowed))
            .unwrap_or_else(|| panic!("{method}"))
    }

    /// Slots of a program whose output is an expression of some attributes, without those of the output itself.
    fn slots(result: &str) -> Option<u32> {
        let inputs = "attribute vec4 a;\nattribute vec4 b;\nattribute vec4 c;\nuniform mat4 m;\nuniform vec4 rows[9];\nuniform int n;";
        let body = format!("{inputs}\nvoid main()\n{{\n{result}\n}}");
        measure_files(&[&body], &[], 4).map(|size| size.slots)
    }

    #[test]
    fn rules() {
        let rules = [
            ("gl_Position = a;", 1),
            ("gl_Position = a * b;", 1),
            ("gl_Position = a * b + c;", 1),
            ("gl_Position = c - a.x * b;", 1),
            ("gl_Position = a * b + b * c;", 2),
            ("gl_Position = a + b + c;", 2),
            ("gl_Position = m * a;", 4),
            ("gl_Position = (m * m) * a;", 20),
            ("gl_Position = vec4(dot(a, b), dot(b, c), dot(a, c), 1.0);", 3),
            ("gl_Position = a / b.x;", 2),
            ("gl_Position = a / 2.0;", 1),
            ("gl_Position = normalize(a) + b;", 4),
            ("gl_Position = rows[int(a.x) + 1] * rows[int(a.x) + 2];", 2),
            ("gl_Position = a.x < b.x ? a : b;", 3),
            ("vec4 r = a; if (a.x > 0.5) { r = b * c; } gl_Position = r;", 4),
            ("vec4 r = a; for (int i = 0; i < 3; i++) { r += b * c[i]; } gl_Position = r;", 3),
            ("vec4 r = a; for (int i = 0; i < n; i++) { r += b * c[i]; } gl_Position = r;", 6),
            // Neither unused nor repeated work counts, nor that by zero and one.
            ("vec4 unused = a * b; gl_Position = c;", 1),
            ("gl_Position = (a + b) * (a + b);", 2),
            ("gl_Position = 0.0 * a + 1.0 * (b + c);", 1),
        ];
        for (program, expected) in rules {
            assert_eq!(slots(program), Some(expected), "{program}");
        }
    }

    /// Article 000, pages 23 and 24: 8 n instructions for VSP2 and 3 n + 6 for VSP3, without those for indices.
    #[test]
    fn the_programs_of_the_article() {
        let inputs = "attribute vec3 position;\nattribute vec3 normal;\nattribute vec4 weights;\nattribute vec4 rows;\n\
            uniform vec4 world[78];\nvarying vec3 p;\nvarying vec3 n;\n";
        let row = |letter: char, row: &str| format!("world[rows.{letter}{row}]");
        let of = |letter: char, vector: &str| {
            let dots = ["", " + 1.0", " + 2.0"].map(|at| format!("dot({}, {vector})", row(letter, at))).join(", ");
            format!("weights.{letter} * vec3({dots})")
        };
        for influences in 1..=4 {
            let letters = &['x', 'y', 'z', 'w'][..influences];
            let sum = |vector: &str| letters.iter().map(|&letter| of(letter, vector)).collect::<Vec<_>>().join(" + ");
            let vsp2 = format!("{inputs}void main() {{ p = {}; n = {}; }}", sum("vec4(position, 1.0)"), sum("normal"));
            let blended = |at: &str| {
                let parts = letters.iter().map(|&letter| format!("weights.{letter} * {}", row(letter, at)));
                parts.collect::<Vec<_>>().join(" + ")
            };
            let apply = |vector: &str| format!("vec3(dot(x, {vector}), dot(y, {vector}), dot(z, {vector}))");
            let vsp3 = format!(
                "{inputs}void main() {{ vec4 x = {}; vec4 y = {}; vec4 z = {}; p = {}; n = {}; }}",
                blended(""),
                blended(" + 1.0"),
                blended(" + 2.0"),
                apply("vec4(position, 1.0)"),
                apply("normal")
            );
            let slots = [vsp2, vsp3].map(|program| measure_files(&[&program], &[], influences).unwrap().slots as usize);
            assert_eq!(slots, [8 * influences, 3 * influences + 6], "{influences}");
        }
    }

    /// Page 23 of the article: the compiler of 2005 needed 51 for the whole program. The rules give two more: its `mova`
    /// moves four indices at once, and its positions may need a copy.
    #[test]
    fn the_whole_program_of_the_article() {
        let program = "
            attribute vec3 position; attribute vec3 normal; attribute vec3 blend; attribute vec4 indices; attribute vec2 uv;
            uniform vec4 world[78]; uniform mat4 view_projection;
            uniform vec3 light; uniform vec4 ambient; uniform vec4 diffuse;
            varying vec4 colour; varying vec2 texel;
            void add(float weight, float index, inout vec3 p, inout vec3 n)
            {
                int i = int(index);
                vec4 from = vec4(position, 1.0);
                p += weight * vec3(dot(world[i], from), dot(world[i + 1], from), dot(world[i + 2], from));
                n += weight * vec3(dot(world[i], normal), dot(world[i + 1], normal), dot(world[i + 2], normal));
            }
            void main()
            {
                vec4 rows = floor(765.0 * indices);
                vec3 p = vec3(0.0);
                vec3 n = vec3(0.0);
                add(blend.x, rows.x, p, n);
                add(blend.y, rows.y, p, n);
                add(blend.z, rows.z, p, n);
                add(1.0 - (blend.x + blend.y + blend.z), rows.w, p, n);
                gl_Position = view_projection * vec4(p, 1.0);
                colour = ambient + max(dot(normalize(n), light), 0.0) * diffuse;
                texel = uv;
            }";
        let size = measure_files(&[program], &[], 4).unwrap();
        assert_eq!((size.slots, size.inputs), (53, 5));
    }

    /// Counted by hand: an index takes three, a weight one and a tangent as much as a normal.
    #[test]
    fn our_programs() {
        let of = |method: &str| [1, 2, 3, 4].map(|influences| built_in(method, influences).skin);
        // 8 n, 4 n for the tangent, 3 n for indices, n - 1 for the last weight, and 3 to normalise. One influence needs
        // no weight.
        assert_eq!(of("matrix-unrolled"), [15, 34, 50, 66]);
        // 3 n + 6, 3 n for indices, n - 1, 3 for the tangent, 6 for the cofactors, and 3.
        assert_eq!(of("matrix-blend"), [21, 31, 38, 45]);
        assert_eq!(of("cpu"), [0; 4]);
        // 18 for camera, placement and surface.
        assert_eq!(built_in("matrix-blend", 4), ProgramSize { skin: 45, slots: 63, inputs: 7 });
    }

    #[test]
    fn every_program_is_understood() {
        for name in crate::names().filter_map(|name| name.strip_suffix(".vert")) {
            let text = crate::built_in(&format!("{name}.vert")).unwrap();
            if text.lines().any(|line| line.starts_with("void skin(")) {
                assert!(built_in(name, 4).inputs <= 16, "{name}");
            }
        }
    }

    #[test]
    fn other_glsl_is_refused() {
        let deep = format!("gl_Position = {}a{};", "(".repeat(100_000), ")".repeat(100_000));
        let nested = "for (int i = 0; i < 4; i++) ".repeat(40) + "gl_Position += a;";
        for program in [
            &deep,
            &nested,
            "gl_Position = f(a);",
            "while (true) {}",
            "gl_Position = a",
            "",
            "gl_Position = refract(a, b, 1.0);",
        ] {
            assert!(slots(program).is_none_or(|slots| slots == 0), "{}", &program[..program.len().min(40)]);
        }
        let endless = "float f(float x) { return f(x); }\nvoid main() { gl_Position = vec4(f(1.0)); }";
        assert_eq!(measure_files(&[endless], &[], 4), None);
    }
}
