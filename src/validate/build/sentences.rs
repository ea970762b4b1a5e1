//! The sentences of engines that stand in the followed loaders, read from their sources: texts with the engines and the
//! rules that are named beside them. So `explain` knows every message that a loader can print.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use syn::LitStr;

/// Files and folders of loaders, with the variants of `EngineId` that they follow.
pub const LOADERS: [(&str, &[&str]); 17] = [
    ("doom3", &["Doom3", "Tdm", "Rbdoom3Bfg", "Quake4"]),
    ("quake", &["VkQuake135", "VkQuake", "Ironwail081", "Ironwail", "Qss"]),
    ("loaders/assimp.rs", &["Assimp", "Assimp605"]),
    ("loaders/assimp", &["Assimp", "Assimp605"]),
    ("loaders/cube2.rs", &["Cube2"]),
    ("loaders/daemon.rs", &["Daemon", "EtLegacy"]),
    ("loaders/fteqw.rs", &["Fteqw"]),
    ("loaders/hexenwail.rs", &["Hexenwail"]),
    ("loaders/q2pro.rs", &["Q2pro", "Q2repro"]),
    ("loaders/yquake2.rs", &["Yquake2"]),
    ("x_loaders/assimp", &["Assimp", "Assimp605", "OpenBveAssimp"]),
    ("x_loaders/irrlicht", &["Luanti", "Luanti516", "Irrlicht"]),
    ("x_loaders/openbve", &["OpenBve"]),
    ("x_loaders/openbve/mod.rs", &["OpenBveAssimp"]),
    ("x_loaders/openbve/thrown.rs", &["OpenBveAssimp"]),
    ("x_loaders/panda3d", &["Panda3d"]),
    ("x_loaders/wine", &["WineD3dx9"]),
];
/// Versions of a loader in patterns, and variants of `EngineId`.
const VERSIONS: [(&str, &str); 3] = [("Later", "Assimp"), ("Port", "OpenBveAssimp"), ("Release", "Assimp605")];
/// Functions whose texts are our descriptions.
const OURS: [&str; 3] = ["add_undefined", "add_misread", "refuse_silently"];
/// Modules of rules, as loaders name them.
const MODULES: [&str; 6] = ["anim", "camera", "mesh", "pair", "rules", "shared"];
/// Placeholders of whole sentences.
const SENTENCES: [&str; 3] = ["{message}", "{says}", "{text}"];
/// Functions that choose a rule for a word, used by several loaders.
const RULES: &str = "loaders/rules.rs";
/// Number of letters of a sentence without its placeholders.
const LETTERS: usize = 6;

/// Module and constant of a rule.
pub type Rule = (String, String);
/// A sentence, and the engines that print it.
pub type Printed = (String, Vec<&'static str>);
type Parts = Rc<[TokenTree]>;
/// Groups around a part, from the outermost on, each with the index of the next one in it.
type Enclosing = Vec<(Parts, usize)>;

/// Returns the sentences of a loader with their rules.
pub fn read(path: &Path, engines: &'static [&str]) -> Result<BTreeMap<Printed, BTreeSet<Rule>>, Box<dyn Error>> {
    let mut files = vec![parts_of(Path::new(RULES))?];
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            files.push(parts_of(&entry?.path())?);
        }
    } else {
        files.push(parts_of(path)?);
    }
    let mut loader = Loader { engines, ..Loader::default() };
    files.iter().for_each(|parts| loader.add_functions(parts));
    files.iter().for_each(|parts| loader.visit(parts, &mut Vec::new()));
    // Rules are named where functions are called that return a sentence.
    loader.returned = std::mem::take(&mut loader.open);
    files.iter().for_each(|parts| loader.visit(parts, &mut Vec::new()));
    Ok(loader.found)
}

fn parts_of(path: &Path) -> Result<Parts, Box<dyn Error>> {
    let source = std::fs::read_to_string(path)?;
    Ok(source.split("#[cfg(test)]").next().unwrap_or_default().parse::<TokenStream>()?.into_iter().collect())
}

fn word(part: &TokenTree) -> Option<String> {
    if let TokenTree::Ident(word) = part { Some(word.to_string()) } else { None }
}

fn is_word(part: &TokenTree, wanted: &str) -> bool {
    matches!(part, TokenTree::Ident(word) if word == wanted)
}

fn is_sign(part: &TokenTree, wanted: char) -> bool {
    matches!(part, TokenTree::Punct(sign) if sign.as_char() == wanted)
}

