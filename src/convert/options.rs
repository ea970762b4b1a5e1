//! Choices of a conversion, which are also the options of the command.

#[cfg(feature = "clap")]
use super::{ENCODINGS, IMAGES, NORMALS, parse};
use super::{Error, Format, FrameRange, Helpers, JoinedClips, Renaming};
use bindpose_core::engines::{EngineId, Profile};
use bindpose_core::image_search::ImageChoices;
use bindpose_core::load::LoadOptions;
use bindpose_export::{Normals, gltf, x};
use glam::Vec3;
use std::path::PathBuf;

/// Headings in the help of the command.
#[cfg(feature = "clap")]
const SIZE: &str = "Size and axes";
#[cfg(feature = "clap")]
const CLIPS: &str = "Clips";
#[cfg(feature = "clap")]
const JOINTS: &str = "Joints and vertices";
#[cfg(feature = "clap")]
const FORMAT: &str = "For one format";

/// Choices of a conversion.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Options {
    /// Choices of loading.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub load: LoadOptions,
    /// Images that replace those of the model.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub chosen_images: ImageChoices,
    /// Engine that will load the files; sets limits, names and frame rate, and MD5 and .x are validated for it
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME", value_parser = parse::profile))]
    pub profile: Option<&'static Profile>,
    /// Changes of the model, whatever the format.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub edits: Edits,
    /// Keep the axes as they are in the file
    #[cfg_attr(feature = "clap", arg(long, help_heading = SIZE, conflicts_with_all = ["front", "up"]))]
    pub keep_axes: bool,
    /// Most weights of a vertex, or all [default: 4 for glTF, else what format and engine allow]
    #[cfg_attr(feature = "clap", arg(long, help_heading = JOINTS, value_name = "N", value_parser = parse::influences))]
    pub influences: Option<usize>,
    /// glTF, OBJ: treatment of materials that their alpha would hide
    #[cfg_attr(feature = "clap", arg(long = "alpha", help_heading = FORMAT, value_name = "HOW", value_parser = parse::alpha(), action = clap::ArgAction::Set, default_value = "auto"))]
    pub keep_alpha: bool,
    /// MD5: joint to add above all others; auto adds `origin` above several roots [default: auto for engines that need
    /// one root]
    #[cfg_attr(feature = "clap", arg(long, help_heading = FORMAT, value_name = "NAME"))]
    pub root: Option<String>,
    /// MD5: keep vertices apart that differ only in their normals
    #[cfg_attr(feature = "clap", arg(long, help_heading = FORMAT))]
    pub no_weld: bool,
    /// MD5: write only the clips, for an existing mesh
    #[cfg_attr(feature = "clap", arg(long, help_heading = FORMAT, conflicts_with = "no_clips"))]
    pub only_clips: bool,
    /// MD5, .mdl, .md3: Quake model (.mdl, .md2 or .md3) to replace; all clips become one with exactly its frames
    #[cfg_attr(feature = "clap", arg(long, help_heading = FORMAT, value_name = "FILE"))]
    pub frames_from: Option<PathBuf>,
    /// With --frames-from: clip for a group of the old model's frames, if their names differ; repeatable
    #[cfg_attr(feature = "clap", arg(long, help_heading = FORMAT, value_name = "GROUP=CLIP", value_parser = parse::group, requires = "frames_from"))]
    pub map: Vec<(String, String)>,
    /// .mdl, and MD5 for KEX or FTEQW: Quake's gfx/palette.lmp, for skins [default: the one in a folder above]
    #[cfg_attr(feature = "clap", arg(long, help_heading = FORMAT, value_name = "FILE"))]
    pub palette: Option<PathBuf>,
    /// .mdl: use the palette's fullbright colours, too, which glow in the dark
    #[cfg_attr(feature = "clap", arg(long, help_heading = FORMAT))]
    pub fullbright: bool,
    /// .mdl: make each clip a group of frames that plays by itself, as torches do
    #[cfg_attr(feature = "clap", arg(long, help_heading = FORMAT))]
    pub grouped: bool,
    /// .md3: joint that becomes a tag, to which games attach other models; repeatable
    #[cfg_attr(feature = "clap", arg(long, help_heading = FORMAT, value_name = "JOINT=TAG", value_parser = parse::tag))]
    pub tag: Vec<(String, String)>,
    /// glTF: write highlights with the extension KHR_materials_specular
    #[cfg_attr(feature = "clap", arg(long, help_heading = FORMAT))]
    pub specular: bool,
    /// glTF: where to write images
    #[cfg_attr(feature = "clap", arg(long, help_heading = FORMAT, value_name = "WHERE", value_parser = parse::one_of(IMAGES), default_value = "embedded"))]
    pub images: gltf::ImagePlacement,
    /// .x: encoding of the file [default: text]
    ///
    /// Without other changes, a .x file is only encoded again: all objects, names and references stay as they are, also
    /// unknown objects.
    #[cfg_attr(feature = "clap", arg(long, help_heading = FORMAT, value_name = "ENCODING", value_parser = parse::one_of(ENCODINGS)))]
    pub encoding: Option<x::Encoding>,
    /// OBJ: time of the pose in the clip, in seconds
    #[cfg_attr(feature = "clap", arg(long, help_heading = CLIPS, value_name = "SECONDS", value_parser = parse::seconds, requires = "clip"))]
    pub time: Option<f64>,
}

