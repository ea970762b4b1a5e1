//! Loading of a clip (`MD5Anim_Begin`, `MD5Anim_Load`).

use super::token::TokenReader;
use super::{
    Fallible, File, Joint, MOST_ELEMENTS, ModelLoader, NAME_KEPT, Stop, behind_command_line, joint_word, token_limit,
    with_rule,
};
use crate::codes::{anim, pair, shared};
use bindpose_core::engines::EngineId;
use bindpose_parsers::Span;

/// A clip whose header has been read.
pub(super) struct Clip<'a> {
    cursor: TokenReader<'a>,
    poses: u64,
    joints: u64,
    joints_span: Span,
}

/// A line of the hierarchy.
struct Channel<'a> {
    name: &'a [u8],
    parent: i64,
    mesh_joint: Option<usize>,
    span: Span,
}

/// Reads up to the frame rate, before the mesh's joints are read.
pub(super) fn begin<'a>(loader: &mut ModelLoader, file: File<'a>) -> Fallible<Clip<'a>> {
    let name = file.name;
    let mut cursor = TokenReader::new(file, token_limit(loader.engine));
    loader.require(&mut cursor, "MD5Version")?;
    loader.require(&mut cursor, "10")?;
    if cursor.check("commandline") {
        cursor.advance();
    }
    let rule = behind_command_line(&cursor);
    loader.require_as(&mut cursor, "numFrames", rule)?;
    let (poses, poses_span) = loader.count(&mut cursor, "numFrames")?;
    loader.require(&mut cursor, "numJoints")?;
    let (joints, joints_span) = loader.count(&mut cursor, "numJoints")?;
    loader.require(&mut cursor, "frameRate")?;
    if poses == 0 {
        return loader.fail(shared::COUNT, poses_span, format!("{name} has no poses"));
    }
    // The rate is skipped, whatever it is.
    cursor.advance();
    Ok(Clip { cursor, poses, joints, joints_span })
}

/// Reads the rest and compares it with the mesh's joints. Returns the joint to which each joint's pose is relative.
pub(super) fn load(loader: &mut ModelLoader, clip: &mut Clip, joints: &[Joint]) -> Fallible<Vec<i64>> {
    if clip.cursor.is_at_end() {
        // Treated as a missing file, but poses are expected later.
        return loader.die(shared::SYNTAX, clip.cursor.span(), "poses are read through a null pointer");
    }
    loader.require(&mut clip.cursor, "numAnimatedComponents")?;
    let (components, span) = clip.cursor.number();
    if components > MOST_ELEMENTS {
        // The size of the array overflows 64 bits, and the frames are written after it.
        loader.verdict.add_undefined(anim::COMPONENT_COUNT, span, || {
            format!("{} values a frame are written into too small an array", components as i64)
        });
        return Err(Stop::Lost);
    }
    if loader.engine == EngineId::VkQuake {
        load_by_name(loader, clip, joints, components)
    } else {
        load_in_order(loader, clip, joints, components)?;
        Ok(joints.iter().map(|joint| joint.parent).collect())
    }
}

/// Loads a clip without its mesh.
pub(super) fn load_alone(loader: &mut ModelLoader, file: File) -> Fallible<()> {
    let mut clip = begin(loader, file)?;
    let joints = own_joints(&clip);
    load(loader, &mut clip, &joints)?;
    Ok(())
}

/// Returns the clip's own hierarchy, instead of a mesh's.
fn own_joints<'a>(clip: &Clip<'a>) -> Vec<Joint<'a>> {
    let mut cursor = clip.cursor.clone();
    let mut joints = Vec::new();
    while !cursor.is_at_end() && !cursor.check("hierarchy") {
        cursor.advance();
    }
    cursor.check("{");
    while joints.len() < clip.joints as usize && !cursor.is_at_end() {
        let (text, span) = (cursor.text(), cursor.span());
        cursor.advance();
        let parent = cursor.signed();
        joints.push(Joint { name: text.get(..NAME_KEPT).unwrap_or(text), parent, span });
        cursor.skip(2);
    }
    let missing = (clip.joints as usize).min(MOST_INVENTED).saturating_sub(joints.len());
    joints.extend((0..missing).map(|_| Joint { name: &[], parent: -1, span: Span::default() }));
    joints
}

/// Largest number of invented joints. A clip that declares more without containing them fails at its first missing line
/// anyway.
const MOST_INVENTED: usize = 4096;

