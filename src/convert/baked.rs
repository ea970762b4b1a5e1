//! `.mdl` and `.md3`: their images, and the sizes that games take.

use super::formats::Writer;
use super::{Error, Format};
use bindpose_core::budget::grouped;
use bindpose_core::engines::EngineId;
use bindpose_core::left_out::LeftOut;
use bindpose_core::skin::Skinning;
use bindpose_export::baked::{self, Counts, Kind};
use bindpose_export::{Loss, Output};
use bindpose_images::ExportImages;
use bindpose_validate::profiles::Profile;

impl Writer<'_> {
    /// Writes the file, and for an engine the images beside it. Notes which games refuse it.
    ///
    /// # Errors
    ///
    /// [`Error`]: also if the chosen engine refuses the file.
    pub(super) fn baked(
        &self,
        images: &ExportImages<'_>,
        skinning: Skinning,
        notes: &mut Vec<String>,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<Output, Error> {
        let Self { loaded, options, format, front, scale, stem, .. } = self;
        let model = &loaded.model;
        let mut lost = None;
        let kind = if *format == Format::Mdl {
            let palette = self.palette()?;
            let what = "the images: no folder above has Quake's gfx/palette.lmp, and --palette does not name it";
            lost = palette.is_none().then(|| Loss::NotCarried { what: what.into() });
            let skin = images.mdl_skin(palette.as_ref(), options.fullbright, notes, left_out);
            Kind::Mdl { skin, grouped: options.grouped }
        } else {
            let placed = |(joint, tag): &(String, String)| -> Result<_, Error> {
                Ok((model.skeleton.named(joint).map_err(Error::of("--tag"))?, tag.clone()))
            };
            Kind::Md3 { tags: options.tag.iter().map(placed).collect::<Result<_, _>>()? }
        };
        let baked = baked::Options {
            front: *front,
            scale: *scale,
            frame_rate: options.edits.fps.unwrap_or(baked::FRAME_RATE),
            closed_loops: options.edits.close_loops,
            replaces: self.replaced()?,
            groups: options.map.clone(),
            skinning,
            stem: stem.clone(),
            kind,
        };
        let cannot = Error::of(format!("cannot convert to .{}", format.extension()));
        let (mut output, counts) = baked::write(model, &baked).map_err(cannot)?;
        output.losses.extend(lost);
        if *format == Format::Md3 && options.profile.is_some() {
            output.beside = images.surface_images(&baked::surfaces(model), notes, left_out);
        }
        check(*format, options.profile, counts, notes)?;
        Ok(output)
    }
}

/// Sizes of a file that a game takes.
struct Most {
    game: &'static str,
    /// Engines of [`Profile`] that have these limits.
    engines: &'static [EngineId],
    counts: Counts,
}

const fn most(
    game: &'static str,
    engines: &'static [EngineId],
    [vertices, triangles, frames, surfaces]: [usize; 4],
) -> Most {
    Most { game, engines, counts: Counts { vertices, triangles, frames, surfaces } }
}

const ANY: usize = usize::MAX;

/// Limits of `.mdl` loaders. Those of id's executables are known from comments of later ports.
const MDL: [Most; 6] = [
    most("id's Quake", &[], [1024, 2048, 256, 1]),
    most("ezQuake", &[], [2048, 2048, 256, 1]),
    most("QuakeSpasm", &[], [2000, 4096, 1024, 1]),
    most("Ironwail", &[EngineId::Ironwail, EngineId::Ironwail081], [32_767, ANY, 1024, 1]),
    most("vkQuake", &[EngineId::VkQuake, EngineId::VkQuake135], [32_767, ANY, 2048, 1]),
    most("QSS-M", &[EngineId::Qss], [65_535, ANY, 1024, 1]),
];

/// Limits of `.md3` loaders, vertices and triangles by surface; Quake III's are those of ioquake3, which does not compare
/// frames and surfaces with the numbers of the format.
const MD3: [Most; 4] = [
    most("Quake III", &[], [999, 1999, 1024, 32]),
    most("Ironwail", &[EngineId::Ironwail, EngineId::Ironwail081], [65_534, ANY, 1024, ANY]),
    most("vkQuake", &[EngineId::VkQuake, EngineId::VkQuake135], [65_536, ANY, 2048, 32]),
    most("QSS-M", &[EngineId::Qss], [65_536, ANY, 1024, ANY]),
];

/// Compares a file with the limits of the chosen engine, or notes the games that refuse it.
fn check(format: Format, profile: Option<&Profile>, counts: Counts, notes: &mut Vec<String>) -> Result<(), Error> {
    let all = if format == Format::Mdl { &MDL[..] } else { &MD3[..] };
    let refused: Vec<_> = all.iter().filter_map(|game| Some((game, exceeded(counts, game.counts)?))).collect();
    let Some(profile) = profile else {
        let games: Vec<String> =
            refused.iter().map(|(game, (what, _))| format!("{} takes {what}", game.game)).collect();
        notes.extend(refused.first().map(|(_, (_, advice))| format!("{}; {advice}", games.join(", "))));
        return Ok(());
    };
    match refused.into_iter().find(|(game, _)| game.engines.contains(&profile.id)) {
        Some((game, (what, advice))) => Err(Error::Option(format!("{} takes {what}: {advice}", game.game))),
        None => Ok(()),
    }
}

/// Returns the first size that is too large, with the limit, and what to do.
fn exceeded(has: Counts, most: Counts) -> Option<(String, &'static str)> {
    let sizes = [
        (has.vertices, most.vertices, "vertices", "simplify the meshes"),
        (has.triangles, most.triangles, "triangles", "simplify the meshes"),
        (has.frames, most.frames, "frames", "choose clips with --clip, or lower --fps"),
        (has.surfaces, most.surfaces, "surfaces", "join the meshes"),
    ];
    let (has, most, what, advice) = sizes.into_iter().find(|(has, most, ..)| has > most)?;
    Some((format!("{} {what}, not {}", grouped(most), grouped(has)), advice))
}
