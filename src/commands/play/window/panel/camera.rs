//! The page of the view: from where, in which light, before what.

use super::{Panel, World, act_if, overlays};
use crate::commands::play::window::request::{Command, Request};
use crate::commands::play::window::settings::Theme;
use bindpose::player::{Action, BACKGROUNDS, Overlay, Player};
use bindpose::render::{Camera, Projection, direction, grid_cell};
use egui::Ui;
use std::f32::consts::{FRAC_PI_2, PI};

impl Panel {
    pub(super) fn view_page(&mut self, ui: &mut Ui, player: &Player, world: &World<'_>, commands: &mut Vec<Command>) {
        let camera = &player.state.camera;
        ui.horizontal_wrapped(|ui| {
            ui.label("look from");
            for (name, yaw, pitch, key) in [
                ("front", 0.0, 0.0, "shift 1"),
                ("left", FRAC_PI_2, 0.0, "shift 3"),
                ("right", -FRAC_PI_2, 0.0, "ctrl 3"),
                ("back", PI, 0.0, "ctrl 1"),
                ("top", 0.0, FRAC_PI_2, "shift 7"),
                ("three-quarter", Camera::YAW, Camera::PITCH, "shift 9"),
            ] {
                act_if(ui.button(name).on_hover_text(key).clicked(), commands, Action::LookFrom(yaw, pitch));
            }
        });
        ui.horizontal(|ui| {
            let is_flat = camera.projection == Projection::Orthographic;
            let flat = ui.selectable_label(is_flat, "orthographic").on_hover_text("everything at its size (shift 5)");
            act_if(flat.clicked(), commands, Action::ToggleProjection);
            act_if(ui.button("reset").on_hover_text("r").clicked(), commands, Action::ResetCamera);
            act_if(ui.button("look at the joint").on_hover_text("f").clicked(), commands, Action::CentreOnJoint);
        });
        ui.label(format!(
            "{:.0}° to the figure's left, {:.0}° up, {:.2} times as large",
            camera.yaw.to_degrees(),
            camera.pitch.to_degrees(),
            camera.zoom
        ));
        ui.horizontal(|ui| {
            ui.label("turntable");
            let mut turns = player.state.turntable;
            let field = egui::DragValue::new(&mut turns).range(-60.0..=60.0).speed(0.2).suffix(" turns a minute");
            act_if(ui.add(field).changed(), commands, Action::Turntable(turns));
            act_if(ui.button("stop").clicked(), commands, Action::Turntable(0.0));
        });
        if let Some(reel) = &player.state.reel {
            ui.horizontal(|ui| {
                let shown = ui.selectable_label(reel.is_shown, "through the film's camera").on_hover_text("shift v");
                act_if(shown.clicked(), commands, Action::ToggleLookThrough);
                let mut time = reel.playback.time();
                // Rounded for people only: a moment that is shown is not to be moved by it.
                let slider = egui::Slider::new(&mut time, 0.0..=reel.playback.duration());
                let slider = slider.custom_formatter(|time, _| format!("{time:.2} s"));
                act_if(ui.add(slider).changed(), commands, Action::SeekFilm(time));
            });
        }
        ui.separator();
        ui.horizontal(|ui| {
            ui.label("background").on_hover_text("what is behind the figures (z)");
            for (name, background) in BACKGROUNDS {
                let is_chosen = player.state.settings.background == background;
                act_if(ui.selectable_label(is_chosen, name).clicked(), commands, Action::Background(background));
            }
        });
        light(ui, player, commands);
        ui.horizontal(|ui| {
            let ruler = "a person: 72 units of Doom 3 and Quake, or 1.8 m (shift g)";
            overlays(ui, player, commands, &[(Overlay::Grid, "grid", "g"), (Overlay::Ruler, "ruler", ruler)]);
        });
        let framed = &camera.framed;
        let size = framed.max - framed.min;
        ui.weak(format!(
            "a cell of the grid is {} units; the figures take {:.2} x {:.2} x {:.2}",
            grid_cell(framed.extent()),
            size.x,
            size.y,
            size.z
        ));
        ui.separator();
        ui.horizontal(|ui| {
            ui.label("panel").on_hover_text("its colours (ctrl t)");
            for theme in Theme::ALL {
                if ui.selectable_label(world.theme == theme, theme.name()).clicked() {
                    commands.push(Command::Ask(Request::Theme(theme)));
                }
            }
        });
    }
}

/// Where the key light comes from.
fn light(ui: &mut Ui, player: &Player, commands: &mut Vec<Command>) {
    let light = player.state.camera.light;
    ui.horizontal(|ui| {
        ui.label("light").on_hover_text("where it comes from (shift z)");
        let over = ui.selectable_label(light.is_none(), "over the shoulder").clicked();
        act_if(over, commands, Action::Light(None));
        let placed = ui.selectable_label(light.is_some(), "placed").clicked();
        act_if(placed && light.is_none(), commands, Action::Light(Some(direction(PI / 4.0, PI / 6.0))));
    });
    if let Some(towards) = light {
        let (mut yaw, mut pitch) =
            (towards.y.atan2(towards.x).to_degrees(), towards.z.clamp(-1.0, 1.0).asin().to_degrees());
        let left =
            ui.add(egui::Slider::new(&mut yaw, -180.0..=180.0).suffix("° to the left").max_decimals(0)).changed();
        let up = ui.add(egui::Slider::new(&mut pitch, -89.0..=89.0).suffix("° up").max_decimals(0)).changed();
        act_if(left || up, commands, Action::Light(Some(direction(yaw.to_radians(), pitch.to_radians()))));
    }
}
