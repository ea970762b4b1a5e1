//! The tables of codes, and the page generated from them.

use bindpose::validate::profiles::{FormatFamily, LoaderFamily, PROFILES};
use bindpose::validate::{Input, Options, Outcome, check, codes, docs};
use bindpose_conformance::suite;
use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

#[test]
fn the_page_of_diagnostics_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diagnostics.md");
    let made = page();
    if std::env::var_os("BINDPOSE_WRITE_DOCS").is_some() {
        std::fs::write(&path, &made).expect("docs/diagnostics.md written");
    }
    let kept = std::fs::read_to_string(&path).expect("docs/diagnostics.md");
    assert!(made == kept, "run BINDPOSE_WRITE_DOCS=1 cargo test --test all diagnostics");
}

/// Returns docs/diagnostics.md.
fn page() -> String {
    let mut text = String::from(
        "# Diagnostics\n\n\
         Every code of `bindpose validate`. This page is made from the same tables as the program: do not edit it,\n\
         run `BINDPOSE_WRITE_DOCS=1 cargo test --test all diagnostics` instead. `bindpose explain CODE` prints one entry\n\
         with the engines' own words.\n\n\
         A code names a fault; its severity depends on the engine (`--profile`). A code keeps its meaning in later versions. Below\n\
         200, `MD5M`, `MD5A` and `MD5C` codes of one number mean the same in meshes, clips and cameras; `MD5P` are\n\
         pairs of a mesh and a clip, `MOT` the motion of clips, `XF` DirectX .x files, `PAK` archives, `DECL` files of decls,\n\
         `MTR` materials, `IMG` image programs, `SKN` skins, `DEF` model decls and entityDefs, `TEX` textures, `IO` files as\n\
         such. The importers report `MD5I`, `XFI` and `GLI` (glTF): `info`, `convert` and the player print them.\n\n",
    );
    text.push_str("## Engines\n\n| profile | engine | formats | how its verdict is found |\n|---|---|---|---|\n");
    for profile in &PROFILES {
        let formats: Vec<&str> = [(FormatFamily::Md5, "MD5"), (FormatFamily::X, ".x"), (FormatFamily::Decl, "decls")]
            .iter()
            .filter(|(format, _)| profile.reads(*format))
            .map(|&(_, name)| name)
            .collect();
        let how = match profile.loader {
            _ if profile.inferred => "by inference, its source is closed",
            LoaderFamily::None => "from the table",
            LoaderFamily::D3dx => "by its answer to each fault that the reader here finds, from the table",
            _ => "by following its loader step by step",
        };
        let _ = writeln!(text, "| `{}` | {} | {} | {how} |", profile.name, profile.title, formats.join(", "));
    }
    text.push_str("\n## Codes\n");
    for code in codes::all() {
        let what = docs::wrap(&format!("**{}.** {}", capital(code.title), code.why));
        let _ = write!(text, "\n### {} {}\n\n{what}\n", code.id, code.name);
        if !code.help.is_empty() {
            let fix = if code.can_fix { " `--fix` does this in files where it needs no guess." } else { "" };
            let _ = write!(text, "\n{}\n", docs::wrap(&format!("*What to do:* {}.{fix}", code.help)));
        }
        let reactions = docs::reactions(code);
        if !reactions.is_empty() {
            text.push('\n');
        }
        for reaction in reactions {
            let _ = writeln!(text, "{}", docs::wrap(&format!("- {reaction}")));
        }
    }
    text
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[test]
fn codes_are_found_by_id_and_by_name() {
    let code = codes::find("md5m204").expect("a code");
    assert_eq!((code.id, code.name), ("MD5M204", "weight-sum"));
    assert!(codes::named("weight-sum").contains(&code) && codes::named("weight-sum").len() > 1);
    assert_eq!(codes::find("MD5M999"), None);
}

#[test]
fn codes_are_unique_and_described() {
    let mut ids = HashSet::new();
    let mut names = HashSet::new();
    for code in codes::all() {
        assert!(ids.insert(&code.id), "{}", code.id);
        let prefix = code.id.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let group = if prefix.starts_with("MD5") { "MD5" } else { prefix };
        // Meshes, clips and cameras share names if they share numbers.
        names.insert((group, code.name, code.id.get(4..).unwrap_or_default()));
        assert!(!code.title.is_empty() && !code.why.is_empty(), "{} says too little", code.id);
        assert!(!code.title.ends_with('.') && code.why.ends_with('.'), "{} is not in the form", code.id);
        assert!(!code.help.is_empty(), "{} does not say what to do", code.id);
        assert!(!code.help.ends_with('.'), "{} is not in the form", code.id);
    }
    let mut by_name: Vec<_> = names.iter().map(|&(group, name, _)| (group, name)).collect();
    let count = by_name.len();
    by_name.sort_unstable();
    by_name.dedup();
    assert_eq!(by_name.len(), count, "a name has two numbers");
}

#[test]
fn explanations_quote_the_engines() {
    let text = docs::explain(codes::find("MD5A105").expect("a code"));
    assert!(text.contains("Invalid parent num: {parent}"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
}

/// Each message that a followed loader prints for a file of the conformance suite is known to `explain`, with its engine.
#[test]
fn messages_of_followed_loaders_are_explained() {
    let cases = suite::cases().expect("the suite");
    let (mut seen, mut unknown) = (HashSet::new(), Vec::new());
    for case in &cases {
        let files = [Some(case), case.companion(&cases)].into_iter().flatten();
        let inputs = files.map(|file| Input { path: (&file.file).into(), bytes: Ok(file.bytes.clone()) }).collect();
        let report = check(inputs, &Options { together: true, ..Options::default() });
        for said in report.files.iter().flat_map(|file| &file.findings).flat_map(|finding| &finding.said) {
            // The number of an error alone is no sentence.
            let is_printed = !said.undefined && said.outcome != Outcome::Misreads && said.message.contains(' ');
            if is_printed && seen.insert((said.profile.name, said.message.clone())) {
                let known = docs::messages_with(&said.message);
                if !known.iter().any(|message| message.engines.contains(&said.profile.name)) {
                    unknown.push(format!("{}, {}: {}", said.profile.name, case.file, said.message));
                }
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    assert!(seen.len() > 300, "{} messages were printed", seen.len());
}

/// Messages as consoles print them, and a code or an engine that `explain` must name: those of section 5 of reading the
/// engines, filled in.
#[test]
fn messages_of_consoles_are_explained() {
    let known = [
        ("Ignoring progs/knight.md5mesh from lower priority path", "MD5P018"),
        ("Mod_LoadModel: failed to load progs/prop.md5mesh", "MD5P019"),
        ("Model progs/knight.mdl not found", "MD5P019"),
        ("Mod_LoadModel: progs/knight.mdl not found", "MD5P019"),
        ("Can't load 'progs/knight.md3' directly,", "ironwail"),
        ("please load 'progs/knight.mdl' instead.", "ironwail"),
        ("Mod_LoadBrushModel: progs/prop.md5mesh has unsupported version number (1446331469)", "MD5P019"),
        ("MD3 skfile: ignored progs/knight.skin from a gamedir with lower priority", "vkquake"),
        ("MD5: progs/knight.md5mesh, no skins found for surf 'knight' (0)", "TEX001"),
        ("R_AliasSetupFrame: no such frame 9 for 'progs/knight.mdl'", "MD5P005"),
        ("R_DrawAliasModel: no such skin # 1 for 'progs/knight.mdl'", "MD5P007"),
        ("Skin number out of range (1 >= 1 - progs/knight.mdl)", "MD5P007"),
        ("Unrecognised model format abcd", "fteqw"),
        ("Mod_NumForName: progs/knight.mdl not found or couldn't load", "fteqw"),
        ("RE_BlendSkeleton: different number of bones 20 != 22", "MD5P001"),
        ("gib model 'models/gib.md5mesh' has different number of joints than model 'monster_imp'", "DEF031"),
        ("idIK_Walk::Init: invalid ankle joint 'Lankle'", "DEF019"),
        ("idIK::Init: IK for entity 'spider_1' at (0 0 0) has no modified animation.", "DEF020"),
        (
            "idAF::Load: articulated figure 'imp' for entity 'imp_1' at (0 0 0) has no modified animation 'af_pose'",
            "DEF029",
        ),
        ("Joint 'Hed' not found for attaching 'lamp' on 'imp_1'", "DEF032"),
        ("Joint 'hips' not found for 'bone_hips' on 'player1'", "DEF019"),
        ("Joint 'hips' not found for bind on 'lamp_1'", "DEF019"),
        ("Joint 'Eyes' not found on 'imp_1'", "DEF030"),
        ("Neither joint 'Hed' nor bindToJoint '' found for attaching 'lamp' on 'imp_1'", "DEF032"),
        ("Joint 'Hed' not found for attachment position 'hat' on entity 'imp_1'", "DEF019"),
        ("idAF for entity 'imp_1' at (0 0 0) modifies unknown joint 'tail'", "DEF019"),
        ("idAFEntity_Base::LoadAF: Couldn't load af file 'imp' on entity 'imp_1'", "DEF028"),
        ("idAnimated 'door_1' at (0 0 0): cannot find anim 'open'", "DEF020"),
        ("Couldn't spawn 'lamp' to attach to entity 'imp_1'", "DEF032"),
        ("Unknown classname 'lamp' on 'lamp_1'.", "DEF032"),
        ("Unknown copy_joint 'jaw' on head of entity imp_1", "DEF030"),
        ("Invalid joint 'Rhand1' on 'launch_missile' frame command on frame 2 of model 'imp'", "DEF017"),
        ("Model 'models/imp.md5mesh' defaulted", "DEF008"),
        ("ANIM_CreateAnimFrame: different # of joints in renderEntity_t than in model (imp)", "doom3"),
        ("big frameBounds on entity 'imp_1' with model 'imp': 10.000000,20.000000", "MD5P011"),
        ("Missing 'anim fly' key on 'camera_1'", "DEF033"),
        ("Unable to load 'cams/fly.md5camera' on 'camera_1'", "DEF033"),
        ("idAFEntity_VehicleSimple 'car_1' can't find wheel joint 'wheel'", "DEF019"),
        ("idActor::SetupHead() - Unknown head model 'head_1'", "DEF015"),
        ("posenum >= MAXALIASFRAMES", "vkquake"),
        ("MD3: progs/knight.md3 has too many surfaces : 40 (max 32)", "vkquake"),
    ];
    for (line, expected) in known {
        let found = docs::messages_with(line);
        let of = |message: &docs::Message| {
            message.engines.contains(&expected) || message.codes.iter().any(|code| code.id == expected)
        };
        assert!(found.iter().any(of), "{line}: {found:?}");
        // Another cause is not named beside it.
        let codes: HashSet<_> = found.iter().flat_map(|message| message.codes.iter().map(|code| code.id)).collect();
        assert!(!codes.contains("DEF005") && (expected == "DEF017" || !codes.contains("DEF017")), "{line}: {found:?}");
    }
}
