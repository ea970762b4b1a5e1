//! Materials: how a surface looks, in stages.

mod read;

pub use read::parse_material;

use super::Word;
use super::expression::Expression;
use super::image::ImageProgram;
use crate::Span;

/// A material as it is written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Material {
    /// In the order of the file; `diffusemap x` and the like are stages, too.
    pub stages: Vec<Stage>,
    /// Both sides are drawn.
    pub two_sided: bool,
    /// Only the back is drawn.
    pub back_sided: bool,
    /// What its words say of what shines through it, the last one of them; `None` leaves it to the stages.
    pub coverage: Option<Coverage>,
    /// How images repeat where a stage does not say.
    pub wrap: Option<Wrap>,
    /// Moves the surface towards the viewer.
    pub polygon_offset: Option<f64>,
    /// When it is drawn.
    pub sort: Option<Sort>,
    /// How vertices are moved.
    pub deform: Option<Deform>,
    /// It shows a screen of the game, so that it counts as drawn.
    pub gui: Option<Word>,
    /// Tangents come from each vertex' dominant triangle.
    pub unsmoothed_tangents: bool,
    /// Words that say nothing about looks, with their arguments: shadows, kinds of surface, tools.
    pub others: Vec<Word>,
}

/// A stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Where it stands: its braces, or the word of a stage in one line.
    pub span: Span,
    /// What it is to light.
    pub lighting: Lighting,
    /// How it is put over what is there.
    pub blend: Blend,
    /// Its image; `None` also for what is no image to us ([`Self::special`]).
    pub map: Option<Map>,
    /// The word that makes it more than an image on a surface: a video, a mirror, a program of the graphics card.
    pub special: Option<Word>,
    /// It is left out where this is 0.
    pub condition: Option<Expression>,
    /// Red, green, blue and alpha that its image is multiplied with; `None` is 1.
    pub color: [Option<Expression>; 4],
    /// Texels with less alpha are left out, and those with just as much.
    pub alpha_test: Option<Expression>,
    /// In the order of the file; each goes over those before.
    pub transforms: Vec<TextureTransform>,
    /// Whether vertex colours count.
    pub vertex_color: VertexColor,
    /// How its image repeats.
    pub wrap: Option<Wrap>,
    /// Texels show as squares (`nearest`) or blurred (`linear`).
    pub nearest: Option<bool>,
    /// Where its texture coordinates come from.
    pub texture_coordinates: TexGen,
    /// Channels of the picture that stay as they are: red, green, blue, alpha.
    pub mask: [bool; 4],
}

impl Stage {
    /// An opaque stage without an image.
    pub fn new(span: Span) -> Self {
        Self {
            span,
            lighting: Lighting::Ambient,
            blend: Blend { source: BlendFactor::One, destination: BlendFactor::Zero },
            map: None,
            special: None,
            condition: None,
            color: [const { None }; 4],
            alpha_test: None,
            transforms: Vec::new(),
            vertex_color: VertexColor::Ignored,
            wrap: None,
            nearest: None,
            texture_coordinates: TexGen::Mesh,
            mask: [false; 4],
        }
    }
}

/// What a stage is to light; in the order in which an engine sorts stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lighting {
    /// Nothing: it is drawn as it is.
    Ambient,
    /// The normals.
    Bump,
    /// The colour that light has when it comes back.
    Diffuse,
    /// The colour of highlights.
    Specular,
}

/// An image of a stage.
#[derive(Debug, Clone, PartialEq)]
pub enum Map {
    /// On the surface.
    Image(ImageProgram),
    /// Six images around it, whose names begin with this one's.
    Cube(ImageProgram, CubeSides),
}

impl Map {
    /// The image, or what the names of a cube's sides begin with.
    pub fn program(&self) -> &ImageProgram {
        match self {
            Self::Image(program) | Self::Cube(program, _) => program,
        }
    }
}

/// How the six images of a cube are called and turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CubeSides {
    /// `cubeMap`: `_px`, `_nx` and so on, each turned as OpenGL has the sides of a cube map.
    Axes,
    /// `cameraCubeMap`: `_forward`, `_back` and so on, each as somebody in the middle sees it who looks along +X with +Z up.
    Camera,
}

