//! Keys of entities at which Doom 3's family stops when it spawns them, with the messages of dhewm3 ae43c289, The Dark Mod
//! 5793b30b, RBDOOM-3-BFG 95306dbd and openQ4 4066e3f.

use bindpose::game::Decls;
use bindpose::validate::profiles::Profile;
use bindpose::validate::report::Selection;
use bindpose::validate::{Input, Options, check_in};
use bindpose::vfs::Vfs;
use std::fs;
use std::sync::Arc;

/// A mesh with the joints `origin` and `bone`.
const MESH: &str = include_str!("../cases/md5/base.md5mesh");
const ANIM: &str = include_str!("../cases/md5/base.md5anim");

/// Returns what an engine does with the second line of a `.def`: severity, code, effect and message of each finding, and
/// its notes.
fn said(engine: &str, decls: &str) -> Vec<String> {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("models")).unwrap();
    fs::create_dir_all(root.path().join("def")).unwrap();
    fs::write(root.path().join("models/imp.md5mesh"), MESH).unwrap();
    fs::write(root.path().join("models/a.md5anim"), ANIM).unwrap();
    let path = root.path().join("def/x.def");
    fs::write(&path, decls).unwrap();
    let game = Decls::read(Arc::new(Vfs::open(root.path(), &[]).unwrap()), &Default::default());
    let profile = Profile::find(engine).unwrap();
    let selection = Selection { profiles: vec![profile], ..Selection::default() };
    let input = Input { path, bytes: Ok(decls.as_bytes().to_vec()) };
    let report = check_in(vec![input], &Options::default(), Some(&game));
    let file = &report.files[0];
    let on_line = |at: u32| report.sources.get(file.source).position(at).line == 2;
    let found = file.findings.iter().filter(|finding| on_line(finding.first.span.start));
    let text = found.filter_map(|finding| {
        let effect = finding.effect(profile).filter(|effect| *effect > bindpose::validate::profiles::Effect::Fine)?;
        let severity = format!("{:?}", selection.severity(finding)?).to_lowercase();
        let words = finding.words_of(profile, "").unwrap_or_default();
        let notes: String = finding.notes.iter().map(|note| format!(" | {note}")).collect();
        Some(format!("{severity} {} {effect:?}: {words}{notes}", finding.code.id).replace("Drops", "drops"))
    });
    text.collect()
}

/// Returns the same for an entity with a model of two joints.
fn entity(engine: &str, class: &str, keys: &str) -> Vec<String> {
    let anims = "anim walk models/a.md5anim anim ik_pose models/a.md5anim";
    let model = format!("model imp {{ mesh models/imp.md5mesh {anims} }}");
    let others =
        "entityDef lamp { \"joint\" \"bonne\" } entityDef bare { } entityDef bound { \"bindToJoint\" \"bone\" }";
    let head = "model h { mesh models/imp.md5mesh } model lost { mesh models/imp.md5mesh nosuchword }";
    said(
        engine,
        &format!("{model} {others} {head} entityDef e {{ \"spawnclass\" \"{class}\" \"model\" \"imp\"\n{keys} }}"),
    )
}

/// The joints of a leg above its foot.
const LEG: &str = "\"ik_ankle1\" \"bone\" \"ik_knee1\" \"bone\" \"ik_hip1\" \"bone\"";

