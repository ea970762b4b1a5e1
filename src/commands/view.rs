//! View options shared by `play`, `render` and `compare`.

use anyhow::Context;
use bindpose::glam::Vec3;
use bindpose::model::Model;
use bindpose::model::axis_named;
use bindpose::render::{Camera, Light, Projection, direction};
use bindpose_player::{View, ViewAngles};
use std::str::FromStr;

/// View of the model.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "View")]
pub struct ViewArgs {
    /// Direction of the camera, in degrees to the model's left and up, and zoom; pitch and zoom are optional [default:
    /// 30,12,1]
    #[arg(long, value_name = "YAW,PITCH,ZOOM", allow_hyphen_values = true)]
    camera: Option<CameraAngles>,
    /// Side to look from, instead of --camera
    #[arg(long, value_name = "SIDE", value_enum, conflicts_with = "camera")]
    view: Option<NamedView>,
    /// Draw without perspective
    #[arg(long)]
    orthographic: bool,
    /// Axis that the model faces: x, -x, y, -y, z or -z [default: its format's, x in MD5 and -y in .x]
    #[arg(long, value_name = "AXIS", value_parser = axis_named, allow_hyphen_values = true)]
    front: Option<Vec3>,
    /// Axis that points up [default: z]
    #[arg(long, value_name = "AXIS", value_parser = axis_named, allow_hyphen_values = true)]
    up: Option<Vec3>,
    /// Joint to keep in the middle of the image
    #[arg(long, value_name = "JOINT")]
    target: Option<String>,
    /// Direction of the light, in degrees to the model's left and up, or three-point [default: over the viewer's left shoulder]
    #[arg(long, value_name = "YAW,PITCH", allow_hyphen_values = true)]
    light: Option<LightArg>,
}

impl ViewArgs {
    /// True if an option sets the model's axes.
    #[cfg(feature = "window")]
    pub fn has_axes(&self) -> bool {
        self.front.is_some() || self.up.is_some()
    }

    /// Returns the view of a model.
    ///
    /// # Errors
    ///
    /// No such joint, or the same axis for front and up.
    pub fn view(&self, model: &Model) -> anyhow::Result<View> {
        let named = self.view.map(NamedView::angles);
        let asked_for = self.camera.map(|CameraAngles(angles)| angles).or(named);
        let mut view = View {
            angles: asked_for.unwrap_or_default(),
            projection: if self.orthographic { Projection::Orthographic } else { Projection::Perspective },
            target: self.target.as_deref().map(|name| model.skeleton.named(name)).transpose()?,
            light: self.light.map_or(Light::default(), |LightArg(light)| light),
            ..View::default()
        };
        view.orient(model, self.front, self.up).context("--front and --up name one axis")?;
        Ok(view)
    }
}

/// Value of `--view`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum NamedView {
    /// The model looks at the viewer
    Front,
    /// From its left
    #[value(alias = "left")]
    Side,
    /// From its right
    Right,
    Back,
    /// From above, its front at the bottom
    Top,
    Bottom,
    /// From the front, a little to its left and above
    ThreeQuarter,
}

impl NamedView {
    fn angles(self) -> ViewAngles {
        let (yaw, pitch) = match self {
            Self::Front => (0.0, 0.0),
            Self::Side => (90.0, 0.0),
            Self::Right => (-90.0, 0.0),
            Self::Back => (180.0, 0.0),
            Self::Top => (0.0, 90.0),
            Self::Bottom => (0.0, -90.0),
            Self::ThreeQuarter => return ViewAngles::default(),
        };
        ViewAngles { yaw: f32::to_radians(yaw), pitch: f32::to_radians(pitch), zoom: 1.0 }
    }
}

/// Parses finite numbers separated by commas.
fn numbers(text: &str) -> Option<Vec<f32>> {
    text.split(',').map(|part| part.trim().parse::<f32>().ok().filter(|number| number.is_finite())).collect()
}

/// Value of `--camera`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CameraAngles(ViewAngles);

impl FromStr for CameraAngles {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = numbers(text).ok_or("expected numbers separated by commas, such as 30,12,1")?;
        let (yaw, pitch, zoom) = match numbers[..] {
            [yaw] => (yaw, Camera::PITCH.to_degrees(), 1.0),
            [yaw, pitch] => (yaw, pitch, 1.0),
            [yaw, pitch, zoom] => (yaw, pitch, zoom),
            _ => return Err("expected one to three numbers: yaw, pitch, zoom".into()),
        };
        if pitch.abs() > 90.0 {
            return Err(format!("pitch {pitch} is out of range: -90 to 90 degrees"));
        }
        if !(0.01..=1000.0).contains(&zoom) {
            return Err(format!("zoom {zoom} is out of range: 0.01 to 1000"));
        }
        Ok(Self(ViewAngles { yaw: yaw.to_radians(), pitch: pitch.to_radians(), zoom }))
    }
}

/// Value of `--light`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LightArg(Light);

impl FromStr for LightArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match numbers(text).as_deref() {
            Some(&[yaw, pitch]) if pitch.abs() <= 90.0 => {
                Ok(Self(Light::Towards(direction(yaw.to_radians(), pitch.to_radians()))))
            }
            None if text == "three-point" => Ok(Self(Light::ThreePoint)),
            _ => Err("expected three-point, or two numbers, yaw and pitch (-90 to 90), such as 45,30"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn cameras_are_parsed() {
        let read = |text: &str| {
            text.parse::<CameraAngles>().map(|CameraAngles(c)| [c.yaw.to_degrees(), c.pitch.to_degrees(), c.zoom])
        };
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3);
        for (text, angles) in
            [("90", [90.0, 12.0, 1.0]), ("-30, 5", [-30.0, 5.0, 1.0]), ("0,-80,2.5", [0.0, -80.0, 2.5])]
        {
            assert!(near(read(text).unwrap(), angles), "{text}");
        }
        for text in ["", "a", "1,2,3,4", "1,,2", "0,95", "0,0,0", "nan", "0,0,1e9"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn axes_and_lights_are_read() {
        let axis = |text| axis_named(text).ok();
        assert_eq!([axis("x"), axis("-Y"), axis("+z")], [Some(Vec3::X), Some(Vec3::NEG_Y), Some(Vec3::Z)]);
        assert_eq!([axis("w"), axis(""), axis("--x")], [None; 3]);
        let light = |text: &str| text.parse().ok().map(|LightArg(light)| light);
        assert!(light("90,0").unwrap().is_like(Light::Towards(Vec3::Y)));
        assert!(light("17,90").unwrap().is_like(Light::Towards(Vec3::Z)));
        assert_eq!(light("three-point"), Some(Light::ThreePoint));
        assert_eq!([light("1"), light("0,91"), light("a,b")], [None; 3]);
    }
}
