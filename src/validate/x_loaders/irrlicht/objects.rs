//! Objects at the top level and in frames.

use super::model::{Joint, Mesh};
use super::tokens::Tokens;
use super::{Program, has_content};
use crate::codes::{Rule, x as rules};
use crate::verdict::{EngineFault, Fallible, Verdict};
use bindpose_core::engines::XEnd;
use bindpose_parsers::Span;
use std::collections::{HashMap, HashSet};

/// Types that the loader reads.
const TYPES: [&[u8]; 11] = [
    b"Frame",
    b"FrameTransformMatrix",
    b"Mesh",
    b"MeshNormals",
    b"MeshTextureCoords",
    b"MeshVertexColors",
    b"MeshMaterialList",
    b"SkinWeights",
    b"AnimationSet",
    b"Animation",
    b"AnimationKey",
];

/// Everything that is read from a file.
pub(super) struct Objects<'a, 'v> {
    pub program: Program,
    pub tokens: Tokens<'a>,
    pub verdict: &'v mut Verdict,
    pub joints: Vec<Joint<'a>>,
    /// First joint of each name.
    by_name: HashMap<&'a [u8], usize>,
    pub meshes: Vec<Mesh>,
    /// Materials at the top level, which only Irrlicht reads, and the number of each name.
    pub materials: HashMap<&'a [u8], usize>,
    /// Number of animation sets started.
    pub sets: usize,
    /// Number of open frames.
    pub depth: usize,
    /// End of the last part that is shown even if the next one is faulty.
    pub kept: XEnd,
    /// Messages logged so far.
    logged: HashSet<String>,
}

impl<'a, 'v> Objects<'a, 'v> {
    pub fn new(program: Program, tokens: Tokens<'a>, verdict: &'v mut Verdict) -> Self {
        Self {
            program,
            tokens,
            verdict,
            joints: Vec::new(),
            by_name: HashMap::new(),
            meshes: Vec::new(),
            materials: HashMap::new(),
            sets: 0,
            depth: 0,
            kept: XEnd::default(),
            logged: HashSet::new(),
        }
    }

    /// Stops with a message and the current line.
    pub fn fault<T>(&self, rule: Rule, message: &str) -> Fallible<T> {
        self.fault_at(rule, self.tokens.last, message)
    }

    pub fn fault_at<T>(&self, rule: Rule, span: Span, message: &str) -> Fallible<T> {
        let line = Some(self.tokens.line);
        super::fault(rule, span, message, line)
    }

    /// Stops at the end of the file, or at something that counts as its end.
    pub fn unexpected_end<T>(&self, inside: &str) -> Fallible<T> {
        let (rule, span) = self.tokens.rule_of_end();
        self.fault_at(rule, span, &format!("Unexpected ending found in {inside}"))
    }

    /// Logs a message, but repeats none.
    pub fn log(&mut self, rule: Rule, message: String) {
        if self.logged.insert(message.clone()) {
            let line = Some(self.tokens.line);
            self.verdict.warnings.push(EngineFault { line, ..EngineFault::new(rule, self.tokens.last, message) });
        }
    }

    /// Logs a message if something is missing.
    pub fn expect(&mut self, found: bool, message: &str) {
        if !found {
            self.log(rules::SEPARATOR_MISSING, message.to_owned());
        }
    }

