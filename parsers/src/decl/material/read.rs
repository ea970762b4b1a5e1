//! Reader of materials.

use super::{
    Blend, BlendFactor, Coverage, CubeSides, Deform, Lighting, Map, Material, Sort, Stage, TexGen, TextureTransform,
    VertexColor, Wrap,
};
use crate::Span;
use crate::decl::expression::{Expression, expression};
use crate::decl::fault::{Fault, FaultKind};
use crate::decl::image::{ImageProgram, program};
use crate::decl::lex::{Lexer, Token, TokenKind};
use crate::decl::{Fallible, Parsed, Word, body, float, require, word, word_on_line};

/// Maximum number of stages of a material in the engine.
const MOST_STAGES: usize = 256;

/// Keywords without arguments that do not concern a material's looks.
const FLAGS: &str = "noshadows noselfshadow forceshadows nooverlays forceoverlays nofog noportalfog foglight blendlight
    ambientlight suppressinsubview portalsky solid water playerclip monsterclip moveableclip ikclip blood trigger
    aassolid aasobstacle flashlight_trigger nonsolid nullnormal areaportal qer_nocarve discrete nofragment slick
    collision noimpact nodamage ladder nosteps metal stone flesh wood cardboard liquid glass plastic ricochet
    surftype10 surftype11 surftype12 surftype13 surftype14 surftype15";

/// Keyword in lower case, and its effect.
type Row<T> = (&'static str, T);
type SetExpression = fn(&mut Stage, Expression);
type MakeTransform = fn(Expression, Expression) -> TextureTransform;

/// Keywords of a material without arguments.
const SETTINGS: [Row<fn(&mut Material)>; 8] = [
    ("twosided", |material| material.two_sided = true),
    ("backsided", |material| material.back_sided = true),
    ("translucent", |material| material.coverage = Some(Coverage::Translucent)),
    ("forceopaque", |material| material.coverage = Some(Coverage::Opaque)),
    ("clamp", |material| material.wrap = Some(Wrap::Clamp)),
    // The engine treats `zeroclamp` and `alphazeroclamp` in the same way here.
    ("zeroclamp", |material| material.wrap = Some(Wrap::Zero)),
    ("alphazeroclamp", |material| material.wrap = Some(Wrap::Zero)),
    ("unsmoothedtangents", |material| material.unsmoothed_tangents = true),
];

/// Keywords of a stage without arguments.
const STAGE_SETTINGS: [Row<fn(&mut Stage)>; 14] = [
    ("nearest", |stage| stage.nearest = Some(true)),
    ("linear", |stage| stage.nearest = Some(false)),
    ("clamp", |stage| stage.wrap = Some(Wrap::Clamp)),
    ("noclamp", |stage| stage.wrap = Some(Wrap::Repeat)),
    ("zeroclamp", |stage| stage.wrap = Some(Wrap::Zero)),
    ("alphazeroclamp", |stage| stage.wrap = Some(Wrap::AlphaZero)),
    ("vertexcolor", |stage| stage.vertex_color = VertexColor::Multiplied),
    ("inversevertexcolor", |stage| stage.vertex_color = VertexColor::Inverted),
    ("maskred", |stage| stage.mask[0] = true),
    ("maskgreen", |stage| stage.mask[1] = true),
    ("maskblue", |stage| stage.mask[2] = true),
    ("maskalpha", |stage| stage.mask[3] = true),
    ("maskcolor", |stage| stage.mask[..3].fill(true)),
    ("colored", |stage| stage.color = [0, 1, 2, 3].map(|parm| Some(Expression::Parm(parm)))),
];

/// Keywords of a stage followed by an expression.
const STAGE_EXPRESSIONS: [Row<SetExpression>; 9] = [
    ("if", |stage, value| stage.condition = Some(value)),
    ("alphatest", |stage, value| stage.alpha_test = Some(value)),
    ("rotate", |stage, value| stage.transforms.push(TextureTransform::Rotate(value))),
    ("red", |stage, value| stage.color[0] = Some(value)),
    ("green", |stage, value| stage.color[1] = Some(value)),
    ("blue", |stage, value| stage.color[2] = Some(value)),
    ("alpha", |stage, value| stage.color[3] = Some(value)),
    ("rgb", |stage, value| stage.color[..3].fill(Some(value))),
    ("rgba", |stage, value| stage.color.fill(Some(value))),
];

/// Keywords of a stage followed by two expressions.
const STAGE_TRANSFORMS: [Row<MakeTransform>; 5] = [
    ("scroll", TextureTransform::Translate),
    ("translate", TextureTransform::Translate),
    ("scale", TextureTransform::Scale),
    ("centerscale", TextureTransform::CenterScale),
    ("shear", TextureTransform::Shear),
];

/// Other keywords of a material.
const OTHERS: &str =
    "diffusemap bumpmap specularmap polygonoffset sort deform guisurf decal_macro mirror qer_editorimage
    renderbump description spectrum lightfalloffimage decalinfo";

/// Other keywords of a stage.
const STAGE_OTHERS: &str =
    "uncompressed highquality forcehighquality nopicmip ignorealphatest maskdepth ignoredepth name
    blend map cubemap cameracubemap vertexparm fragmentmap privatepolygonoffset texgen color screen screen2 glasswarp
    remoterendermap mirrorrendermap xrayrendermap videomap soundmap program fragmentprogram vertexprogram megatexture";

/// Keywords of a material, in lower case.
pub(in crate::decl) fn keywords() -> impl Iterator<Item = &'static str> {
    let settings = SETTINGS.iter().map(|(name, _)| *name);
    settings.chain(OTHERS.split_whitespace()).chain(FLAGS.split_whitespace())
}