/// Loads joint by joint in the mesh's order and skips the base frame, as in all versions but the newest vkQuake.
fn load_in_order(loader: &mut ModelLoader, clip: &mut Clip, joints: &[Joint], components: u64) -> Fallible<()> {
    let engine = loader.engine;
    let name = clip.cursor.name;
    let bone = joint_word(engine);
    if clip.joints != joints.len() as u64 {
        let (expected, found) = (joints.len(), clip.joints);
        let message = match engine {
            EngineId::Ironwail => format!("{name} has incorrect bone count (expected {expected}, found {found})"),
            _ => format!("{name} has incorrect {bone} count"),
        };
        return loader.fail(pair::JOINT_COUNT, clip.joints_span, message);
    }
    // Messages of the newest Ironwail name the joint.
    let which = |joint: &Joint| match engine {
        EngineId::Ironwail => format!("{bone} {}", String::from_utf8_lossy(joint.name)),
        _ => bone.to_owned(),
    };
    loader.require(&mut clip.cursor, "hierarchy")?;
    loader.require(&mut clip.cursor, "{")?;
    for (index, joint) in joints.iter().enumerate() {
        let start = clip.cursor.span();
        if clip.cursor.text() != joint.name {
            return loader.fail(pair::JOINT_NAME, start, format!("{name}: {} was renamed", which(joint)));
        }
        clip.cursor.advance();
        let span = clip.cursor.span();
        if clip.cursor.signed() != joint.parent {
            return loader.fail(pair::JOINT_PARENT, span, format!("{name}: {} has wrong parent", which(joint)));
        }
        let (flags, span) = clip.cursor.number();
        let flags = flags as u32;
        if flags & !63 != 0 {
            return loader.fail(anim::FLAGS, span, format!("{name}: {} has unsupported flags", which(joint)));
        }
        let (offset, span) = clip.cursor.number();
        let offset = offset as u32;
        // Each frame has six spare values.
        let room = components + 6;
        if u64::from(offset) > room {
            return loader.fail(anim::COMPONENT_RANGE, span, format!("{name}: {} has bad offset", which(joint)));
        }
        if u64::from(offset) + u64::from(flags.count_ones()) > room {
            loader.verdict.add_undefined(anim::COMPONENT_RANGE, start.to(span), || {
                format!("joint {index} reads past the frame's values: numAnimatedComponents is {components}")
            });
        }
        if joint.parent >= index as i64 {
            loader.verdict.add_undefined(shared::LATE_PARENT, start.to(span), || {
                format!("joint {index} takes its pose from joint {}, which is not posed yet", joint.parent)
            });
        }
    }
    loader.require(&mut clip.cursor, "}")?;
    read_boxes(loader, clip, "bounds")?;
    read_boxes(loader, clip, "baseframe")?;
    read_frames(loader, clip, components)
}

/// Reads `keyword { ( … ) ( … ) … }` with any number of rows and values.
fn read_boxes(loader: &mut ModelLoader, clip: &mut Clip, keyword: &str) -> Fallible<()> {
    loader.require_as(&mut clip.cursor, keyword, anim::BLOCK_MISSING)?;
    loader.require(&mut clip.cursor, "{")?;
    while clip.cursor.check("(") {
        clip.cursor.skip(3);
        loader.require(&mut clip.cursor, ")")?;
        loader.vector(&mut clip.cursor, 3)?;
    }
    loader.require(&mut clip.cursor, "}")
}

fn read_frames(loader: &mut ModelLoader, clip: &mut Clip, components: u64) -> Fallible<()> {
    let name = clip.cursor.name;
    while clip.cursor.check("frame") {
        let (index, span) = clip.cursor.number();
        if index >= clip.poses {
            let message = match loader.engine {
                EngineId::Ironwail => format!("{name}: invalid pose index {} (max={})", index as i64, clip.poses),
                _ => format!("{name}: invalid pose index"),
            };
            return loader.fail(anim::FRAME_VALUES, span, message);
        }
        loader.require(&mut clip.cursor, "{")?;
        clip.cursor.skip(components);
        loader.require_as(&mut clip.cursor, "}", anim::FRAME_VALUES)?;
    }
    Ok(())
}