fn inside(part: &TokenTree) -> Option<Parts> {
    if let TokenTree::Group(group) = part { Some(group.stream().into_iter().collect()) } else { None }
}

/// Returns a text that is a sentence of an engine, rather than a word of the format.
fn sentence(part: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = part else { return None };
    let text = syn::parse_str::<LitStr>(&literal.to_string()).ok()?.value();
    // A closing brace alone is text.
    let pieces: Vec<&str> = if text.contains('{') { text.split(['{', '}']).collect() } else { vec![&text] };
    let letters = pieces.iter().step_by(2).flat_map(|fixed| fixed.chars()).filter(|letter| letter.is_alphabetic());
    let is_sentence = pieces.len() % 2 == 1 && letters.count() >= LETTERS;
    let has_words = text.contains(' ') || text.contains("::");
    (is_sentence && has_words && !text.starts_with('/')).then(|| text.trim().replace("{}", "{…}"))
}

/// Functions and sentences of a loader.
#[derive(Default)]
struct Loader {
    engines: &'static [&'static str],
    /// Rules that functions name.
    named: BTreeMap<String, Vec<Rule>>,
    /// Rules that callers give to functions.
    given: BTreeMap<String, Vec<Rule>>,
    found: BTreeMap<Printed, BTreeSet<Rule>>,
    /// Sentences without a rule, by function.
    open: BTreeMap<String, Vec<Printed>>,
    /// Those of a first reading.
    returned: BTreeMap<String, Vec<Printed>>,
}

impl Loader {
    fn add_functions(&mut self, parts: &[TokenTree]) {
        let mut name = String::new();
        for (at, part) in parts.iter().enumerate() {
            let next = parts.get(at + 1);
            if is_word(part, "fn") {
                name = next.and_then(word).unwrap_or_default();
            } else if let Some(inner) = inside(part) {
                self.add_functions(&inner);
                self.named.entry(name.clone()).or_default().extend(constants(&inner));
            } else if let (Some(called), Some(values)) = (word(part), next.and_then(inside)) {
                self.given.entry(called).or_default().extend(constants(&values));
            } else if ["const", "enum", "impl", "struct"].iter().any(|item| is_word(part, item)) {
                name.clear();
            }
        }
    }

    fn visit(&mut self, parts: &Parts, around: &mut Enclosing) {
        for (at, part) in parts.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| parts.get(at));
            let is_ours = before.and_then(word).is_some_and(|name| OURS.contains(&name.as_str()));
            let is_attribute = matches!(part, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket);
            around.push((parts.clone(), at));
            if let Some(inner) = inside(part).filter(|_| !is_ours && !is_attribute) {
                self.visit(&inner, around);
            } else if let Some(text) = sentence(part) {
                let mut of: Vec<_> = self.engines.iter().copied().filter(|engine| is_of(engine, around)).collect();
                if of.is_empty() {
                    of = self.engines.to_vec();
                }
                let is_frame = SENTENCES.iter().any(|inner| text.contains(inner));
                let rules = if is_frame { Vec::new() } else { self.rules(around) };
                let said = (text, of);
                if let (true, Some(name)) = (rules.is_empty() && !is_frame, function(around)) {
                    self.open.entry(name).or_default().push(said.clone());
                }
                self.found.entry(said).or_default().extend(rules);
            } else if let Some(name) = word(part).filter(|_| !before.is_some_and(|before| is_word(before, "fn"))) {
                for said in self.returned.get(&name).cloned().unwrap_or_default() {
                    let rules = self.rules(around);
                    self.found.entry(said).or_default().extend(rules);
                }
            }
            around.pop();
        }
    }

    /// Returns the rules that are named nearest to a text: in its own step, else in the one that uses it or that chooses
    /// the rule, else further out in its function. If functions choose it, also those of the function's callers.
    fn rules(&self, around: &Enclosing) -> Vec<Rule> {
        let given = function(around).and_then(|name| self.given.get(&name)).cloned().unwrap_or_default();
        for (parts, at) in around.iter().rev() {
            let (steps, has_arms, own) = steps(parts, *at);
            if parts[steps[own].clone()].iter().any(|part| is_word(part, "fn")) {
                break;
            }
            let is_let = |step: usize| steps.get(step).is_some_and(|step| is_word(&parts[step.start], "let"));
            let before = own.wrapping_sub(1);
            let near = [(true, own), (!has_arms && is_let(own), own + 1), (is_let(before), before)];
            let near = near.into_iter().filter(|(is_near, _)| *is_near).filter_map(|(_, step)| steps.get(step));
            for step in near.map(|step| &parts[step.clone()]) {
                let (named, chosen) = (constants(step), self.chosen(step));
                if !named.is_empty() {
                    return named;
                }
                if !chosen.is_empty() {
                    return [chosen, given].concat();
                }
            }
        }
        given
    }

    /// Returns the rules of the functions that a step calls.
    fn chosen(&self, step: &[TokenTree]) -> Vec<Rule> {
        let called = step.windows(2).filter(|pair| inside(&pair[1]).is_some());
        let called = called.filter_map(|pair| self.named.get(&word(&pair[0])?)).flatten().cloned();
        called.chain(step.iter().filter_map(inside).flat_map(|inner| self.chosen(&inner))).collect()
    }
}

