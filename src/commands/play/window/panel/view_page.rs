//! View page: camera, light, background, theme.

use super::{PanelInput, ask_if, button, change_if, choose_label, choose_row, label, overlays, slider};
use crate::commands::play::window::palette::axes_with_up;
use crate::commands::play::window::request::{Command, Request};
use crate::commands::play::window::settings::Theme;
use bindpose::render::{Camera, Light, Projection, direction, grid_cell};
use bindpose_player::{BACKGROUNDS, Change, Overlay, Player, UNITS, axis_name, unit_name};
use egui::{DragValue, Ui};
use glam::Vec3;
use std::f32::consts::{FRAC_PI_2, PI};

pub(super) fn view_page(ui: &mut Ui, player: &Player, input: &PanelInput<'_>, commands: &mut Vec<Command>) {
    camera(ui, player, commands);
    axes(ui, player, commands);
    ui.separator();
    ui.horizontal_wrapped(|ui| {
        ui.label("background").on_hover_text("z");
        for (name, background) in BACKGROUNDS {
            let is_current = player.state.settings.background == background;
            change_if(label(ui, is_current, name, "z"), commands, Change::Background(background));
        }
    });
    light(ui, player, commands);
    sizes(ui, player, commands);
    ui.separator();
    ui.horizontal_wrapped(|ui| {
        ui.label("theme").on_hover_text("ctrl+t");
        if let Some(theme) = choose_label(ui, &Theme::ALL, input.theme, |theme| (theme.name(), "ctrl+t".into())) {
            ask_if(true, commands, Request::Theme(theme));
        }
    });
}

/// Draws the grid's label, with the sizes of its cells and of the model in units, and in metres if the unit is known.
fn sizes(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    let framed = &player.state.camera.framed;
    let (cell, size) = (grid_cell(framed.extent()), framed.max - framed.min);
    let metres = player.state.unit.map(|unit| (cell * unit, size * unit, "m"));
    let mut sizes = std::iter::once((cell, size, "units")).chain(metres).map(|(cell, size, unit)| {
        [format!("{cell} {unit}"), format!("{:.2} x {:.2} x {:.2} {unit}", size.x, size.y, size.z)]
    });
    ui.horizontal(|ui| {
        overlays(ui, player, commands, &[(Overlay::Grid, "grid", "g")]);
        ui.weak(format!("cells of {}", sizes.clone().map(|[cell, _]| cell).collect::<Vec<_>>().join(", ")));
    });
    sizes.by_ref().for_each(|[_, size]| _ = ui.weak(format!("model: {size}")));
}

fn camera(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    let camera = &player.state.camera;
    ui.horizontal_wrapped(|ui| {
        ui.label("view from");
        for (name, yaw, pitch, key) in [
            ("front", 0.0, 0.0, "shift+1"),
            ("left", FRAC_PI_2, 0.0, "shift+3"),
            ("right", -FRAC_PI_2, 0.0, "ctrl+3"),
            ("back", PI, 0.0, "ctrl+1"),
            ("top", 0.0, FRAC_PI_2, "shift+7"),
            ("3/4", Camera::YAW, Camera::PITCH, "three-quarter view (shift+9)"),
        ] {
            change_if(button(ui, name, key), commands, Change::LookFrom(yaw, pitch));
        }
    });
    ui.horizontal_wrapped(|ui| {
        let is_flat = camera.projection == Projection::Orthographic;
        let other = if is_flat { Projection::Perspective } else { Projection::Orthographic };
        let clicked = label(ui, is_flat, "orthographic", "no perspective (shift+5)");
        change_if(clicked, commands, Change::Projection(other));
        change_if(button(ui, "reset", "r"), commands, Change::ResetCamera);
        if button(ui, "look at the joint", "f") {
            commands.push(Command::Player(Player::focus_on_joint));
        }
    });
    ui.label(format!(
        "{:.0}° to the model's left, {:.0}° up, zoom {:.2}",
        camera.yaw.to_degrees(),
        camera.pitch.to_degrees(),
        camera.zoom
    ));
    ui.horizontal(|ui| {
        ui.label("turntable").on_hover_text("t");
        let mut turns = player.state.turntable;
        let is_turning = turns != 0.0;
        ask_if(button(ui, if is_turning { "stop" } else { "start" }, "t"), commands, Request::Turntable);
        if is_turning {
            let field = DragValue::new(&mut turns).range(-60.0..=60.0).speed(0.2).suffix(" turns a minute");
            change_if(ui.add(field).changed(), commands, Change::Turntable(turns));
        }
    });
    if let Some(path) = &player.state.camera_path {
        ui.horizontal(|ui| {
            let clicked = label(ui, path.is_shown, "animated camera", "view through the .md5camera (shift+v)");
            change_if(clicked, commands, Change::LookThrough(!path.is_shown));
            let mut time = path.playback.time();
            // Only the text is rounded: the slider must not change the time.
            let slider = slider(&mut time, 0.0..=path.playback.duration());
            let slider = slider.custom_formatter(|time, _| format!("{time:.2} s"));
            change_if(ui.add(slider).changed(), commands, Change::SeekCamera(time));
        });
    }
}

