//! Unknown numbers, which stay in the file as written.
//!
//! The parser reads a number that is not finite as 0. Writing 0 would remove the fault but introduce a wrong number. So
//! such a number becomes a NaN in the document with its index in the low bits, and the file's own word replaces it in
//! the output.

use bindpose_parsers::Span;
use bindpose_parsers::md5::{AnimFile, CameraFile, MeshFile, Warning, WarningKind, not_finite_length};

/// Bits of a NaN without the index.
const NAN: u64 = 0x7ff8_0000_0000_0000;

/// Span of a record and its numbers, followed by `tail` words that are not among them.
struct Record<'d> {
    span: Span,
    numbers: Vec<&'d mut f64>,
    tail: usize,
}

/// Documents whose numbers can be visited in the order of writing.
pub trait Numbers {
    /// Returns all records with their numbers, and the number of further words at the end of each.
    fn records(&mut self) -> Vec<(Span, Vec<&mut f64>, usize)>;
}

impl Numbers for MeshFile<'_> {
    fn records(&mut self) -> Vec<(Span, Vec<&mut f64>, usize)> {
        let joints = self.joints.iter_mut();
        let joints =
            joints.map(|joint| (joint.span, joint.position.iter_mut().chain(&mut joint.rotation).collect(), 0));
        let meshes = self.meshes.iter_mut().flat_map(|mesh| {
            let verts = mesh.verts.iter_mut().map(|vert| (vert.span, vert.uv.iter_mut().collect(), 2));
            let weights = mesh
                .weights
                .iter_mut()
                .map(|weight| (weight.span, std::iter::once(&mut weight.bias).chain(&mut weight.offset).collect(), 0));
            verts.chain(weights)
        });
        joints.chain(meshes).collect()
    }
}

impl Numbers for AnimFile<'_> {
    fn records(&mut self) -> Vec<(Span, Vec<&mut f64>, usize)> {
        let width = usize::try_from(self.num_animated_components.value).unwrap_or(0).max(1);
        let rate = std::iter::once((self.frame_rate_span, vec![&mut self.frame_rate], 0));
        let boxes = self.bounds.iter_mut();
        let boxes = boxes.map(|bounds| (bounds.span, bounds.min.iter_mut().chain(&mut bounds.max).collect(), 0));
        let poses = self.baseframe.iter_mut();
        let poses = poses.map(|pose| (pose.span, pose.position.iter_mut().chain(&mut pose.rotation).collect(), 0));
        let frames = self.frames.iter().zip(self.components.chunks_mut(width));
        let frames = frames.map(|(frame, components)| (frame.span, components.iter_mut().collect(), 0));
        rate.chain(boxes).chain(poses).chain(frames).collect()
    }
}

impl Numbers for CameraFile<'_> {
    fn records(&mut self) -> Vec<(Span, Vec<&mut f64>, usize)> {
        let rate = std::iter::once((self.frame_rate_span, vec![&mut self.frame_rate], 0));
        let frames = self.frames.iter_mut().map(|frame| {
            let numbers = frame.position.iter_mut().chain(&mut frame.rotation);
            (frame.span, numbers.chain(std::iter::once(&mut frame.fov)).collect(), 0)
        });
        rate.chain(frames).collect()
    }
}

/// Marks the unknown numbers and returns their words. Returns `None` if one is not found in the document.
pub fn mark<'b>(bytes: &'b [u8], warnings: &[Warning], document: &mut impl Numbers) -> Option<Vec<&'b [u8]>> {
    let is_unknown = |warning: &&Warning| match &warning.kind {
        WarningKind::NotFinite { .. } | WarningKind::TooLarge { .. } => true,
        WarningKind::Repeated { first, .. } => {
            matches!(**first, WarningKind::NotFinite { .. } | WarningKind::TooLarge { .. })
        }
        _ => false,
    };
    let mut found = Vec::new();
    let unknown: Vec<&Warning> = warnings.iter().filter(is_unknown).collect();
    if unknown.is_empty() {
        return Some(found);
    }
    let records = document.records().into_iter().map(|(span, numbers, tail)| Record { span, numbers, tail });
    let mut records: Vec<Record> = records.collect();
    records.sort_by_key(|record| record.span.start);
    for warning in unknown {
        if matches!(warning.kind, WarningKind::Repeated { .. }) {
            return None;
        }
        let at = records.partition_point(|record| record.span.start <= warning.span.start).checked_sub(1)?;
        let record = records.get_mut(at)?;
        let words = words(bytes, record.span);
        let word = words.iter().position(|word| word.start <= warning.span.start && warning.span.start < word.end)?;
        let behind = words.len() - 1 - word;
        let number = (record.numbers.len() + record.tail).checked_sub(1 + behind)?;
        **record.numbers.get_mut(number)? = f64::from_bits(NAN | (found.len() as u64 + 1));
        found.push(bytes.get(words.get(word)?.range())?);
    }
    Some(found)
}

