//! Man pages and completions match the command line.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

fn bindpose() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/data/md5"));
    command
}

fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the long options that a text names.
fn options(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let words = text.split(|c| !is_part(c)).filter(|word| word.starts_with("--") && word.len() > 2);
    words.collect()
}

/// Returns a help text without the aliases of options, which man pages leave out.
fn without_aliases(help: &str) -> String {
    let mut parts = help.split("[alias");
    let first = parts.next().unwrap_or_default();
    parts.fold(first.to_owned(), |text, part| text + part.split_once(']').map_or("", |(_, rest)| rest))
}

/// Returns the names below `Commands:` in a help text.
fn commands(help: &str) -> Vec<String> {
    let below = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    let lines = below.lines().take_while(|line| !line.is_empty());
    let names = lines
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next().map(str::to_owned));
    names.filter(|name| name != "help").collect()
}

/// Compares the page of a command and of its subcommands with their help. Returns the number of pages.
fn compare_with_help(pages: &Path, words: &[String]) -> usize {
    let help = printed(bindpose().args(words).arg("--help"));
    let name = ["bindpose"].into_iter().chain(words.iter().map(String::as_str)).collect::<Vec<_>>().join("-");
    let page = fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
    let page = page.replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "");
    assert!(page.contains(&format!(".SH NAME\n{name} - ")), "{name}");
    assert_eq!(options(&page), options(&without_aliases(&help)), "{name}");
    let below = commands(&help);
    1 + below.iter().map(|word| compare_with_help(pages, &[words, std::slice::from_ref(word)].concat())).sum::<usize>()
}

#[test]
fn every_command_has_a_man_page_with_its_options() {
    let pages = tempfile::tempdir().unwrap();
    printed(bindpose().args(["generate", "man"]).arg(pages.path()));
    let compared = compare_with_help(pages.path(), &[]);
    assert_eq!(compared, fs::read_dir(pages.path()).unwrap().count());
    assert!(compared > 15, "{compared}");
}

/// Returns the completions of the last word, for the words that the shell's script sends.
fn offered(words: &[&str]) -> Vec<String> {
    let mut command = bindpose();
    command.env("BINDPOSE_COMPLETE", "fish").args(["--", "bindpose"]).args(words);
    printed(&mut command).lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn names_complete() {
    assert_eq!(offered(&["vali"]), ["validate"]);
    assert_eq!(offered(&["render", "-m", "dq"]), ["dqs", "dqs-scale"]);
    assert_eq!(offered(&["play", "--method", "au"]), ["auto"]);
    assert_eq!(offered(&["compare", "--methods", "cpu,dq"]), ["cpu,dqs", "cpu,dqs-scale"]);
    assert_eq!(offered(&["render", "--shading", "n"]), ["normals"]);
    assert_eq!(offered(&["play", "--filter", ""]), ["auto", "smooth", "texels"]);
    assert_eq!(offered(&["info", "--limits", "vs"]), ["vs11", "vs20", "vs30"]);
    assert_eq!(offered(&["validate", "--profile", "doom3,q2r"]), ["doom3,q2repro"]);
    assert_eq!(offered(&["explain", "MD5M204"]), ["MD5M204"]);
    assert_eq!(offered(&["validate", "--ignore", "MD5M204"]), ["MD5M204"]);
    assert_eq!(offered(&["render", "mannequin_light.md5mesh", "--clip", ""]), ["idle", "jump", "run", "walk", "wave"]);
    assert_eq!(offered(&["dump", "mannequin_light.md5mesh", "--clip", "wav"]), ["wave"]);
    assert!(offered(&["render", "nothing.md5mesh", "--clip", ""]).is_empty());
}

/// Names of clips and files that a shell would take for commands, patterns or options. A shell that quotes gets the names
/// of files; no shell gets those of clips.
#[cfg(unix)]
#[test]
fn hostile_names_are_no_commands() {
    const NAMES: [&str; 8] = ["a b", "a;touch x", "a$(id)", "a`id`", "a'b", "a&b", "a*", "a|b"];
    let folder = tempfile::tempdir().unwrap();
    let copy = |case: &str, name: &str| {
        let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/md5").join(case);
        fs::copy(case, folder.path().join(name)).unwrap();
    };
    copy("base.md5mesh", "body.md5mesh");
    copy("base.md5anim", "walk.md5anim");
    NAMES.iter().for_each(|name| copy("base.md5anim", &format!("{name}.md5anim")));
    let offered = |shell: &str, words: &[&str]| -> BTreeSet<String> {
        let mut command = bindpose();
        command.current_dir(folder.path()).env("BINDPOSE_COMPLETE", shell);
        command.env("_CLAP_COMPLETE_INDEX", words.len().to_string()).args(["--", "bindpose"]).args(words);
        if matches!(shell, "bash" | "elvish" | "zsh") {
            command.env("_CLAP_IFS", "\n");
        }
        let printed = printed(&mut command);
        let values = printed.lines().map(|line| line.split(['\t', ':']).next().unwrap_or_default().to_owned());
        values.filter(|value| !value.starts_with('-')).collect()
    };
    let expected = |names: &[&str]| names.iter().copied().map(str::to_owned).collect::<BTreeSet<_>>();
    for shell in ["bash", "powershell"] {
        assert_eq!(offered(shell, &["info", ""]), expected(&[".", "body.md5mesh", "walk.md5anim"]), "{shell}");
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let clips = offered(shell, &["render", "body.md5mesh", "--clip", ""]);
        assert_eq!(clips, expected(&["1", "2", "3", "4", "5", "6", "7", "8", "walk"]), "{shell}");
    }
}

#[test]
fn every_shell_gets_a_script_that_asks_the_program() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(bindpose().args(["generate", "completions", shell]));
        assert!(script.contains("BINDPOSE_COMPLETE") && script.contains("bindpose"), "{shell}: {script}");
    }
}

/// Windows' registry editor exports UTF-16 with a byte order mark and CR LF.
#[test]
fn associations_are_a_file_of_utf_16() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bindpose.reg");
    printed(bindpose().args(["generate", "associations", "--program", r"C:\ü\bindpose-player.exe"]).arg(&file));
    let bytes = fs::read(&file).unwrap();
    let units: Vec<u16> = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
    let text = String::from_utf16(&units).unwrap();
    assert!(text.starts_with("\u{feff}Windows Registry Editor Version 5.00\r\n\r\n["), "{text}");
    assert!(text.contains("\r\n@=\"\\\"C:\\\\ü\\\\bindpose-player.exe\\\" \\\"%1\\\"\"\r\n"), "{text}");
}
