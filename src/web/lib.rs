//! Calls from a page. A request is a JSON object, which names the call, followed by bytes. An answer has the same form.
//! `wasm-bindgen` is not used: the page writes a request to the address from [`input`], calls [`answer`], and reads the
//! result at [`output`].
//!
//! Requests and answers begin with the length of the JSON in four bytes, little-endian. An answer with `error` contains
//! nothing else. The files are those of [`bindpose::vfs::disk`]; the page adds them before it refers to them.

mod compare;
mod convert;
#[cfg(target_family = "wasm")]
mod gl;
#[cfg(target_family = "wasm")]
mod page;
mod report;
mod show;
mod stage;

use serde_json::{Value, json};
use stage::Stage;
use std::cell::RefCell;
use std::fmt::Display;

/// JSON and bytes, or a sentence that describes the error.
type Answer = Result<(Value, Vec<u8>), String>;

/// State that is kept between the page's calls.
#[derive(Default)]
struct Session {
    input: Vec<u8>,
    output: Vec<u8>,
    stage: Stage,
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
}

/// Reserves memory for a request of `length` bytes and returns its address. It is valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    #[cfg(target_family = "wasm")]
    bindpose_parsers::decode_shift_jis_by(page::decode_shift_jis);
    SESSION.with_borrow_mut(|session| {
        session.input = vec![0; length];
        session.input.as_mut_ptr()
    })
}

/// Answers the request in the input and returns the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    SESSION.with_borrow_mut(|session| {
        let input = std::mem::take(&mut session.input);
        let (head, bytes) =
            answer_to(input, &mut session.stage).unwrap_or_else(|error| (json!({ "error": error }), Vec::new()));
        let head = head.to_string().into_bytes();
        session.output = [&(head.len() as u32).to_le_bytes()[..], &head, &bytes].concat();
        session.output.len()
    })
}

/// Allocates `length` bytes that the page keeps.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    vec![0; length].leak().as_mut_ptr()
}

/// Returns the address of the last answer. It is valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    SESSION.with_borrow(|session| session.output.as_ptr())
}

fn answer_to(mut input: Vec<u8>, stage: &mut Stage) -> Answer {
    let length = input.first_chunk::<4>().map_or(0, |length| u32::from_le_bytes(*length) as usize);
    let request = input.get(4..4 + length).ok_or("the request is cut off")?;
    let request: Value = serde_json::from_slice(request).map_err(sentence)?;
    let request = Request(&request);
    match request.text("call")? {
        "put" => {
            input.drain(..4 + length);
            stage.put(&request, input)
        }
        "clear" => stage.clear(),
        "sample" => stage.put_sample(),
        "files" => stage.files(),
        "line" => report::line(&request),
        "validate" => report::validate(&request),
        "fix" => report::fix(&request),
        "convert" => convert::convert(&request, stage.source(&request)),
        "compare" => compare::compare(&request, stage.source(&request)),
        "pose" => compare::pose(&request, stage.source(&request)),
        "methods" => Ok(show::methods()),
        "open" => stage.open(&request),
        "change" => stage.shown()?.change(&request),
        "frame" => stage.shown()?.frame(&request),
        "gif" => stage.shown()?.gif(&request),
        "image" => stage.image(&request),
        "pick" => stage.shown()?.pick(&request),
        "grab" => stage.shown()?.grab(&request),
        other => Err(format!("no call is named '{other}'")),
    }
}

/// Formats an error as a sentence.
fn sentence(error: impl Display) -> String {
    error.to_string()
}

/// The JSON of a request.
struct Request<'a>(&'a Value);

impl<'a> Request<'a> {
    fn optional_text(&self, key: &str) -> Option<&'a str> {
        self.0.get(key).and_then(Value::as_str)
    }

    fn text(&self, key: &str) -> Result<&'a str, String> {
        self.optional_text(key).ok_or_else(|| format!("the request has no text '{key}'"))
    }

    fn optional_number(&self, key: &str) -> Option<f64> {
        self.0.get(key).and_then(Value::as_f64)
    }

    fn number(&self, key: &str) -> Result<f64, String> {
        self.optional_number(key).ok_or_else(|| format!("the request has no number '{key}'"))
    }

    /// Returns a list of strings; empty if it is missing.
    fn texts(&self, key: &str) -> Vec<&'a str> {
        self.0.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Returns a list of numbers; empty if it is missing.
    fn numbers(&self, key: &str) -> Vec<f64> {
        self.0.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_f64).collect()
    }

    fn is(&self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or(false)
    }
}
