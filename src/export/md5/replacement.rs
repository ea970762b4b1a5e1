//! Clips that replace a Quake model: its frames one by one, and its skins.

use crate::frames::Frames;
use crate::{Error, Loss};
use bindpose_core::pose::LocalPose;

/// Frames and skins of a Quake (`.mdl`), Quake II (`.md2`) or Quake III (`.md3`) model that another model replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldModel {
    /// Names of its frames in order, at least one. The frames of a group follow each other.
    pub frames: Vec<String>,
    /// Its skins.
    pub skins: Skins,
    /// Flags of a `.mdl`, such as a rocket's trail; 0 for others.
    pub flags: u32,
}

/// The skins of an [`OldModel`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skins {
    /// Skins of a `.mdl`: for each, the number of images that alternate.
    Numbered(Vec<usize>),
    /// Skins of a `.md2`: paths of images, with `/`.
    Named(Vec<String>),
}

/// Bytes that are not an [`OldModel`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OldModelError {
    /// Another kind of file.
    #[error(
        "the file is not a model of Quake, Quake II or Quake III: it begins with none of IDPO (version 6), IDP2 (version 8) and IDP3 (version 15)"
    )]
    Magic,
    /// A file that ends early.
    #[error("the model ends at byte {length}, before its {what} at byte {offset}")]
    Truncated {
        /// The missing part.
        what: &'static str,
        /// Expected position of this part, in bytes.
        offset: usize,
        /// Size of the file.
        length: usize,
    },
    /// An impossible count.
    #[error("the model claims {count} {what}")]
    Count {
        /// The counted parts.
        what: &'static str,
        /// The count.
        count: i32,
    },
    /// A model without frames.
    #[error("the model has no frames")]
    None,
}

impl OldModel {
    /// Reads the names of a model's frames, and its skins.
    ///
    /// # Errors
    ///
    /// [`OldModelError`]: another kind of file, or a damaged one.
    pub fn read(bytes: &[u8]) -> Result<Self, OldModelError> {
        let mut reader = Reader { bytes, at: 0 };
        let model = match (bytes.get(..4), bytes.get(4..8)) {
            (Some(b"IDPO"), Some([6, 0, 0, 0])) => mdl(&mut reader)?,
            (Some(b"IDP2"), Some([8, 0, 0, 0])) => md2(&mut reader)?,
            (Some(b"IDP3"), Some([15, 0, 0, 0])) => md3(&mut reader)?,
            _ => return Err(OldModelError::Magic),
        };
        if model.frames.is_empty() { Err(OldModelError::None) } else { Ok(model) }
    }