/// Changes of a model before it is written.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Edits {
    /// Factor of all lengths; 0.0254 makes metres of inches, the unit of Doom 3 [default: 1]
    #[cfg_attr(feature = "clap", arg(long, help_heading = SIZE, value_name = "N", value_parser = parse::positive, allow_negative_numbers = true))]
    pub scale: Option<f64>,
    /// Axis that the model faces: x, -x, y, -y, z or -z [default: -y for .x, y for .x from Blender, else x]
    #[cfg_attr(feature = "clap", arg(long, help_heading = SIZE, value_name = "AXIS", value_parser = parse::axis_named, allow_hyphen_values = true))]
    pub front: Option<Vec3>,
    /// Axis of the model that points up [default: z]
    #[cfg_attr(feature = "clap", arg(long, help_heading = SIZE, value_name = "AXIS", value_parser = parse::axis_named, allow_hyphen_values = true))]
    pub up: Option<Vec3>,
    /// Frames per second of clips [default: the clip's own, else the lowest that hits all keys; 10 for Quake engines, .mdl and .md3]
    ///
    /// Clips are resampled and last as long as before, unless --frames keep is given.
    #[cfg_attr(feature = "clap", arg(long, help_heading = CLIPS, value_name = "N", value_parser = parse::positive, allow_negative_numbers = true))]
    pub fps: Option<f64>,
    /// Frames at another rate: resample them, or keep them, so that the clip plays faster or slower
    #[cfg_attr(feature = "clap", arg(long = "frames", help_heading = CLIPS, value_name = "HOW", value_parser = parse::frames(), action = clap::ArgAction::Set, default_value = "resample"))]
    pub keep_frames: bool,
    /// Rate at which to play the frames of one clip; repeatable
    #[cfg_attr(feature = "clap", arg(long, help_heading = CLIPS, value_name = "CLIP=N", value_parser = parse::rate))]
    pub clip_fps: Vec<(String, f64)>,
    /// Shift clips so that they begin with their first key
    #[cfg_attr(feature = "clap", arg(long, help_heading = CLIPS))]
    pub trim: bool,
    /// Keep a walking model above its starting point
    ///
    /// The roots keep their horizontal position. If the model still walks away, so does the joint that carries it: the
    /// first joint below a root that has at least half of all joints below it and moves farther than a tenth of the
    /// model's size. A note names this joint. --in-place=JOINT holds only the named joint.
    #[cfg_attr(feature = "clap", arg(long, help_heading = CLIPS, value_name = "JOINT", num_args = 0..=1, require_equals = true, default_missing_value = ""))]
    pub in_place: Option<String>,
    /// Close loops: repeat the first key at the end of clips that do not end as they begin
    #[cfg_attr(feature = "clap", arg(long = "loop", help_heading = CLIPS, conflicts_with = "frames_from"))]
    pub close_loops: bool,
    /// Leave out all clips
    #[cfg_attr(feature = "clap", arg(long, help_heading = CLIPS, conflicts_with_all = ["clip", "frames_from"]))]
    pub no_clips: bool,
    /// Write only this clip; repeatable. For OBJ, the clip of the pose
    #[cfg_attr(feature = "clap", arg(long, help_heading = CLIPS, value_name = "NAME"))]
    pub clip: Vec<String>,
    /// Replace the clips by ranges of frames, counted from 0: walk=168..187, or walk=all:168..187 if there are several
    /// clips; repeatable
    #[cfg_attr(feature = "clap", arg(long, help_heading = CLIPS, value_name = "NAME=A..B"))]
    pub clips: Vec<FrameRange>,
    /// Replace clips by one that joins them in this order, and list the frames of each
    #[cfg_attr(feature = "clap", arg(long, help_heading = CLIPS, value_name = "NAME=A,B"))]
    pub join_clips: Vec<JoinedClips>,
    /// Pattern for the names of clips; {clip} is replaced by the clip's name, {model} by the model's
    #[cfg_attr(feature = "clap", arg(long, help_heading = CLIPS, value_name = "TEXT", value_parser = parse::clip_names))]
    pub clip_names: Option<String>,
    /// Add the rest pose as a clip of one frame
    #[cfg_attr(feature = "clap", arg(long, help_heading = CLIPS))]
    pub rest_clip: bool,
    /// Rename joints and clips, or change names back that a conversion to the input had to change; repeatable
    ///
    /// A * on both sides matches any text, so that mixamorig:*=* removes a prefix. REPORT is what that conversion printed
    /// with --json: its joints, clips, materials and meshes get their old names.
    #[cfg_attr(feature = "clap", arg(long, help_heading = JOINTS, value_name = "FROM=TO|REPORT"))]
    pub rename: Vec<Renaming>,
    /// Older .md5mesh whose order of joints is kept, so that its clips still fit
    #[cfg_attr(feature = "clap", arg(long, help_heading = JOINTS, value_name = "FILE"))]
    pub order_from: Option<PathBuf>,
    /// Add N helper joints to a joint, each with a share of its rotation in all clips and of its weights, as `compare
    /// --helpers` shows; repeatable
    #[cfg_attr(feature = "clap", arg(long, help_heading = JOINTS, value_name = "JOINT=N"))]
    pub helpers: Vec<Helpers>,
    /// Move constant scale of joints into vertices and translations, for programs whose rest pose has no scale
    #[cfg_attr(feature = "clap", arg(long, help_heading = JOINTS))]
    pub bake_scale: bool,
    /// Normals: flip those that point inwards and compute missing ones, keep all, or compute all [default: fix]
    #[cfg_attr(feature = "clap", arg(long, help_heading = JOINTS, value_name = "HOW", value_parser = parse::one_of(NORMALS)))]
    pub normals: Option<Normals>,
}