/// Loads as vkQuake after 1.35.0 does: joints are found by name, and those missing in the clip keep the bind pose.
fn load_by_name(loader: &mut ModelLoader, clip: &mut Clip, joints: &[Joint], components: u64) -> Fallible<Vec<i64>> {
    let name = clip.cursor.name;
    loader.require(&mut clip.cursor, "hierarchy")?;
    loader.require(&mut clip.cursor, "{")?;
    let mut to_channel: Vec<Option<usize>> = vec![None; joints.len()];
    let mut by_name = std::collections::HashMap::new();
    for (index, joint) in joints.iter().enumerate() {
        by_name.entry(joint.name).or_insert(index);
    }
    let mut channels = Vec::new();
    for index in 0..clip.joints {
        let mut channel = read_channel(loader, clip, index, components)?;
        channel.mesh_joint = by_name.get(channel.name).copied();
        if let Some(slot) = channel.mesh_joint.and_then(|joint| to_channel.get_mut(joint))
            && slot.replace(channels.len()).is_some()
        {
            let message = format!("{name}: duplicate joint \"{}\"", String::from_utf8_lossy(channel.name));
            return loader.fail(shared::DUPLICATE_JOINT, channel.span, message);
        }
        channels.push(channel);
    }
    loader.require(&mut clip.cursor, "}")?;
    let pose_parents = map_parents(loader, name, joints, &channels, &to_channel)?;

    read_boxes(loader, clip, "bounds")?;
    loader.require_as(&mut clip.cursor, "baseframe", anim::BLOCK_MISSING)?;
    with_rule(read_base_frame(loader, clip), anim::BASEFRAME_COUNT)?;
    read_frames(loader, clip, components)?;
    Ok(pose_parents)
}

/// Reads exactly one row per joint of the clip.
fn read_base_frame(loader: &mut ModelLoader, clip: &mut Clip) -> Fallible<()> {
    loader.require(&mut clip.cursor, "{")?;
    for _ in 0..clip.joints {
        loader.vector(&mut clip.cursor, 3)?;
        loader.vector(&mut clip.cursor, 3)?;
    }
    loader.require(&mut clip.cursor, "}")
}

fn read_channel<'a>(
    loader: &mut ModelLoader,
    clip: &mut Clip<'a>,
    index: u64,
    components: u64,
) -> Fallible<Channel<'a>> {
    let name = clip.cursor.name;
    let start = clip.cursor.span();
    let text = clip.cursor.text();
    clip.cursor.advance();
    let span = clip.cursor.span();
    let parent = clip.cursor.signed();
    if parent < -1 || parent >= index as i64 {
        return loader.fail(shared::LATE_PARENT, span, format!("{name}: joint has bad parent order"));
    }
    let (flags, span) = clip.cursor.number();
    let flags = flags as u32;
    if flags & !63 != 0 {
        return loader.fail(anim::FLAGS, span, format!("{name}: joint has unsupported flags"));
    }
    let (offset, span) = clip.cursor.number();
    let offset = offset as u32;
    if u64::from(offset) + u64::from(flags.count_ones()) > components {
        return loader.fail(anim::COMPONENT_RANGE, span, format!("{name}: joint has bad offset"));
    }
    let kept = text.get(..NAME_KEPT).unwrap_or(text);
    Ok(Channel { name: kept, parent, mesh_joint: None, span: start.to(span) })
}

/// Returns the index of the joint to which each joint's pose is relative: the nearest ancestor in the mesh that the
/// clip has.
fn map_parents(
    loader: &ModelLoader,
    name: &str,
    joints: &[Joint],
    channels: &[Channel],
    to_channel: &[Option<usize>],
) -> Fallible<Vec<i64>> {
    let parent_of = |joint: usize| joints.get(joint).and_then(|joint| usize::try_from(joint.parent).ok());
    let is_mapped = |joint: usize| to_channel.get(joint).is_some_and(|channel| channel.is_some());
    let mut mapped = Vec::with_capacity(joints.len());
    for (index, joint) in joints.iter().enumerate() {
        let mut parent = parent_of(index);
        let mut steps = 0;
        while let Some(above) = parent.filter(|&above| !is_mapped(above)) {
            steps += 1;
            if above == index || steps > joints.len() {
                let printed = String::from_utf8_lossy(joint.name);
                let message = format!("{name}: joint \"{printed}\" has bad parent chain");
                return loader.fail(pair::UNMAPPED_PARENT, joint.span, message);
            }
            parent = parent_of(above);
        }
        mapped.push(parent.map_or(-1, |parent| parent as i64));
    }
    let mut pose_parents: Vec<i64> = joints.iter().map(|joint| joint.parent).collect();
    for channel in channels {
        let Some(joint) = channel.mesh_joint else { continue };
        let printed = String::from_utf8_lossy(channel.name);
        let anim_parent = match usize::try_from(channel.parent).ok().and_then(|parent| channels.get(parent)) {
            None => -1,
            Some(parent) => match parent.mesh_joint {
                Some(parent) => parent as i64,
                None => {
                    let message = format!("{name}: joint \"{printed}\" has unmapped parent");
                    return loader.fail(pair::UNMAPPED_PARENT, channel.span, message);
                }
            },
        };
        if mapped.get(joint) != Some(&anim_parent) {
            let message = format!("{name}: joint \"{printed}\" has wrong parent");
            return loader.fail(pair::JOINT_PARENT, channel.span, message);
        }
        if let Some(slot) = pose_parents.get_mut(joint) {
            *slot = anim_parent;
        }
    }
    Ok(pose_parents)
}