/// Keywords of a stage, in lower case.
pub(in crate::decl) fn stage_keywords() -> impl Iterator<Item = &'static str> {
    let settings = STAGE_SETTINGS.iter().map(|(name, _)| *name);
    let expressions = STAGE_EXPRESSIONS.iter().map(|(name, _)| *name);
    let transforms = STAGE_TRANSFORMS.iter().map(|(name, _)| *name);
    settings.chain(expressions).chain(transforms).chain(STAGE_OTHERS.split_whitespace())
}

fn row<T: Copy>(table: &[Row<T>], keyword: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == keyword).map(|&(_, value)| value)
}

/// Reads a material.
///
/// After a word for which the engine rejects the material, reading continues as if the word were missing.
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
            let stage = stage(lexer, Stage { wrap: material.wrap, ..Stage::new(token.span) })?;
            if stage.alpha_test.is_some() {
                material.coverage = Some(Coverage::Perforated);
            }
            material.stages.push(stage);
            continue;
        }
        let name = token.to_text().to_ascii_lowercase();
        if let Some(set) = row(&SETTINGS, &name) {
            set(material);
        } else if !look_word(lexer, &token, &name, material)? {
            if other_word(lexer, &name, material)? {
                let span = token.span.to(lexer.end_point());
                material.others.push(Word { text: name, span });
            } else {
                lexer.add(FaultKind::UnknownMaterialWord { word: token.to_text() }, token.span);
                skip_rest_of_name(lexer, &token);
            }
        }
    }
}

/// Reads a keyword that concerns the look, with its arguments. Returns false for other words.
fn look_word(lexer: &mut Lexer<'_>, token: &Token<'_>, name: &str, material: &mut Material) -> Fallible<bool> {
    match name {
        "diffusemap" | "bumpmap" | "specularmap" => {
            let program = program(lexer)?;
            let span = token.span.to(lexer.end_point());
            let map = Some(Map::Image(program));
            material.stages.push(Stage { lighting: lit(name), map, wrap: material.wrap, ..Stage::new(span) });
        }
        "polygonoffset" => material.polygon_offset = Some(lexer.next_on_line().map_or(1.0, |token| token.number())),
        "sort" => {
            let order = word_on_line(lexer, "a sort order")?;
            let word = order.to_text();
            let sort = Sort::of_word(&word).or_else(|| match order.kind {
                TokenKind::Number(value, _) => Some(Sort(value)),
                // `sort -2` is a minus and a number, `sort "-2"` is one word.
                _ => word.parse().ok().map(Sort),
            });
            if sort.is_none() {
                lexer.add(FaultKind::UnknownSort { word }, order.span);
            }
            material.sort = Some(sort.unwrap_or(Sort(0.0)));
        }
        "deform" => material.deform = Some(deform(lexer)?),
        "guisurf" => material.gui = Some(word_on_line(lexer, "a screen")?.into()),
        _ => return Ok(false),
    }
    Ok(true)
}

