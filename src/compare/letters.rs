//! Text in pictures. plotters starts every letter's ink where its place starts, so that those that reach over it, such as j, run
//! into their neighbours; here letters stand where their font wants them.

use ab_glyph::{Font, FontRef, Glyph, PxScale, PxScaleFont, ScaleFont, point};
use plotters::prelude::{BitMapBackend, DrawingBackend};
use plotters::style::{FontStyle, register_font};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind};
use std::sync::LazyLock;

/// A font of the window, which is part of the program, so that every machine draws alike.
static FONT: LazyLock<Option<FontRef<'static>>> = LazyLock::new(|| {
    let bytes = epaint_default_fonts::UBUNTU_LIGHT;
    // They refuse bytes that are no font; this one is a font.
    let _ = register_font("sans-serif", FontStyle::Normal, bytes);
    FontRef::try_from_slice(bytes).ok()
});

/// Gives plotters the font, for what it measures.
pub(super) fn register() {
    LazyLock::force(&FONT);
}

/// A picture in memory, three bytes a pixel, with this module's letters.
pub(super) struct Lettered<'a>(BitMapBackend<'a>);

impl<'a> Lettered<'a> {
    /// Draws into `rgb`, which has three bytes for each of the pixels.
    pub fn new(rgb: &'a mut [u8], size: (u32, u32)) -> Self {
        register();
        Self(BitMapBackend::with_buffer(rgb, size))
    }
}

/// How wide a text is, in pixels.
pub(super) fn width_of(text: &str, size: f32) -> u32 {
    let Some(font) = &*FONT else { return 0 };
    laid_out(&font.as_scaled(PxScale::from(size)), text).1.ceil() as u32
}

/// The letters of a text, and where it ends: a letter's place ends where the next one starts, fractions of a pixel included.
fn laid_out(font: &PxScaleFont<&FontRef<'_>>, text: &str) -> (Vec<Glyph>, f32) {
    let mut letters = Vec::new();
    let (mut end, mut last) = (0.0, None);
    for letter in text.chars() {
        let id = font.glyph_id(letter);
        end += last.map_or(0.0, |last| font.kern(last, id));
        letters.push(id.with_scale_and_position(font.scale(), point(end, 0.0)));
        end += font.h_advance(id);
        last = Some(id);
    }
    (letters, end)
}

type Drawn<'a> = Result<(), DrawingErrorKind<<BitMapBackend<'a> as DrawingBackend>::ErrorType>>;

impl<'a> DrawingBackend for Lettered<'a> {
    type ErrorType = <BitMapBackend<'a> as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.0.get_size()
    }

    fn ensure_prepared(&mut self) -> Drawn<'a> {
        self.0.ensure_prepared()
    }

    fn present(&mut self) -> Drawn<'a> {
        self.0.present()
    }

    fn draw_pixel(&mut self, at: BackendCoord, colour: BackendColor) -> Drawn<'a> {
        self.0.draw_pixel(at, colour)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn<'a> {
        self.0.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Drawn<'a> {
        self.0.draw_rect(from, to, style, fill)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn<'a> {
        let Some(font) = &*FONT else { return Ok(()) };
        let scaled = font.as_scaled(PxScale::from(style.size() as f32));
        let (letters, end) = laid_out(&scaled, text);
        let left = match style.anchor().h_pos {
            HPos::Left => 0.0,
            HPos::Center => -end / 2.0,
            HPos::Right => -end,
        };
        // The box that plotters lays out, and the line that letters stand on in it.
        let (height, base) = (style.size() / 1.24, style.size() / 2.0);
        let top = match style.anchor().v_pos {
            VPos::Top => 0.0,
            VPos::Center => -height / 2.0,
            VPos::Bottom => -height,
        };
        let (right, down) = (left.round() as i32, (top + base).round() as i32);
        let (colour, turn) = (style.color(), style.transform());
        let (width, height) = self.get_size();
        let mut drawn = Ok(());
        for letter in letters.into_iter().filter_map(|letter| scaled.outline_glyph(letter)) {
            let corner = letter.px_bounds().min;
            letter.draw(|x, y, ink| {
                let (x, y) = turn.transform(x as i32 + corner.x as i32 + right, y as i32 + corner.y as i32 + down);
                let (x, y) = (at.0 + x, at.1 + y);
                if ink > 0.0 && (0..width as i32).contains(&x) && (0..height as i32).contains(&y) && drawn.is_ok() {
                    let alpha = colour.alpha * f64::from(ink.min(1.0));
                    drawn = self.0.draw_pixel((x, y), BackendColor { alpha, ..colour });
                }
            });
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::prelude::{BLACK, IntoDrawingArea, IntoFont, WHITE};

    /// In the middle of small letters s, j and b have one, one and two strokes, with paper between them.
    #[test]
    fn letters_do_not_run_into_each_other() {
        let size = (100, 60);
        let mut rgb = vec![255; (size.0 * size.1 * 3) as usize];
        let style = ("sans-serif", 40).into_font().color(&BLACK);
        let area = Lettered::new(&mut rgb, size).into_drawing_area();
        area.fill(&WHITE).unwrap();
        area.draw_text("sjb", &style, (10, 10)).unwrap();
        drop(area);
        let strokes = |row: usize| {
            let dark: Vec<bool> = rgb[row * 300..row * 300 + 300].chunks(3).map(|pixel| pixel[0] < 140).collect();
            dark.windows(2).filter(|pair| !pair[0] && pair[1]).count()
        };
        let rows: Vec<usize> = (0..60).map(strokes).collect();
        assert!(rows.windows(4).any(|rows| rows == [4; 4]), "{rows:?}");
    }
}
