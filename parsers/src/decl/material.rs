//! Materials: how a surface looks, in stages.

use super::expression::{Expression, expression};
use super::fault::{Fault, FaultKind};
use super::image::{ImageProgram, program};
use super::lex::{Kind, Lexer, Token};
use super::{Fallible, Parsed, Word, body, float, require, word, word_on_line};
use crate::Span;

/// Stages that an engine holds.
const MOST_STAGES: usize = 256;

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
    /// Six images around it; the names of a cube's sides hang on this one's.
    Cube(ImageProgram),
}

impl Map {
    /// The image, or what the names of a cube's sides begin with.
    pub fn program(&self) -> &ImageProgram {
        match self {
            Self::Image(program) | Self::Cube(program) => program,
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

/// Words of a material with nothing behind them that say nothing about its looks.
const FLAGS: [&str; 49] = [
    "noshadows",
    "noselfshadow",
    "forceshadows",
    "nooverlays",
    "forceoverlays",
    "nofog",
    "noportalfog",
    "foglight",
    "blendlight",
    "ambientlight",
    "suppressinsubview",
    "portalsky",
    "solid",
    "water",
    "playerclip",
    "monsterclip",
    "moveableclip",
    "ikclip",
    "blood",
    "trigger",
    "aassolid",
    "aasobstacle",
    "flashlight_trigger",
    "nonsolid",
    "nullnormal",
    "areaportal",
    "qer_nocarve",
    "discrete",
    "nofragment",
    "slick",
    "collision",
    "noimpact",
    "nodamage",
    "ladder",
    "nosteps",
    "metal",
    "stone",
    "flesh",
    "wood",
    "cardboard",
    "liquid",
    "glass",
    "plastic",
    "ricochet",
    "surftype10",
    "surftype11",
    "surftype12",
    "surftype13",
    "surftype14",
];

/// Reads a material.
///
/// Behind a word that loses the material for the engine, reading goes on as if the word were not there.
pub fn parse_material(bytes: &[u8], decl: Span) -> Parsed<Material> {
    let mut lexer = body(bytes, decl);
    let mut material = Material::default();
    if let Err(fault) = read(&mut lexer, &mut material) {
        lexer.faults.push(fault);
    }
    if material.stages.len() > MOST_STAGES {
        let span = material.stages.get(MOST_STAGES).map_or(decl, |stage| stage.span);
        lexer.add(FaultKind::TooManyStages, span);
    }
    lexer.faults.sort_by_key(|fault| fault.span.start);
    Parsed { decl: material, faults: lexer.faults }
}

// material ::= '{' { word [arguments] | '{' stage '}' } '}'
fn read(lexer: &mut Lexer<'_>, material: &mut Material) -> Fallible<()> {
    loop {
        let token = word(lexer, "'}'")?;
        if token.is("}") {
            return Ok(());
        }
        if token.is("{") {
            let stage = stage(lexer, token.span)?;
            if stage.alpha_test.is_some() {
                material.coverage = Some(Coverage::Perforated);
            }
            material.stages.push(stage);
            continue;
        }
        top_word(lexer, token, material)?;
    }
}

fn top_word(lexer: &mut Lexer<'_>, token: Token<'_>, material: &mut Material) -> Fallible<()> {
    let name = token.to_text().to_ascii_lowercase();
    let mut keep = |lexer: &Lexer<'_>| {
        let span = token.span.to(lexer.end_point());
        material.others.push(Word { text: name.clone(), span });
    };
    match name.as_str() {
        "diffusemap" | "bumpmap" | "specularmap" => {
            let program = program(lexer)?;
            let span = token.span.to(lexer.end_point());
            let mut stage = Stage { lighting: lit(&name), map: Some(Map::Image(program)), ..Stage::new(span) };
            stage.wrap = material.wrap;
            material.stages.push(stage);
        }
        "twosided" => material.two_sided = true,
        "backsided" => material.back_sided = true,
        "translucent" => material.coverage = Some(Coverage::Translucent),
        "forceopaque" => material.coverage = Some(Coverage::Opaque),
        "clamp" => material.wrap = Some(Wrap::Clamp),
        // The engine takes one for the other here.
        "zeroclamp" | "alphazeroclamp" => material.wrap = Some(Wrap::Zero),
        "unsmoothedtangents" => material.unsmoothed_tangents = true,
        "polygonoffset" => material.polygon_offset = Some(lexer.next_on_line().map_or(1.0, |token| token.number())),
        "sort" => {
            let order = word_on_line(lexer, "an order to draw in")?;
            let word = order.to_text();
            let known = Sort::of_word(&word);
            if known.is_none() && !matches!(order.kind, Kind::Number(..)) {
                lexer.add(FaultKind::UnknownSort { word }, order.span);
            }
            material.sort = Some(known.unwrap_or(Sort(order.number())));
        }
        "deform" => material.deform = Some(deform(lexer)?),
        "guisurf" => material.gui = Some(word_on_line(lexer, "a screen")?.into()),
        "decal_macro" => {
            material.polygon_offset = Some(1.0);
            material.sort = Sort::of_word("decal");
            keep(lexer);
        }
        "mirror" => {
            material.sort = Sort::of_word("subview");
            material.coverage = Some(Coverage::Opaque);
            keep(lexer);
        }
        "qer_editorimage" | "renderbump" => {
            lexer.skip_line();
            keep(lexer);
        }
        "description" | "spectrum" => {
            lexer.next_on_line();
            keep(lexer);
        }
        "lightfalloffimage" => {
            program(lexer)?;
            keep(lexer);
        }
        "decalinfo" => {
            float(lexer)?;
            float(lexer)?;
            for _ in 0..2 {
                require(lexer, "(")?;
                for _ in 0..4 {
                    float(lexer)?;
                }
                require(lexer, ")")?;
            }
            keep(lexer);
        }
        _ if FLAGS.contains(&name.as_str()) || name == "surftype15" => keep(lexer),
        _ => {
            lexer.add(FaultKind::UnknownMaterialWord { word: token.to_text() }, token.span);
            skip_rest_of_name(lexer, &token);
        }
    }
    Ok(())
}

/// Skips what a minus has cut off a name: the fault is told at the minus.
fn skip_rest_of_name(lexer: &mut Lexer<'_>, minus: &Token<'_>) {
    if minus.is_exactly("-") && lexer.peek().is_some_and(|next| next.span.start == minus.span.end) {
        lexer.next();
    }
}

fn lit(word: &str) -> Lighting {
    match word {
        "bumpmap" => Lighting::Bump,
        "specularmap" => Lighting::Specular,
        _ => Lighting::Diffuse,
    }
}

fn deform(lexer: &mut Lexer<'_>) -> Fallible<Deform> {
    let kind = word(lexer, "a kind of deform")?;
    Ok(match kind.to_text().to_ascii_lowercase().as_str() {
        "sprite" => Deform::Sprite,
        "tube" => Deform::Tube,
        "flare" => Deform::Flare(expression(lexer)?),
        "expand" => Deform::Expand(expression(lexer)?),
        "move" => Deform::Move(expression(lexer)?),
        "turbulent" => {
            let table = word(lexer, "a table")?.to_text();
            Deform::Turbulent(table, Box::new([expression(lexer)?, expression(lexer)?, expression(lexer)?]))
        }
        "eyeball" => Deform::EyeBall,
        "particle" | "particle2" => Deform::Particle(word(lexer, "a particle")?.to_text()),
        _ => return Err(Fault { kind: FaultKind::UnknownDeform { word: kind.to_text() }, span: kind.span }),
    })
}

// stage ::= { word [arguments] } '}', the opening brace of which was read
fn stage(lexer: &mut Lexer<'_>, brace: Span) -> Fallible<Stage> {
    let mut stage = Stage::new(brace);
    let mut blend = None;
    loop {
        let token = word(lexer, "'}'")?;
        if token.is("}") {
            break;
        }
        stage_word(lexer, token, &mut stage, &mut blend)?;
    }
    stage.span = brace.to(lexer.end_point());
    if let Some(blend) = blend {
        (stage.lighting, stage.blend) = blend;
    }
    if stage.map.is_none() && stage.special.is_none() {
        lexer.add(FaultKind::StageWithoutImage, stage.span);
    }
    Ok(stage)
}

fn stage_word(
    lexer: &mut Lexer<'_>,
    token: Token<'_>,
    stage: &mut Stage,
    blend: &mut Option<(Lighting, Blend)>,
) -> Fallible<()> {
    let name = token.to_text().to_ascii_lowercase();
    let pair = |lexer: &mut Lexer<'_>| {
        let first = expression(lexer)?;
        require(lexer, ",")?;
        Ok((first, expression(lexer)?))
    };
    match name.as_str() {
        "name" => {
            lexer.skip_line();
        }
        "blend" => {
            // The engine's masks are bits of the blend, which is set anew.
            stage.mask = [false; 4];
            *blend = read_blend(lexer)?.or(*blend);
        }
        "map" => stage.map = Some(Map::Image(program(lexer)?)),
        "cubemap" | "cameracubemap" => stage.map = Some(Map::Cube(program(lexer)?)),
        "remoterendermap" | "mirrorrendermap" | "xrayrendermap" => {
            float(lexer)?;
            float(lexer)?;
            stage.special = Some(token.into());
        }
        "screen" | "screen2" | "glasswarp" => stage.special = Some(token.into()),
        "videomap" | "soundmap" => {
            let option = if name == "videomap" { "loop" } else { "waveform" };
            if word(lexer, "a file")?.is(option) {
                word(lexer, "a file")?;
            }
            stage.special = Some(token.into());
        }
        "program" | "fragmentprogram" | "vertexprogram" | "megatexture" => {
            word_on_line(lexer, "a program's name")?;
            stage.special = Some(token.into());
        }
        "vertexparm" => {
            word_on_line(lexer, "a number")?;
            expression(lexer)?;
            while lexer.eat(",") {
                expression(lexer)?;
            }
        }
        "fragmentmap" => {
            float(lexer)?;
            const OPTIONS: [&str; 11] = [
                "cubemap",
                "cameracubemap",
                "nearest",
                "linear",
                "clamp",
                "noclamp",
                "zeroclamp",
                "alphazeroclamp",
                "forcehighquality",
                "uncompressed",
                "highquality",
            ];
            let is_option = |token: &Token<'_>| OPTIONS.iter().any(|option| token.is(option)) || token.is("nopicmip");
            while lexer.peek().as_ref().is_some_and(is_option) {
                lexer.next();
            }
            program(lexer)?;
        }
        "nearest" => stage.nearest = Some(true),
        "linear" => stage.nearest = Some(false),
        "clamp" => stage.wrap = Some(Wrap::Clamp),
        "noclamp" => stage.wrap = Some(Wrap::Repeat),
        "zeroclamp" => stage.wrap = Some(Wrap::Zero),
        "alphazeroclamp" => stage.wrap = Some(Wrap::AlphaZero),
        "uncompressed" | "highquality" | "forcehighquality" | "nopicmip" | "ignorealphatest" | "maskdepth"
        | "ignoredepth" => {}
        "vertexcolor" => stage.vertex_color = VertexColor::Multiplied,
        "inversevertexcolor" => stage.vertex_color = VertexColor::Inverted,
        "privatepolygonoffset" => {
            if lexer.peek().is_some_and(|next| {
                !next.starts_line && (next.is_exactly("-") || matches!(next.kind, Kind::Number(..)))
            }) {
                float(lexer)?;
            }
        }
        "texgen" => {
            let kind = word(lexer, "a kind of texGen")?;
            stage.texture_coordinates = match kind.to_text().to_ascii_lowercase().as_str() {
                "normal" => TexGen::Normal,
                "reflect" => TexGen::Reflect,
                "skybox" => TexGen::Skybox,
                "wobblesky" => {
                    TexGen::WobbleSky(Box::new([expression(lexer)?, expression(lexer)?, expression(lexer)?]))
                }
                _ => return Err(Fault { kind: FaultKind::UnknownTexGen { word: kind.to_text() }, span: kind.span }),
            };
        }
        "scroll" | "translate" => {
            let (x, y) = pair(lexer)?;
            stage.transforms.push(TextureTransform::Translate(x, y));
        }
        "scale" => {
            let (x, y) = pair(lexer)?;
            stage.transforms.push(TextureTransform::Scale(x, y));
        }
        "centerscale" => {
            let (x, y) = pair(lexer)?;
            stage.transforms.push(TextureTransform::CenterScale(x, y));
        }
        "shear" => {
            let (x, y) = pair(lexer)?;
            stage.transforms.push(TextureTransform::Shear(x, y));
        }
        "rotate" => stage.transforms.push(TextureTransform::Rotate(expression(lexer)?)),
        "maskred" => stage.mask[0] = true,
        "maskgreen" => stage.mask[1] = true,
        "maskblue" => stage.mask[2] = true,
        "maskalpha" => stage.mask[3] = true,
        "maskcolor" => stage.mask[..3].fill(true),
        "alphatest" => stage.alpha_test = Some(expression(lexer)?),
        "colored" => stage.color = [0, 1, 2, 3].map(|parm| Some(Expression::Parm(parm))),
        "color" => {
            let (red, green) = pair(lexer)?;
            require(lexer, ",")?;
            let (blue, alpha) = pair(lexer)?;
            stage.color = [red, green, blue, alpha].map(Some);
        }
        "red" => stage.color[0] = Some(expression(lexer)?),
        "green" => stage.color[1] = Some(expression(lexer)?),
        "blue" => stage.color[2] = Some(expression(lexer)?),
        "alpha" => stage.color[3] = Some(expression(lexer)?),
        "rgb" => {
            let all = expression(lexer)?;
            stage.color[..3].fill(Some(all));
        }
        "rgba" => {
            let all = expression(lexer)?;
            stage.color.fill(Some(all));
        }
        "if" => stage.condition = Some(expression(lexer)?),
        _ => {
            lexer.add(FaultKind::UnknownStageWord { word: token.to_text() }, token.span);
            skip_rest_of_name(lexer, &token);
        }
    }
    Ok(())
}

/// A blend by name or by its factors; `None` where it has no known name, which is told.
fn read_blend(lexer: &mut Lexer<'_>) -> Fallible<Option<(Lighting, Blend)>> {
    use BlendFactor::{DstColor, One, OneMinusSrcAlpha, SrcAlpha, Zero};
    let token = word(lexer, "a blend mode")?;
    let name = token.to_text().to_ascii_lowercase();
    let ambient = |source, destination| Ok(Some((Lighting::Ambient, Blend { source, destination })));
    match name.as_str() {
        "blend" => ambient(SrcAlpha, OneMinusSrcAlpha),
        "add" => ambient(One, One),
        "filter" | "modulate" => ambient(DstColor, Zero),
        "none" => ambient(Zero, One),
        "bumpmap" | "diffusemap" | "specularmap" => Ok(Some((lit(&name), Blend { source: One, destination: Zero }))),
        _ => {
            let source = factor(lexer, token, &SOURCES);
            require(lexer, ",")?;
            let second = word(lexer, "a blend factor")?;
            let destination = factor(lexer, second, &DESTINATIONS);
            let (Some(source), Some(destination)) = (source, destination) else { return Ok(None) };
            ambient(source, destination)
        }
    }
}

const SOURCES: [(&str, BlendFactor); 9] = [
    ("gl_one", BlendFactor::One),
    ("gl_zero", BlendFactor::Zero),
    ("gl_dst_color", BlendFactor::DstColor),
    ("gl_one_minus_dst_color", BlendFactor::OneMinusDstColor),
    ("gl_src_alpha", BlendFactor::SrcAlpha),
    ("gl_one_minus_src_alpha", BlendFactor::OneMinusSrcAlpha),
    ("gl_dst_alpha", BlendFactor::DstAlpha),
    ("gl_one_minus_dst_alpha", BlendFactor::OneMinusDstAlpha),
    ("gl_src_alpha_saturate", BlendFactor::SrcAlphaSaturate),
];

const DESTINATIONS: [(&str, BlendFactor); 8] = [
    ("gl_one", BlendFactor::One),
    ("gl_zero", BlendFactor::Zero),
    ("gl_src_alpha", BlendFactor::SrcAlpha),
    ("gl_one_minus_src_alpha", BlendFactor::OneMinusSrcAlpha),
    ("gl_dst_alpha", BlendFactor::DstAlpha),
    ("gl_one_minus_dst_alpha", BlendFactor::OneMinusDstAlpha),
    ("gl_src_color", BlendFactor::SrcColor),
    ("gl_one_minus_src_color", BlendFactor::OneMinusSrcColor),
];

fn factor(lexer: &mut Lexer<'_>, token: Token<'_>, known: &[(&str, BlendFactor)]) -> Option<BlendFactor> {
    let found = known.iter().find(|(name, _)| token.is(name)).map(|&(_, factor)| factor);
    if found.is_none() {
        lexer.add(FaultKind::UnknownBlend { word: token.to_text() }, token.span);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Parsed<Material> {
        parse_material(text.as_bytes(), Span::new(0, text.len()))
    }

    /// A material without faults.
    fn fine(text: &str) -> Material {
        let parsed = read(text);
        assert!(parsed.faults.is_empty(), "{text}: {:?}", parsed.faults);
        parsed.decl
    }

    fn stage(text: &str) -> Stage {
        fine(&format!("{{ {{ {text} }} }}")).stages.remove(0)
    }

    fn image(stage: &Stage) -> String {
        stage.map.as_ref().map_or_else(String::new, |map| map.program().to_string())
    }

    #[test]
    fn m01_m02_m30_stages_are_read_in_the_order_of_the_file() {
        let material = fine("{ DIFFUSEMAP textures/x.tga { blend bumpmap map y } specularmap z }");
        let stages: Vec<_> = material.stages.iter().map(|stage| (stage.lighting, image(stage))).collect();
        let expected = [(Lighting::Diffuse, "textures/x.tga"), (Lighting::Bump, "y"), (Lighting::Specular, "z")];
        assert_eq!(stages, expected.map(|(lighting, name)| (lighting, name.to_owned())));
    }

    #[test]
    fn m04_to_m07_blends() {
        use BlendFactor::{DstColor, One, OneMinusSrcAlpha, SrcAlpha, Zero};
        for (text, source, destination) in [
            ("map x", One, Zero),
            ("blend add map x", One, One),
            ("blend gl_one, GL_ONE map x", One, One),
            ("blend gl_dst_color, gl_zero map x", DstColor, Zero),
            ("blend filter map x", DstColor, Zero),
            ("blend blend map x", SrcAlpha, OneMinusSrcAlpha),
            ("blend none map x", Zero, One),
        ] {
            let stage = stage(text);
            assert_eq!((stage.lighting, stage.blend), (Lighting::Ambient, Blend { source, destination }), "{text}");
        }
        // A factor may stand on one side only.
        assert!(read("{ { blend gl_src_color, gl_zero map x } }").is_lost());
    }

    #[test]
    fn m08_m09_an_unknown_word_loses_the_material() {
        let parsed = read("{ nosuchword diffusemap x }");
        let fault = parsed.lost_by().unwrap();
        assert_eq!((fault.span, parsed.decl.stages.len()), (Span::new(2, 12), 1));
        assert_eq!(fault.kind.to_string(), "'nosuchword' is no word of a material");
        let parsed = read("{ { blend diffusemap map x nosuchword } }");
        assert_eq!(parsed.lost_by().unwrap().kind, FaultKind::UnknownStageWord { word: "nosuchword".into() });
        assert!(read("{ diffusemap x").is_lost());
    }

    #[test]
    fn m10_m11_sides_and_alpha_test() {
        assert!(fine("{ twoSided diffusemap x }").two_sided);
        let stage = stage("blend diffusemap map x alphaTest 0.5");
        assert_eq!(stage.alpha_test, Some(Expression::Number(0.5)));
    }

    #[test]
    fn m12_m13_stages_and_images_may_be_missing() {
        assert!(fine("{ }").stages.is_empty());
        let parsed = read("{ { blend diffusemap } }");
        assert_eq!((&parsed.faults[0].kind, parsed.is_lost()), (&FaultKind::StageWithoutImage, false));
    }

    #[test]
    fn m14_image_programs_stand_in_stages() {
        let material = fine("{ bumpmap addnormals(models/a_local.tga, heightmap(models/a_h.tga, 4)) twoSided }");
        let text = "addnormals( models/a_local.tga, heightmap( models/a_h.tga, 4))";
        assert_eq!((image(&material.stages[0]).as_str(), material.two_sided), (text, true));
        // A missing comma swallows the word behind the program.
        let parsed = read("{ bumpmap heightmap(a.tga 4) twoSided }");
        assert!(!parsed.decl.two_sided && !parsed.is_lost());
    }

    #[test]
    fn m25_m27_m28_expressions() {
        let scroll = stage("blend diffusemap map a.tga scroll time * 0.1 , 0");
        let [TextureTransform::Translate(x, y)] = &scroll.transforms[..] else { panic!("{scroll:?}") };
        assert_eq!(y, &Expression::Number(0.0));
        assert!(
            matches!(x, Expression::Binary(super::super::Operator::Multiply, time, _) if **time == Expression::Time)
        );
        let glow = stage("if ( parm7 == 0 ) blend add map glow");
        assert!(matches!(glow.condition, Some(Expression::Binary(super::super::Operator::Equal, ..))));
        assert!(matches!(
            stage("map x rotate 0.25").transforms[..],
            [TextureTransform::Rotate(Expression::Number(0.25))]
        ));
        assert!(read("{ { map x rgb 8--4 } }").is_lost());
        assert!(read("{ { map x rgb -time } }").is_lost());
    }

    #[test]
    fn m29_programs_are_kept() {
        let stage = stage(
            "fragmentProgram heatHaze.vfp vertexParm 0 time , 1 fragmentMap 0 _currentRender fragmentMap 1 clamp x.tga",
        );
        assert_eq!(stage.special.map(|word| word.text).as_deref(), Some("fragmentProgram"));
    }

    #[test]
    fn m31_a_minus_ends_an_images_name() {
        let parsed = read("{ { map models/a-b.tga } }");
        let fault = parsed.lost_by().unwrap();
        assert_eq!((&fault.kind, fault.span), (&FaultKind::UnknownStageWord { word: "-".into() }, Span::new(16, 17)));
        assert_eq!(image(&parsed.decl.stages[0]), "models/a");
    }

    #[test]
    fn numbers_below_zero_are_lost_where_the_engine_takes_one_word() {
        assert!(read("{ polygonOffset -1 }").is_lost());
        assert!(read("{ sort -1 }").is_lost());
        assert_eq!(fine("{ polygonOffset\n twoSided }").polygon_offset, Some(1.0));
        assert_eq!(fine("{ polygonOffset 2 }").polygon_offset, Some(2.0));
        assert_eq!(fine("{ { map x privatePolygonOffset -1 } }").stages.len(), 1);
        let parsed = read("{ sort soon }");
        assert_eq!((parsed.decl.sort, parsed.is_lost()), (Some(Sort(0.0)), false));
    }

    #[test]
    fn other_words_are_kept_with_their_arguments() {
        let material = fine(
            "{ qer_editorimage a/b-c.tga // the rest\n description \"x y\" noShadows surftype15 spectrum 2 \
             decalInfo 8 2 ( 1 1 1 1 ) ( 0 0 0 0 ) lightFalloffImage makeintensity( a ) guisurf guis/x.gui }",
        );
        let words: Vec<&str> = material.others.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(
            words,
            ["qer_editorimage", "description", "noshadows", "surftype15", "spectrum", "decalinfo", "lightfalloffimage"]
        );
    }
}