/// Returns the words of a record, without braces, parentheses, strings and comments.
fn words(bytes: &[u8], record: Span) -> Vec<Span> {
    let end = (record.end as usize).min(bytes.len());
    let mut words = Vec::new();
    let mut at = record.start as usize;
    while let Some(&byte) = bytes.get(at).filter(|_| at < end) {
        let rest = bytes.get(at..end).unwrap_or_default();
        let until = |stop: &[u8]| rest.windows(stop.len()).skip(1).position(|part| part == stop).map(|at| at + 1);
        match byte {
            b'"' => at += until(b"\"").map_or(rest.len(), |length| length + 1),
            _ if rest.starts_with(b"//") => at += until(b"\n").unwrap_or(rest.len()),
            _ if rest.starts_with(b"/*") => at += until(b"*/").map_or(rest.len(), |length| length + 2),
            b'(' | b')' | b'{' | b'}' => at += 1,
            0..=b' ' | 0x80.. => at += 1,
            _ => {
                if let Some(length) = not_finite_length(rest) {
                    words.push(Span::new(at, at + length));
                    at += length;
                    continue;
                }
                let is_end = |byte: &u8| matches!(byte, 0..=b' ' | 0x80.. | b'(' | b')' | b'{' | b'}' | b'"');
                let length = rest.iter().position(is_end).unwrap_or(rest.len());
                // A sign without a digit or letter is not a word.
                if rest.iter().take(length).any(u8::is_ascii_alphanumeric) {
                    words.push(Span::new(at, at + length));
                }
                at += length;
            }
        }
    }
    words
}

/// True if all numbers of a document are known.
pub fn all_known(document: &mut impl Numbers) -> bool {
    document.records().iter().all(|(_, numbers, _)| numbers.iter().all(|number| number.is_finite()))
}

/// Puts the words of unknown numbers back into the written document.
pub fn put_back(written: Vec<u8>, words: &[&[u8]], document: &mut impl Numbers) -> Vec<u8> {
    if words.is_empty() {
        return written;
    }
    let numbers: Vec<f64> = document.records().iter().flat_map(|(_, numbers, _)| numbers.iter().map(|n| **n)).collect();
    let mut counts = numbers.iter().filter(|number| number.is_nan()).map(|number| number.to_bits() & !NAN);
    let mut out = Vec::with_capacity(written.len());
    let mut in_string = false;
    let mut at = 0;
    while let Some(&byte) = written.get(at) {
        in_string ^= byte == b'"';
        let word = (!in_string && written.get(at..at + 3) == Some(b"NaN")).then(|| counts.next()).flatten();
        match word.and_then(|count| words.get(usize::try_from(count).ok()?.checked_sub(1)?)) {
            Some(word) => {
                out.extend_from_slice(word);
                at += 3;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_parsers::md5;

    #[test]
    fn unknown_numbers_keep_their_words() {
        let text = b"MD5Version 10\ncommandline \"NaN\"\nnumJoints 1\nnumMeshes 1\n\
            joints {\n\t\"NaN\" -1 ( 0 inf 0 ) ( 0 0 -1.#IND00 )\n}\n\
            mesh {\n\tshader \"s\"\n\tnumverts 1\n\tvert 0 ( nan 0 ) 0 1 // 1 2\n\tnumtris 0\n\tnumweights 1\n\
            \tweight 0 0 1e39 ( -nan(ind) 2 3 )\n}\n";
        let parsed = md5::parse_mesh(text).unwrap();
        let mut document = parsed.document;
        let words = mark(text, &parsed.warnings, &mut document).unwrap();
        assert_eq!(words, [&b"inf"[..], b"-1.#IND00", b"nan", b"1e39", b"-nan(ind)"]);
        assert!(!all_known(&mut document) && document.meshes[0].weights[0].bias.is_nan());
        let mut written = Vec::new();
        md5::write_mesh(&document, &mut written).unwrap();
        let text = String::from_utf8(put_back(written, &words, &mut document)).unwrap();
        for piece in
            ["\"NaN\"\t-1 ( 0 inf 0 ) ( 0 0 -1.#IND00 )", "vert 0 ( nan 0 ) 0 1", "weight 0 0 1e39 ( -nan(ind) 2 3 )"]
        {
            assert!(text.contains(piece), "{piece} in {text}");
        }
    }
}
