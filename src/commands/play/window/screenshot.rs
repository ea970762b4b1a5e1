//! Images of the view, without the marks of the selection, and with the names of a split view's halves.

use bindpose::render::{Error, RenderTarget};
use bindpose_compare::text;
use bindpose_player::{Player, State};
use image::RgbaImage;

/// Draws a state; see [`State::for_image`].
pub fn take(player: &mut Player, state: &mut State, frame: &RenderTarget) -> Result<RgbaImage, Error> {
    std::mem::swap(&mut player.state, state);
    let drawn = player.draw(frame);
    let names = player.half_names();
    std::mem::swap(&mut player.state, state);
    drawn?;
    let mut image = frame.read();
    if let Some(names) = names {
        name_halves(&mut image, &names);
    }
    Ok(image)
}

/// Draws a line between the halves, and their names next to it.
fn name_halves(image: &mut RgbaImage, [left, right]: &[String; 2]) {
    const LINE: [u8; 4] = [160, 160, 160, 255];
    let (width, height) = image.dimensions();
    let middle = width / 2;
    for y in 0..height {
        if let Some(pixel) = image.get_pixel_mut_checked(middle, y) {
            pixel.0 = LINE;
        }
    }
    let size = (height as f32 / 50.0).clamp(11.0, 40.0);
    let gap = (0.6 * size) as i32;
    text::label(image, left, size, (middle as i32 - gap - text::width_of(left, size) as i32, gap));
    text::label(image, right, size, (middle as i32 + gap, gap));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_divided_and_named() {
        let mut image = RgbaImage::from_pixel(400, 200, image::Rgba([90, 90, 90, 255]));
        name_halves(&mut image, &["cpu".into(), "dqs".into()]);
        assert!((0..200).all(|y| image.get_pixel(200, y)[0] == 160));
        let is_bright = |x: std::ops::Range<u32>| x.clone().any(|x| (0..30).any(|y| image.get_pixel(x, y)[0] > 200));
        assert!(is_bright(160..199) && is_bright(202..240), "a name on each side");
        assert!(!is_bright(0..140) && !is_bright(260..400));
    }
}