#[test]
fn missing_parts_stop_the_game() {
    let meant = " | did you mean 'bone'?";
    let cases = [
        ("idAI", "\"model_gib\" \"imp\"", ""),
        (
            "idAI",
            "\"model_gib\" \"models/gone.md5mesh\"",
            "error DEF031 drops: gib model 'models/gone.md5mesh' has different number of joints than model 'models/imp.md5mesh'",
        ),
        (
            "idAI",
            "\"model_gib\" \"crate.lwo\"",
            "error DEF031 drops: gib model 'crate.lwo' has different number of joints than model 'models/imp.md5mesh'",
        ),
        // Neither a missing .md3 nor a gib whose decl is ignored has joints to compare; vehicles have no gibs.
        ("idAI", "\"model_gib\" \"gone.md3\"", ""),
        ("idAI", "\"model_gib\" \"lost\"", ""),
        ("idAFEntity_VehicleSimple", "\"model_gib\" \"models/gone.md5mesh\"", ""),
        (
            "idAI",
            &format!("\"ik_numLegs\" \"1\" \"ik_foot1\" \"Bone\" {LEG} \"ik_waist\" \"hips\""),
            "error DEF019 drops: idIK_Walk::Init: invalid waist joint 'hips'",
        ),
        (
            "idAI",
            &format!("\"ik_numLegs\" \"1\" \"ik_foot1\" \"bonne\" {LEG} \"ik_waist\" \"bone\""),
            &format!("error DEF019 drops: idIK_Walk::Init: invalid foot joint 'bonne'{meant}"),
        ),
        // Legs beyond the number are not read, and without a number none are.
        (
            "idAI",
            &format!("\"ik_numLegs\" \"1\" \"ik_foot1\" \"bone\" \"ik_foot2\" \"bonne\" {LEG} \"ik_waist\" \"bone\""),
            "",
        ),
        (
            "idAI",
            &format!("\"ik_numLegs\" \"2\" \"ik_foot1\" \"bone\" {LEG} \"ik_waist\" \"bone\""),
            "error DEF034 drops: idIK_Walk::Init: invalid foot joint ''",
        ),
        (
            "idAI",
            &format!("\"ik_numLegs\" \"1\" \"ik_foot1\" \"bone\" {LEG}"),
            "error DEF034 drops: idIK_Walk::Init: invalid waist joint ''",
        ),
        ("idAI", "\"ik_foot1\" \"bonne\"", ""),
        (
            "idAI",
            "\"def_attach\" \"lamp\"",
            &format!("error DEF032 drops: Joint 'bonne' not found for attaching 'lamp' on '…'{meant}"),
        ),
        ("idAI", "\"def_attach2\" \"bare\"", "error DEF032 drops: Joint '' not found for attaching 'bare' on '…'"),
        (
            "idAI",
            "\"def_attach\" \"lamb\"",
            "error DEF032 drops: Couldn't spawn 'lamb' to attach to entity '…' | did you mean 'lamp'?",
        ),
        ("idStaticEntity", "\"def_attach\" \"lamp\"", ""),
        (
            "idLight",
            "\"bind\" \"e\" \"bindToJoint\" \"bonne\"",
            &format!("error DEF019 drops: Joint 'bonne' not found for bind on '…'{meant}"),
        ),
        (
            "idAI",
            "\"def_head\" \"h\" \"head_joint\" \"bonne\"",
            &format!("error DEF019 drops: Joint 'bonne' not found for 'head_joint' on '…'{meant}"),
        ),
        (
            "idPlayer",
            "\"bone_hips\" \"bonne\"",
            &format!("error DEF019 drops: Joint 'bonne' not found for 'bone_hips' on '…'{meant}"),
        ),
        ("idAI", "\"bone_hips\" \"bonne\"", ""),
        (
            "idAI",
            "\"damage_zone legs\" \"*bonne\"",
            &format!("warning DEF030 Wrong: Unknown joint 'bonne' in '*bonne' for model 'imp'{meant}"),
        ),
        (
            "idAI",
            "\"look_joint bonne\" \"1 0 0\"",
            &format!("warning DEF030 Wrong: Unknown look_joint 'bonne' on entity …{meant}"),
        ),
        (
            "idAI",
            "\"def_head\" \"h\" \"bone_focus\" \"bonne\"",
            &format!("warning DEF030 Wrong: Joint 'bonne' not found on head on '…'{meant}"),
        ),
        (
            "idAI",
            "\"smokeParticleSystem1\" \"fire-bonne\"",
            &format!("warning DEF030 Wrong: Unknown particleJoint 'bonne' on '…'{meant}"),
        ),
        (
            "idAFEntity_VehicleSimple",
            "\"wheelJointFrontLeft\" \"bonne\"",
            &format!("error DEF019 drops: idAFEntity_VehicleSimple '…' can't find wheel joint 'bonne'{meant}"),
        ),
        (
            "idAnimated",
            "\"anim\" \"wall\"",
            "error DEF020 drops: idAnimated '…' at (…): cannot find anim 'wall' | did you mean 'walk'?",
        ),
        ("idCameraAnim", "\"anim\" \"fly\"", "error DEF033 drops: Missing 'anim fly' key on '…'"),
        (
            "idCameraAnim",
            "\"anim\" \"fly\" \"anim fly\" \"cams/fly\"",
            "error DEF033 drops: Unable to load 'cams/fly' on '…'",
        ),
    ];
    for (class, keys, expected) in cases {
        let expected: Vec<&str> = Some(expected).filter(|text| !text.is_empty()).into_iter().collect();
        assert_eq!(entity("doom3", class, keys), expected, "{class} {keys}");
    }
}

