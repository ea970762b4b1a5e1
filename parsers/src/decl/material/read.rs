//! Words to materials.

use super::{
    Blend, BlendFactor, Coverage, CubeSides, Deform, Lighting, Map, Material, Sort, Stage, TexGen, TextureTransform,
    VertexColor, Wrap,
};
use crate::Span;
use crate::decl::expression::{Expression, expression};
use crate::decl::fault::{Fault, FaultKind};
use crate::decl::image::program;
use crate::decl::lex::{Kind, Lexer, Token};
use crate::decl::{Fallible, Parsed, Word, body, float, require, word, word_on_line};

/// Stages that an engine holds.
const MOST_STAGES: usize = 256;

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
        "cubemap" => stage.map = Some(Map::Cube(program(lexer)?, CubeSides::Axes)),
        "cameracubemap" => stage.map = Some(Map::Cube(program(lexer)?, CubeSides::Camera)),
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
    use crate::decl::Operator;

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
        // A factor may stand on one side only.
        assert!(read("{ { blend gl_src_color, gl_zero map x } }").is_lost());
    }

    #[test]
    fn m08_m09_an_unknown_word_loses_the_material() {
        let parsed = read("{ nosuchword diffusemap x }");
        let fault = parsed.lost_by().unwrap();
        assert_eq!((fault.span, parsed.decl.stages.len()), (Span::new(2, 12), 1));
        assert_eq!(fault.kind.to_string(), "'nosuchword' is not a keyword of a material");
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
        assert!(matches!(x, Expression::Binary(Operator::Multiply, time, _) if **time == Expression::Time));
        let glow = stage("if ( parm7 == 0 ) blend add map glow");
        assert!(matches!(glow.condition, Some(Expression::Binary(Operator::Equal, ..))));
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