    /// Returns runs of frames whose names differ only in their numbers: name without number, and count.
    fn runs(&self) -> Vec<(&str, usize)> {
        let mut runs: Vec<(&str, usize)> = Vec::new();
        for name in &self.frames {
            let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
            let stem = if stem.is_empty() { name } else { stem };
            match runs.last_mut() {
                Some((last, frames)) if last.eq_ignore_ascii_case(stem) => *frames += 1,
                _ => runs.push((stem, 1)),
            }
        }
        runs
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize, what: &'static str) -> Result<&'a [u8], OldModelError> {
        let end = self.at.saturating_add(length);
        let taken = self.bytes.get(self.at..end);
        let taken = taken.ok_or(OldModelError::Truncated { what, offset: self.at, length: self.bytes.len() })?;
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self, what: &'static str) -> Result<i32, OldModelError> {
        let bytes = self.take(4, what)?;
        Ok(bytes.try_into().map_or(0, i32::from_le_bytes))
    }

    fn count(&mut self, what: &'static str) -> Result<usize, OldModelError> {
        let count = self.number(what)?;
        usize::try_from(count).map_err(|_| OldModelError::Count { what, count })
    }

    /// Reads a name of `length` bytes, or up to a zero byte.
    fn name(&mut self, length: usize, what: &'static str) -> Result<String, OldModelError> {
        let bytes = self.take(length, what)?;
        let name = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(name.iter().map(|&byte| char::from(byte)).collect())
    }
}

fn mdl(reader: &mut Reader<'_>) -> Result<OldModel, OldModelError> {
    // Skip magic, version, scale, origin, radius and eye position.
    reader.at = 48;
    let (skins, width, height) = (reader.count("skins")?, reader.count("skin width")?, reader.count("skin height")?);
    let (vertices, triangles, frames) =
        (reader.count("vertices")?, reader.count("triangles")?, reader.count("frames")?);
    reader.at = 76;
    let flags = reader.number("flags")? as u32;
    reader.at = 84;
    let skin = width.saturating_mul(height);
    let mut numbered = Vec::new();
    for _ in 0..skins {
        let mut images = 1;
        if reader.number("skin")? != 0 {
            images = reader.count("skins of a group")?;
            reader.take(images.saturating_mul(4), "times of a skin group")?;
        }
        reader.take(images.saturating_mul(skin), "skin")?;
        numbered.push(images);
    }
    reader.take(vertices.saturating_mul(12), "texture coordinates")?;
    reader.take(triangles.saturating_mul(16), "triangles")?;
    let mut names = Vec::new();
    for _ in 0..frames {
        let mut poses = 1;
        if reader.number("frame")? != 0 {
            poses = reader.count("frames of a group")?;
            reader.take(8, "bounds of a frame group")?;
            reader.take(poses.saturating_mul(4), "times of a frame group")?;
        }
        for _ in 0..poses {
            reader.take(8, "bounds of a frame")?;
            names.push(reader.name(FRAME_NAME, "frame name")?);
            reader.take(vertices.saturating_mul(4), "vertices of a frame")?;
        }
    }
    Ok(OldModel { frames: names, skins: Skins::Numbered(numbered), flags })
}

/// Bytes of a frame's name.
const FRAME_NAME: usize = 16;
/// Bytes of a skin's path in a `.md2`.
const SKIN_PATH: usize = 64;

fn md2(reader: &mut Reader<'_>) -> Result<OldModel, OldModelError> {
    reader.at = 16;
    let size = reader.count("bytes in each frame")?;
    let skins = reader.count("skins")?;
    reader.at = 40;
    let frames = reader.count("frames")?;
    reader.at = 44;
    let first_skin = reader.count("offset of the skins")?;
    reader.at = 56;
    let start = reader.count("offset of the frames")?;
    let mut paths = Vec::new();
    for skin in 0..skins {
        reader.at = first_skin.saturating_add(skin.saturating_mul(SKIN_PATH));
        paths.push(reader.name(SKIN_PATH, "skin path")?.replace('\\', "/"));
    }
    // Frames are consecutive. A smaller size would count the same bytes repeatedly.
    if frames > 1 && size < 24 + FRAME_NAME {
        return Err(OldModelError::Count { what: "bytes in each frame", count: size as i32 });
    }
    let mut names = Vec::new();
    for frame in 0..frames {
        reader.at = start.saturating_add(frame.saturating_mul(size)).saturating_add(24);
        names.push(reader.name(FRAME_NAME, "frame name")?);
    }
    Ok(OldModel { frames: names, skins: Skins::Named(paths), flags: 0 })
}

fn md3(reader: &mut Reader<'_>) -> Result<OldModel, OldModelError> {
    reader.at = 76;
    let frames = reader.count("frames")?;
    reader.at = 92;
    let start = reader.count("offset of the frames")?;
    let mut names = Vec::new();
    for frame in 0..frames {
        reader.at = start.saturating_add(frame.saturating_mul(40 + FRAME_NAME)).saturating_add(40);
        names.push(reader.name(FRAME_NAME, "frame name")?);
    }
    // Its skins are other files.
    Ok(OldModel { frames: names, skins: Skins::Numbered(Vec::new()), flags: 0 })
}

/// Joins clips into one with the given name, in the order of the old frames. Frames without a clip show the bind pose.
/// Clips that are too long are cut; clips that are too short repeat their last frame.
pub(crate) fn arranged(
    wanted: &OldModel,
    clips: Vec<Frames>,
    bind: &LocalPose,
    stem: &str,
    groups: &[(String, String)],
    losses: &mut Vec<Loss>,
) -> Result<Frames, Error> {
    let rate = clips.first().map_or(10.0, |clip| clip.rate);
    let all = wanted.frames.len();
    let mut made = Frames { name: stem.to_owned(), rate, looping: false, poses: Vec::with_capacity(all) };
    if let [only] = &clips[..]
        && only.poses.len() == all
    {
        made.poses.clone_from(&only.poses);
        return Ok(made);
    }
    for (group, clip) in groups {
        if !wanted.runs().iter().any(|(stem, _)| stem.eq_ignore_ascii_case(group)) {
            let known: Vec<&str> = wanted.runs().into_iter().map(|(stem, _)| stem).collect();
            return Err(Error::Options(format!("the old model has no frames '{group}'; it has {}", known.join(", "))));
        }
        if !clips.iter().any(|known| known.name == *clip) {
            return Err(Error::Options(format!("there is no clip '{clip}' for the frames '{group}'")));
        }
    }
    let chosen = |stem: &str| {
        let group = groups.iter().find(|(group, _)| group.eq_ignore_ascii_case(stem));
        match group {
            Some((_, chosen)) => clips.iter().position(|clip| clip.name == *chosen),
            None => clips.iter().position(|clip| means(&clip.name, stem)),
        }
    };
    let mut is_used = vec![false; clips.len()];
    let mut cut = Vec::new();
    let mut first = 0;
    for (stem, frames) in wanted.runs() {
        let of = (wanted.frames[first].clone(), wanted.frames[first + frames - 1].clone());
        first += frames;
        match chosen(stem) {
            Some(index) => {
                is_used[index] = true;
                let poses = &clips[index].poses;
                made.poses.extend((0..frames).filter_map(|frame| poses.get(frame).or(poses.last()).cloned()));
                if poses.len() != frames {
                    cut.push(clips[index].name.clone());
                    losses.push(Loss::OtherLength {
                        clip: clips[index].name.clone(),
                        frames: poses.len(),
                        wanted: frames,
                    });
                }
            }
            None => {
                made.poses.extend((0..frames).map(|_| bind.clone()));
                losses.push(Loss::MissingClip { first: of.0, last: of.1, frames });
            }
        }
    }
    let unused: Vec<&str> =
        clips.iter().zip(is_used).filter(|(_, is_used)| !is_used).map(|(clip, _)| clip.name.as_str()).collect();
    // A dropped clip has no other losses, and the length of a cut or extended clip is already reported.
    losses.retain(|loss| match loss {
        Loss::Motion { clip, .. } => !unused.contains(&clip.as_str()),
        Loss::Length { clip, .. } => !unused.contains(&clip.as_str()) && !cut.contains(clip),
        _ => true,
    });
    losses.extend(unused.into_iter().map(|clip| Loss::UnusedClip { clip: clip.to_owned() }));
    Ok(made)
}

/// True if a clip provides the frames of a name: `walk`, `Armature|walk`, `ogre_walk`.
fn means(clip: &str, stem: &str) -> bool {
    let last = |separator: char| clip.rsplit(separator).next().unwrap_or(clip);
    [clip, last('|'), last('_'), last('-')].iter().any(|name| name.eq_ignore_ascii_case(stem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Displacement;
    use bindpose_core::model::Transform;
    use glam::{DQuat, DVec3};

    /// Creates a .mdl with one skin of 2 x 1 texels, a group of two skins, one vertex, one triangle, two frames and a
    /// group of one frame.
    fn mdl() -> Vec<u8> {
        let mut bytes = b"IDPO".to_vec();
        let numbers = |bytes: &mut Vec<u8>, numbers: &[i32]| {
            numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        };
        numbers(&mut bytes, &[6]);
        bytes.extend([0; 40]);
        numbers(&mut bytes, &[2, 2, 1, 1, 1, 3, 0, 0]);
        bytes.extend([0; 4]);
        numbers(&mut bytes, &[0]);
        bytes.extend([7; 2]);
        numbers(&mut bytes, &[1, 2, 0, 0]);
        bytes.extend([7; 4]);
        bytes.extend([0; 12 + 16]);
        let frame = |bytes: &mut Vec<u8>, name: &[u8]| {
            bytes.extend([0; 8]);
            bytes.extend(name);
            bytes.resize(bytes.len() + 16 - name.len(), 0);
            bytes.extend([0; 4]);
        };
        numbers(&mut bytes, &[0]);
        frame(&mut bytes, b"stand1");
        numbers(&mut bytes, &[0]);
        frame(&mut bytes, b"stand2");
        numbers(&mut bytes, &[1, 1]);
        bytes.extend([0; 8 + 4]);
        frame(&mut bytes, b"walk1");
        bytes
    }

    #[test]
    fn frames_of_both_kinds_of_model_are_read() {
        let old = OldModel::read(&mdl()).unwrap();
        assert_eq!(old.frames, ["stand1", "stand2", "walk1"]);
        assert_eq!(old.skins, Skins::Numbered(vec![1, 2]));
        let mut md2 = b"IDP2".to_vec();
        for number in [8, 0, 0, 40, 1, 0, 0, 0, 0, 2, 68, 0, 0, 132, 0, 0_i32] {
            md2.extend(number.to_le_bytes());
        }
        assert_eq!(md2.len(), 68);
        md2.extend(b"models/imp\\skin.pcx");
        md2.resize(132, 0);
        for name in [b"run1", b"run2"] {
            md2.extend([0; 24]);
            md2.extend(name);
            md2.extend([0; 12]);
        }
        let old = OldModel::read(&md2).unwrap();
        assert_eq!(old.frames, ["run1", "run2"]);
        assert_eq!(old.skins, Skins::Named(vec!["models/imp/skin.pcx".into()]));
        for length in 8..md2.len() - 12 {
            assert!(OldModel::read(&md2[..length]).is_err(), "{length} bytes");
        }
        // Two thousand million frames in the same bytes.
        md2[16..20].copy_from_slice(&[0; 4]);
        md2[40..44].copy_from_slice(&i32::MAX.to_le_bytes());
        assert!(matches!(OldModel::read(&md2), Err(OldModelError::Count { .. })));
    }

    #[test]
    fn damaged_models_are_refused() {
        assert_eq!(OldModel::read(b"IDPO"), Err(OldModelError::Magic));
        let whole = mdl();
        for length in 8..whole.len() {
            assert!(OldModel::read(&whole[..length]).is_err(), "{length} bytes");
        }
        let mut many = whole;
        many[68..72].copy_from_slice(&i32::MAX.to_le_bytes());
        assert!(OldModel::read(&many).is_err());
    }

    #[test]
    fn clips_are_ordered_and_cut() {
        let pose =
            |x: f64| LocalPose(vec![Transform::from_rotation_translation(DQuat::IDENTITY, DVec3::new(x, 0.0, 0.0))]);
        let clip = |name: &str, places: &[f64]| Frames {
            name: name.into(),
            rate: 10.0,
            looping: true,
            poses: places.iter().map(|&x| pose(x)).collect(),
        };
        let frames = ["stand1", "stand2", "walk1", "walk2", "walk3", "pain1"].map(str::to_owned).to_vec();
        let clips = || vec![clip("Armature|walk", &[1.0, 2.0]), clip("stand", &[3.0, 4.0, 5.0]), clip("fly", &[9.0])];
        let length = |clip: &str| Loss::Length { clip: clip.to_owned(), was: 1.05, is: 1.1 };
        let motion = |clip: &str| Loss::Motion { clip: clip.to_owned(), moved: Displacement::new(1.0, 10.0) };
        // `stand` is cut, and `fly` is left out.
        let mut losses = vec![length("stand"), length("fly"), motion("stand"), motion("fly")];
        let old = OldModel { frames, skins: Skins::Numbered(Vec::new()), flags: 0 };
        let places = |made: Frames| -> Vec<f64> { made.poses.iter().map(|pose| pose.0[0].translation.x).collect() };
        let named = arranged(&old, clips(), &pose(0.0), "model", &[], &mut losses).unwrap();
        assert_eq!(places(named), [3.0, 4.0, 1.0, 2.0, 2.0, 0.0]);
        assert_eq!((losses.len(), &losses[0]), (5, &motion("stand")), "{losses:?}");
        assert!(losses.contains(&Loss::MissingClip { first: "pain1".into(), last: "pain1".into(), frames: 1 }));
        let mapped = |group: &str, clip: &str| {
            let groups = [(group.into(), clip.into())];
            arranged(&old, clips(), &pose(0.0), "model", &groups, &mut Vec::new())
                .map(places)
                .map_err(|error| error.to_string())
        };
        assert_eq!(mapped("PAIN", "fly"), Ok(vec![3.0, 4.0, 1.0, 2.0, 2.0, 9.0]));
        let no_frames = "the old model has no frames 'die'; it has stand, walk, pain";
        assert_eq!(mapped("die", "fly"), Err(no_frames.to_owned()));
        assert_eq!(mapped("pain", "fall"), Err("there is no clip 'fall' for the frames 'pain'".to_owned()));
    }
}
