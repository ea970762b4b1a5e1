//! Entities and models of a game's decls, with the files that declare them.

use super::{and_more, plural, short_table, shown, shown_list};
use bindpose::budget::Budget;
use bindpose::diagnostic::{Diagnostic, Escaped, Severity};
use bindpose::game::Decls;
use bindpose::game::entity::{
    Appearance, AppearanceError, ModelDef, appearance_of_entity, appearance_of_model, has_appearance,
};
use bindpose::import::md5::import_mesh;
use bindpose::load::Subject;
use bindpose::model::Skeleton;
use bindpose::read;
use bindpose_parsers::decl::{AnimDecl, DeclKind, FrameCommand, ModelItem, Word};
use bindpose_parsers::md5;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// An entity or a model.
#[derive(Debug, Serialize)]
pub struct SubjectInfo {
    /// `entity` or `model`.
    kind: &'static str,
    name: String,
    /// File and line of its decl; `None` for a mesh that is used as a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    declared_at: Option<String>,
    /// Decls of the same kind that it inherits from directly.
    inherits: Vec<String>,
    model: ModelInfo,
    skin: Option<SkinInfo>,
    head: Option<HeadInfo>,
    channels: Vec<ChannelInfo>,
    anims: Vec<AnimInfo>,
}

#[derive(Debug, Serialize)]
struct ModelInfo {
    name: String,
    declared_at: Option<String>,
    inherits: Vec<String>,
    mesh: Option<String>,
    /// Path; `None` if the game has no such file.
    path: Option<String>,
    /// Reason why the file cannot be read, if it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    joints: Option<usize>,
    offset: [f64; 3],
}

#[derive(Debug, Serialize)]
struct SkinInfo {
    name: String,
    /// File and line of the decl; `None` if the game has no decl of this name.
    declared_at: Option<String>,
    /// Each material, and its replacement.
    replaces: Vec<[String; 2]>,
}

#[derive(Debug, Serialize)]
struct HeadInfo {
    /// Joint of the body to which the head is attached.
    joint: String,
    #[serde(flatten)]
    model: ModelInfo,
}

#[derive(Debug, Serialize)]
struct ChannelInfo {
    name: String,
    /// Joints; `None` if the mesh, which defines them, cannot be read.
    joints: Option<Vec<String>>,
}

#[derive(Debug, Serialize)]
struct AnimInfo {
    name: String,
    /// Files of the anim. Several are played at once.
    files: Vec<AnimFileInfo>,
    flags: Vec<String>,
    commands: Vec<CommandInfo>,
}

#[derive(Debug, Serialize)]
struct AnimFileInfo {
    name: String,
    /// Path; `None` if the game has no such file.
    path: Option<String>,
    /// Number of frames; `None` if the file cannot be read.
    frames: Option<usize>,
    frame_rate: Option<f64>,
    seconds: Option<f64>,
}

#[derive(Debug, Serialize)]
struct CommandInfo {
    /// Frame, counted from 1.
    frame: i64,
    text: String,
}

/// Returns the entities with skeletal models, and the models, that a `.def` file declares, in its order.
pub fn subjects_of(def: &Path, decls: &Decls) -> Vec<Subject> {
    let source = decls.source_of(def);
    let mut found: Vec<(u32, Subject)> = Vec::new();
    for (kind, subject) in
        [(DeclKind::EntityDef, Subject::Entity as fn(String) -> Subject), (DeclKind::Model, Subject::Model)]
    {
        for name in decls.names(kind) {
            let Some(place) = decls.place(kind, name).filter(|place| Some(place.source) == source) else { continue };
            if kind == DeclKind::Model || has_appearance(decls, name) {
                found.push((place.name.start, subject(name.to_owned())));
            }
        }
    }
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, subject)| subject).collect()
}

