//! The model on the page's canvas: its player, and named changes to it.

use super::{Answer, Request, sentence};
use bindpose::engines::{PROFILES, playing};
use bindpose::glam::{DQuat, Vec2};
use bindpose::load::Loaded;
use bindpose::model::JointId;
use bindpose::play::Repeat;
use bindpose::render::{Gpu, RenderSettings, RenderTarget, ShaderFiles, Shading, Surfaces};
use bindpose::skin::MethodId;
use bindpose_images::animation::{Quality, gif};
use bindpose_player::{
    Change, Colouring, FrameTimes, MethodChoice, Overlay, Player, PlayerOptions, Scene, Split, View, Viewport,
};
use serde_json::{Value, json};
use std::error::Error;
use std::sync::Arc;

/// Largest number of joint names in a frame.
const MOST_NAMES: usize = 400;

/// Largest number of frames of a GIF: ten seconds at 30 frames per second. Meanwhile the page cannot do anything else.
const MOST_GIF_FRAMES: u32 = 300;
/// Largest rate of a GIF in frames per second: viewers slow down shorter frames.
const MOST_GIF_RATE: f64 = 50.0;

/// The model on the canvas.
pub struct Shown {
    gpu: Gpu,
    player: Player,
    target: Option<RenderTarget>,
}

/// Returns the skinning methods, the best known first, and the engines that validate.
pub fn methods() -> (Value, Vec<u8>) {
    let row = |id: MethodId| {
        let method = id.method();
        json!({ "name": method.name, "about": method.about, "article": method.article })
    };
    let profiles: Vec<_> =
        PROFILES.iter().map(|profile| json!({ "name": profile.name, "title": profile.title })).collect();
    let methods: Vec<_> = MethodId::all().map(row).collect();
    (json!({ "methods": methods, "profiles": profiles }), Vec::new())
}

/// Describes a scene.
pub fn describe(scene: &Scene) -> Value {
    let Loaded { model, left_out, format, .. } = &scene.loaded;
    let joints = model.skeleton.joints().iter();
    let joints = joints.map(|joint| json!({ "name": joint.name, "parent": joint.parent.map(JointId::index) }));
    let meshes = model.meshes.iter().map(|mesh| {
        let material = model.materials.get(mesh.material.index()).map(|material| &material.name);
        json!({ "name": mesh.name, "vertices": mesh.vertex_count(), "triangles": mesh.triangles.len(), "material": material })
    });
    let clips = model.clips.iter().map(|clip| {
        json!({ "name": clip.name, "seconds": clip.duration, "rate": clip.frame_rate,
                "frames": bindpose::play::Playback::new(Some(clip)).last_frame() + 1 })
    });
    json!({
        "name": model.name,
        "files": scene.loaded.files().collect::<Vec<_>>(),
        "joints": joints.collect::<Vec<_>>(),
        "meshes": meshes.collect::<Vec<_>>(),
        "clips": clips.collect::<Vec<_>>(),
        "engines": format.map_or(&[][..], playing).iter()
            .map(|engine| json!({ "name": engine.name(), "title": engine.title() })).collect::<Vec<_>>(),
        "left_out": left_out,
    })
}

impl Shown {
    /// Uploads a scene and starts `clip`, with the engine's method, with `method`, or with the best one.
    pub fn new(gpu: &Gpu, scene: Scene, clip: Option<usize>, method: Option<&str>) -> Result<Self, String> {
        let mut view = View::default();
        view.orient(&scene.loaded.model, None, None).map_err(sentence)?;
        let options = PlayerOptions {
            clip,
            settings: RenderSettings::DEFAULT,
            copies: 1,
            shaders: ShaderFiles::default(),
            methods: MethodId::all().collect(),
            view,
            images: Default::default(),
        };
        let mut player = Player::new(gpu, scene, options).map_err(sentence)?;
        let wanted = MethodChoice::find(method.unwrap_or("auto"), player.methods()).map_err(sentence)?;
        let choice = player.engine().map_or(wanted, |engine| MethodChoice::Only(engine.method()));
        player.choose_method(gpu, choice).map_err(sentence)?;
        Ok(Self { gpu: gpu.clone(), player, target: None })
    }