/// Bodies move joints of the model. A vehicle needs bodies and hinges of its ragdoll, and all keys.
#[test]
fn ragdolls_and_vehicles_need_their_parts() {
    let body = |name: &str, joint: &str| format!("body \"{name}\" {{ origin joint( \"x\" ) joint \"{joint}\" }}");
    let ragdoll = |name: &str, bodies: [(&str, &str); 2]| {
        let bodies = bodies.map(|(name, joint)| body(name, joint)).join(" ");
        format!("articulatedFigure {name} {{ settings {{ friction 1, 2, 3 }} {bodies} hinge \"left\" {{ }} }} ")
    };
    let decls = "model imp { mesh models/imp.md5mesh anim af_pose models/a.md5anim } ".to_owned()
        + &ragdoll("r", [("o", "origin"), ("tyre", "BONE")])
        + &ragdoll("bad", [("o", "origin"), ("tyre", "bonne")])
        + &ragdoll("loose", [("o", "bone"), ("tyre", "bonne")]);
    let of = |class: &str, keys: &str| {
        said("doom3", &format!("{decls} entityDef e {{ \"spawnclass\" \"{class}\"\n\"model\" \"imp\" {keys} }}"))
    };
    let joint =
        ["error DEF019 drops: idAF for entity '…' at (…) modifies unknown joint 'bonne' | did you mean 'bone'?"];
    assert_eq!(of("idAI", "\"ragdoll\" \"bad\""), joint);
    assert_eq!(of("idAFEntity_Generic", "\"articulatedFigure\" \"bad\""), joint);
    // Without a body on the origin no body is made, and lights have no ragdoll.
    for (class, keys) in [("idAI", "r"), ("idAI", "loose"), ("idLight", "bad")] {
        assert_eq!(of(class, &format!("\"ragdoll\" \"{keys}\"")), [""; 0], "{class} {keys}");
    }

    let (four, six) = ("idAFEntity_VehicleFourWheels", "idAFEntity_VehicleSixWheels");
    let wheels: String = ["FrontLeft", "FrontRight", "RearLeft", "RearRight"]
        .map(|side| format!("\"wheelBody{side}\" \"Tyre\" \"wheelJoint{side}\" \"bone\" "))
        .concat();
    let keys =
        wheels + "\"steeringHingeFrontLeft\" \"left\" \"steeringHingeFrontRight\" \"LEFT\" \"articulatedFigure\" \"r\"";
    assert_eq!(of(four, &keys), [""; 0]);
    let error = |class: &str, words: &str| vec![format!("error DEF034 drops: {class} '…'{words}")];
    let changed = |from: &str, to: &str| of(four, &keys.replacen(from, to, 1));
    assert_eq!(changed("\"wheelBodyRearLeft\"", "\"other\""), error(four, " no 'wheelBodyRearLeft' specified"));
    assert_eq!(changed("HingeFrontRight", "Hinge"), error(four, " no 'steeringHingeFrontRight' specified"));
    assert_eq!(changed("Tyre", "tire"), error(four, " can't find wheel body 'tire' | did you mean 'tyre'?"));
    assert_eq!(
        changed("\"left\"", "\"lefd\""),
        error(four, ": can't find steering hinge 'lefd' | did you mean 'left'?")
    );
    assert_eq!(of(six, &keys), error(six, " no 'wheelBodyMiddleLeft' specified"));
    let simple = "idAFEntity_VehicleSimple";
    assert_eq!(of(simple, ""), error(simple, " no 'wheelJointFrontLeft' specified"));
    // The keys may come from a parent; of a missing one they are unknown.
    let inherits = |parent: &str| {
        let decls = format!("{decls} entityDef p {{ {keys} }}");
        said(
            "doom3",
            &format!("{decls} entityDef e {{ \"inherit\" \"{parent}\" \"spawnclass\" \"{four}\"\n\"model\" \"imp\" }}"),
        )
    };
    assert_eq!((inherits("p"), inherits("gone")), (Vec::new(), Vec::new()));
    // What is only inherited from may leave keys to those that inherit.
    let base = format!("{decls} entityDef base {{ \"spawnclass\" \"{four}\"\n\"model\" \"imp\" }}");
    assert_eq!(said("doom3", &base), error(four, " no 'wheelBodyFrontLeft' specified"));
    assert_eq!(said("doom3", &format!("{base} entityDef e {{ \"inherit\" \"BASE\"\n{keys} }}")), [""; 0]);
}