/// Describes an entity or a model, and the errors of its decls, in the decls' sources. `skin` replaces its own skin.
pub fn describe(
    subject: &Subject,
    skin: Option<&str>,
    decls: &Decls,
    budget: &Budget,
) -> Result<(SubjectInfo, Vec<Diagnostic>), AppearanceError> {
    let (kind, declares, name) = match subject {
        Subject::Entity(name) => ("entity", DeclKind::EntityDef, name),
        Subject::Model(name) => ("model", DeclKind::Model, name),
    };
    let Appearance { model, skin: own_skin, head, faults: missing } = match subject {
        Subject::Entity(name) => appearance_of_entity(decls, name)?,
        Subject::Model(name) => appearance_of_model(decls, name)?,
    };
    let inherits = match subject {
        Subject::Entity(name) => decls.entity(name).map(|(_, entity)| entity.decl.parents().map(text).collect()),
        Subject::Model(name) => Some(parents_of(decls, name)),
    };
    let about = Describer { decls, budget };
    let (info, skeleton) = about.model(&model);
    let faults = model.faults().flat_map(|(source, faults)| {
        let lost = faults.iter().find(|fault| fault.kind.impact() == bindpose_parsers::decl::Impact::Decl);
        lost.map(|fault| {
            let message = format!("the game ignores the model '{}': {}", model.name, fault.kind);
            Diagnostic::new("DEF001", Severity::Warning, message, *source, fault.span)
        })
    });
    let channels = match &skeleton {
        Some(skeleton) => {
            let name_of = |joint| skeleton[joint].name.clone();
            let channel = |(name, joints): (String, Vec<_>)| ChannelInfo {
                name,
                joints: Some(joints.into_iter().map(name_of).collect()),
            };
            model.channel_joints(skeleton).into_iter().map(channel).collect()
        }
        None => model.channels().map(|(name, _)| ChannelInfo { name: name.clone(), joints: None }).collect(),
    };
    let missing = missing.iter().map(|error| Diagnostic::general("DEF015", error.to_string()));
    let diagnostics = missing.chain(faults).collect();
    let wanted = skin.map(str::to_owned).or(own_skin);
    let info = SubjectInfo {
        kind,
        name: name.clone(),
        declared_at: about.place(declares, name),
        inherits: inherits.unwrap_or_default(),
        model: info,
        skin: wanted.map(|name| about.skin(name)),
        head: head.map(|(model, joint)| HeadInfo { joint, model: about.model(&model).0 }),
        channels,
        anims: model.anims().into_iter().map(|anim| about.anim(anim)).collect(),
    };
    Ok((info, diagnostics))
}

fn text(word: &Word) -> String {
    word.text.clone()
}

/// Returns the models that a model inherits from directly.
fn parents_of(decls: &Decls, model: &str) -> Vec<String> {
    let items = decls.model(model).map(|(_, model)| model.decl.items).unwrap_or_default();
    items.iter().filter_map(|item| if let ModelItem::Inherit(name) = item { Some(text(name)) } else { None }).collect()
}

struct Describer<'d> {
    decls: &'d Decls,
    budget: &'d Budget,
}

impl Describer<'_> {
    /// Returns file and line of a decl.
    fn place(&self, kind: DeclKind, name: &str) -> Option<String> {
        let place = self.decls.place(kind, name)?;
        let file = self.decls.sources.get(place.source);
        Some(format!("{}:{}", file.path.display(), file.position(place.name.start).line))
    }

    fn locate(&self, name: &str) -> Option<PathBuf> {
        Some(self.decls.game().find(name).ok().flatten()?.path)
    }

    fn model(&self, model: &ModelDef) -> (ModelInfo, Option<Skeleton>) {
        let path = model.mesh().and_then(|mesh| self.locate(mesh));
        let read = path.as_deref().map(|path| self.skeleton(path));
        let (skeleton, fault) = match read {
            Some(Ok(skeleton)) => (Some(skeleton), None),
            Some(Err(fault)) => (None, Some(fault)),
            None => (None, None),
        };
        let info = ModelInfo {
            name: model.name.clone(),
            declared_at: self.place(DeclKind::Model, &model.name),
            inherits: parents_of(self.decls, &model.name),
            mesh: model.mesh().map(str::to_owned),
            path: path.map(|path| path.display().to_string()),
            fault,
            joints: skeleton.as_ref().map(Skeleton::len),
            offset: model.offset(),
        };
        (info, skeleton)
    }

    fn skeleton(&self, mesh: &Path) -> Result<Skeleton, String> {
        let bytes = read::file(mesh, self.budget).map_err(|error| error.reason())?;
        let parsed = md5::parse_mesh(&bytes).map_err(|error| error.to_string())?;
        let imported = import_mesh(&parsed.document, true, self.budget);
        Ok(imported.map_err(|error| error.to_string())?.model.skeleton)
    }

    fn skin(&self, name: String) -> SkinInfo {
        let declared_at = self.place(DeclKind::Skin, &name);
        let pairs = self.decls.skin(&name).map(|(_, skin)| skin.decl.pairs).unwrap_or_default();
        SkinInfo { declared_at, replaces: pairs.iter().map(|pair| [text(&pair.from), text(&pair.to)]).collect(), name }
    }

    fn anim(&self, anim: &AnimDecl) -> AnimInfo {
        let file = |name: &Word| {
            let path = self.locate(&name.text);
            let bytes = path.as_deref().and_then(|path| read::file(path, self.budget).ok());
            let clip = bytes.as_deref().and_then(|bytes| md5::parse_anim(bytes).ok()).map(|parsed| parsed.document);
            AnimFileInfo {
                name: text(name),
                path: path.map(|path| path.display().to_string()),
                frames: clip.as_ref().map(|clip| clip.frames.len()),
                frame_rate: clip.as_ref().map(|clip| clip.frame_rate),
                seconds: clip.as_ref().map(|clip| super::md5::seconds(clip.frames.len(), clip.frame_rate)),
            }
        };
        let command = |command: &FrameCommand| CommandInfo {
            frame: command.frame,
            text: std::iter::once(&command.command).chain(&command.arguments).map(text).collect::<Vec<_>>().join(" "),
        };
        AnimInfo {
            name: text(&anim.name),
            files: anim.files.iter().map(file).collect(),
            flags: anim.flags.iter().map(text).collect(),
            commands: anim.commands.iter().map(command).collect(),
        }
    }
}

