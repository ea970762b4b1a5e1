//! Images without a window: plausible, and always the same.

use crate::support;
use bindpose::images::TextureFinder;
use bindpose::model::{Material, Model};
use bindpose::render::{
    Background, Camera, Error, FrameInput, Gpu, GpuModel, Instance, RenderSettings, RenderTarget, Renderer,
    ShaderFiles, Surfaces, bounds_of_places, clip_bounds, places,
};
use bindpose::skin::{Limits, MethodId};
use glam::Vec3;
use image::RgbaImage;
use std::sync::Arc;

const BLACK: Background = Background::Flat([0.0, 0.0, 0.0, 1.0]);
const PLAIN: RenderSettings = RenderSettings { background: BLACK, grid: false, ..RenderSettings::DEFAULT };
const SIZE: (u32, u32) = (240, 200);

struct Shot {
    method: MethodId,
    time: f64,
    look: RenderSettings,
    copies: usize,
    turn: f32,
}

impl Default for Shot {
    fn default() -> Self {
        Self { method: MethodId::MatrixBlend, time: 0.6, look: PLAIN, copies: 1, turn: Camera::YAW }
    }
}

fn take(gpu: &Gpu, model: &Model, shaders: &ShaderFiles, shot: &Shot) -> Result<RgbaImage, Error> {
    let mut subject = GpuModel::new(gpu, Arc::new(model.clone()), &TextureFinder::new(&[], &[]), shaders, Limits::Gl2)?;
    let bounds = clip_bounds(model, model.clips.first());
    let places = places(shot.copies, &bounds);
    let mut camera = Camera::framing(bounds_of_places(&places, &bounds));
    camera.yaw = shot.turn;
    let (local, pose) = support::pose_at(model, 0, shot.time);
    let figure = |&position: &Vec3| Instance { model: &pose, local: &local, clip: Some(0), time: shot.time, position };
    let figures: Vec<Instance<'_>> = places.iter().map(figure).collect();
    let frame = RenderTarget::new(gpu, SIZE.0, SIZE.1)?;
    let input = FrameInput::new(shot.method, &camera, &shot.look, &figures);
    Renderer::new(gpu, shaders)?.draw(&frame, &mut subject, &input)?;
    let picture = frame.read();
    if let Some(folder) = std::env::var_os("BINDPOSE_KEEP_PICTURES") {
        let name = format!("{}-{:?}-{}-{}.png", model.name, shot.method, shot.copies, picture_number());
        picture.save(std::path::Path::new(&folder).join(name)).unwrap();
    }
    Ok(picture)
}

