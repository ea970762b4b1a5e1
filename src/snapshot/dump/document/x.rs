//! DirectX .x: the objects as the file has them, known or not.

use super::{Writer, Written};
use crate::records::{Field, Value};
use bindpose_parsers::x::{Child, Datum, Object, Text, Tree};

/// Numbers in a record.
const MOST_NUMBERS: usize = 16;

/// Writes all objects.
pub(in crate::dump) fn tree(file: &Tree<'_>, out: &mut Writer<'_>) -> Written {
    file.objects.iter().try_for_each(|of| object(of, out))
}

fn object(object: &Object<'_>, out: &mut Writer<'_>) -> Written {
    let (name, guid) = (object.name.as_ref().map(Text::to_name), object.guid.map(|guid| guid.to_string()));
    let unread = object.unread.map(|span| ("unread_bytes", Value::Integer((span.end - span.start).into())));
    out.nest(&object.type_name.to_name(), &named(&name, &guid).chain(unread).collect::<Vec<_>>(), |out| {
        values(object, out)?;
        object.children.iter().try_for_each(|child| match child {
            Child::Object(child) => self::object(child, out),
            Child::Reference(to) => {
                let (name, guid) = (to.name.as_ref().map(Text::to_name), to.guid.map(|guid| guid.to_string()));
                out.record("reference", &named(&name, &guid).collect::<Vec<_>>())
            }
        })
    })
}

fn named<'a>(name: &'a Option<String>, guid: &'a Option<String>) -> impl Iterator<Item = Field<'a>> {
    [("", name), ("guid", guid)].into_iter().filter_map(|(field, text)| Some((field, Value::Text(text.as_ref()?))))
}

/// Writes the values in the file's order, those of one type in lines of up to 16.
fn values(object: &Object<'_>, out: &mut Writer<'_>) -> Written {
    let values: Vec<Datum<'_>> = object.values.iter().map(|value| value.datum).collect();
    for run in values.chunk_by(|one, next| std::mem::discriminant(one) == std::mem::discriminant(next)) {
        for line in run.chunks(MOST_NUMBERS) {
            let (mut integers, mut floats) = (Vec::new(), Vec::new());
            for value in line {
                match value {
                    Datum::Integer(value) => integers.push(*value),
                    Datum::Float(value) => floats.push(*value),
                    Datum::Text(text) => {
                        out.record("text", &[("", Value::Text(&String::from_utf8_lossy(text)))])?;
                    }
                }
            }
            match (&integers[..], &floats[..]) {
                ([], []) => {}
                ([], _) => out.record("numbers", &[("values", Value::ExactNumbers(&floats))])?,
                _ => out.record("integers", &[("values", Value::Integers(&integers))])?,
            }
        }
    }
    Ok(())
}
