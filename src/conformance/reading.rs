//! Content of a file as a loader reports it, compared with the suite's expectation.

use crate::subject::Subject;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Content of a file as a loader reports it, in the file's own axes and order. Fields are `None` if the loader does not
/// report them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// Parent of each joint by name; `None` for roots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joints: Option<BTreeMap<String, Option<String>>>,
    /// Lengths of clips, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clips: Option<BTreeMap<String, f64>>,
    /// Texture coordinates of each triangle's corners. This and the next three fields have the order of the first
    /// pose's triangles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uvs: Option<Vec<[[f64; 2]; 3]>>,
    /// Unit normals of each triangle's corners.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normals: Option<Vec<[[f64; 3]; 3]>>,
    /// Diffuse colour of each triangle's material: red, green, blue, alpha.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colours: Option<Vec<[f64; 4]>>,
    /// Texture of each triangle's material; for MD5, its shader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub textures: Option<Vec<String>>,
    /// Poses in the order in which the suite requests them.
    pub poses: Vec<Pose>,
}

/// A pose in model space.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pose {
    /// Name of the clip; `None` if there is only one, and for the pose without clips.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// Time in the clip, in seconds; `None` for the pose without clips.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Position of each joint, or sixteen numbers: the images of the axes x, y, z, and the position, each followed by 0
    /// or 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joints: Option<BTreeMap<String, Vec<f64>>>,
    /// Corners of all triangles of all meshes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triangles: Option<Vec<[[f64; 3]; 3]>>,
    /// The camera of a `.md5camera`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<Camera>,
}

/// A camera.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// Position in model space.
    pub position: [f64; 3],
    /// Unit vector of the view direction.
    pub forward: [f64; 3],
    /// Unit vector pointing up in the image.
    pub up: [f64; 3],
    /// Horizontal angle of view at an aspect of 4 to 3, in degrees.
    pub fov: f64,
}

/// Result of a comparison.
#[derive(Debug, PartialEq)]
pub enum Comparison {
    /// No difference beyond the tolerance.
    Same,
    /// The first difference.
    Differs(String),
    /// The loader does not report the subject of the rule.
    Unreported,
}

/// Compares a loader's report with a file's meaning, within `tolerance`.
pub fn compare(meaning: &Reading, found: &Reading, about: Subject, tolerance: f64) -> Comparison {
    if !reports(found, about) {
        return Comparison::Unreported;
    }
    let near = Near(tolerance);
    let differs = near
        .joints(meaning, found)
        .and_then(|()| if about == Subject::Clips { near.clips(meaning, found) } else { Ok(()) })
        .and_then(|()| near.poses(meaning, found))
        .and_then(|()| near.surfaces(meaning, found, about));
    differs.map_or_else(Comparison::Differs, |()| Comparison::Same)
}

/// True if a reading has the field of a subject.
fn reports(found: &Reading, about: Subject) -> bool {
    let pose = |has: fn(&Pose) -> bool| found.poses.iter().any(has);
    match about {
        Subject::Triangles => pose(|pose| pose.triangles.is_some()),
        Subject::Camera => pose(|pose| pose.camera.is_some()),
        Subject::Joints => found.joints.is_some() || pose(|pose| pose.joints.is_some()),
        Subject::Clips => found.clips.is_some(),
        Subject::Uvs => found.uvs.is_some(),
        Subject::Normals => found.normals.is_some(),
        Subject::Colours => found.colours.is_some(),
        Subject::Textures => found.textures.is_some(),
    }
}

/// Comparison of numbers within a tolerance.
#[derive(Clone, Copy)]
struct Near(f64);

impl Near {
    fn same(self, expected: &[f64], found: &[f64]) -> bool {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= self.0 * a.abs().max(1.0);
        expected.len() == found.len() && expected.iter().zip(found).all(near)
    }

    fn joints(self, meaning: &Reading, found: &Reading) -> Result<(), String> {
        let (Some(expected), Some(found)) = (&meaning.joints, &found.joints) else { return Ok(()) };
        for (name, parent) in expected {
            let Some(is) = found.get(name) else { return Err(format!("there is no joint '{name}'")) };
            // A loader may add its own root above those of the file.
            let is_own = is.as_ref().is_none_or(|is| !expected.contains_key(is));
            if if parent.is_none() { !is_own } else { parent != is } {
                let [is, due] = [is, parent].map(|parent| parent.as_deref().unwrap_or("none"));
                return Err(format!("the parent of joint '{name}' is {is}, expected {due}"));
            }
        }
        Ok(())
    }