fn picture_number() -> usize {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

fn shoot(gpu: &Gpu, shot: &Shot) -> RgbaImage {
    take(gpu, &support::tube(5, 4), &ShaderFiles::default(), shot).unwrap()
}

/// Returns the share of pixels that are not black.
fn covered(picture: &RgbaImage) -> f64 {
    let drawn = picture.pixels().filter(|pixel| pixel.0[..3].iter().any(|&channel| channel > 8)).count();
    drawn as f64 / f64::from(picture.width() * picture.height())
}

/// Returns the mean absolute difference of all channels, 0 to 255.
fn difference(a: &RgbaImage, b: &RgbaImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    let sum: u64 = a.iter().zip(b.iter()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.len() as f64
}

#[test]
fn a_tube_is_a_red_shape_in_the_middle() {
    let Some(gpu) = support::gpu() else { return };
    // Upright in its bind pose, the model is a rectangle a fifth as wide as high, with nine tenths of the image's
    // height.
    let picture = shoot(&gpu, &Shot { time: 0.0, ..Shot::default() });
    let share = covered(&picture);
    assert!((0.05..0.35).contains(&share), "{share} of the picture is covered");
    let middle = picture.get_pixel(SIZE.0 / 2, SIZE.1 / 2);
    assert!(middle[0] > middle[2] + 40 && middle[0] > 100, "the middle is {middle:?}");
    for (x, y) in [(0, 0), (SIZE.0 - 1, 0), (0, SIZE.1 - 1), (SIZE.0 - 1, SIZE.1 - 1)] {
        assert_eq!(picture.get_pixel(x, y).0, [0, 0, 0, 255], "corner {x} {y}");
    }
    // Light comes from above and smooth shading has no gaps, so adjacent pixels inside differ little.
    let row: Vec<u8> = (0..SIZE.0).map(|x| picture.get_pixel(x, SIZE.1 / 2)[0]).filter(|&red| red > 30).collect();
    let jump = row.windows(2).map(|pair| pair[0].abs_diff(pair[1])).max();
    assert!(row.len() > 10 && jump < Some(90), "{row:?}");
}

#[test]
fn the_same_image_twice() {
    let Some(gpu) = support::gpu() else { return };
    let look = RenderSettings { skeleton: true, grid: true, background: Background::Gradient, ..PLAIN };
    let shot = Shot { look, ..Shot::default() };
    assert!(shoot(&gpu, &shot) == shoot(&gpu, &shot));
}

#[test]
fn methods_draw_the_same_image() {
    let Some(gpu) = support::gpu() else { return };
    let reference = shoot(&gpu, &Shot { method: MethodId::Cpu, ..Shot::default() });
    for method in [MethodId::MatrixBlend, MethodId::JointOffsets] {
        let picture = shoot(&gpu, &Shot { method, ..Shot::default() });
        let off = difference(&reference, &picture);
        assert!(off < 0.2, "{method} differs by {off} of 255");
    }
}

#[test]
fn time_view_and_settings_change_the_image() {
    let Some(gpu) = support::gpu() else { return };
    let plain = shoot(&gpu, &Shot::default());
    let changes = [
        ("time", Shot { time: 1.4, ..Shot::default() }),
        ("turn", Shot { turn: 2.5, ..Shot::default() }),
        ("copies", Shot { copies: 4, ..Shot::default() }),
        ("skeleton", Shot { look: RenderSettings { skeleton: true, ..PLAIN }, ..Shot::default() }),
        ("wireframe", Shot { look: RenderSettings { surfaces: Surfaces::Edges, ..PLAIN }, ..Shot::default() }),
        ("grid", Shot { look: RenderSettings { grid: true, ..PLAIN }, ..Shot::default() }),
        ("background", Shot { look: RenderSettings { background: Background::Gradient, ..PLAIN }, ..Shot::default() }),
    ];
    for (what, shot) in changes {
        let off = difference(&plain, &shoot(&gpu, &shot));
        assert!(off > 0.3, "{what} changes the picture by {off} of 255 only");
    }
}

#[test]
fn a_transparent_background_stays_transparent() {
    let Some(gpu) = support::gpu() else { return };
    let look = RenderSettings { background: Background::Flat([0.0; 4]), ..PLAIN };
    let picture = shoot(&gpu, &Shot { look, ..Shot::default() });
    assert_eq!(picture.get_pixel(0, 0).0, [0, 0, 0, 0]);
    assert_eq!(picture.get_pixel(SIZE.0 / 2, SIZE.1 / 2)[3], 255);
}

#[test]
fn textures_lie_the_right_way_up() {
    let Some(gpu) = support::gpu() else { return };
    // The upper half of the image is green, the lower blue. The tube's v runs down from its upper end.
    let image = RgbaImage::from_fn(8, 8, |_, y| image::Rgba(if y < 4 { [0, 255, 0, 255] } else { [0, 0, 255, 255] }));
    let mut png = std::io::Cursor::new(Vec::new());
    image.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let mut model = support::tube(2, 1);
    model.materials[0].texture = Some("textures/stripes.tga".into());
    model.materials[0].diffuse = Vec3::ONE.extend(1.0);
    let embedded = [("stripes.png", png.get_ref().as_slice())];
    let finder = TextureFinder::new(&[], &embedded);
    let shaders = ShaderFiles::default();
    let mut subject = GpuModel::new(&gpu, Arc::new(model.clone()), &finder, &shaders, Limits::Gl2).unwrap();
    assert_eq!(subject.left_out(), []);
    let (local, pose) = support::pose_at(&model, 0, 0.0);
    let frame = RenderTarget::new(&gpu, SIZE.0, SIZE.1).unwrap();
    let camera = Camera::framing(clip_bounds(&model, None));
    let figures = [Instance { model: &pose, local: &local, clip: Some(0), time: 0.0, position: Vec3::ZERO }];
    let renderer = Renderer::new(&gpu, &shaders).unwrap();
    let input = FrameInput::new(MethodId::MatrixBlend, &camera, &PLAIN, &figures);
    renderer.draw(&frame, &mut subject, &input).unwrap();
    let picture = frame.read();
    let above = picture.get_pixel(SIZE.0 / 2, SIZE.1 / 4);
    let below = picture.get_pixel(SIZE.0 / 2, 3 * SIZE.1 / 4);
    assert!(above[1] > 100 && above[2] < 60, "above: {above:?}");
    assert!(below[2] > 100 && below[1] < 60, "below: {below:?}");
}

/// Returns the middle pixel of a tube with this material and an image in one colour, in front of blue.
fn middle(gpu: &Gpu, material: Material, image: [u8; 4]) -> [u8; 4] {
    let mut png = std::io::Cursor::new(Vec::new());
    let image = RgbaImage::from_pixel(4, 4, image::Rgba(image));
    image.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let mut model = support::tube(2, 1);
    model.materials[0] = Material { texture: Some("image.png".into()), ..material };
    let embedded = [("image.png", png.get_ref().as_slice())];
    let shaders = ShaderFiles::default();
    let finder = TextureFinder::new(&[], &embedded);
    let mut subject = GpuModel::new(gpu, Arc::new(model.clone()), &finder, &shaders, Limits::Gl2).unwrap();
    let (local, pose) = support::pose_at(&model, 0, 0.0);
    let frame = RenderTarget::new(gpu, SIZE.0, SIZE.1).unwrap();
    let camera = Camera::framing(clip_bounds(&model, None));
    let figures = [Instance { model: &pose, local: &local, clip: Some(0), time: 0.0, position: Vec3::ZERO }];
    let look = RenderSettings { background: Background::Flat([0.0, 0.0, 1.0, 1.0]), ..PLAIN };
    let renderer = Renderer::new(gpu, &shaders).unwrap();
    let input = FrameInput::new(MethodId::MatrixBlend, &camera, &look, &figures);
    renderer.draw(&frame, &mut subject, &input).unwrap();
    frame.read().get_pixel(SIZE.0 / 2, SIZE.1 / 2).0
}

/// Fixed function: (emissive + diffuse * light) * image, so a lamp keeps the colours of its image.
#[test]
fn emission_keeps_the_colours_of_the_image() {
    let Some(gpu) = support::gpu() else { return };
    let lamp = Material { diffuse: Vec3::ZERO.extend(1.0), emissive: Vec3::ONE, ..Material::neutral("lamp") };
    let [red, green, blue, _] = middle(&gpu, lamp, [220, 30, 30, 255]);
    assert!((215..=235).contains(&red) && green < 110 && blue < 110, "{red} {green} {blue}");
}

#[test]
fn what_is_clear_lets_through_what_is_behind() {
    let Some(gpu) = support::gpu() else { return };
    let glass = |alpha| Material { diffuse: glam::vec4(0.9, 0.1, 0.1, alpha), ..Material::neutral("glass") };
    // The image has alpha.
    let [solid, thin, none] = [1.0, 0.5, 0.0].map(|alpha| middle(&gpu, glass(alpha), [255, 0, 0, 254]));
    // Two walls with an opacity of one half each let a quarter of the blue through.
    assert!((40..=90).contains(&(i32::from(thin[2]) - i32::from(solid[2]))), "{solid:?} {thin:?}");
    assert!(thin[0] < solid[0] && thin[3] == 255, "{solid:?} {thin:?}");
    // An invisible surface is an exporter's mistake, and so is transparency under an opaque image.
    assert_eq!(none, solid);
    let [solid, skin] = [1.0, 0.5].map(|alpha| middle(&gpu, glass(alpha), [255, 0, 0, 255]));
    assert_eq!(skin, solid);
}

#[test]
fn a_skeleton_alone_and_an_empty_model_are_drawn() {
    let Some(gpu) = support::gpu() else { return };
    let bones = Model { meshes: Vec::new(), materials: Vec::new(), ..support::tube(5, 4) };
    let shot = Shot { look: RenderSettings { skeleton: true, ..PLAIN }, ..Shot::default() };
    assert!(covered(&take(&gpu, &bones, &ShaderFiles::default(), &shot).unwrap()) > 0.002);
    let nothing = take(&gpu, &Model::default(), &ShaderFiles::default(), &shot).unwrap();
    assert_eq!(covered(&nothing), 0.0);
}

/// Writes one shader file into a temporary folder and draws with it.
fn with_shader(gpu: &Gpu, name: &str, change: impl Fn(&str) -> String) -> Result<RgbaImage, Error> {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders").join(name);
    let text = change(&std::fs::read_to_string(source).unwrap());
    let folder = std::env::temp_dir().join(format!("bindpose-shaders-{}-{}", std::process::id(), picture_number()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
    let shaders = ShaderFiles { directory: Some(folder.clone()), ..ShaderFiles::default() };
    let picture = take(gpu, &support::tube(5, 4), &shaders, &Shot::default());
    std::fs::remove_dir_all(folder).unwrap();
    picture
}

#[test]
fn shaders_from_a_folder_replace_the_built_in_ones() {
    let Some(gpu) = support::gpu() else { return };
    let plain = shoot(&gpu, &Shot::default());
    let same = with_shader(&gpu, "figure.frag", str::to_owned).unwrap();
    assert!(plain == same);
    let other = with_shader(&gpu, "matrix-blend.vert", |text| text.replace("weights.y", "weights.x")).unwrap();
    assert!(difference(&plain, &other) > 1.0);
}

#[test]
fn a_broken_shader_names_its_file_and_line() {
    let Some(gpu) = support::gpu() else { return };
    // Columns: file, text to replace, replacement, text in the error.
    let cases = [
        ("matrix-blend.vert", "void skin(", "oops void skin(", "matrix-blend.vert:26"),
        ("figure.vert", "void main()", "oops void main()", "figure.vert:21"),
        ("figure.frag", "void main()", "oops void main()", "figure.frag:122"),
        ("figure.vert", "attribute vec2 uv;", "attribute vec3 uv;", "figure.vert:37"),
        ("figure.vert", "colour;\n", "colour; attribute vec3 sheen;\n#define colour (colour * sheen.x)\n", "'sheen'"),
        ("figure.vert", "attribute vec4 colour", "attribute vec3 colour", "figure.vert:38"),
        ("figure.frag", "uniform float shininess", "uniform vec2 shininess", "figure.frag:153"),
        (
            "figure.frag",
            "uniform float shininess;",
            "uniform bool shininess;\n#define shininess float(shininess)\n",
            "shininess",
        ),
        (
            "figure.vert",
            "colour;\n",
            "colour;\nuniform vec4 one[1];\n#define colour (colour + one[0])\n",
            "single element",
        ),
    ];
    for (name, from, to, expected) in cases {
        let error = with_shader(&gpu, name, |text| {
            assert!(text.contains(from), "{name} has no {from}");
            text.replacen(from, to, 1)
        });
        let error = error.map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(expected), "{name}: {to}\n{error}");
    }
}
