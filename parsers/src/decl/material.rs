//! Content of materials: the look of a surface, in stages.

pub(super) mod read;

pub use read::parse_material;

use super::Word;
use super::expression::Expression;
use super::image::ImageProgram;
use crate::Span;

/// Material as written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Material {
    /// Stages in file order. Lines such as `diffusemap x` are stages, too.
    pub stages: Vec<Stage>,
    /// True if both sides are drawn.
    pub two_sided: bool,
    /// True if only the back is drawn.
    pub back_sided: bool,
    /// Coverage from the last keyword about it. With `None` the stages decide.
    pub coverage: Option<Coverage>,
    /// Default wrap of the stages.
    pub wrap: Option<Wrap>,
    /// Offset towards the viewer.
    pub polygon_offset: Option<f64>,
    /// Order of drawing.
    pub sort: Option<Sort>,
    /// Deformation of the vertices.
    pub deform: Option<Deform>,
    /// Screen of the game on the surface. With a screen the surface counts as drawn.
    pub gui: Option<Word>,
    /// True if tangents come from the largest triangle of each vertex.
    pub unsmoothed_tangents: bool,
    /// Keywords that do not concern the look, with their arguments: shadows, kinds of surface, tools.
    pub others: Vec<Word>,
}

/// Stage of a material.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Position of the stage with its braces, or of the line of a one-line stage.
    pub span: Span,
    /// Role in lighting.
    pub lighting: Lighting,
    /// Blend with the frame buffer.
    pub blend: Blend,
    /// Image of the stage. `None` also if [`Self::special`] replaces it.
    pub map: Option<Map>,
    /// Images of the stage's shader program.
    pub fragment_maps: Vec<ImageProgram>,
    /// Keyword that makes the stage more than an image: a video, a mirror, a shader program.
    pub special: Option<Word>,
    /// Condition. The stage is skipped if it is 0.
    pub condition: Option<Expression>,
    /// Factors of the image's red, green, blue and alpha. `None` means 1.
    pub color: [Option<Expression>; 4],
    /// Threshold of alpha. Texels with at most this alpha are discarded.
    pub alpha_test: Option<Expression>,
    /// Transforms of texture coordinates in file order. Each applies to the result of the previous ones.
    pub transforms: Vec<TextureTransform>,
    /// Use of vertex colours.
    pub vertex_color: VertexColor,
    /// Wrap of the image.
    pub wrap: Option<Wrap>,
    /// Filter: `nearest` if true, `linear` if false.
    pub nearest: Option<bool>,
    /// Source of its texture coordinates.
    pub texture_coordinates: TexGen,
    /// True for each channel of the frame buffer that stays unchanged: red, green, blue, alpha.
    pub mask: [bool; 4],
}

impl Stage {
    /// Returns an opaque stage without an image.
    pub fn new(span: Span) -> Self {
        Self {
            span,
            lighting: Lighting::Ambient,
            blend: Blend { source: BlendFactor::One, destination: BlendFactor::Zero },
            map: None,
            fragment_maps: Vec::new(),
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

/// Role of a stage in lighting, in the order in which the engine sorts stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lighting {
    /// The stage is not lit.
    Ambient,
    /// Normal map.
    Bump,
    /// Diffuse colour.
    Diffuse,
    /// Colour of highlights.
    Specular,
}

/// An image of a stage.
#[derive(Debug, Clone, PartialEq)]
pub enum Map {
    /// A flat image.
    Image(ImageProgram),
    /// Cube map of six images. Their names begin with this name.
    Cube(ImageProgram, CubeSides),
}

impl Map {
    /// Returns the image, or the common beginning of the names of a cube's sides.
    pub fn program(&self) -> &ImageProgram {
        match self {
            Self::Image(program) | Self::Cube(program, _) => program,
        }
    }
}

/// Names and orientation of a cube map's six images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CubeSides {
    /// `cubeMap`: `_px`, `_nx` and so on, oriented like the sides of an OpenGL cube map.
    Axes,
    /// `cameraCubeMap`: `_forward`, `_back` and so on, each as seen from the centre, with +X ahead and +Z up.
    Camera,
}

impl CubeSides {
    /// Suffixes of the six images' names.
    pub fn ends(self) -> [&'static str; 6] {
        match self {
            Self::Axes => ["_px", "_nx", "_py", "_ny", "_pz", "_nz"],
            Self::Camera => ["_forward", "_back", "_left", "_right", "_up", "_down"],
        }
    }
}

/// Blend of a stage: `source * stage + destination * frame buffer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blend {
    /// Factor of the stage.
    pub source: BlendFactor,
    /// Factor of the frame buffer.
    pub destination: BlendFactor,
}

/// Factor of [`Blend`], with OpenGL's names.
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

/// Visibility of the background through a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// The background is not visible.
    Opaque,
    /// The background is visible where texels are discarded.
    Perforated,
    /// The whole surface is blended with the background.
    Translucent,
}

/// Continuation of an image beyond its edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrap {
    /// The image repeats.
    Repeat,
    /// The texels at the edge continue.
    Clamp,
    /// Black with alpha 1.
    Zero,
    /// Alpha is 0.
    AlphaZero,
}

/// Source of texture coordinates.
#[derive(Debug, Clone, PartialEq)]
pub enum TexGen {
    /// Texture coordinates of the mesh.
    Mesh,
    /// Normal of the surface.
    Normal,
    /// Reflected direction of view.
    Reflect,
    /// The direction of view.
    Skybox,
    /// The direction of view, rotated by three expressions.
    WobbleSky(Box<[Expression; 3]>),
}

/// Use of vertex colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VertexColor {
    /// Vertex colours are not used.
    Ignored,
    /// The colour is multiplied with the image.
    Multiplied,
    /// One minus the colour is multiplied with the image.
    Inverted,
}

/// Step of a stage's texture matrix.
#[derive(Debug, Clone, PartialEq)]
pub enum TextureTransform {
    /// `scroll` or `translate`.
    Translate(Expression, Expression),
    /// Scale about (0, 0).
    Scale(Expression, Expression),
    /// Scale about (0.5, 0.5).
    CenterScale(Expression, Expression),
    /// Shear about (0.5, 0.5).
    Shear(Expression, Expression),
    /// Rotation in turns about (0.5, 0.5). The engine reads sine and cosine from the tables `sinTable` and `cosTable`.
    Rotate(Expression),
}

/// Order of drawing. Smaller values are drawn first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sort(pub f64);

impl Sort {
    /// Opaque surfaces.
    pub const OPAQUE: Self = Self(0.0);
    /// Sky seen through a portal.
    pub const PORTAL_SKY: Self = Self(1.0);
    /// Decals on other surfaces.
    pub const DECAL: Self = Self(2.0);
    /// Blended surfaces.
    pub const MEDIUM: Self = Self(4.0);
    /// Effects that read the finished frame.
    pub const POST_PROCESS: Self = Self(100.0);

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

/// Deformation of the vertices before drawing.
#[derive(Debug, Clone, PartialEq)]
pub enum Deform {
    /// The surface turns to the viewer.
    Sprite,
    /// The surface turns to the viewer about its long axis.
    Tube,
    /// Halo with a size.
    Flare(Expression),
    /// Vertices move along their normals.
    Expand(Expression),
    /// Vertices move along x.
    Move(Expression),
    /// Values of a table move the vertices.
    Turbulent(String, Box<[Expression; 3]>),
    /// The surface is an eye that looks at something.
    EyeBall,
    /// The surface emits particles.
    Particle(String),
}
