//! Reads model decls: a mesh, its anims and its channels.

use super::fault::FaultKind;
use super::lex::{Lexer, TokenKind};
use super::{Fallible, Parsed, Word, body, float, require, word, word_on_line};
use crate::Span;
use std::collections::HashSet;

/// Maximum number of files of an anim, which play together.
const MOST_SYNCED: usize = 3;

/// Channels that can be declared. The engine's own channel `all` cannot.
pub(super) const CHANNELS: [&str; 4] = ["torso", "legs", "head", "eyelids"];

/// Model decl as written, without inherited items.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelDecl {
    /// Items in file order.
    pub items: Vec<ModelItem>,
}

/// Line of a model decl.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelItem {
    /// Inherits the items of another model decl.
    Inherit(Word),
    /// Path of the `.md5mesh`.
    Mesh(Word),
    /// Name of the default skin.
    Skin(Word),
    /// Offset added to the root joint's translation.
    Offset([f64; 3]),
    /// Joints that anims may animate separately.
    Channel {
        /// `torso`, `legs`, `head` or `eyelids`.
        name: Word,
        /// Joints in file order.
        joints: Vec<ChannelJoint>,
    },
    /// Anim with its files and commands.
    Anim(AnimDecl),
    /// Removes an inherited anim by its name, or all variants by the name without digits.
    Remove(Word),
}

/// Item in a channel's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelJoint {
    /// Name of the joint.
    pub joint: Word,
    /// True if the item includes all descendants (`*`).
    pub with_descendants: bool,
    /// True if the item is removed from the channel (`-`).
    pub removed: bool,
}

/// Anim of a model decl.
#[derive(Debug, Clone, PartialEq)]
pub struct AnimDecl {
    /// Name. Names that end in a number are variants: `walk1`, `walk2`.
    pub name: Word,
    /// The `.md5anim` files, which play together.
    pub files: Vec<Word>,
    /// Flags, for example `random_cycle_start`.
    pub flags: Vec<Word>,
    /// Commands at the anim's frames.
    pub commands: Vec<FrameCommand>,
}

impl AnimDecl {
    /// Returns the name without the number of its variant.
    pub fn group(&self) -> &str {
        group_of(&self.name.text)
    }
}

/// Returns the name of an anim without the number at its end.
pub fn group_of(name: &str) -> &str {
    name.trim_end_matches(|letter: char| letter.is_ascii_digit())
}

/// Command of the engine at a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameCommand {
    /// Frame number, from 1.
    pub frame: i64,
    /// Position of the number.
    pub frame_span: Span,
    /// Command, for example `footstep`.
    pub command: Word,
    /// Arguments of the command.
    pub arguments: Vec<Word>,
}

/// Frame commands with their minimum and maximum numbers of arguments. The last ones belong to Resurrection of Evil.
const COMMANDS: [(usize, usize, &str); 7] = [
    (
        0,
        0,
        "attack_end footstep leftfoot rightfoot enableEyeFocus disableEyeFocus disableGravity enableGravity jump
        enableClip disableClip enableWalkIK disableWalkIK",
    ),
    (0, 1, "muzzle_flash recordDemo aviGame"),
    (
        1,
        1,
        "call object_call event sound sound_voice sound_voice2 sound_body sound_body2 sound_body3 sound_weapon
        sound_global sound_item sound_chatter skin fx trigger triggerSmokeParticle melee direct_damage attack_begin
        create_missile launch_missile enableLegIK disableLegIK",
    ),
    (2, 2, "fire_missile_at_target"),
    (1, 1, "launch_projectile stop_emitter"),
    (2, 2, "trigger_fx"),
    (3, 3, "start_emitter"),
];

/// Keywords of a model decl.
pub(super) const WORDS: [&str; 7] = ["inherit", "mesh", "skin", "offset", "channel", "anim", "remove"];

/// Returns the names of all frame commands.
pub(super) fn commands() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().flat_map(|(.., names)| names.split_whitespace())
}

/// Reads a model decl up to the first fault that ends it. Reading continues after unknown words.
pub fn parse_model(bytes: &[u8], decl: Span) -> Parsed<ModelDecl> {
    let mut lexer = body(bytes, decl);
    let mut model = ModelDecl::default();
    if let Err(fault) = read(&mut lexer, &mut model) {
        lexer.faults.push(fault);
    }
    lexer.faults.sort_by_key(|fault| fault.span.start);
    Parsed { decl: model, faults: lexer.faults }
}