/// Draws the model's axes and unit, which are remembered.
fn axes(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    let [front, up] = player.state.axes();
    let all = || Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]);
    let name = |axis: Vec3| axis_name(axis).to_owned();
    let about = "axis of model space; remembered for this model";
    let fronts = all().filter(|axis| axis.dot(up) == 0.0);
    let chosen = choose_row(ui, ("the model faces", about), fronts, front, name);
    commands.extend(chosen.map(|front| Command::Change(Change::Axes(front, up))));
    let chosen = choose_row(ui, ("up is", about), all(), up, name);
    commands.extend(chosen.map(|wanted| Command::Change(axes_with_up([front, up], wanted))));
    let about = ("a unit is", "for sizes in metres; remembered for this model");
    let name = |unit| unit_name(unit).to_owned();
    let chosen = choose_row(ui, about, UNITS.map(|(_, unit)| unit), player.state.unit, name);
    commands.extend(chosen.map(|unit| Command::Change(Change::Unit(unit))));
    ui.horizontal_wrapped(|ui| {
        change_if(button(ui, "turn around", "it faces the other way"), commands, Change::Axes(-front, up));
        change_if(button(ui, "turn by 90°", "to its left"), commands, Change::Axes(front.cross(up), up));
        let about = "axes and unit of this model for all models of its folder";
        ask_if(button(ui, "use for the folder", about), commands, Request::AxesOfFolder);
    });
}

fn light(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    let light = player.state.camera.light;
    ui.horizontal_wrapped(|ui| {
        ui.label("light").on_hover_text("shift+z");
        let is_fixed = matches!(light, Light::Towards(_));
        for (name, offered, about) in [
            ("over the shoulder", Light::Shoulder, "one light, which turns with the camera"),
            ("three lights", Light::ThreePoint, "key, fill and back light, which turn with the camera"),
        ] {
            change_if(label(ui, light == offered, name, about), commands, Change::Light(offered));
        }
        let placed = label(ui, is_fixed, "fixed", "one light, in a direction of the model");
        change_if(placed && !is_fixed, commands, Change::Light(Light::Towards(direction(PI / 4.0, PI / 6.0))));
    });
    if let Light::Towards(towards) = light {
        let (mut yaw, mut pitch) =
            (towards.y.atan2(towards.x).to_degrees(), towards.z.clamp(-1.0, 1.0).asin().to_degrees());
        let left = ui.add(slider(&mut yaw, -180.0..=180.0).suffix("° to the left").max_decimals(0)).changed();
        let up = ui.add(slider(&mut pitch, -89.0..=89.0).suffix("° up").max_decimals(0)).changed();
        let towards = direction(yaw.to_radians(), pitch.to_radians());
        change_if(left || up, commands, Change::Light(Light::Towards(towards)));
    }
}
