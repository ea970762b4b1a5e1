//! Colours of the panel in both themes. Text has a contrast of at least 4.5 to 1 with its background, which a test
//! checks.

use egui::{Color32, Context, Stroke, Theme, Visuals};

/// Dark background of text over the view.
pub const GROUND: Color32 = Color32::from_black_alpha(190);
/// Plain text on [`GROUND`].
pub const PLAIN: Color32 = Color32::from_gray(232);
/// The selection's text on [`GROUND`].
pub const SELECTED: Color32 = Color32::from_rgb(120, 235, 255);
/// A problem's text on [`GROUND`].
pub const PROBLEM: Color32 = Color32::from_rgb(255, 165, 155);
/// Text about a recording, and hints, on [`GROUND`].
pub const HINT: Color32 = Color32::from_rgb(255, 205, 120);

/// Colours of timeline and curves that are not part of [`Visuals`].
#[derive(Debug, Clone, Copy)]
pub struct Colours {
    /// Frame commands and their words.
    pub event: Color32,
    /// Keys.
    pub key: Color32,
    /// The current time.
    pub now: Color32,
    /// The curves of x, y and z.
    pub axes: [Color32; 3],
    /// The curve of a single number.
    pub curve: Color32,
}

impl Colours {
    pub fn of(visuals: &Visuals) -> Self {
        match visuals.dark_mode {
            true => Self {
                event: Color32::from_rgb(110, 200, 160),
                key: Color32::from_rgb(230, 170, 60),
                now: Color32::from_rgb(255, 120, 80),
                axes: [(255, 110, 105), (120, 210, 90), (120, 160, 255)].map(|(r, g, b)| Color32::from_rgb(r, g, b)),
                curve: Color32::from_rgb(120, 190, 240),
            },
            false => Self {
                event: Color32::from_rgb(0, 110, 70),
                key: Color32::from_rgb(140, 85, 0),
                now: Color32::from_rgb(200, 60, 10),
                axes: [(190, 30, 25), (30, 110, 10), (30, 80, 200)].map(|(r, g, b)| Color32::from_rgb(r, g, b)),
                curve: Color32::from_rgb(0, 95, 160),
            },
        }
    }
}

/// Sets the colours of both themes. The text cursor does not blink: each change would draw the view again.
pub fn apply(ctx: &Context) {
    ctx.set_visuals_of(Theme::Dark, dark());
    ctx.set_visuals_of(Theme::Light, light());
    ctx.all_styles_mut(|style| style.visuals.text_cursor.blink = false);
}

fn dark() -> Visuals {
    let mut visuals = Visuals::dark();
    visuals.weak_text_color = Some(Color32::from_gray(160));
    visuals.error_fg_color = Color32::from_rgb(255, 120, 110);
    visuals.warn_fg_color = Color32::from_rgb(255, 160, 50);
    visuals.widgets.noninteractive.fg_stroke.color = Color32::from_gray(190);
    visuals.widgets.inactive.fg_stroke.color = Color32::from_gray(210);
    // The frame shows that labels are clickable.
    visuals.widgets.inactive.bg_stroke = Stroke::new(1.0, Color32::from_gray(75));
    visuals
}

fn light() -> Visuals {
    let mut visuals = Visuals::light();
    visuals.weak_text_color = Some(Color32::from_gray(95));
    visuals.error_fg_color = Color32::from_rgb(180, 10, 10);
    visuals.warn_fg_color = Color32::from_rgb(140, 70, 0);
    visuals.hyperlink_color = Color32::from_rgb(0, 90, 190);
    visuals.widgets.inactive.bg_stroke = Stroke::new(1.0, Color32::from_gray(190));
    visuals
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the relative luminance of an opaque colour (WCAG 2.1).
    fn luminance(colour: Color32) -> f64 {
        let [r, g, b] = [colour.r(), colour.g(), colour.b()].map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn contrast(a: Color32, b: Color32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn contrast_follows_the_standard() {
        assert!((contrast(Color32::BLACK, Color32::WHITE) - 21.0).abs() < 1e-9);
        // WebAIM's table: #777777 on white has 4.48, #767676 has 4.54.
        assert!(contrast(Color32::from_gray(0x77), Color32::WHITE) < 4.5);
        assert!(contrast(Color32::from_gray(0x76), Color32::WHITE) > 4.5);
    }

    #[test]
    fn text_is_readable_in_both_themes() {
        for visuals in [dark(), light()] {
            let Colours { event, key, now, axes: [x, y, z], curve } = Colours::of(&visuals);
            let (panel, field) = (visuals.panel_fill, visuals.extreme_bg_color);
            let widgets = &visuals.widgets;
            let mut pairs = Vec::new();
            for ground in [panel, visuals.window_fill, visuals.faint_bg_color.blend(panel)] {
                let texts = [
                    ("text", visuals.text_color()),
                    ("weak", visuals.weak_text_color()),
                    ("strong", visuals.strong_text_color()),
                    ("error", visuals.error_fg_color),
                    ("warning", visuals.warn_fg_color),
                    ("link", visuals.hyperlink_color),
                ];
                pairs.extend(texts.map(|(name, text)| (name, text, ground)));
            }
            let on_field = [("weak", visuals.weak_text_color()), ("event", event), ("now", now), ("curve", curve)];
            pairs.extend(on_field.map(|(name, text)| (name, text, field)));
            pairs.extend([("x", x), ("y", y), ("z", z), ("key", key)].map(|(name, text)| (name, text, field)));
            for (name, widget) in [("inactive", widgets.inactive), ("hovered", widgets.hovered), ("open", widgets.open)]
            {
                pairs.push((name, widget.text_color(), widget.weak_bg_fill));
            }
            pairs.push(("chosen", visuals.selection.stroke.color, visuals.selection.bg_fill));
            for (name, text, ground) in pairs {
                let seen = contrast(text, ground);
                assert!(seen >= 4.5, "{name} {text:?} on {ground:?}, dark {}: {seen:.2}", visuals.dark_mode);
            }
        }
        // The view behind the text may be white.
        let ground = Color32::WHITE.blend(GROUND);
        for text in [PLAIN, SELECTED, PROBLEM, HINT] {
            assert!(contrast(text, ground) >= 4.5, "{text:?} on {ground:?}: {:.2}", contrast(text, ground));
        }
    }
}