impl SubjectInfo {
    /// True if a required file is missing or cannot be read.
    pub fn is_at_fault(&self) -> bool {
        let lacks = |model: &ModelInfo| model.joints.is_none();
        lacks(&self.model)
            || self.head.as_ref().is_some_and(|head| lacks(&head.model))
            || self.anims.iter().flat_map(|anim| &anim.files).any(|file| file.frames.is_none())
    }

    pub fn to_text(&self) -> String {
        let mut lines =
            vec![format!("{} {}{}", self.kind, shown(&self.name), declared(&self.declared_at, &self.inherits))];
        if self.kind == "entity" {
            lines.push(format!(
                "  model {}{}",
                shown(&self.model.name),
                declared(&self.model.declared_at, &self.model.inherits)
            ));
        }
        lines.push(format!("  mesh {}", self.model.mesh_text()));
        if let Some(SkinInfo { name, declared_at, replaces }) = &self.skin {
            let at = declared_at
                .as_ref()
                .map_or_else(|| ", which the game does not declare".to_owned(), |at| format!(" at {}", Escaped(at)));
            lines.push(format!("  skin {}{at}", shown(name)));
            let pairs = replaces.iter().take(super::MOST_ROWS);
            lines.extend(pairs.map(|[from, to]| format!("    {} -> {}", shown(from), shown(to))));
            let left = and_more(replaces.len().saturating_sub(super::MOST_ROWS));
            lines.extend((!left.is_empty()).then(|| left.trim_end().to_owned()));
        }
        if let Some(HeadInfo { joint, model }) = &self.head {
            let at = declared(&model.declared_at, &model.inherits);
            lines.push(format!("  head {}{at}, on the joint {}", shown(&model.name), shown(joint)));
            lines.push(format!("    mesh {}", model.mesh_text()));
        }
        for ChannelInfo { name, joints } in &self.channels {
            lines.push(match joints {
                Some(joints) if joints.is_empty() => format!("  channel {}: no joints", shown(name)),
                Some(joints) => {
                    format!("  channel {}: {}: {}", shown(name), plural(joints.len(), "joint"), shown_list(joints))
                }
                None => format!("  channel {}", shown(name)),
            });
        }
        let mut out = lines.join("\n") + "\n";
        if self.anims.is_empty() {
            return out + "  no anims\n";
        }
        let files: Vec<Vec<String>> = self.anims.iter().flat_map(AnimInfo::rows).collect();
        out += &short_table(&["anim", "frames", "rate", "seconds", "file", "plays"], files.into_iter());
        let commands = self.anims.iter().flat_map(|anim| {
            let row = |command: &CommandInfo| vec![shown(&anim.name), command.frame.to_string(), shown(&command.text)];
            anim.commands.iter().map(row).collect::<Vec<_>>()
        });
        let commands: Vec<Vec<String>> = commands.collect();
        if !commands.is_empty() {
            out += &short_table(&["anim", "frame", "command"], commands.into_iter());
        }
        out
    }
}

impl ModelInfo {
    fn mesh_text(&self) -> String {
        let mesh = self.mesh.as_deref().map_or_else(|| "none".to_owned(), shown);
        let offset = match self.offset {
            [0.0, 0.0, 0.0] => String::new(),
            [x, y, z] => format!(", moved by ({x}, {y}, {z})"),
        };
        match (&self.path, &self.fault, self.joints) {
            (Some(path), _, Some(joints)) => format!("{}: {}{offset}", Escaped(path), plural(joints, "joint")),
            (Some(path), Some(fault), _) => format!("{}: {}", Escaped(path), Escaped(fault)),
            _ => format!("{mesh}: not found"),
        }
    }
}

impl AnimInfo {
    fn rows(&self) -> Vec<Vec<String>> {
        let row = |(number, file): (usize, &AnimFileInfo)| {
            let number_text = |number: Option<String>| number.unwrap_or_default();
            let path = match (&file.path, file.frames) {
                (None, _) => format!("{}: not found", shown(&file.name)),
                (Some(path), None) => format!("{}: cannot be read", shown(path)),
                (Some(path), Some(_)) => shown(path),
            };
            let mut how: Vec<String> = self.flags.iter().map(|flag| shown(flag)).collect();
            if number > 0 {
                how = vec!["at once with the first".to_owned()];
            }
            vec![
                shown(&self.name),
                number_text(file.frames.map(|frames| frames.to_string())),
                number_text(file.frame_rate.map(|rate| rate.to_string())),
                number_text(file.seconds.map(|seconds| format!("{seconds:.3}"))),
                path,
                how.join(" "),
            ]
        };
        self.files.iter().enumerate().map(row).collect()
    }
}

/// Describes where something is declared, and what it inherits from.
fn declared(at: &Option<String>, inherits: &[String]) -> String {
    let at = at.as_ref().map_or_else(String::new, |at| format!(" at {}", Escaped(at)));
    if inherits.is_empty() { at } else { format!("{at}, inherits {}", shown_list(inherits)) }
}