impl Options {
    /// Checks that the engine reads the format, and that the options mean something for it. `others` are options of the
    /// caller: name, true if it is given, true if it fits.
    ///
    /// # Errors
    ///
    /// The first option that does not fit.
    pub fn check(&self, format: Format, others: &[(&str, bool, bool)]) -> Result<(), Error> {
        if let Some(profile) = self.profile.filter(|profile| !format.is_read_by(profile)) {
            return Err(Error::Option(format!("{} does not read .{} files", profile.title, format.extension())));
        }
        let is_gltf = matches!(format, Format::Glb | Format::Gltf);
        let (is_md5, is_x, is_obj) = (format == Format::Md5, format == Format::X, format == Format::Obj);
        let (is_baked, is_mdl) = (format.is_baked(), format == Format::Mdl);
        let options = [
            ("--only-clips", self.only_clips, is_md5),
            ("--alpha", self.keep_alpha, is_gltf || is_obj),
            ("--clip-fps", !self.edits.clip_fps.is_empty(), !is_obj),
            ("--no-weld", self.no_weld, is_md5),
            ("--root", self.root.is_some(), is_md5),
            ("--frames-from", self.frames_from.is_some(), is_md5 || is_baked),
            ("--palette", self.palette.is_some(), is_md5 || is_mdl),
            ("--fullbright", self.fullbright, is_mdl),
            ("--grouped", self.grouped, is_mdl),
            ("--tag", !self.tag.is_empty(), format == Format::Md3),
            ("--specular", self.specular, is_gltf),
            ("--images", self.images != gltf::ImagePlacement::Embedded, is_gltf),
            ("--encoding", self.encoding.is_some(), is_x),
            ("--time", self.time.is_some(), is_obj),
            ("--fps", self.edits.fps.is_some(), !is_obj),
            ("--loop", self.edits.close_loops, !is_obj),
        ];
        match options.iter().chain(others).find(|(_, is_given, fits)| *is_given && !fits) {
            Some((name, ..)) => Err(Error::Option(format!("{name} has no meaning for .{} files", format.extension()))),
            None => Ok(()),
        }
    }

    /// Returns the engine for which the files are written.
    pub(crate) fn engine(&self) -> Option<EngineId> {
        self.profile.map(|profile| profile.id)
    }

    /// True if the files are for Luanti, whose times are frame numbers and whose textures are slots.
    pub(crate) fn is_for_luanti(&self) -> bool {
        matches!(self.engine(), Some(EngineId::Luanti | EngineId::Luanti516))
    }

    /// True if the encoding is all that shall change.
    pub(crate) fn only_encodes(&self) -> bool {
        let is_loaded_as_is = self.load.import.ticks_per_second.is_none() && self.influences.is_none();
        self.encoding.is_some() && self.engine().is_none() && is_loaded_as_is && self.edits == Edits::default()
    }
}
