//! Combines the six images of a cube map into one square image. An unfolded octahedron maps directions to the square.

use bindpose_core::model::surface::CubeSides;
use glam::{Vec2, Vec3, vec2, vec3};
use image::imageops::thumbnail;
use image::{Rgba, RgbaImage};

/// Largest side of the image in texels. Each side of the cube contributes half as many.
const LARGEST: u32 = 1024;

/// Side of a cube: direction of its image, and directions of the image's right and upper edges, in model axes.
struct Side {
    ahead: Vec3,
    right: Vec3,
    up: Vec3,
}

const fn side(ahead: Vec3, right: Vec3, up: Vec3) -> Side {
    Side { ahead, right, up }
}

const X: Vec3 = Vec3::X;
const Y: Vec3 = Vec3::Y;
const Z: Vec3 = Vec3::Z;
const NX: Vec3 = Vec3::NEG_X;
const NY: Vec3 = Vec3::NEG_Y;
const NZ: Vec3 = Vec3::NEG_Z;

/// OpenGL 1.3, table 3.19, where t increases downwards.
const AXES: [Side; 6] =
    [side(X, NZ, Y), side(NX, Z, Y), side(Y, X, NZ), side(NY, X, Z), side(Z, X, Y), side(NZ, NX, Y)];

/// Sides as seen from the centre: +X ahead, +Y to the left, +Z up. The views up and down come from tilting the camera.
const CAMERA: [Side; 6] =
    [side(X, NY, Z), side(NX, Y, Z), side(Y, X, Z), side(NY, NX, Z), side(Z, NY, NX), side(NZ, NY, X)];

/// Returns the sides in the order of [`CubeSides::ends`].
fn sides(sides: CubeSides) -> &'static [Side; 6] {
    match sides {
        CubeSides::Axes => &AXES,
        CubeSides::Camera => &CAMERA,
    }
}

/// Reduces the image of a side to its size in the result, because six images are in memory at once.
pub(super) fn shrunk(image: RgbaImage) -> RgbaImage {
    let most = LARGEST / 2;
    let (width, height) = image.dimensions();
    if width.max(height) <= most { image } else { thumbnail(&image, width.min(most), height.min(most)) }
}

/// Combines images in the order of [`CubeSides::ends`]. Their sizes may differ.
pub(super) fn unfold(of: CubeSides, images: &[RgbaImage; 6]) -> RgbaImage {
    let size = images.iter().map(|image| 2 * image.width()).max().unwrap_or(1).clamp(2, LARGEST);
    RgbaImage::from_fn(size, size, |x, y| {
        let position = (vec2(x as f32, y as f32) + 0.5) / size as f32;
        seen(of, images, direction(position))
    })
}

/// Returns the direction for a position from (0, 0) at the top left to (1, 1). shaders/figure.frag contains the
/// inverse.
fn direction(position: Vec2) -> Vec3 {
    let flat = 2.0 * position - 1.0;
    let height = 1.0 - flat.x.abs() - flat.y.abs();
    if height >= 0.0 {
        return vec3(flat.x, flat.y, height);
    }
    let folded = Vec2::ONE - vec2(flat.y.abs(), flat.x.abs());
    vec3(folded.x * 1.0_f32.copysign(flat.x), folded.y * 1.0_f32.copysign(flat.y), height)
}

/// Returns the colour in a direction, interpolated between four texels.
fn seen(of: CubeSides, images: &[RgbaImage; 6], direction: Vec3) -> Rgba<u8> {
    let ahead = |side: &Side| side.ahead.dot(direction);
    let all = sides(of).iter().zip(images);
    let Some((side, image)) = all.max_by(|(a, _), (b, _)| ahead(a).total_cmp(&ahead(b))) else { return Rgba([0; 4]) };
    let scale = 1.0 / ahead(side).max(f32::MIN_POSITIVE);
    let place = vec2(0.5 + 0.5 * scale * side.right.dot(direction), 0.5 - 0.5 * scale * side.up.dot(direction));
    let (width, height) = image.dimensions();
    let most = vec2(width as f32, height as f32) - 1.0;
    let texel = (place * (most + 1.0) - 0.5).clamp(Vec2::ZERO, most);
    let (first, share) = (texel.floor(), texel.fract());
    let at = |right: u32, down: u32| {
        let texel = image.get_pixel((first.x as u32 + right).min(width - 1), (first.y as u32 + down).min(height - 1));
        glam::Vec4::from_array(texel.0.map(f32::from))
    };
    let mixed = at(0, 0).lerp(at(1, 0), share.x).lerp(at(0, 1).lerp(at(1, 1), share.x), share.y);
    Rgba(mixed.to_array().map(|part| part.round() as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns six images of one colour each. The top left texel of each is white.
    fn cube() -> [RgbaImage; 6] {
        std::array::from_fn(|side| {
            let mut image = RgbaImage::from_pixel(4, 4, Rgba([side as u8, 0, 0, 255]));
            image.put_pixel(0, 0, Rgba([255; 4]));
            image
        })
    }

    #[test]
    fn each_side_has_its_direction_and_orientation() {
        // Corners of the cube at the top left texel of each image. OpenGL's corners follow from table 3.19 with s = t =
        // 0.
        let axes = [(1, 1, 1), (-1, 1, -1), (-1, 1, -1), (-1, -1, 1), (-1, 1, 1), (1, 1, -1)];
        let camera = [(1, 1, 1), (-1, -1, 1), (-1, 1, 1), (1, -1, 1), (-1, 1, 1), (1, 1, -1)];
        let ahead = [X, NX, Y, NY, Z, NZ];
        for (of, corners) in [(CubeSides::Axes, axes), (CubeSides::Camera, camera)] {
            for (side, ((x, y, z), ahead)) in corners.into_iter().zip(ahead).enumerate() {
                assert_eq!(seen(of, &cube(), ahead).0, [side as u8, 0, 0, 255], "{of:?} {side}");
                let corner = vec3(x as f32, y as f32, z as f32);
                // A direction near the corner, inside this side.
                assert_eq!(seen(of, &cube(), 0.9 * corner + 0.1 * ahead).0, [255; 4], "{of:?} {side}");
            }
        }
    }

    #[test]
    fn large_sides_are_reduced() {
        let of = |width, height| shrunk(RgbaImage::from_pixel(width, height, Rgba([9, 8, 7, 255]))).dimensions();
        assert_eq!((of(512, 512), of(1030, 1030), of(600, 3)), ((512, 512), (512, 512), (512, 3)));
        assert_eq!(shrunk(RgbaImage::from_pixel(700, 700, Rgba([9, 8, 7, 255]))).get_pixel(99, 0).0, [9, 8, 7, 255]);
    }

    #[test]
    fn directions_cover_the_whole_image() {
        assert_eq!(direction(vec2(0.5, 0.5)), Z);
        for (place, expected) in [((1.0, 0.5), X), ((0.0, 0.5), NX), ((0.5, 1.0), Y), ((0.5, 0.0), NY)] {
            assert_eq!(direction(place.into()), expected);
        }
        for corner in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            assert_eq!(direction(corner.into()).normalize(), NZ);
        }
        let image = unfold(CubeSides::Axes, &cube());
        assert_eq!(image.dimensions(), (8, 8));
        assert_eq!((image.get_pixel(4, 4).0[0], image.get_pixel(7, 4).0[0], image.get_pixel(0, 0).0[0]), (4, 0, 5));
    }
}
