//! Generates the table of codes, and a constant for each rule, from `codes.tsv`, and the list of the sentences that the
//! followed loaders print. So a check cannot name a code that does not exist, and a new rule needs only a row.

#[path = "build/sentences.rs"]
mod sentences;

use sentences::{LOADERS, Printed, Rule};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

/// Prefix of a code, variant of `Group`, and module of the rules whose codes are all in this group.
const GROUPS: [(&str, &str, &str); 17] = [
    ("MD5M", "Mesh", "mesh"),
    ("MD5A", "Anim", "anim"),
    ("MD5C", "Camera", "camera"),
    ("MD5P", "Pair", "pair"),
    ("MOT", "Motion", "motion"),
    ("MD5I", "Md5Import", "import"),
    ("XFI", "XImport", "import"),
    ("GLI", "GltfImport", "import"),
    ("XF", "X", "x"),
    ("PAK", "Pak", "pak"),
    ("DECL", "Decl", "decl"),
    ("MTR", "Material", "material"),
    ("IMG", "ImageProgram", "image"),
    ("SKN", "Skin", "skin"),
    ("DEF", "Def", "def"),
    ("TEX", "Texture", "texture"),
    ("IO", "File", "file"),
];
/// Word of a row's kind, and field of `Code`.
const KINDS: [(&str, &str); 4] =
    [("rest", "breaks_rest"), ("line", "breaks_line"), ("count", "is_count"), ("fix", "can_fix")];
/// Module of rules with codes for several kinds of MD5 file.
const SHARED: &str = "shared";

struct Row<'a> {
    ids: Vec<String>,
    name: &'a str,
    severity: &'a str,
    title: &'a str,
    why: &'a str,
    help: &'a str,
    kinds: Vec<&'a str>,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=codes.tsv");
    let table = std::fs::read_to_string("codes.tsv")?;
    let lines = table.lines().enumerate().filter(|(_, line)| !line.starts_with('#')).skip(1);
    let rows = lines
        .map(|(at, line)| row(line).map_err(|error| format!("codes.tsv:{}: {error}", at + 1)))
        .collect::<Result<Vec<Row>, String>>()?;
    println!("cargo::rerun-if-changed=loaders/rules.rs");
    let mut said = BTreeMap::new();
    for file in std::fs::read_dir("loaders")?.chain(std::fs::read_dir("x_loaders")?) {
        let path = file?.path();
        let is_known =
            || LOADERS.iter().any(|(loader, _)| Path::new(loader).with_extension("") == path.with_extension(""));
        let prints = !["com_parse.rs", "mod.rs", "rules.rs"].iter().any(|tool| path.ends_with(tool));
        if prints && !is_known() {
            return Err(format!("{} has no row in LOADERS", path.display()).into());
        }
    }
    for (loader, engines) in LOADERS {
        println!("cargo::rerun-if-changed={loader}");
        said.extend(sentences::read(Path::new(loader), engines)?);
    }
    let code = generate(&rows)? + &list(&said, &rows)?;
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("codes.rs"), code)?;
    Ok(())
}

fn row(line: &str) -> Result<Row<'_>, String> {
    let mut fields: Vec<&str> = line.split('\t').collect();
    fields.resize(fields.len().max(7), "");
    let [codes, name, severity, title, why, help, kind] = fields[..] else {
        return Err("a row has six or seven fields".to_owned());
    };
    let kinds: Vec<&str> = kind.split_whitespace().collect();
    if let Some(other) = kinds.iter().find(|kind| !KINDS.iter().any(|(known, _)| known == *kind)) {
        return Err(format!("'{other}' is not a kind"));
    }
    let ids: Vec<String> = codes.split(' ').flat_map(expand).collect();
    if name.is_empty() || title.is_empty() || why.is_empty() {
        return Err(format!("{name} has no name, title or why"));
    }
    let severity = match severity {
        "hint" => "Hint",
        "info" => "Info",
        "warning" => "Warning",
        "error" => "Error",
        other => return Err(format!("'{other}' is no severity")),
    };
    Ok(Row { ids, name, severity, title, why, help, kinds })
}

/// Expands `MD5[AM]101` to `MD5A101` and `MD5M101`.
fn expand(pattern: &str) -> Vec<String> {
    match pattern.split_once('[').and_then(|(head, rest)| Some((head, rest.split_once(']')?))) {
        Some((head, (letters, tail))) => letters.chars().map(|letter| format!("{head}{letter}{tail}")).collect(),
        None => vec![pattern.to_owned()],
    }
}