    /// Shows another scene. Clip, time, camera and selection are kept if the new model has them.
    pub fn replace(&mut self, scene: Scene) -> Result<(), String> {
        self.player.replace_scene(scene).map_err(sentence)?;
        if let Some(engine) = self.player.engine() {
            self.player.show_method(engine.method()).map_err(sentence)?;
        }
        Ok(())
    }

    /// Returns sentences about the images of each material.
    pub fn images(&self) -> Value {
        let of_material = |(number, material): (usize, &bindpose::model::Material)| {
            let lines = self.player.gpu_model.images_of(number).iter();
            let lines: Vec<_> = lines.map(|about| json!({ "line": about.line, "missing": about.is_missing })).collect();
            json!({ "material": material.name, "images": lines })
        };
        self.player.model().materials.iter().enumerate().map(of_material).collect()
    }

    /// Draws the current frame.
    pub fn draw(&mut self, target: &RenderTarget) -> Result<(), String> {
        self.player.draw(target).map_err(sentence)
    }

    /// Advances by `seconds` and draws onto the canvas, which has `width` by `height` pixels. The answer is the state.
    pub fn frame(&mut self, request: &Request<'_>) -> Answer {
        let (width, height) = size(request)?;
        self.player.state.advance(request.number("seconds")?.clamp(0.0, 1.0));
        let target = match self.target.take().filter(|target| target.size() == (width, height)) {
            Some(target) => target,
            None => RenderTarget::new(&self.gpu, width, height).map_err(sentence)?,
        };
        self.draw(&target)?;
        #[cfg(target_family = "wasm")]
        target.present().map_err(sentence)?;
        self.target = Some(target);
        let mut state = self.state();
        if let Some(state) = state.as_object_mut() {
            state.insert("names".into(), self.names(Vec2::new(width as f32, height as f32)));
            state.insert("difference".into(), self.difference());
        }
        Ok((state, Vec::new()))
    }

    /// Draws the played range at `width` by `height` pixels and returns it as a GIF.
    pub fn gif(&mut self, request: &Request<'_>) -> Answer {
        let size = size(request)?;
        let target = RenderTarget::new(&self.gpu, size.0, size.1).map_err(sentence)?;
        let playback = &self.player.state.playback;
        let (time, rate) = (playback.time(), playback.frame_rate().min(MOST_GIF_RATE));
        let times = FrameTimes::of_playback(playback, false, Some(rate)).ok();
        let times = times.filter(|times| times.count <= MOST_GIF_FRAMES).ok_or_else(|| {
            format!("a GIF of this page has at most {MOST_GIF_FRAMES} frames: choose where to start and end")
        })?;
        let mut draw = |number| {
            self.player.apply(&Change::Seek(times.at(number).time));
            self.player.draw(&target)?;
            Ok::<_, Box<dyn Error + Send + Sync>>(target.read())
        };
        let mut bytes = Vec::new();
        let written = gif::write(&mut bytes, times.animation(size, Quality::High), &mut draw);
        self.player.apply(&Change::Seek(time));
        written.map_err(sentence)?;
        Ok((json!({ "frames": times.count }), bytes))
    }

    /// Returns the names of joints with their positions in pixels, if names are shown.
    fn names(&self, size: Vec2) -> Value {
        let state = &self.player.state;
        if !state.has_overlay(Overlay::Names) {
            return Value::Array(Vec::new());
        }
        // The left half of a split view shows the model itself.
        let viewport =
            Viewport::new(&state.camera, if state.split.is_some() { size / Vec2::new(2.0, 1.0) } else { size });
        let skeleton = &self.player.model().skeleton;
        let seen = skeleton.ids().filter_map(|joint| {
            let at = viewport.project(self.player.joint_in_world(joint)?.translation.as_vec3())?;
            let is_inside = at.cmpge(Vec2::ZERO).all() && at.cmple(viewport.size).all();
            is_inside.then(|| json!([skeleton[joint].name, at.x, at.y]))
        });
        seen.take(MOST_NAMES).collect()
    }