// model ::= '{' { word arguments } '}', where words are in small letters
fn read(lexer: &mut Lexer<'_>, model: &mut ModelDecl) -> Fallible<()> {
    // `has_mesh` is true after the mesh was named or inherited.
    let (mut has_mesh, mut has_parent) = (false, false);
    let (mut own_names, mut own_groups) = (HashSet::new(), HashSet::new());
    loop {
        let token = word(lexer, "'}'")?;
        let item = match token.to_text().as_str() {
            "}" => return Ok(()),
            "inherit" => ModelItem::Inherit(word(lexer, "a model's name")?.into()),
            "mesh" => {
                let file: Word = word(lexer, "an .md5mesh file")?.into();
                if !file.text.ends_with(".md5mesh") {
                    lexer.add(FaultKind::MeshExtension { file: file.text.clone() }, file.span);
                }
                ModelItem::Mesh(file)
            }
            "skin" => ModelItem::Skin(word(lexer, "a skin's name")?.into()),
            "offset" => {
                require(lexer, "'('")?;
                let offset = [float(lexer)?, float(lexer)?, float(lexer)?];
                require(lexer, "')'")?;
                ModelItem::Offset(offset)
            }
            "channel" => channel(lexer, has_mesh, token.span)?,
            "anim" => {
                if !has_mesh {
                    lexer.add(FaultKind::AnimBeforeMesh, token.span);
                }
                let anim = anim(lexer)?;
                own_groups.insert(anim.group().to_owned());
                // An inherited anim can be declared again any number of times.
                if !own_names.insert(anim.name.text.clone()) && !has_parent {
                    lexer.add(FaultKind::DuplicateAnim { name: anim.name.text.clone() }, anim.name.span);
                }
                ModelItem::Anim(anim)
            }
            "remove" => {
                let name: Word = word(lexer, "an anim's name")?.into();
                if own_names.contains(&name.text) || own_groups.contains(&name.text) {
                    lexer.add(FaultKind::RemovesOwn { name: name.text.clone() }, name.span);
                }
                ModelItem::Remove(name)
            }
            found => {
                let wrong_case = WORDS.iter().any(|word| token.is(word));
                lexer.add(FaultKind::UnknownModelWord { word: found.to_owned(), wrong_case }, token.span);
                continue;
            }
        };
        has_parent |= matches!(item, ModelItem::Inherit(_));
        has_mesh |= has_parent || matches!(item, ModelItem::Mesh(_));
        model.items.push(item);
    }
}

// channel ::= 'channel' name '(' { ['-'] ['*'] joint } ')'
fn channel(lexer: &mut Lexer<'_>, has_mesh: bool, at: Span) -> Fallible<ModelItem> {
    if !has_mesh {
        lexer.add(FaultKind::ChannelBeforeMesh, at);
    }
    let name: Word = word(lexer, "a channel's name")?.into();
    if !CHANNELS.iter().any(|known| known.eq_ignore_ascii_case(&name.text)) {
        lexer.add(FaultKind::UnknownChannel { name: name.text.clone() }, name.span);
    }
    require(lexer, "'('")?;
    let mut joints = Vec::new();
    // Marks before the next word, and where they begin.
    let mut marks = String::new();
    let mut start: Option<Span> = None;
    loop {
        let token = word(lexer, "')'")?;
        if token.is_exactly(")") {
            return Ok(ModelItem::Channel { name, joints });
        }
        let begin = *start.get_or_insert(token.span);
        marks.push_str(&token.to_text());
        if !["-", "*"].iter().any(|mark| token.is_exactly(mark)) {
            let text = std::mem::take(&mut marks);
            joints.extend(joint_list(&Word { text, span: begin.to(token.span) }));
            start = None;
        }
    }
}