/// Returns the group of a code, and its number.
fn split(id: &str) -> Result<(&'static (&'static str, &'static str, &'static str), &str), String> {
    let (prefix, number) = id.split_at_checked(id.len().saturating_sub(3)).unwrap_or((id, ""));
    let group = GROUPS.iter().find(|(known, ..)| *known == prefix);
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    group.filter(|_| is_number).map(|group| (group, number)).ok_or_else(|| format!("'{id}' is no code"))
}

fn generate(rows: &[Row]) -> Result<String, Box<dyn Error>> {
    let mut codes: BTreeMap<&str, &Row> = BTreeMap::new();
    for row in rows {
        for id in &row.ids {
            if codes.insert(id, row).is_some() {
                return Err(format!("codes.tsv: {id} is there twice").into());
            }
        }
    }
    let mut out = String::new();
    writeln!(out, "static CODES: [Code; {}] = [", codes.len())?;
    for (number, (id, Row { name, severity, title, why, help, kinds, .. })) in codes.iter().enumerate() {
        let (&(_, group, _), _) = split(id)?;
        let is: Vec<String> = KINDS.iter().map(|(kind, field)| format!("{field}: {}", kinds.contains(kind))).collect();
        writeln!(
            out,
            "Code {{ number: {number}, id: {id:?}, group: Group::{group}, name: {name:?}, severity: Severity::{severity}, \
             title: {title:?}, why: {why:?}, help: {help:?}, {} }},",
            is.join(", ")
        )?;
    }
    out.push_str("];\n");

    let positions: BTreeMap<&str, usize> = codes.keys().enumerate().map(|(position, id)| (*id, position)).collect();
    let mut modules: BTreeMap<&str, String> = BTreeMap::new();
    for row in rows {
        let codes: Vec<String> =
            row.ids.iter().map(|id| format!("&super::CODES[{}]", positions[id.as_str()])).collect();
        let (first, others) = codes.split_first().ok_or("codes.tsv: a rule has no code")?;
        writeln!(
            modules.entry(module(row)?).or_default(),
            "/// {}: {}.\npub const {}: super::Rule = super::Rule {{ code: {first}, others: &[{}] }};",
            row.ids.join(", "),
            row.title.replace('[', "\\[").replace('<', "\\<"),
            constant(row),
            others.join(", ")
        )?;
    }
    for (module, constants) in modules {
        writeln!(out, "/// Rules whose codes begin with the same letters.\npub mod {module} {{\n{constants}}}")?;
    }
    Ok(out)
}

/// Returns the module of a row's rule.
fn module(row: &Row) -> Result<&'static str, String> {
    let groups = row.ids.iter().map(|id| Ok(split(id)?.0.2)).collect::<Result<BTreeSet<_>, String>>()?;
    Ok(if groups.len() > 1 { SHARED } else { groups.first().copied().unwrap_or(SHARED) })
}

/// Generates the list of sentences.
fn list(said: &BTreeMap<Printed, BTreeSet<Rule>>, rows: &[Row]) -> Result<String, Box<dyn Error>> {
    let mut ids: Vec<&String> = rows.iter().flat_map(|row| &row.ids).collect();
    ids.sort();
    let mut numbers: BTreeMap<Rule, Vec<usize>> = BTreeMap::new();
    for row in rows {
        // Loaders of `.x` call their rules by that word.
        let module = Some(module(row)?).filter(|module| *module != "x").unwrap_or("rules");
        let rule = (module.to_owned(), constant(row));
        let of_row = row.ids.iter().filter_map(|id| ids.binary_search(&id).ok());
        numbers.entry(rule).or_default().extend(of_row);
    }
    let mut out = format!("static SENTENCES: [Sentence; {}] = [\n", said.len());
    for ((words, engines), rules) in said {
        let codes: Vec<&usize> = rules.iter().filter_map(|rule| numbers.get(rule)).flatten().collect();
        let engines: Vec<String> = engines.iter().map(|engine| format!("EngineId::{engine}")).collect();
        writeln!(out, "Sentence {{ words: {words:?}, engines: &[{}], codes: &{codes:?} }},", engines.join(", "))?;
    }
    out.push_str("];\n");
    Ok(out)
}

/// Returns the name of the constant of a row's rule.
fn constant(row: &Row) -> String {
    row.name.replace('-', "_").to_uppercase()
}
