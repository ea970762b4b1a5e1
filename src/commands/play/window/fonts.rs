//! Fonts of the system, for names in Chinese, Japanese and Korean: the program's own fonts have none of their characters.

use egui::epaint::text::{FontInsert, FontPriority, InsertFontFamily};
use egui::{Context, FontData, FontFamily, Id};
use std::path::PathBuf;

/// First character of the scripts that the program's fonts lack.
const FIRST_LACKING: char = '\u{1100}';

/// Where systems keep fonts with these characters: Debian and Ubuntu, Arch, Fedora and openSUSE, macOS, Windows below its own
/// folder.
const PLACES: [&str; 18] = [
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/google-noto-sans-cjk-fonts/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/google-noto-sans-cjk-vf-fonts/NotoSansCJK-VF.ttc",
    "/usr/share/fonts/truetype/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc",
    "/usr/share/fonts/opentype/ipafont-gothic/ipag.ttf",
    "/System/Library/Fonts/ヒラギノ角ゴシック W3.ttc",
    "/System/Library/Fonts/Hiragino Sans GB.ttc",
    "/Library/Fonts/Arial Unicode.ttf",
    "/System/Library/Fonts/Supplemental/Arial Unicode.ttf",
    "Fonts/YuGothR.ttc",
    "Fonts/msgothic.ttc",
    "Fonts/msyh.ttc",
    "Fonts/simsun.ttc",
    "Fonts/malgun.ttf",
];

/// Adds a font of the system behind the program's own once a text needs it. Returns a sentence if the system has none.
pub fn add_for<'t>(ctx: &Context, mut texts: impl Iterator<Item = &'t str>) -> Option<&'static str> {
    let tried = Id::new(FIRST_LACKING);
    let is_added: Option<bool> = ctx.data(|data| data.get_temp(tried));
    if is_added == Some(true) || !texts.any(|text| text.contains(|letter| letter >= FIRST_LACKING)) {
        return None;
    }
    let is_added = is_added.unwrap_or_else(|| add(ctx));
    ctx.data_mut(|data| data.insert_temp(tried, is_added));
    (!is_added).then_some("Chinese, Japanese and Korean names are boxes, for want of a font such as Noto Sans CJK")
}

/// Adds the first font that the system has. Returns false if it has none.
fn add(ctx: &Context) -> bool {
    let windows = std::env::var_os("WINDIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let path = |place: &&str| match place.starts_with('/') {
        true => Some(PathBuf::from(place)),
        false => Some(windows.as_ref()?.join(place)),
    };
    let read = PLACES.iter().filter_map(path).find_map(|path| std::fs::read(path).ok());
    let Some(bytes) = read else { return false };
    let family = |family| InsertFontFamily { family, priority: FontPriority::Lowest };
    let families = vec![family(FontFamily::Proportional), family(FontFamily::Monospace)];
    ctx.add_font(FontInsert::new("system", FontData::from_owned(bytes), families));
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::FontId;
    use std::path::Path;

    /// The text can be read afterwards where the system has such a font.
    #[test]
    fn a_font_of_the_system_is_added_once_it_is_needed() {
        let ctx = Context::default();
        let has = |text: &str| {
            drop(ctx.run(Default::default(), |_| {}));
            ctx.fonts_mut(|fonts| fonts.has_glyphs(&FontId::default(), text))
        };
        assert!(has("шея, μέση") && !has("頭"));
        let is_tried = || ctx.data(|data| data.get_temp::<bool>(Id::new(FIRST_LACKING))).is_some();
        assert!(add_for(&ctx, ["neck", "шея", "μέση"].into_iter()).is_none() && !is_tried());
        let told = add_for(&ctx, ["neck", "頭"].into_iter());
        let exists = PLACES.iter().any(|place| Path::new(place).is_absolute() && Path::new(place).is_file());
        assert_eq!((is_tried(), told.is_none(), has("頭")), (true, exists, exists));
    }
}
