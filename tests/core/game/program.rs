//! Image programs. Expected texels were computed by hand, or with numpy where a test says so.

use bindpose_core::game::program::{MOST_TEXELS, Notes, Pixels, ProgramError, evaluate};
use bindpose_parsers::decl::parse_image_program;

/// Returns the result of a program on one image.
fn evaluated(program: &str, width: usize, bytes: &[u8]) -> Pixels {
    let program = parse_image_program(program.as_bytes()).unwrap().decl;
    let pixels = Pixels::new(width, bytes.len() / 4 / width, bytes).unwrap();
    let mut image = |_: &str| Ok::<_, String>(pixels.clone());
    evaluate(&program, &mut image, &mut MOST_TEXELS.clone(), &mut Notes::default()).unwrap()
}

/// Returns the grey texels with alpha 255.
fn greys(values: &[u8]) -> Vec<u8> {
    values.iter().flat_map(|&value| [value, value, value, 255]).collect()
}

fn assert_near(found: &Pixels, expected: &[[u8; 4]]) {
    assert_eq!(found.texels().len(), expected.len());
    for (found, expected) in found.texels().iter().zip(expected) {
        let far = found.iter().zip(expected).any(|(a, b)| a.abs_diff(*b) > 1);
        assert!(!far, "{found:?} is not {expected:?}");
    }
}

#[test]
fn m15_a_level_ground_has_upright_normals() {
    assert_near(&evaluated("heightmap(a, 4)", 4, &greys(&[77; 16])), &[[128, 128, 255, 255]; 16]);
}

#[test]
fn m16_a_ramp_leans_against_its_rise() {
    // From numpy: n = (-64 / 256, 0, 1), normalised, times 127 plus 128. At the edge (192 / 256, 0, 1).
    let rise = [97, 128, 251, 255];
    let fall = [204, 128, 229, 255];
    let row = [rise, rise, rise, fall];
    let ramp = greys(&[[0, 64, 128, 192]; 4].concat());
    assert_near(&evaluated("heightmap(a, 1)", 4, &ramp), &[row; 4].concat());
}

#[test]
fn rough_heights_are_those_of_an_independent_script() {
    let heights = [121, 66, 189, 242, 33, 6, 240, 132, 119, 98, 240, 243, 203, 77, 118, 77];
    let expected = [
        [172, 224, 198],
        [15, 168, 171],
        [149, 50, 225],
        [210, 211, 176],
        [155, 28, 201],
        [20, 72, 166],
        [188, 128, 239],
        [211, 44, 175],
        [192, 41, 194],
        [33, 154, 208],
        [144, 239, 186],
        [127, 246, 173],
        [208, 205, 188],
        [34, 142, 213],
        [121, 33, 212],
        [126, 9, 173],
    ];
    let expected: Vec<_> = expected.iter().map(|&[x, y, z]| [x, y, z, 255]).collect();
    assert_near(&evaluated("heightmap(a, 4)", 4, &greys(&heights)), &expected);
}

#[test]
fn m17_m18_m19_channels_are_moved_and_added() {
    assert_eq!(evaluated("makeIntensity(a)", 1, &[10, 20, 30, 40]).texels(), [[10; 4]]);
    assert_eq!(evaluated("makeAlpha(a)", 1, &[10, 20, 30, 40]).texels(), [[255, 255, 255, 20]]);
    assert_eq!(evaluated("invertColor(invertAlpha(a))", 1, &[10, 20, 30, 40]).texels(), [[245, 235, 225, 215]]);
    assert_eq!(evaluated("add(a, a)", 1, &[200, 100, 3, 255]).texels(), [[255, 200, 6, 255]]);
    assert_eq!(evaluated("scale(a, .5, 2, 1, 1)", 1, &[9, 100, 3, 255]).texels(), [[4, 200, 3, 255]]);
    assert_eq!(evaluated("add(_white, a)", 1, &[1; 4]).texels(), [[255; 4]]);
}

#[test]
fn a_scale_over_255_is_reported() {
    let program = parse_image_program(b"scale(_white, 2, 1, 1, 1)").unwrap().decl;
    let mut notes = Notes::default();
    let pixels = evaluate(&program, &mut |_| Err("no image"), &mut MOST_TEXELS.clone(), &mut notes).unwrap();
    assert_eq!((pixels.texels(), notes), (&[[255; 4]][..], Notes { scale_wraps: true }));
}

#[test]
fn normals_are_added_and_smoothed() {
    // From numpy: (100, 128, 251) is about (-0.22, 0, 0.97); twice its slope.
    assert_near(&evaluated("addnormals(a, a)", 1, &[100, 128, 252, 7]), &[[76, 128, 243, 255]]);
    // (0, 0, 0) and (128, 128, 128) do not count. Alpha stays.
    let bytes = [[255, 128, 128, 1], [0, 0, 0, 2], [128, 128, 128, 3], [128, 128, 255, 4]].concat();
    let expected = [[158, 128, 251, 1], [217, 128, 217, 2], [217, 128, 217, 3], [251, 128, 158, 4]];
    assert_near(&evaluated("smoothnormals(a)", 2, &bytes), &expected);
}

#[test]
fn an_image_is_asked_for_once_and_the_work_has_an_end() {
    let program = parse_image_program(b"add(add(a, a), scale(a, 2, 2, 2, 2))").unwrap().decl;
    let mut asked = 0;
    // The image and three results of the same size.
    for (mut left, texel) in [(4 * 6, Ok([4; 4])), (4 * 6 - 1, Err(ProgramError::TooLarge))] {
        let mut image = |_: &str| {
            asked += 1;
            Ok::<_, String>(Pixels::new(3, 2, &[1; 24]).unwrap())
        };
        let result = evaluate(&program, &mut image, &mut left, &mut Notes::default());
        assert_eq!(result.map(|result| result.texels()[5]), texel);
    }
    assert_eq!(asked, 2);
}

#[test]
fn a_second_image_of_another_size_is_sampled() {
    let program = parse_image_program(b"add(black, a)").unwrap().decl;
    let mut image = |name: &str| {
        let black = || Pixels::new(2, 4, &[0; 32]);
        let image = if name == "a" { Pixels::new(4, 2, &greys(&[1, 2, 3, 4, 5, 6, 7, 8])) } else { black() };
        image.ok_or("no image")
    };
    let sum = evaluate(&program, &mut image, &mut MOST_TEXELS.clone(), &mut Notes::default()).unwrap();
    // Columns 0 and 2; rows (0.25, 1.25, 2.25, 3.25) * 2 / 4.
    let found: Vec<u8> = sum.texels().iter().map(|texel| texel[0]).collect();
    assert_eq!(found, [1, 3, 1, 3, 5, 7, 5, 7]);
}