// list ::= { ['-'] ['*'] joint }
/// The joints of a list; the engine splits it at blanks.
fn joint_list(list: &Word) -> Vec<ChannelJoint> {
    let item = |text: &str| {
        let (removed, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
        let (with_descendants, text) = text.strip_prefix('*').map_or((false, text), |text| (true, text));
        ChannelJoint { joint: Word { text: text.to_owned(), span: list.span }, with_descendants, removed }
    };
    list.text.split_whitespace().map(item).collect()
}

// anim ::= 'anim' name file { ',' file } [ '{' { flag | 'frame' number command } '}' ]
fn anim(lexer: &mut Lexer<'_>) -> Fallible<AnimDecl> {
    let name: Word = word(lexer, "an anim's name")?.into();
    // Without the number at least two characters must remain: the engine searches backwards and never reads the first
    // character.
    if group_of(&name.text).len() < 2 {
        lexer.add(FaultKind::AnimName { name: name.text.clone() }, name.span);
    }
    let mut files: Vec<Word> = Vec::new();
    loop {
        let file: Word = word(lexer, "an .md5anim file")?.into();
        if files.len() == MOST_SYNCED {
            lexer.add(FaultKind::TooManySynced, file.span);
        }
        files.push(file);
        if !lexer.eat(",") {
            break;
        }
    }
    let mut anim = AnimDecl { name, files, flags: Vec::new(), commands: Vec::new() };
    if lexer.eat("{") {
        block(lexer, &mut anim)?;
    }
    Ok(anim)
}

fn block(lexer: &mut Lexer<'_>, anim: &mut AnimDecl) -> Fallible<()> {
    loop {
        let token = word(lexer, "'}'")?;
        match token.to_text().as_str() {
            "}" => return Ok(()),
            "prevent_idle_override" | "random_cycle_start" | "ai_no_turn" | "anim_turn" => {
                anim.flags.push(token.into())
            }
            "frame" => {
                if let Some(command) = frame(lexer)? {
                    anim.commands.push(command);
                }
            }
            found => lexer.add(FaultKind::UnknownAnimWord { word: found.to_owned() }, token.span),
        }
    }
}

// 'frame' number command { argument }, all on one line
fn frame(lexer: &mut Lexer<'_>) -> Fallible<Option<FrameCommand>> {
    let number = word_on_line(lexer, "a frame's number")?;
    match number.kind {
        TokenKind::Number(_, true) => {}
        TokenKind::Number(_, false) => lexer.add(FaultKind::FractionalFrame { found: number.to_text() }, number.span),
        _ => {
            let kind = FaultKind::Expected { expected: "a frame's number", found: number.to_text() };
            lexer.add(kind, number.span);
        }
    }
    let command = word_on_line(lexer, "a frame command")?;
    let known = |names: &str| names.split_whitespace().any(|name| command.is_exactly(name));
    let Some(&(least, most, _)) = COMMANDS.iter().find(|(.., names)| known(names)) else {
        lexer.add(FaultKind::UnknownCommand { word: command.to_text() }, command.span);
        // The arguments of an unknown command are not known either.
        while lexer.peek().is_some_and(|next| !next.starts_line && !next.is_exactly("}")) {
            lexer.next();
        }
        return Ok(None);
    };
    let mut arguments = Vec::new();
    while arguments.len() < most {
        let is_there = lexer.peek().is_some_and(|next| !next.starts_line && !next.is_exactly("}"));
        if !is_there {
            if arguments.len() < least {
                lexer.add(FaultKind::UnexpectedLineEnd { expected: "a word for the frame command" }, lexer.end_point());
            }
            break;
        }
        arguments.extend(lexer.next().map(Word::from));
    }
    let frame = number.number() as i64;
    Ok(Some(FrameCommand { frame, frame_span: number.span, command: command.into(), arguments }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Parsed<ModelDecl> {
        parse_model(text.as_bytes(), Span::new(0, text.len()))
    }

    fn faults(text: &str) -> Vec<String> {
        read(&format!("{{ mesh a.md5mesh {text} }}")).faults.iter().map(|fault| fault.kind.to_string()).collect()
    }

    fn anims<'p>(parsed: &'p Parsed<ModelDecl>) -> Vec<(&'p str, Vec<&'p str>)> {
        let named =
            |anim: &'p AnimDecl| (anim.name.text.as_str(), anim.files.iter().map(|file| file.text.as_str()).collect());
        let items = parsed.decl.items.iter();
        items.filter_map(|item| if let ModelItem::Anim(anim) = item { Some(named(anim)) } else { None }).collect()
    }

    #[test]
    fn a01_a19_anims_have_names_and_groups() {
        let parsed = read("{ mesh models/x.md5mesh anim walk a.md5anim anim walk2 b.md5anim, c.md5anim }");
        assert!(parsed.faults.is_empty(), "{:?}", parsed.faults);
        assert_eq!(anims(&parsed), [("walk", vec!["a.md5anim"]), ("walk2", vec!["b.md5anim", "c.md5anim"])]);
        assert_eq!(group_of("walk12"), "walk");
    }

    #[test]
    fn a03_a04_a06_a07_a08_lose_the_decl() {
        assert_eq!(faults("anim walk a, b, c, d"), ["an anim has at most 3 files"]);
        let parsed = read("{ anim walk a mesh a.md5mesh }");
        assert_eq!(parsed.rejected_by().unwrap().kind, FaultKind::AnimBeforeMesh);
        let own = "is an anim of this decl; only inherited ones can be removed";
        assert_eq!(faults("anim walk1 a remove walk"), [format!("'walk' {own}")]);
        assert_eq!(faults("anim walk a anim walk b"), ["the anim 'walk' is declared twice"]);
        for name in ["123", "a", "b7"] {
            assert_eq!(faults(&format!("anim {name} f")).len(), 1, "{name}");
        }
        assert!(faults("anim ab f").is_empty());
    }

    /// Comparing each name with all earlier ones would take minutes.
    #[test]
    fn many_anims_are_read_at_once() {
        const COUNT: usize = 50_000;
        let anims: String = (0..COUNT).map(|anim| format!("anim walk{anim} a remove other{anim}\n")).collect();
        assert_eq!(faults(&format!("{anims} anim walk7 b")), ["the anim 'walk7' is declared twice"]);
    }

    #[test]
    fn a09_a10_channels_are_lists_of_joints() {
        let parsed = read("{ mesh a.md5mesh channel Torso ( *Waist -*RightArm Neck ) }");
        let ModelItem::Channel { joints, .. } = &parsed.decl.items[1] else { panic!("{parsed:?}") };
        let joints: Vec<_> =
            joints.iter().map(|item| (item.joint.text.as_str(), item.with_descendants, item.removed)).collect();
        assert_eq!(joints, [("Waist", true, false), ("RightArm", true, true), ("Neck", false, false)]);
        let quoted = read("{ mesh a.md5mesh channel Torso ( \"*Waist -*RightArm\" \"Neck\" ) }");
        let ModelItem::Channel { joints: quoted, .. } = &quoted.decl.items[1] else { panic!("{quoted:?}") };
        let quoted: Vec<_> =
            quoted.iter().map(|item| (item.joint.text.as_str(), item.with_descendants, item.removed)).collect();
        assert_eq!(quoted, joints);
        let known = "channels are torso, legs, head and eyelids";
        assert_eq!(faults("channel all ( a )"), [format!("'all' is not a channel; {known}")]);
        assert_eq!(
            faults("channel tors ( a )"),
            ["'tors' is not a channel; channels are torso, legs, head and eyelids"]
        );
    }

    #[test]
    fn a13_a14_frames_have_commands_on_one_line() {
        let parsed = read(
            "{ mesh a.md5mesh anim walk a { random_cycle_start\n frame 1 footstep\n frame 5 sound snd_step\n \
             frame 9 muzzle_flash\n frame 010 start_emitter a b c } }",
        );
        assert!(parsed.faults.is_empty(), "{:?}", parsed.faults);
        let ModelItem::Anim(anim) = &parsed.decl.items[1] else { panic!("{parsed:?}") };
        let commands: Vec<_> = anim.commands.iter().map(|command| (command.frame, command.arguments.len())).collect();
        // A leading 0 means octal here, too.
        assert_eq!(commands, [(1, 0), (5, 1), (9, 0), (8, 3)]);
        assert_eq!(
            faults("anim walk a { frame 5 sound\n }"),
            ["expected a word for the frame command, found the end of the line"]
        );
        assert_eq!(faults("anim walk a { frame 1.5 footstep\n }"), ["frame 1.5 is cut to a whole number"]);
        assert_eq!(faults("anim walk a { frame abc footstep\n }"), ["expected a frame's number, found 'abc'"]);
        assert_eq!(faults("anim walk a { frame 1 dance now }"), ["'dance' is not a frame command"]);
    }

    #[test]
    fn a15_a18_words_and_extensions_are_in_small_letters() {
        assert_eq!(
            faults("Mesh x.md5mesh").first().map(String::as_str),
            Some("'Mesh' is not a keyword of a model decl; its keywords are in lower case")
        );
        for file in ["x.lwo", "x.MD5MESH"] {
            let parsed = read(&format!("{{ mesh {file} }}"));
            assert_eq!(parsed.rejected_by().unwrap().kind, FaultKind::MeshExtension { file: file.into() });
        }
    }

    #[test]
    fn a17_the_offset_is_a_vector() {
        let parsed = read("{ offset ( 0 -2 8.5 ) }");
        assert_eq!(parsed.decl.items, [ModelItem::Offset([0.0, -2.0, 8.5])]);
    }
}
