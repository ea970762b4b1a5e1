//! The player without a window: what is asked of it and what its pictures show.

use crate::support;
use bindpose::image_habits::Wanted;
use bindpose::load::LoadOptions;
use bindpose::player::{Action, Colouring, Player, PlayerOptions, Scene, Split, View};
use bindpose::render::{Gpu, RenderSettings, RenderTarget, ShaderFiles, TexelFormat};
use bindpose::skin::{Limits, MethodId};
use image::RgbaImage;
use std::path::PathBuf;

const SIZE: (u32, u32) = (320, 200);

fn scene(files: &[PathBuf]) -> Scene {
    Scene::load(files, LoadOptions::default()).unwrap().0
}

fn player(gpu: &Gpu, scene: &Scene, shaders: ShaderFiles) -> Player {
    let options = PlayerOptions {
        clip: Some(0),
        settings: RenderSettings { grid: false, ..RenderSettings::default() },
        copies: 1,
        all_clips: false,
        limits: Limits::default(),
        texels: TexelFormat::Float,
        shaders,
        view: View::default(),
        images: Wanted::default(),
    };
    Player::new(gpu, scene, options).unwrap()
}

fn look(gpu: &Gpu, player: &mut Player) -> RgbaImage {
    let frame = RenderTarget::new(gpu, SIZE.0, SIZE.1).unwrap();
    player.draw(&frame).unwrap();
    let picture = frame.read();
    if let Some(folder) = std::env::var_os("BINDPOSE_KEEP_PICTURES") {
        let name = format!("player-{:?}-{:?}.png", player.state.split, player.state.colouring);
        picture.save(PathBuf::from(folder).join(name)).unwrap();
    }
    picture
}

/// How many pixels of two pictures differ, in the left half and in the right.
fn changed(before: &RgbaImage, after: &RgbaImage) -> (usize, usize) {
    let places = before.enumerate_pixels().filter(|(x, y, pixel)| after.get_pixel(*x, *y) != *pixel);
    let (left, right): (Vec<u32>, Vec<u32>) = places.map(|(x, ..)| x).partition(|&x| x < SIZE.0 / 2);
    (left.len(), right.len())
}

#[test]
fn the_halves_of_a_split_view_can_be_asked_and_coloured() {
    let Some(gpu) = support::gpu() else { return };
    let mut player = player(&gpu, &scene(&[]), ShaderFiles::default());
    player.apply(&Action::Seek(0.3));
    player.apply(&Action::Split(Some(Split::Method(MethodId::Dqs))));
    let plain = look(&gpu, &mut player);
    assert_eq!(player.pose().unwrap().1.0.len(), player.model().skeleton.len());
    let (distance, ..) = player.worst_difference().unwrap();
    assert!(distance > 0.0, "{distance}");
    player.apply(&Action::Colouring(Colouring::Difference));
    let (left, right) = changed(&plain, &look(&gpu, &mut player));
    assert!(left == 0 && right > 500, "{left} pixels changed on the left, {right} on the right");
}