/// Reads a keyword that is kept in [`Material::others`], with its arguments. Returns false if `name` is not such a
/// keyword.
fn other_word(lexer: &mut Lexer<'_>, name: &str, material: &mut Material) -> Fallible<bool> {
    match name {
        "decal_macro" => {
            material.polygon_offset = Some(1.0);
            material.sort = Sort::of_word("decal");
        }
        "mirror" => {
            material.sort = Sort::of_word("subview");
            material.coverage = Some(Coverage::Opaque);
        }
        "qer_editorimage" | "renderbump" => {
            lexer.skip_line();
        }
        "description" | "spectrum" => {
            lexer.next_on_line();
        }
        "lightfalloffimage" => {
            program(lexer)?;
        }
        "decalinfo" => {
            float(lexer)?;
            float(lexer)?;
            for _ in 0..2 {
                require(lexer, "'('")?;
                for _ in 0..4 {
                    float(lexer)?;
                }
                require(lexer, "')'")?;
            }
        }
        _ => return Ok(FLAGS.split_whitespace().any(|flag| flag == name)),
    }
    Ok(true)
}

/// Skips the part of a name after a minus. The fault is reported at the minus.
fn skip_rest_of_name(lexer: &mut Lexer<'_>, minus: &Token<'_>) {
    let mut end = minus.span.end;
    while minus.is_exactly("-")
        && let Some(next) = lexer.peek().filter(|next| next.span.start == end && !next.is_exactly("}"))
    {
        end = next.span.end;
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

// stage ::= { word [arguments] } '}'; the opening brace has been read
fn stage(lexer: &mut Lexer<'_>, mut stage: Stage) -> Fallible<Stage> {
    let mut blend = None;
    loop {
        let token = word(lexer, "'}'")?;
        if token.is("}") {
            break;
        }
        stage_word(lexer, token, &mut stage, &mut blend)?;
    }
    stage.span = stage.span.to(lexer.end_point());
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
    if let Some(set) = row(&STAGE_SETTINGS, &name) {
        set(stage);
    } else if let Some(set) = row(&STAGE_EXPRESSIONS, &name) {
        set(stage, expression(lexer)?);
    } else if let Some(transform) = row(&STAGE_TRANSFORMS, &name) {
        let (x, y) = pair(lexer)?;
        stage.transforms.push(transform(x, y));
    } else if is_special(lexer, &name)? {
        stage.special = Some(token.into());
    } else {
        match name.as_str() {
            "uncompressed" | "highquality" | "forcehighquality" | "nopicmip" | "ignorealphatest" | "maskdepth"
            | "ignoredepth" => {}
            "name" => {
                lexer.skip_line();
            }
            "blend" => {
                // In the engine, masks are bits of the blend, so the blend replaces them.
                stage.mask = [false; 4];
                *blend = read_blend(lexer)?.or(*blend);
            }
            "map" => stage.map = Some(Map::Image(program(lexer)?)),
            "cubemap" => stage.map = Some(Map::Cube(program(lexer)?, CubeSides::Axes)),
            "cameracubemap" => stage.map = Some(Map::Cube(program(lexer)?, CubeSides::Camera)),
            "vertexparm" => vertex_parm(lexer)?,
            "fragmentmap" => stage.fragment_maps.push(fragment_map(lexer)?),
            "privatepolygonoffset" => {
                let is_number = |next: Token<'_>| next.is_exactly("-") || matches!(next.kind, TokenKind::Number(..));
                if lexer.peek().is_some_and(|next| !next.starts_line && is_number(next)) {
                    float(lexer)?;
                }
            }
            "texgen" => stage.texture_coordinates = tex_gen(lexer)?,
            "color" => {
                let (red, green) = pair(lexer)?;
                require(lexer, "','")?;
                let (blue, alpha) = pair(lexer)?;
                stage.color = [red, green, blue, alpha].map(Some);
            }
            _ => {
                lexer.add(FaultKind::UnknownStageWord { word: token.to_text() }, token.span);
                skip_rest_of_name(lexer, &token);
            }
        }
    }
    Ok(())
}

/// Reads the arguments of a keyword that makes a stage more than an image. Returns false if `name` is not such a
/// keyword.
fn is_special(lexer: &mut Lexer<'_>, name: &str) -> Fallible<bool> {
    match name {
        "screen" | "screen2" | "glasswarp" => {}
        "remoterendermap" | "mirrorrendermap" | "xrayrendermap" => {
            float(lexer)?;
            float(lexer)?;
        }
        "videomap" | "soundmap" => {
            let option = if name == "videomap" { "loop" } else { "waveform" };
            if word(lexer, "a file")?.is(option) {
                word(lexer, "a file")?;
            }
        }
        "program" | "fragmentprogram" | "vertexprogram" | "megatexture" => {
            word_on_line(lexer, "a program's name")?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

// pair ::= expression ',' expression
fn pair(lexer: &mut Lexer<'_>) -> Fallible<(Expression, Expression)> {
    let first = expression(lexer)?;
    require(lexer, "','")?;
    Ok((first, expression(lexer)?))
}

// vertexParm ::= number expression { ',' expression }
fn vertex_parm(lexer: &mut Lexer<'_>) -> Fallible<()> {
    word_on_line(lexer, "a number")?;
    expression(lexer)?;
    while lexer.eat(",") {
        expression(lexer)?;
    }
    Ok(())
}

// fragmentMap ::= number { option } program
fn fragment_map(lexer: &mut Lexer<'_>) -> Fallible<ImageProgram> {
    const OPTIONS: &str = "cubemap cameracubemap nearest linear clamp noclamp zeroclamp alphazeroclamp forcehighquality
        uncompressed highquality nopicmip";
    float(lexer)?;
    let is_option = |token: &Token<'_>| OPTIONS.split_whitespace().any(|option| token.is(option));
    while lexer.peek().as_ref().is_some_and(is_option) {
        lexer.next();
    }
    program(lexer)
}

fn tex_gen(lexer: &mut Lexer<'_>) -> Fallible<TexGen> {
    let kind = word(lexer, "a kind of texGen")?;
    Ok(match kind.to_text().to_ascii_lowercase().as_str() {
        "normal" => TexGen::Normal,
        "reflect" => TexGen::Reflect,
        "skybox" => TexGen::Skybox,
        "wobblesky" => TexGen::WobbleSky(Box::new([expression(lexer)?, expression(lexer)?, expression(lexer)?])),
        _ => return Err(Fault { kind: FaultKind::UnknownTexGen { word: kind.to_text() }, span: kind.span }),
    })
}

/// Reads a blend by its name or its factors. Returns `None` after a fault.
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
            require(lexer, "','")?;
            let second = word(lexer, "a blend factor")?;
            let destination = factor(lexer, second, &DESTINATIONS);
            let (Some(source), Some(destination)) = (source, destination) else { return Ok(None) };
            ambient(source, destination)
        }
    }
}

/// Factors of source and destination.
const FACTORS: [(&str, BlendFactor); 6] = [
    ("gl_one", BlendFactor::One),
    ("gl_zero", BlendFactor::Zero),
    ("gl_src_alpha", BlendFactor::SrcAlpha),
    ("gl_one_minus_src_alpha", BlendFactor::OneMinusSrcAlpha),
    ("gl_dst_alpha", BlendFactor::DstAlpha),
    ("gl_one_minus_dst_alpha", BlendFactor::OneMinusDstAlpha),
];

/// Factors of the source alone.
const SOURCES: [(&str, BlendFactor); 3] = [
    ("gl_dst_color", BlendFactor::DstColor),
    ("gl_one_minus_dst_color", BlendFactor::OneMinusDstColor),
    ("gl_src_alpha_saturate", BlendFactor::SrcAlphaSaturate),
];

/// Factors of the destination alone.
const DESTINATIONS: [(&str, BlendFactor); 2] =
    [("gl_src_color", BlendFactor::SrcColor), ("gl_one_minus_src_color", BlendFactor::OneMinusSrcColor)];

fn factor(lexer: &mut Lexer<'_>, token: Token<'_>, own: &[(&str, BlendFactor)]) -> Option<BlendFactor> {
    let found = FACTORS.iter().chain(own).find(|(name, _)| token.is(name)).map(|&(_, factor)| factor);
    if found.is_none() {
        lexer.add(FaultKind::UnknownBlend { word: token.to_text() }, token.span);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decl::Operator;

    fn read(text: &str) -> Parsed<Material> {
        parse_material(text.as_bytes(), Span::new(0, text.len()))
    }

    /// Returns a material without faults.
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
    fn m04_m05_m06_m07_blends() {
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
        // A factor is valid on one side only.
        assert!(read("{ { blend gl_src_color, gl_zero map x } }").is_rejected());
    }

    #[test]
    fn m08_m09_the_engine_rejects_a_material_with_an_unknown_word() {
        let parsed = read("{ nosuchword diffusemap x }");
        let fault = parsed.rejected_by().unwrap();
        assert_eq!((fault.span, parsed.decl.stages.len()), (Span::new(2, 12), 1));
        assert_eq!(fault.kind.to_string(), "'nosuchword' is not a keyword of a material");
        let parsed = read("{ { blend diffusemap map x nosuchword } }");
        assert_eq!(parsed.rejected_by().unwrap().kind, FaultKind::UnknownStageWord { word: "nosuchword".into() });
        assert!(read("{ diffusemap x").is_rejected());
    }

    #[test]
    fn m10_m11_sides_and_alpha_test() {
        assert!(fine("{ twoSided diffusemap x }").two_sided);
        let stage = stage("blend diffusemap map x alphaTest 0.5");
        assert_eq!(stage.alpha_test, Some(Expression::Number(0.5)));
    }

    #[test]
    fn the_wrap_of_a_material_is_the_default_of_stages_behind_it() {
        let stages = fine("{ { map a } clamp { map b } { noclamp map c } zeroClamp { map d } diffusemap e }").stages;
        let wraps: Vec<_> = stages.iter().map(|stage| stage.wrap).collect();
        let expected = [None, Some(Wrap::Clamp), Some(Wrap::Repeat), Some(Wrap::Zero), Some(Wrap::Zero)];
        assert_eq!(wraps, expected);
    }

    #[test]
    fn m12_m13_stages_and_images_may_be_missing() {
        assert!(fine("{ }").stages.is_empty());
        let parsed = read("{ { blend diffusemap } }");
        assert_eq!((&parsed.faults[0].kind, parsed.is_rejected()), (&FaultKind::StageWithoutImage, false));
    }

    #[test]
    fn m14_image_programs_stand_in_stages() {
        let material = fine("{ bumpmap addnormals(models/a_local.tga, heightmap(models/a_h.tga, 4)) twoSided }");
        let text = "addnormals( models/a_local.tga, heightmap( models/a_h.tga, 4))";
        assert_eq!((image(&material.stages[0]).as_str(), material.two_sided), (text, true));
        // A missing comma swallows the word after the program.
        let parsed = read("{ bumpmap heightmap(a.tga 4) twoSided }");
        assert!(!parsed.decl.two_sided && !parsed.is_rejected());
    }

    #[test]
    fn m25_m27_m28_expressions() {
        let scroll = stage("blend diffusemap map a.tga scroll time * 0.1 , 0");
        let [TextureTransform::Translate(x, y)] = &scroll.transforms[..] else { panic!("{scroll:?}") };
        assert_eq!(y, &Expression::Number(0.0));
        assert!(matches!(x, Expression::Binary(Operator::Multiply, time, _) if **time == Expression::Time));
        let glow = stage("if ( parm7 == 0 ) blend add map glow");
        assert!(matches!(glow.condition, Some(Expression::Binary(Operator::Equal, ..))));
        assert!(matches!(
            stage("map x rotate 0.25").transforms[..],
            [TextureTransform::Rotate(Expression::Number(0.25))]
        ));
        assert!(read("{ { map x rgb 8--4 } }").is_rejected());
        assert!(read("{ { map x rgb -time } }").is_rejected());
    }

    #[test]
    fn m29_programs_are_kept() {
        let stage = stage(
            "fragmentProgram heatHaze.vfp vertexParm 0 time , 1 fragmentMap 0 _currentRender fragmentMap 1 clamp x.tga",
        );
        assert_eq!(stage.special.map(|word| word.text).as_deref(), Some("fragmentProgram"));
        let images: Vec<String> = stage.fragment_maps.iter().map(ToString::to_string).collect();
        assert_eq!(images, ["_currentRender", "x.tga"]);
    }

    #[test]
    fn m31_a_minus_ends_an_images_name() {
        let parsed = read("{ { map models/a-b.tga } }");
        let fault = parsed.rejected_by().unwrap();
        assert_eq!((&fault.kind, fault.span), (&FaultKind::UnknownStageWord { word: "-".into() }, Span::new(16, 17)));
        assert_eq!(image(&parsed.decl.stages[0]), "models/a");
    }

    #[test]
    fn negative_numbers_are_faults_where_the_engine_reads_one_word() {
        assert!(read("{ polygonOffset -1 }").is_rejected());
        assert!(read("{ sort -1 }").is_rejected());
        assert_eq!(fine("{ polygonOffset\n twoSided }").polygon_offset, Some(1.0));
        assert_eq!(fine("{ polygonOffset 2 }").polygon_offset, Some(2.0));
        assert_eq!(fine("{ { map x privatePolygonOffset -1 } }").stages.len(), 1);
        let parsed = read("{ sort soon }");
        assert_eq!((parsed.decl.sort, parsed.is_rejected()), (Some(Sort(0.0)), false));
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