impl CubeSides {
    /// What the names of the six images end in.
    pub fn ends(self) -> [&'static str; 6] {
        match self {
            Self::Axes => ["_px", "_nx", "_py", "_ny", "_pz", "_nz"],
            Self::Camera => ["_forward", "_back", "_left", "_right", "_up", "_down"],
        }
    }
}

/// How a stage goes over what is there: `source * stage + destination * there`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blend {
    /// Of the stage.
    pub source: BlendFactor,
    /// Of what is there.
    pub destination: BlendFactor,
}

/// A factor of [`Blend`], under OpenGL's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are OpenGL's")]
pub enum BlendFactor {
    Zero,
    One,
    SrcColor,
    OneMinusSrcColor,
    DstColor,
    OneMinusDstColor,
    SrcAlpha,
    OneMinusSrcAlpha,
    DstAlpha,
    OneMinusDstAlpha,
    SrcAlphaSaturate,
}

/// What can be seen through a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Nothing.
    Opaque,
    /// Texels are left out.
    Perforated,
    /// It mixes with what is behind.
    Translucent,
}

/// How an image goes on beyond its edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrap {
    /// Again and again.
    Repeat,
    /// Its edge.
    Clamp,
    /// Black with alpha 1.
    Zero,
    /// Alpha 0.
    AlphaZero,
}

/// Where texture coordinates come from.
#[derive(Debug, Clone, PartialEq)]
pub enum TexGen {
    /// The mesh.
    Mesh,
    /// The normal.
    Normal,
    /// The direction in which the surface mirrors the view.
    Reflect,
    /// The direction of view.
    Skybox,
    /// The same, turned by three expressions.
    WobbleSky(Box<[Expression; 3]>),
    /// The normal as the viewer sees it: right and up are those of the image. No material of a game says so; sphere maps of
    /// MikuMikuDance are looked up like this.
    Sphere,
}

/// What vertex colours do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VertexColor {
    /// Nothing.
    Ignored,
    /// They are multiplied with the image.
    Multiplied,
    /// What is left to 1 of them is.
    Inverted,
}

/// A step of a stage's texture matrix.
#[derive(Debug, Clone, PartialEq)]
pub enum TextureTransform {
    /// `scroll` or `translate`.
    Translate(Expression, Expression),
    /// About (0, 0).
    Scale(Expression, Expression),
    /// About (0.5, 0.5).
    CenterScale(Expression, Expression),
    /// About (0.5, 0.5).
    Shear(Expression, Expression),
    /// In turns about (0.5, 0.5); the engine looks sine and cosine up in the tables `sinTable` and `cosTable`.
    Rotate(Expression),
}

/// When a surface is drawn: smaller ones first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sort(pub f64);

impl Sort {
    /// Surfaces that hide what is behind them.
    pub const OPAQUE: Self = Self(0.0);
    /// The sky seen through a portal.
    pub const PORTAL_SKY: Self = Self(1.0);
    /// On the surfaces that are there.
    pub const DECAL: Self = Self(2.0);
    /// What mixes with what is behind it.
    pub const MEDIUM: Self = Self(4.0);
    /// What needs the finished picture.
    pub const POST_PROCESS: Self = Self(100.0);

    /// The order of a word.
    fn of_word(word: &str) -> Option<Self> {
        const ORDERS: [(&str, f64); 10] = [
            ("subview", -3.0),
            ("opaque", 0.0),
            ("portalsky", 1.0),
            ("decal", 2.0),
            ("far", 3.0),
            ("medium", 4.0),
            ("close", 5.0),
            ("almostnearest", 6.0),
            ("nearest", 7.0),
            ("postprocess", 100.0),
        ];
        ORDERS.iter().find(|(known, _)| word.eq_ignore_ascii_case(known)).map(|&(_, order)| Self(order))
    }
}

/// How vertices are moved before drawing.
#[derive(Debug, Clone, PartialEq)]
pub enum Deform {
    /// The surface turns to the viewer.
    Sprite,
    /// It turns about its long axis.
    Tube,
    /// A halo of that size.
    Flare(Expression),
    /// Along the normals.
    Expand(Expression),
    /// Along x.
    Move(Expression),
    /// By a table's values.
    Turbulent(String, Box<[Expression; 3]>),
    /// An eye looks at something.
    EyeBall,
    /// Particles come out of it.
    Particle(String),
}
