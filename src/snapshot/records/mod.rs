//! Records as text or JSON. They are written one by one and not kept in memory.

mod number;

use bindpose_core::model::Transform;
use glam::{DQuat, DVec3};
use number::{fixed, rotation};
use std::io::{self, Write};

/// Format of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextFormat {
    /// A line for each record, with its parts indented below it.
    #[default]
    Text,
    /// One object; each record is an object with the field `record` and its parts in `items`.
    Json,
}

/// Value of a field.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Text(&'a str),
    Integer(i64),
    Truth(bool),
    Number(f64),
    /// A number with all digits needed to reproduce it.
    Exact(f64),
    Numbers(&'a [f64]),
    ExactNumbers(&'a [f64]),
    Integers(&'a [i64]),
    Vector(DVec3),
    Rotation(DQuat),
}

/// A field's name and value.
pub(crate) type Field<'a> = (&'a str, Value<'a>);

/// Writes records into `out`.
pub(crate) struct Writer<'w> {
    out: &'w mut dyn Write,
    format: TextFormat,
    depth: usize,
    /// For JSON: true before the first record of a list.
    first: bool,
}

impl<'w> Writer<'w> {
    /// Writes the beginning: the format's title and version, and a header with spaces and units.
    pub fn begin(
        out: &'w mut dyn Write,
        format: TextFormat,
        title: &str,
        version: u32,
        header: &[(&str, String)],
    ) -> io::Result<Self> {
        match format {
            TextFormat::Text => {
                writeln!(out, "# {title} {version}")?;
                for (name, text) in header {
                    writeln!(out, "# {name}: {}", text.replace(char::is_control, " "))?;
                }
            }
            TextFormat::Json => {
                write!(out, "{{\"format\":{},\"version\":{version},\"header\":{{", json(title))?;
                for (index, (name, text)) in header.iter().enumerate() {
                    write!(out, "{}{}:{}", if index > 0 { "," } else { "" }, json(name), json(text))?;
                }
                write!(out, "}},\"items\":[")?;
            }
        }
        Ok(Self { out, format, depth: 0, first: true })
    }

    /// Writes the end.
    pub fn end(self) -> io::Result<()> {
        match self.format {
            TextFormat::Text => Ok(()),
            TextFormat::Json => writeln!(self.out, "\n]}}"),
        }
    }

    /// Writes a record without parts.
    pub fn record(&mut self, word: &str, fields: &[Field<'_>]) -> io::Result<()> {
        self.head(word, fields)?;
        match self.format {
            TextFormat::Text => Ok(()),
            TextFormat::Json => write!(self.out, "}}"),
        }
    }

    /// Writes a joint with its pose.
    pub fn joint(&mut self, name: &str, pose: &Transform) -> io::Result<()> {
        self.record("joint", &[vec![("", Value::Text(name))], transform(pose)].concat())
    }

    /// Writes a record, and the parts that `below` writes.
    pub fn nest(
        &mut self,
        word: &str,
        fields: &[Field<'_>],
        below: impl FnOnce(&mut Self) -> io::Result<()>,
    ) -> io::Result<()> {
        self.head(word, fields)?;
        if self.format == TextFormat::Json {
            write!(self.out, ",\"items\":[")?;
        }
        self.depth += 1;
        self.first = true;
        below(self)?;
        self.depth -= 1;
        self.first = false;
        match self.format {
            TextFormat::Text => Ok(()),
            TextFormat::Json => write!(self.out, "]}}"),
        }
    }

    fn head(&mut self, word: &str, fields: &[Field<'_>]) -> io::Result<()> {
        match self.format {
            TextFormat::Text => {
                write!(self.out, "{:1$}{word}", "", 2 * self.depth)?;
                for (name, value) in fields {
                    if !name.is_empty() {
                        write!(self.out, " {name}")?;
                    }
                    write!(self.out, " {}", value.text())?;
                }
                writeln!(self.out)
            }
            TextFormat::Json => {
                let separator = if self.first { "\n" } else { ",\n" };
                self.first = false;
                write!(self.out, "{separator}{{\"record\":{}", json(word))?;
                for (name, value) in fields {
                    write!(self.out, ",{}:{}", json(if name.is_empty() { "name" } else { name }), value.json())?;
                }
                Ok(())
            }
        }
    }
}

/// Returns the fields of a joint's pose. Scale and shear are left out if they are invisible in nine decimals.
pub(crate) fn transform<'a>(transform: &Transform) -> Vec<Field<'a>> {
    let mut fields =
        vec![("position", Value::Vector(transform.translation)), ("rotation", Value::Rotation(transform.rotation))];
    let beyond_print = |vector: DVec3| vector.abs().max_element() >= 5e-10;
    if beyond_print(transform.scale - DVec3::ONE) || beyond_print(transform.shear) {
        fields.extend([("scale", Value::Vector(transform.scale)), ("shear", Value::Vector(transform.shear))]);
    }
    fields
}

/// Returns a quoted JSON string.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn exact(value: f64) -> String {
    if value.is_nan() { "nan".to_owned() } else { (value + 0.0).to_string() }
}

impl Value<'_> {
    fn text(&self) -> String {
        match self {
            Value::Text(text) => json(text),
            _ => self.parts().join(" "),
        }
    }

    fn json(&self) -> String {
        // JSON has neither not-a-number nor infinity.
        let number = |text: &String| match text.ends_with(|c: char| c.is_ascii_digit()) {
            true => text.clone(),
            false => json(text),
        };
        match self {
            Value::Text(text) => json(text),
            Value::Truth(truth) => truth.to_string(),
            Value::Integer(_) | Value::Number(_) | Value::Exact(_) => self.parts().iter().map(number).collect(),
            _ => format!("[{}]", self.parts().iter().map(number).collect::<Vec<_>>().join(",")),
        }
    }

    fn parts(&self) -> Vec<String> {
        match *self {
            Value::Text(text) => vec![text.to_owned()],
            Value::Integer(value) => vec![value.to_string()],
            Value::Truth(truth) => vec![truth.to_string()],
            Value::Number(value) => vec![fixed(value)],
            Value::Exact(value) => vec![exact(value)],
            Value::Numbers(values) => values.iter().copied().map(fixed).collect(),
            Value::ExactNumbers(values) => values.iter().copied().map(exact).collect(),
            Value::Integers(values) => values.iter().map(i64::to_string).collect(),
            Value::Vector(value) => value.to_array().map(fixed).to_vec(),
            Value::Rotation(value) => rotation(value).to_vec(),
        }
    }
}