/// Returns the steps of a block, or the arms of a `match`; true for arms; the index of the step that contains a part.
fn steps(parts: &[TokenTree], part: usize) -> (Vec<Range<usize>>, bool, usize) {
    let is_arrow = |at: usize| is_sign(&parts[at], '=') && parts.get(at + 1).is_some_and(|next| is_sign(next, '>'));
    let has_arms = (0..parts.len()).any(is_arrow);
    let (mut found, mut start) = (Vec::new(), 0);
    for (at, part) in parts.iter().enumerate() {
        let is_end = is_sign(part, if has_arms { ',' } else { ';' });
        let is_block = matches!(part, TokenTree::Group(_)) && (!has_arms || at >= 2 && is_arrow(at - 2));
        let next = parts.get(at + 1).and_then(word);
        if is_end || is_block && next.is_some_and(|next| next != "else") || at + 1 == parts.len() {
            found.push(start..at + 1);
            start = at + 1;
        }
    }
    let own = found.iter().position(|step| step.contains(&part)).unwrap_or(0);
    (found, has_arms, own)
}

/// Returns the name of the innermost function.
fn function(around: &Enclosing) -> Option<String> {
    around.iter().rev().find_map(|(parts, at)| {
        let (steps, _, own) = steps(parts, *at);
        let step = &parts[steps[own].clone()];
        step.get(1 + step.iter().position(|part| is_word(part, "fn"))?).and_then(word)
    })
}

/// Returns paths of two words, such as `mesh::NO_WEIGHTS` or `EngineId::Qss`.
fn paths(parts: &[TokenTree]) -> impl Iterator<Item = (String, String)> {
    let paths = parts.windows(4).filter(|parts| is_sign(&parts[1], ':') && is_sign(&parts[2], ':'));
    paths.filter_map(|parts| Some((word(&parts[0])?, word(&parts[3])?)))
}

/// Returns the rules that are named in parts.
fn constants(parts: &[TokenTree]) -> Vec<Rule> {
    let is_rule = |(module, name): &Rule| MODULES.contains(&module.as_str()) && name.to_uppercase() == *name;
    let inner = parts.iter().filter_map(inside).flat_map(|inner| constants(&inner));
    paths(parts).filter(is_rule).chain(inner).collect()
}

/// True unless the arm of a `match` around a text is for other engines.
fn is_of(engine: &str, around: &Enclosing) -> bool {
    around.iter().all(|(parts, at)| {
        let (steps, has_arms, own) = steps(parts, *at);
        let arms: Vec<Vec<String>> = steps[..=own].iter().map(|arm| engines_of_arm(&parts[arm.clone()])).collect();
        match arms.split_last().filter(|_| has_arms) {
            Some((named, _)) if !named.is_empty() => named.iter().any(|named| named == engine),
            Some((_, others)) => !others.iter().flatten().any(|other| other == engine),
            None => true,
        }
    })
}

/// Returns the engines that the pattern of an arm names.
fn engines_of_arm(arm: &[TokenTree]) -> Vec<String> {
    let arrow = arm.iter().position(|part| is_sign(part, '=')).unwrap_or(0);
    let named = paths(&arm[..arrow]).filter(|(kind, _)| ["EngineId", "Program", "Version"].contains(&kind.as_str()));
    let engine = |name: String| VERSIONS.iter().find(|(version, _)| *version == name).map(|(_, engine)| *engine);
    named.map(|(_, name)| engine(name.clone()).map_or(name, str::to_owned)).collect()
}