    /// Returns the largest distance between the halves, or from the weighted sum, and its joint; null while the clip
    /// plays.
    fn difference(&mut self) -> Value {
        if self.player.state.colouring != Colouring::Difference || self.player.state.is_moving() {
            return Value::Null;
        }
        let skeleton = &Arc::clone(self.player.model()).skeleton;
        self.player.worst_difference().map_or(
            Value::Null,
            |(most, _, joint)| json!({ "most": most, "joint": joint.map(|joint| &skeleton[joint].name) }),
        )
    }

    fn state(&mut self) -> Value {
        let notes = self.player.take_notes();
        let state = &self.player.state;
        let playback = &state.playback;
        let overlays =
            [Overlay::Skeleton, Overlay::Names, Overlay::Axes, Overlay::Normals, Overlay::Bounds, Overlay::Grid];
        let shown = overlays.into_iter().filter(|&overlay| state.has_overlay(overlay)).map(name_of);
        let range = playback.range();
        json!({
            "clip": state.clip,
            "time": playback.time(),
            "duration": playback.duration(),
            "frame": playback.frame(),
            "last_frame": playback.last_frame(),
            "rate": playback.frame_rate(),
            "paused": playback.paused,
            "speed": playback.speed,
            "repeat": playback.repeat.name(),
            "range": playback.has_range().then_some([range.0, range.1]),
            "method": state.method.method().name,
            "split": match state.split {
                Some(Split::Method(method)) => Some(method.method().name),
                _ => None,
            },
            "colouring": state.colouring.name(),
            "surfaces": state.settings.surfaces.name(),
            "shading": state.settings.shading.name(),
            "overlays": shown.collect::<Vec<_>>(),
            "hidden": state.hidden,
            "joint": state.joint.map(JointId::index),
            "turns": state.turns.iter().map(|(joint, turn)| (joint.index(), turn.to_array())).collect::<Vec<_>>(),
            "engine": self.player.engine().map(|engine| engine.name()),
            "why_no_engine": self.player.why_no_engine(),
            "leaves_clip_out": self.player.leaves_clip_out(),
            "moving": state.is_moving(),
            "yaw": state.camera.yaw,
            "pitch": state.camera.pitch,
            "notes": notes,
        })
    }

    /// Applies `change` with its `value`, `values` or `name`. The answer is the state.
    pub fn change(&mut self, request: &Request<'_>) -> Answer {
        let change = match request.text("change")? {
            "turn-by-ring" => self.turn_by_ring(request)?,
            _ => change(request, self.player.model().skeleton.ids())?,
        };
        self.player.apply(&change);
        Ok((self.state(), Vec::new()))
    }

    /// Grabs the selected joint's ring at a pixel (`x`, `y`) of a canvas of `width` by `height` pixels, and pauses. The answer
    /// is the state with the axis of the `ring`, or null.
    pub fn grab(&mut self, request: &Request<'_>) -> Answer {
        let pixel = |x, y| Ok::<_, String>(Vec2::new(request.number(x)? as f32, request.number(y)? as f32));
        let ring = self.player.ring_at(pixel("width", "height")?, pixel("x", "y")?);
        if ring.is_some() {
            self.player.apply(&Change::Pause(true));
        }
        let mut state = self.state();
        if let Some(state) = state.as_object_mut() {
            state.insert("ring".into(), json!(ring));
        }
        Ok((state, Vec::new()))
    }

    /// Turns the selected joint by its ring, dragged from one pixel to another. `values` are the ring's axis, both pixels, and
    /// the size of the canvas.
    fn turn_by_ring(&mut self, request: &Request<'_>) -> Result<Change, String> {
        let [axis, from_x, from_y, to_x, to_y, width, height] = request.numbers("values")[..] else {
            return Err("the request has no seven 'values'".to_owned());
        };
        let [from, to, size] =
            [(from_x, from_y), (to_x, to_y), (width, height)].map(|(x, y)| Vec2::new(x as f32, y as f32));
        let turn = self.player.turn_by_ring(size, axis as usize, [from, to]);
        turn.ok_or_else(|| "no joint is selected".to_owned())
    }

    /// Selects the joint, or the vertex, at a pixel (`x`, `y`) of a canvas of `width` by `height` pixels.
    pub fn pick(&mut self, request: &Request<'_>) -> Answer {
        let size = Vec2::new(request.number("width")? as f32, request.number("height")? as f32);
        let at = Vec2::new(request.number("x")? as f32, request.number("y")? as f32);
        if let Some(change) = self.player.pick(size, at) {
            self.player.apply(&change);
        }
        Ok((self.state(), Vec::new()))
    }
}