    fn clips(self, meaning: &Reading, found: &Reading) -> Result<(), String> {
        let (Some(expected), Some(found)) = (&meaning.clips, &found.clips) else { return Ok(()) };
        let only = if expected.len() == 1 && found.len() == 1 { found.values().next() } else { None };
        for (name, seconds) in expected {
            match found.get(name).or(only) {
                None => return Err(format!("there is no clip '{name}'")),
                Some(is) if !self.same(&[*seconds], &[*is]) => {
                    return Err(format!("the clip lasts {is} s, expected {seconds} s"));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn poses(self, meaning: &Reading, found: &Reading) -> Result<(), String> {
        for (number, expected) in meaning.poses.iter().enumerate() {
            let Some(is) = found.poses.get(number) else { return Err(format!("pose {number} is missing")) };
            let differs = self.pose(expected, is);
            differs.map_err(|what| match expected.time {
                Some(time) => format!("at {time} s {what}"),
                None => what,
            })?;
        }
        Ok(())
    }

    fn pose(self, expected: &Pose, found: &Pose) -> Result<(), String> {
        for (name, due) in expected.joints.iter().flatten() {
            let Some(is) = found.joints.as_ref().and_then(|joints| joints.get(name)) else { continue };
            // Three numbers mean that only the position is expected.
            let is = if due.len() == 3 && is.len() == 16 { &is[12..15] } else { is };
            if !self.same(due, is) {
                return Err(format!("joint '{name}' is at {}, expected {}", numbers(is), numbers(due)));
            }
        }
        if let (Some(due), Some(is)) = (&expected.camera, &found.camera) {
            let parts =
                [("position", due.position, is.position), ("forward", due.forward, is.forward), ("up", due.up, is.up)];
            for (name, due, is) in parts {
                if !self.same(&due, &is) {
                    return Err(format!("the camera's {name} is {}, expected {}", numbers(&is), numbers(&due)));
                }
            }
            if !self.same(&[due.fov], &[is.fov]) {
                return Err(format!("the camera's angle is {}, expected {}", is.fov, due.fov));
            }
        }
        let (Some(due), Some(is)) = (&expected.triangles, &found.triangles) else { return Ok(()) };
        self.triangles(due, is).map(drop)
    }

    /// Finds the triangles in any order, beginning at any corner. Returns the index and the first corner of each.
    fn triangles(self, expected: &[[[f64; 3]; 3]], found: &[[[f64; 3]; 3]]) -> Result<Vec<(usize, usize)>, String> {
        if expected.len() != found.len() {
            return Err(format!("there are {} triangles, expected {}", found.len(), expected.len()));
        }
        let mut is_free = vec![true; found.len()];
        let mut places = Vec::new();
        for due in expected {
            let start =
                |is: &[[f64; 3]; 3]| (0..3).find(|start| (0..3).all(|at| self.same(&due[at], &is[(at + start) % 3])));
            let place = found.iter().enumerate().filter(|(place, _)| is_free[*place]);
            let Some(place) = place.filter_map(|(place, is)| Some((place, start(is)?))).next() else {
                let is_turned = found.iter().any(|is| start(&[is[0], is[2], is[1]]).is_some());
                let corners = due.map(|corner| numbers(&corner)).join(" ");
                let turned = if is_turned { "; it is there the other way round" } else { "" };
                let others: Vec<String> = found
                    .iter()
                    .enumerate()
                    .filter(|(place, _)| is_free[*place])
                    .map(|(_, is)| is.map(|corner| numbers(&corner)).join(" "))
                    .collect();
                let others =
                    others.first().filter(|_| !is_turned).map_or(String::new(), |other| format!("; found {other}"));
                return Err(format!("no triangle is {corners}{turned}{others}"));
            };
            is_free[place.0] = false;
            places.push(place);
        }
        Ok(places)
    }

    /// Compares the properties of triangles and their corners.
    fn surfaces(self, meaning: &Reading, found: &Reading, about: Subject) -> Result<(), String> {
        let triangles = |reading: &Reading| reading.poses.first().and_then(|pose| pose.triangles.clone());
        let (Some(expected), Some(is)) = (triangles(meaning), triangles(found)) else { return Ok(()) };
        let (due, values) = (values(meaning, about), values(found, about));
        for (number, (place, start)) in self.triangles(&expected, &is)?.into_iter().enumerate() {
            for corner in 0..3 {
                let Some(due) = due.get(number).map(|corners| &corners[corner]) else { continue };
                let is = values.get(place).map(|corners| &corners[(corner + start) % 3]);
                if !is.is_some_and(|is| due.same(is, self)) {
                    let is = is.map_or("missing".to_owned(), Value::text);
                    let name = about.name();
                    return Err(format!(
                        "{name} of corner {corner} of triangle {number}: {is}, expected {}",
                        due.text()
                    ));
                }
            }
        }
        Ok(())
    }
}

/// A property of a triangle's corner.
enum Value {
    Numbers(Vec<f64>),
    Text(String),
}

impl Value {
    fn same(&self, other: &Self, near: Near) -> bool {
        match (self, other) {
            (Self::Numbers(a), Self::Numbers(b)) => near.same(a, b),
            (Self::Text(a), Self::Text(b)) => a.replace('\\', "/") == b.replace('\\', "/"),
            _ => false,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Numbers(of) => numbers(of),
            Self::Text(text) => format!("'{text}'"),
        }
    }
}

/// Returns the corner values of each triangle that a rule checks.
fn values(reading: &Reading, about: Subject) -> Vec<[Value; 3]> {
    fn of_corners<const N: usize>(list: &Option<Vec<[[f64; N]; 3]>>) -> Vec<[Value; 3]> {
        list.iter().flatten().map(|corners| corners.map(|corner| Value::Numbers(corner.to_vec()))).collect()
    }
    match about {
        Subject::Uvs => of_corners(&reading.uvs),
        Subject::Normals => of_corners(&reading.normals),
        Subject::Colours => {
            let colours = reading.colours.iter().flatten();
            colours.map(|colour| [colour; 3].map(|colour| Value::Numbers(colour.to_vec()))).collect()
        }
        Subject::Textures => {
            let names = reading.textures.iter().flatten();
            names.map(|name| [name; 3].map(|name| Value::Text(name.clone()))).collect()
        }
        Subject::Triangles | Subject::Joints | Subject::Clips | Subject::Camera => Vec::new(),
    }
}

/// Formats numbers in parentheses, shortened.
fn numbers(numbers: &[f64]) -> String {
    let short = |number: &f64| {
        let text = format!("{number:.4}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        if text == "-0" { "0".to_owned() } else { text.to_owned() }
    };
    format!("({})", numbers.iter().map(short).collect::<Vec<_>>().join(", "))
}