#[test]
fn engines_of_the_family_differ() {
    let keys = [
        "\"bone_hips\" \"tail\"",
        "\"joint_hips\" \"tail\"",
        "\"def_head\" \"h\" \"joint_head\" \"tail\"",
        "\"def_attach\" \"bare\"",
        "\"def_attach\" \"bound\"",
        "\"attach_pos_joint_hand\" \"tail\"",
    ];
    let found = |engine: &str| keys.map(|keys| entity(engine, "idPlayer", keys).join("; "));
    let attached = "error DEF032 drops: Joint '' not found for attaching";
    let expected = [
        (
            "doom3",
            [
                "error DEF019 drops: Joint 'tail' not found for 'bone_hips' on '…'",
                "",
                "",
                &format!("{attached} 'bare' on '…'"),
                &format!("{attached} 'bound' on '…'"),
                "",
            ],
        ),
        (
            "tdm",
            [
                "error DEF019 drops: Joint 'tail' not found for 'bone_hips' on '…'",
                "",
                "",
                "error DEF032 drops: Neither joint '' nor bindToJoint '' found for attaching 'bare' on '…'",
                "",
                "error DEF019 drops: Joint 'tail' not found for attachment position 'hand' on entity '…'",
            ],
        ),
        (
            "rbdoom3bfg",
            [
                "warning DEF019 Wrong: Joint 'tail' not found for 'bone_hips' on '…'",
                "",
                "",
                &format!("{attached} 'bare' on '…'"),
                &format!("{attached} 'bound' on '…'"),
                "",
            ],
        ),
        (
            "quake4",
            [
                "",
                "error DEF019 drops: Joint 'tail' not found for 'joint_hips' on '…'",
                "error DEF019 drops: Joint 'tail' not found for 'joint_head' on '…'",
                &format!("{attached} 'bare' on '…'"),
                &format!("{attached} 'bound' on '…'"),
                "",
            ],
        ),
    ];
    for (engine, expected) in expected {
        assert_eq!(found(engine), expected, "{engine}");
    }
}

/// Without an anim `ik_pose`, the joints of legs are not looked up.
#[test]
fn legs_without_their_anim_only_warn() {
    let model = "model imp { mesh models/imp.md5mesh anim walk models/a.md5anim } entityDef e { \"model\" \"imp\"";
    let found = said("doom3", &format!("{model}\n\"ik_numLegs\" \"1\" \"ik_foot1\" \"foot\" }}"));
    assert_eq!(found, ["warning DEF020 Wrong: idIK::Init: IK for entity '…' at (…) has no modified animation."]);
}

/// The default model has no joints, and is named like the decl.
#[test]
fn a_gib_does_not_fit_a_model_that_is_lost() {
    let words = "gib model 'models/imp.md5mesh' has different number of joints than model";
    let gib = "\"model_gib\" \"models/imp.md5mesh\" }";
    let faulty = format!("model imp {{ mesh models/imp.md5mesh nosuchword }} entityDef e {{ \"model\" \"imp\"\n{gib}");
    assert_eq!(said("doom3", &faulty), [format!("error DEF031 drops: {words} 'imp'")]);
    let missing = format!("model imp {{ mesh models/imp.md5mesh }} entityDef e {{\n\"model\" \"imq\" {gib}");
    assert_eq!(said("doom3", &missing), [format!("error DEF015 drops: {words} 'imq' | did you mean 'imp'?")]);
}

/// A decl that the game loses is an error, and the report says that it is lost.
#[test]
fn a_lost_decl_is_an_error() {
    let model = "model p { mesh models/imp.md5mesh anim walk models/none.md5anim }";
    let inherited = "error DEF013 Refuses: inherited model definition 'p' defaulted";
    assert_eq!(said("doom3", &format!("{model}\nmodel m {{ inherit p }}")), [inherited]);
    let unknown = "error DEF013 Refuses: Unknown model definition 'none'";
    assert_eq!(said("doom3", "\nmodel m { inherit none anim walk models/a.md5anim }"), [unknown]);
    assert_eq!(
        said("doom3", "\nmodel m { inherit none mesh models/imp.md5mesh anim walk models/a.md5anim }"),
        ["warning DEF013 Wrong: Unknown model definition 'none'"]
    );
    let event = "\nmodel m { mesh models/imp.md5mesh anim walk models/a.md5anim { frame 1 event nosuch } }";
    assert_eq!(said("doom3", event), ["error DEF023 Refuses: Event 'nosuch' not found"]);
    assert_eq!(said("tdm", event), Vec::<String>::new());
}