/// Returns the size of a drawing in pixels: `width` and `height`.
fn size(request: &Request<'_>) -> Result<(u32, u32), String> {
    let side = |key| request.number(key).map(|side| (side as u32).clamp(1, 8192));
    Ok((side("width")?, side("height")?))
}

/// Returns the name of an overlay in requests and answers.
fn name_of(overlay: Overlay) -> &'static str {
    match overlay {
        Overlay::Skeleton => "skeleton",
        Overlay::Names => "names",
        Overlay::Axes => "axes",
        Overlay::Normals => "normals",
        Overlay::Tangents => "tangents",
        Overlay::Bounds => "bounds",
        Overlay::Grid => "grid",
        Overlay::Trail => "trail",
        Overlay::Onion => "onion",
    }
}

/// Finds a value by the name that the player's panel shows.
fn named<T: Copy>(request: &Request<'_>, all: &[T], name: fn(T) -> &'static str) -> Result<T, String> {
    let wanted = request.text("name")?;
    let found = all.iter().copied().find(|&value| name(value) == wanted);
    found.ok_or_else(|| format!("there is no '{wanted}' to choose"))
}

/// Returns the change that a request names.
fn change(request: &Request<'_>, mut joints: impl Iterator<Item = JointId>) -> Result<Change, String> {
    let number = || request.number("value");
    let index = || number().map(|number| number as usize);
    let method = |name: &str| name.parse::<MethodId>().map_err(sentence);
    let values = request.numbers("values");
    let pair = || match values[..] {
        [a, b, ..] => Ok((a, b)),
        _ => Err("the request has no two 'values'".to_owned()),
    };
    Ok(match request.text("change")? {
        "pause" => Change::Pause(request.is("on")),
        "toggle-pause" => Change::TogglePause,
        "step" => Change::StepFrames(number()? as i64),
        "first" => Change::First,
        "last" => Change::Last,
        "seek" => Change::Seek(number()?),
        "speed" => Change::Speed(number()?),
        "repeat" => Change::Repeat(named(request, &Repeat::ALL, Repeat::name)?),
        "range" => Change::Range(pair().ok()),
        "clip" => Change::ShowClip(index()?),
        "method" => Change::Method(method(request.text("name")?)?),
        "split" => {
            Change::Split(request.optional_text("name").map(|name| method(name).map(Split::Method)).transpose()?)
        }
        "colouring" => Change::Colouring(named(request, &Colouring::ALL, Colouring::name)?),
        "surfaces" => Change::Surfaces(named(request, &Surfaces::ALL, Surfaces::name)?),
        "shading" => Change::Shading(named(request, &Shading::ALL, Shading::name)?),
        "overlay" => {
            const ALL: [Overlay; 6] =
                [Overlay::Skeleton, Overlay::Names, Overlay::Axes, Overlay::Normals, Overlay::Bounds, Overlay::Grid];
            Change::Toggle(named(request, &ALL, name_of)?)
        }
        "joint" => Change::SelectJoint(match request.optional_number("value") {
            Some(number) => joints.nth(number as usize),
            None => None,
        }),
        "turn" => match (joints.nth(index()?), &values[..]) {
            (Some(joint), &[x, y, z, w]) => Change::Turn(joint, DQuat::from_xyzw(x, y, z, w)),
            _ => return Err("no such joint, or no quaternion".to_owned()),
        },
        "end-turn" => Change::EndTurn,
        "reset-joints" => Change::ResetJoints,
        "mesh" => Change::ToggleMesh(index()?),
        "rotate" => pair().map(|(right, down)| Change::Rotate(right as f32, down as f32))?,
        "drag" => {
            let (right, down) = pair()?;
            Change::Drag(right as f32, down as f32, values.get(2).copied().unwrap_or(1.0) as f32)
        }
        "zoom" => Change::Magnify(number()? as f32),
        "look" => pair().map(|(yaw, pitch)| Change::LookFrom(yaw as f32, pitch as f32))?,
        "reset-camera" => Change::ResetCamera,
        other => return Err(format!("there is no change '{other}'")),
    })
}
