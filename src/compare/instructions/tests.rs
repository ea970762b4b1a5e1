//! Shaders counted by hand.

use super::*;
use bindpose_core::skin::METHODS;

fn of(arithmetic: u32, addresses: u32, texture_reads: u32) -> Instructions {
    Instructions { arithmetic, addresses, texture_reads }
}

/// Slots of instructions and macros: Microsoft's list for vertex shader 2.0 (dp3, crs, nrm, m3x3, m4x4, mad, rcp, rsq, sincos).
#[test]
fn statements_counted_by_hand() {
    let cases = [
        ("a.xyz; -b; vec4(v, 1.0); a = b;", of(0, 0, 0)),
        ("a + b; a * b; s - s;", of(3, 0, 0)),
        ("a * s + b; a += s * b; a - b * s;", of(3, 0, 0)),
        ("a * s + b * s;", of(2, 0, 0)),
        ("s * a + s * b + s * c + s * d;", of(4, 0, 0)),
        ("s * (a + b);", of(2, 0, 0)),
        ("m * a;", of(4, 0, 0)),
        ("n * v;", of(3, 0, 0)),
        ("m * m;", of(16, 0, 0)),
        ("m += m * s;", of(4, 0, 0)),
        ("m[1].xyz * v;", of(1, 0, 0)),
        ("dot(a, b); cross(v, v); normalize(v); length(v); distance(v, v);", of(1 + 2 + 3 + 3 + 4, 0, 0)),
        ("min(s, s); clamp(s, 0.0, 1.0); mix(a, b, s); floor(s);", of(1 + 2 + 2 + 2, 0, 0)),
        ("sqrt(s); inversesqrt(s); sin(s); cos(s);", of(2 + 1 + 8 + 8, 0, 0)),
        ("1.0 / s;", of(1, 0, 0)),
        ("a / s;", of(2, 0, 0)),
        ("a.xy / b.xy;", of(3, 0, 0)),
        ("1.0 / 6.0 * s - s / 24.0;", of(2, 0, 0)),
        ("s < 1e-6 ? a : b;", of(2, 0, 0)),
        ("if (s > 0.5) a += b; else { a = b; }", of(2, 0, 0)),
        ("int i = int(s + 0.5); table[i]; table[i + 1];", of(0, 2, 0)),
        ("int i = 3 * int(s + 0.5); table[i];", of(0, 3, 0)),
        ("table[3 * int(s) + 1];", of(0, 2, 0)),
        ("for (int i = 0; i < 4; i++) { a += s * table[i]; }", of(4, 0, 0)),
        ("for (int i = 0; i < influences - 1; i++) a += s * b;", of(3, 0, 0)),
        ("for (int i = 0; i < 0; i++) a += s * b;", of(0, 0, 0)),
        ("twice(v); twice(2.0 * v);", of(3, 0, 0)),
        ("texture2DLod(image, (a.xy + 0.5) / b.xy, 0.0).xyz;", of(4, 0, 1)),
    ];
    for (statements, expected) in cases {
        let source = format!(
            "#version 120\nattribute vec4 a; uniform vec4 b; uniform vec4 c; uniform vec4 d;\nuniform vec4 table[3 * JOINTS]; uniform mat4 m;\n\
             uniform mat3 n; uniform vec3 v; uniform float s; uniform int influences; uniform sampler2D image;\n\
             vec3 twice(vec3 x) {{ return x + x; }}\nvoid skin() {{ {statements} }}"
        );
        assert_eq!(count(&source, "skin", 4), Ok(expected), "{statements}");
    }
}

#[test]
fn the_preprocessor_chooses_lines() {
    let source = "#define EPS 0.5\n#ifdef MISSING\nbroken(\n#else\nuniform float s;\n#endif\nvoid skin() {\n\
                  #if INFLUENCES == 1\ns + EPS;\n#elif INFLUENCES == 2\ns + s + s;\n#else\ns + s + s + s; // s + s\n#endif\n}";
    assert_eq!([1, 2, 3].map(|n| count(source, "skin", n)), [1, 2, 3].map(|n| Ok(of(n, 0, 0))));
}

#[test]
fn what_is_not_understood_is_an_error() {
    for source in
        ["", "void skin() {", "void skin() { what; }", "void skin() { skin(); }", "void skin() { while (1) ; }"]
    {
        assert!(count(source, "skin", 4).is_err(), "{source}");
    }
    let endless = "uniform int some; void skin() { for (int i = 0; i < some; i++) ; }";
    assert!(count(endless, "skin", 4).is_err());
}

/// Article 000 counts eight instructions a joint for position and normal in VSP2 and 3 n + 6 in VSP3.
#[test]
fn methods_counted_by_hand() {
    let of_method = |name: &str, influences| {
        let method = METHODS.iter().find(|method| method.name == name).unwrap();
        of_method(method, influences).unwrap().unwrap()
    };
    for n in 1..=4 {
        // Per joint three times three dp and a mad, of position, normal and tangent; n - 1 subtractions for the last weight;
        // the normal made a unit. Per joint an address: + 0.5, made whole, times three.
        assert_eq!(of_method("matrix-unrolled", n), of(n * 12 + (n - 1) + 3, 3 * n, 0));
        assert_eq!(of_method("matrix-loop", n), of_method("matrix-unrolled", n));
    }
    // Three mad a joint; three subtractions; three dp for the position; for the normal three crs and dp, and nrm; three dp
    // for the tangent.
    assert_eq!(of_method("matrix-blend", 4), of(4 * 3 + 3 + 3 + (3 * 3 + 3) + 3, 4 * 3, 0));
    // Three times dp, comparison and choice; mul and three mad; nrm; three rotations of crs, mad, crs and mad; one sum.
    assert_eq!(of_method("sjb", 4), of(3 * 3 + 4 + 3 + 3 * 6 + 1, 5 * 2, 0));
    // mad for each of 16 registers; m4x4; three crs, mul and two mad, nrm; m4x4.
    assert_eq!(of_method("gradient", 4), of(16 + 4 + (6 + 3 + 3) + 4, 4, 0));
}

#[test]
fn every_vertex_shader_is_counted_as_the_page_says() {
    let page = include_str!("../../../docs/methods.md");
    for method in METHODS {
        let Some(found) = of_method(method, 4).unwrap() else { continue };
        let Instructions { arithmetic, addresses, texture_reads } = found;
        let row = format!("| `{}` | {arithmetic} | {addresses} | {texture_reads} | {} |", method.name, found.total());
        assert!(page.contains(&row), "docs/methods.md lacks {row}");
    }
    let [vertices, joints] = ["vertices", "joints"].map(|pass| {
        let file = shaders::built_in(&format!("gpu-hierarchy.{pass}.frag")).unwrap();
        let source = [shaders::built_in("quaternion.glsl").unwrap(), file].concat();
        let found = count(&source, "main", 4).unwrap();
        assert_eq!(found.addresses, 0);
        [found.arithmetic, found.texture_reads]
    });
    let [a, b] = [vertices, joints].map(|[arithmetic, reads]| format!("{arithmetic} and {reads}"));
    let said =
        format!("{a} texels for each of a vertex' two pixels, {b} for each of a joint's two pixels in each pass");
    assert!(page.contains(&said), "docs/methods.md lacks: {said}");
}
