//! Output formats, and the options that each of them supports.

use super::args::{AlphaArg, Args, EncodingArg, ImagesArg};
use anyhow::{Context, bail};
use bindpose::validate::profiles::FormatFamily;
use clap::ValueEnum;
use serde::Serialize;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// glTF 2.0 in one file
    Glb,
    /// glTF 2.0 with separate data
    Gltf,
    /// .md5mesh, with a .md5anim for each clip
    Md5,
    /// DirectX .x
    X,
    /// Inter-Quake Model
    Iqm,
    /// Wavefront OBJ of one pose
    Obj,
}

impl Target {
    pub fn of_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_string_lossy().to_lowercase();
        match extension.as_str() {
            "glb" => Some(Self::Glb),
            "gltf" => Some(Self::Gltf),
            "md5mesh" => Some(Self::Md5),
            "x" => Some(Self::X),
            "iqm" => Some(Self::Iqm),
            "obj" => Some(Self::Obj),
            _ => None,
        }
    }

    pub fn extension(self) -> &'static str {
        match self {
            Self::Glb => "glb",
            Self::Gltf => "gltf",
            Self::Md5 => "md5mesh",
            Self::X => "x",
            Self::Iqm => "iqm",
            Self::Obj => "obj",
        }
    }

    pub fn family(self) -> Option<FormatFamily> {
        match self {
            Self::Md5 => Some(FormatFamily::Md5),
            Self::X => Some(FormatFamily::X),
            Self::Glb | Self::Gltf | Self::Iqm | Self::Obj => None,
        }
    }
}

/// Returns the output format: that of `--to`, or of the output's extension.
pub fn target(args: &Args) -> anyhow::Result<Target> {
    let target = args.to.or_else(|| Target::of_extension(&args.output)).with_context(|| {
        let out = args.output.display();
        format!(
            "cannot tell the format of {out}: give a name that ends in .glb, .gltf, .md5mesh, .x, .iqm or .obj, or --to"
        )
    })?;
    if let Some(profile) = args.profile
        && !target.family().is_some_and(|family| profile.reads(family))
    {
        bail!("{} does not read .{} files", profile.title, target.extension());
    }
    let is_gltf = matches!(target, Target::Glb | Target::Gltf);
    let (is_md5, is_x, is_obj) = (target == Target::Md5, target == Target::X, target == Target::Obj);
    let options = [
        ("--only-clips", args.only_clips, is_md5),
        ("--alpha", args.alpha != AlphaArg::Auto, is_gltf || is_obj),
        ("--clip-fps", !args.clip_fps.is_empty(), !is_obj),
        ("--no-weld", args.no_weld, is_md5),
        ("--root", args.root.is_some(), is_md5),
        ("--frames-from", args.frames_from.is_some(), is_md5),
        ("--palette", args.palette.is_some(), is_md5),
        ("--luanti", args.luanti, is_gltf || is_x),
        ("--specular", args.specular, is_gltf),
        ("--images", args.images != ImagesArg::Embedded, is_gltf),
        ("--encoding", args.encoding != EncodingArg::Text, is_x),
        ("--time", args.time.is_some(), is_obj),
        ("--method", args.skinning.method.is_some(), is_obj),
        ("--pose", !args.skinning.poses.is_empty(), is_obj),
        ("--fps", args.fps.is_some(), !is_obj),
        ("--loop", args.close_loops, !is_obj),
    ];
    if let Some((name, ..)) = options.iter().find(|(_, is_given, fits)| *is_given && !fits) {
        bail!("{name} has no meaning for .{} files", target.extension());
    }
    Ok(target)
}
