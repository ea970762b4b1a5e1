//! Everything that can be done to what the player shows.

use super::Clock;
use super::overlays::Overlay;
use super::posing::{BasePose, Blend};
use super::{Colouring, Page, Split, VertexRef};
use crate::model::JointId;
use crate::play::Repeat;
use crate::pose::RootMotion;
use crate::render::{Background, Shading, Specular, Surfaces, TextureFilter};
use crate::skin::{Limits, MethodId};
use glam::{DQuat, Vec3};

/// Something to be done to a [`State`](super::State), whoever wants it.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Plays or pauses.
    TogglePause,
    /// Plays or pauses: this one.
    Pause(bool),
    /// Pauses and goes on by frames.
    Step(i64),
    /// Goes to the first moment that is played.
    First,
    /// Goes to the last moment that is played.
    Last,
    /// Goes to a moment of the clip, seconds.
    Seek(f64),
    /// Clip seconds per second; negative plays backwards.
    Speed(f64),
    /// The next faster (1) or slower (-1) speed.
    ChangeSpeed(i32),
    /// Turns the direction around.
    Backwards,
    /// What happens at the clip's end.
    Repeat(Repeat),
    /// The next way of what happens at the clip's end.
    NextRepeat,
    /// At which moments the clip is shown.
    Clock(Clock),
    /// The next of these clocks.
    NextClock,
    /// The range begins at the present moment.
    RangeStart,
    /// The range ends at the present moment.
    RangeEnd,
    /// The range, seconds, or the whole clip.
    Range(Option<(f64, f64)>),
    /// Gives the present range a name; one of the same name and clip is replaced.
    NameRange(String),
    /// Plays a named range.
    PickRange(usize),
    /// Forgets a named range.
    RemoveRange(usize),
    /// Plays the next named range, of whatever clip.
    NextNamedRange,
    /// Shows a clip from its start.
    ShowClip(usize),
    /// The next (1) or previous (-1) clip, around the ends.
    ChangeClip(i32),
    /// Seconds in which a clip gives way to the next.
    FadeSeconds(f64),
    /// Lets one clip give way to the next, or be cut off by it.
    ToggleFade,
    /// Mixes another clip in.
    Blend(Option<Blend>),
    /// Mixes the next of the other clips in, after the last one none.
    NextBlend,
    /// The next share of the clip that is mixed in, around the end.
    NextBlendShare,
    /// Lets the clip that is mixed in move the selected joint and those below it, or all joints.
    ToggleBlendMask,
    /// What the roots' translation does.
    RootMotion(RootMotion),
    /// The next of these ways.
    NextRootMotion,
    /// The pose that joints start from.
    BasePose(BasePose),
    /// The next of these poses.
    NextBasePose,
    /// Selects a joint.
    SelectJoint(Option<JointId>),
    /// Selects the next (1) or previous (-1) joint of the tree, around the ends.
    ChangeJoint(i32),
    /// Selects a vertex, and the joint that moves it most.
    SelectVertex(VertexRef),
    /// How a joint is turned by hand, in its own axes, after the pose.
    Turn(JointId, DQuat),
    /// Takes a joint's turn back.
    ResetJoint(JointId),
    /// Takes the selected joint's turn back.
    ResetSelectedJoint,
    /// Takes all turns back.
    ResetJoints,
    /// Shows a mesh, or hides it.
    ToggleMesh(usize),
    /// Hides the mesh of the selected vertex.
    HideSelectedMesh,
    /// Shows a mesh and no other.
    ShowMeshAlone(usize),
    /// Shows the first mesh alone, then the next, after the last one all.
    NextMeshAlone,
    /// Shows all meshes.
    ShowMeshes,
    /// The next of surfaces, edges, and both.
    NextSurfaces,
    /// What surfaces are drawn as.
    Surfaces(Surfaces),
    /// Shows the next of [`Shading::ALL`].
    NextShading,
    /// Shows this of surfaces.
    Shading(Shading),
    /// Shapes highlights like this.
    Specular(Specular),
    /// The next shape of highlights.
    NextSpecular,
    /// The next way in which images are enlarged.
    NextFilter,
    /// How images are enlarged.
    Filter(TextureFilter),
    /// What surfaces' colours say.
    Colouring(Colouring),
    /// The next of what surfaces' colours may say.
    NextColouring,
    /// Lets surfaces' colours say this, or shows their materials.
    ToggleColouring(Colouring),
    /// Shows an overlay, or hides it.
    Toggle(Overlay),
    /// The skinning method.
    Method(MethodId),
    /// The next method that runs here.
    NextMethod,
    /// Which machine's registers to keep to.
    Limits(Limits),
    /// The next of these machines.
    NextLimits,
    /// Figures side by side.
    Copies(usize),
    /// More (1) or fewer (-1) figures side by side.
    ChangeCopies(i32),
    /// Whether copies play all clips in turn.
    AllClips(bool),
    /// Lets copies play all clips in turn, or the one that is shown.
    ToggleAllClips,
    /// Two halves, or one picture.
    Split(Option<Split>),
    /// One picture, or beside it the same by another method.
    ToggleSplit,
    /// Shows the next of the other clips in the right half, after the last one nothing.
    NextSplitClip,
    /// Looks through the camera of the film, or no longer.
    LookThrough(bool),
    /// Looks through the camera of the film, or as before.
    ToggleLookThrough,
    /// Goes to a moment of the film, seconds.
    SeekFilm(f64),
    /// Turns the camera by shares of the picture's height.
    Rotate(f32, f32),
    /// Moves the camera by shares of the picture's height; the last is the picture's width by its height.
    Drag(f32, f32, f32),
    /// Enlarges by a factor.
    Magnify(f32),
    /// Turns the camera about the figure, turns a minute.
    Turntable(f32),
    /// Towards the light, world space, unit length; `None`: over the camera's left shoulder.
    Light(Option<Vec3>),
    /// Light from the next of [`LIGHTS`](super::LIGHTS).
    NextLight,
    /// What is behind the figures.
    Background(Background),
    /// The next of [`BACKGROUNDS`](super::BACKGROUNDS).
    NextBackground,
    /// Looks at a place in the world.
    Centre(Vec3),
    /// Looks at the selected joint.
    CentreOnJoint,
    /// Looks from an angle: radians to the figure's left, and up.
    LookFrom(f32, f32),
    /// Perspective, or everything at its size.
    ToggleProjection,
    /// The view from the start.
    ResetCamera,
    /// Shows or hides the panel and the timeline.
    TogglePanel,
    /// Shows a page of the panel.
    Page(Page),
    /// Shows or hides the table of keys.
    ToggleKeys,
}