    /// Reads an object's name up to its opening brace.
    pub fn open(&mut self, otherwise: &str) -> Fallible<&'a [u8]> {
        self.tokens.head()?.map_or_else(|| self.fault(rules::SYNTAX, otherwise), Ok)
    }

    /// Reads the brace that closes an object.
    pub fn close(&mut self, otherwise: &str) -> Fallible<()> {
        if self.tokens.closing_brace()? { Ok(()) } else { self.fault(rules::VALUES_EXTRA, otherwise) }
    }

    /// Reads one or two semicolons, and logs a message if one is missing.
    pub fn semicolons(&mut self, count: usize, otherwise: &str) -> Fallible<()> {
        let found = if count == 2 { self.tokens.two_semicolons()? } else { self.tokens.semicolon()? };
        self.expect(found, otherwise);
        Ok(())
    }

    /// Keeps everything up to here, inside `inner` objects of the innermost frame. Within a list of a binary file,
    /// nothing is kept.
    pub fn keep(&mut self, inner: usize) {
        if !self.tokens.is_in_list() {
            let at = if self.tokens.is_odd { self.tokens.next_object() } else { self.tokens.at };
            self.kept = XEnd { at, open: self.depth + inner };
        }
    }

    /// Reads objects to the end of the file.
    pub fn read_all(&mut self) -> Fallible<()> {
        loop {
            self.depth = 0;
            self.keep(0);
            let name = self.tokens.token()?;
            match name {
                b"" => return Ok(()),
                b"template" => self.template()?,
                b"Frame" => self.frame()?,
                b"Mesh" => self.mesh()?,
                b"AnimationSet" => self.animation_set()?,
                b"AnimTicksPerSecond" => self.ticks()?,
                b"Material" if self.program == Program::Irrlicht => {
                    let name = self.tokens.token()?;
                    *self.materials.entry(name).or_default() += 1;
                    self.material()?;
                }
                b"Material" => self.skip_object()?,
                b"}" => self.log(rules::BRACE_STRAY, "} found in dataObject".to_owned()),
                _ => {
                    let (span, open) = (self.tokens.last, self.verdict.misread.len());
                    self.unknown_type(name, "animation of .x file");
                    let skipped = self.skip_object();
                    self.leave_out(span);
                    if let Err(end) = skipped {
                        // After the last object, nothing is lost.
                        self.verdict.misread.truncate(open);
                        return Err(end);
                    }
                    self.out_of_step(name, span);
                }
            }
        }
    }

    fn template(&mut self) -> Fallible<()> {
        self.open("Left delimiter in template data object missing.")?;
        self.tokens.token()?;
        loop {
            match self.tokens.token()? {
                b"}" => return Ok(()),
                b"" => return Tokens::finished(),
                _ => {}
            }
        }
    }

    /// Logs an object of an unsupported type.
    pub fn unknown_type(&mut self, name: &[u8], place: &str) {
        let text = String::from_utf8_lossy(name);
        let message = format!("Unknown data object in {place}: {text}");
        let meant = TYPES.iter().find(|known| known.eq_ignore_ascii_case(name) && **known != name);
        if let Some(meant) = meant {
            self.verdict.add_misread(rules::TYPE_CASE, self.tokens.last, || {
                format!("{text} is not {} here: the object is skipped and not shown", String::from_utf8_lossy(meant))
            });
        }
        let rule = match meant {
            Some(_) => rules::TYPE_CASE,
            None if is_type(name) => rules::SKIPPED_OBJECT,
            None => rules::OUT_OF_STEP,
        };
        self.log(rule, message);
    }

    /// Reports text that is misread as an object.
    fn out_of_step(&mut self, name: &[u8], span: Span) {
        if !is_type(name) {
            self.verdict.add_misread(rules::OUT_OF_STEP, span, || {
                let text = String::from_utf8_lossy(name);
                format!("'{text}' is taken for an object, and everything up to the next closing brace is lost")
            });
        }
    }

    /// Records that everything from `span` on was skipped, and the beginning of its first word if reading continued
    /// within it.
    fn leave_out(&mut self, span: Span) {
        let before = self.tokens.bytes.get(..span.start as usize).unwrap_or_default();
        let is_in_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let start = before.iter().rposition(|byte| !is_in_word(byte)).map_or(0, |at| at + 1);
        self.verdict.reading.skip(Span::new(start, self.tokens.at), self.tokens.bytes);
    }

    /// Skips an object of an unsupported type.
    pub fn skip_unknown(&mut self, name: &[u8], place: &str) -> Fallible<()> {
        self.unknown_type(name, place);
        let (span, before) = (self.tokens.last, self.tokens.rest());
        let skipped = self.skip_object();
        self.leave_out(span);
        let lost = before.get(..before.len() - self.tokens.rest().len()).unwrap_or_default();
        if has_content(name) || has_content(lost) {
            self.out_of_step(name, span);
        }
        skipped
    }

    /// Skips everything up to the brace that closes the next object. The end of the file is no error.
    pub fn skip_object(&mut self) -> Fallible<()> {
        let mut depth = 0_usize;
        loop {
            match self.tokens.token()? {
                b"" => return Tokens::finished(),
                b"{" => depth += 1,
                b"}" if depth == 1 => return Ok(()),
                b"}" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Returns the joint with a name. Adds it if it does not exist.
    pub fn joint_named(&mut self, name: &'a [u8]) -> usize {
        match self.by_name.get(name) {
            Some(&known) => known,
            None => self.add_joint(name, None),
        }
    }

    fn add_joint(&mut self, name: &'a [u8], parent: Option<usize>) -> usize {
        let joint = self.joints.len();
        self.joints.push(Joint { name, parent, span: self.tokens.last, ..Joint::default() });
        self.by_name.entry(name).or_insert(joint);
        if let Some(parent) = parent.and_then(|parent| self.joints.get_mut(parent)) {
            parent.children.push(joint);
        }
        joint
    }

    /// Reads a frame and everything in it.
    fn frame(&mut self) -> Fallible<()> {
        let mut open = vec![self.open_frame(None)?];
        while let Some(&joint) = open.last() {
            self.depth = open.len();
            self.keep(0);
            let name = self.tokens.token()?;
            match name {
                b"" => return self.unexpected_end("Frame in x file."),
                b"}" => drop(open.pop()),
                b"Frame" => open.push(self.open_frame(Some(joint))?),
                b"FrameTransformMatrix" => {
                    let matrix = self.frame_matrix()?;
                    if let Some(joint) = self.joints.get_mut(joint) {
                        joint.matrix = Some(matrix);
                    }
                }
                b"Mesh" => self.mesh()?,
                _ => self.skip_unknown(name, "frame in x file")?,
            }
        }
        Ok(())
    }

    /// Opens a frame. A frame with the name of another is the same joint, at the later position.
    fn open_frame(&mut self, parent: Option<usize>) -> Fallible<usize> {
        let name = self.open("No opening brace in Frame found in x file")?;
        let known = self.by_name.get(name).copied().filter(|_| !name.is_empty());
        let span = self.tokens.last;
        let Some(joint) = known else {
            let joint = self.add_joint(name, parent);
            if let Some(added) = self.joints.get_mut(joint) {
                added.is_frame = true;
            }
            return Ok(joint);
        };
        if let Some(known) = self.joints.get_mut(joint) {
            (known.parent, known.span) = (parent, span);
            if std::mem::replace(&mut known.is_frame, true) {
                self.verdict.add_misread(rules::DUPLICATE_FRAME, span, || {
                    let text = String::from_utf8_lossy(name);
                    format!("both frames '{text}' are one joint, and what is in them moves together")
                });
            }
        }
        if let Some(parent) = parent.and_then(|parent| self.joints.get_mut(parent)) {
            parent.children.push(joint);
        }
        Ok(joint)
    }

    fn frame_matrix(&mut self) -> Fallible<[f32; 16]> {
        self.open("No opening brace in Transformation Matrix found in x file")?;
        let matrix = self.tokens.matrix()?;
        self.semicolons(1, "No finishing semicolon in Transformation Matrix found in x file")?;
        self.keep(1);
        self.close("No closing brace in Transformation Matrix found in x file")?;
        Ok(matrix)
    }

    fn ticks(&mut self) -> Fallible<()> {
        self.open("No opening brace in Animation found in x file")?;
        self.tokens.int()?;
        self.keep(1);
        if !self.tokens.semicolon()? {
            return self.fault(rules::SEPARATOR_MISSING, "No closing semicolon in AnimationTicksPerSecond in x file");
        }
        self.close("No closing brace in AnimationTicksPerSecond in x file")
    }
}

/// True for a word that can be a type. Other words show that the loader is out of step.
fn is_type(name: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    name.iter().all(is_letter) && name.first().is_some_and(|first| !first.is_ascii_digit() && *first != b'-')
}
