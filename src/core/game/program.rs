//! Image programs, evaluated per texel (docs/formats/id4.md "Image programs").
//!
//! Arithmetic follows the engine, including truncation. Only `scale` is clamped below 256 where the engine's bytes wrap
//! around.

use bindpose_parsers::decl::ImageProgram;
use std::collections::HashMap;
use std::rc::Rc;

/// Largest number of texels of a program's images and results in total: 512 MiB of RGBA.
pub const MOST_TEXELS: u64 = 128 << 20;

/// An image: red, green, blue and alpha of each texel, the top row first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    width: usize,
    height: usize,
    rgba: Vec<[u8; 4]>,
}

impl Pixels {
    /// Creates an image from bytes. Returns `None` if it is empty or the number of bytes is not four per texel.
    pub fn new(width: usize, height: usize, bytes: &[u8]) -> Option<Self> {
        let (rgba, rest) = bytes.as_chunks();
        let fits =
            width.checked_mul(height).is_some_and(|texels| texels > 0 && texels == rgba.len() && rest.is_empty());
        fits.then(|| Self { width, height, rgba: rgba.to_vec() })
    }

    /// Returns the image of one texel, which fits an image of any size.
    pub fn flat(colour: [u8; 4]) -> Self {
        Self { width: 1, height: 1, rgba: vec![colour] }
    }

    /// Returns the texels in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the red, green, blue and alpha of all texels, the top row first.
    pub fn texels(&self) -> &[[u8; 4]] {
        &self.rgba
    }

    /// Returns the same as [`Self::texels`], as plain bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.rgba.into_flattened()
    }

    fn at(&self, x: usize, y: usize) -> [u8; 4] {
        self.rgba.get(y * self.width + x).copied().unwrap_or_default()
    }

    /// Computes each texel from its column, row and old value.
    fn map(&self, texel: impl Fn(usize, usize, [u8; 4]) -> [u8; 4]) -> Self {
        let rgba = self.rgba.iter().enumerate();
        let rgba = rgba.map(|(at, &old)| texel(at % self.width, at / self.width, old)).collect();
        Self { rgba, ..*self }
    }

    /// Returns the texel that corresponds to `(x, y)` in an image of another size.
    fn sampled(&self, (x, y): (usize, usize), (width, height): (usize, usize)) -> [u8; 4] {
        let row = (y as f64 + 0.25) * self.height as f64 / height as f64;
        self.at(x * self.width / width, (row as usize).min(self.height - 1))
    }

    fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }
}

/// Returns a built-in image of the engine by name.
pub fn built_in(name: &str) -> Option<Pixels> {
    let flat = |colour| Some(Pixels::flat(colour));
    match name.to_ascii_lowercase().as_str() {
        "_white" => flat([255; 4]),
        "_black" => flat([0, 0, 0, 255]),
        "_flat" => flat([128, 128, 255, 255]),
        "_default" => Some(checker()),
        _ => None,
    }
}

/// Returns the replacement for a missing image: a white frame around a dark middle, as in the engine.
fn checker() -> Pixels {
    const SIZE: usize = 16;
    let texel = |at: usize| {
        let (x, y) = (at % SIZE, at / SIZE);
        let is_edge = [x, y].iter().any(|&place| place == 0 || place == SIZE - 1);
        if is_edge { [255; 4] } else { [32, 32, 32, 255] }
    };
    Pixels { width: SIZE, height: SIZE, rgba: (0..SIZE * SIZE).map(texel).collect() }
}

/// Remarks on the result of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Notes {
    /// A `scale` has texels above 255, where the engine's bytes wrap around.
    pub scale_wraps: bool,
}

/// Reason why a program has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramError<E> {
    /// One of its images is missing or broken.
    Image(E),
    /// Its images and results exceed the number of texels left.
    TooLarge,
}

/// Evaluates a program. `image` returns the images that it names, and is called once per name. The texels of all images
/// and results are subtracted from `left`; [`MOST_TEXELS`] suits one program.
///
/// # Errors
///
/// [`ProgramError`]: the first error of `image`, or too many texels.
pub fn evaluate<E>(
    program: &ImageProgram,
    image: &mut dyn FnMut(&str) -> Result<Pixels, E>,
    left: &mut u64,
    notes: &mut Notes,
) -> Result<Pixels, ProgramError<E>> {
    let mut evaluator = Evaluator { image, known: HashMap::new(), left, notes };
    let pixels = evaluator.result(program)?;
    drop(evaluator);
    Ok(Rc::unwrap_or_clone(pixels))
}

struct Evaluator<'e, E> {
    image: &'e mut dyn FnMut(&str) -> Result<Pixels, E>,
    /// Images by name.
    known: HashMap<String, Rc<Pixels>>,
    /// Remaining texels.
    left: &'e mut u64,
    notes: &'e mut Notes,
}

impl<E> Evaluator<'_, E> {
    fn result(&mut self, program: &ImageProgram) -> Result<Rc<Pixels>, ProgramError<E>> {
        Ok(Rc::new(match program {
            ImageProgram::Image(name) => return self.image(name),
            ImageProgram::HeightMap(heights, scale) => height_map(&*self.operand(heights)?, *scale as f32),
            ImageProgram::AddNormals(a, b) => add_normals(&*self.operand(a)?, &*self.result(b)?),
            ImageProgram::SmoothNormals(normals) => smooth_normals(&*self.operand(normals)?),
            ImageProgram::Add(a, b) => {
                let (a, b) = (self.operand(a)?, self.result(b)?);
                a.map(|x, y, texel| {
                    let other = b.sampled((x, y), a.size());
                    std::array::from_fn(|channel| texel[channel].saturating_add(other[channel]))
                })
            }
            ImageProgram::Scale(input, factors) => {
                let input = self.operand(input)?;
                let scaled = |texel: [u8; 4], channel: usize| f32::from(texel[channel]) * factors[channel] as f32;
                self.notes.scale_wraps |=
                    input.rgba.iter().any(|&texel| (0..4).any(|channel| scaled(texel, channel) >= 256.0));
                // The conversion saturates at 255.
                input.map(|_, _, texel| std::array::from_fn(|channel| scaled(texel, channel) as u8))
            }
            ImageProgram::InvertAlpha(input) => self.operand(input)?.map(|_, _, [r, g, b, a]| [r, g, b, 255 - a]),
            ImageProgram::InvertColor(input) => {
                self.operand(input)?.map(|_, _, [r, g, b, a]| [255 - r, 255 - g, 255 - b, a])
            }
            ImageProgram::MakeIntensity(input) => self.operand(input)?.map(|_, _, [r, ..]| [r; 4]),
            ImageProgram::MakeAlpha(input) => self.operand(input)?.map(|_, _, texel| [255, 255, 255, grey(texel)]),
        }))
    }

    /// Returns the operand that determines the size of the result.
    fn operand(&mut self, program: &ImageProgram) -> Result<Rc<Pixels>, ProgramError<E>> {
        let input = self.result(program)?;
        self.spend(&input)?;
        Ok(input)
    }

    fn image(&mut self, name: &str) -> Result<Rc<Pixels>, ProgramError<E>> {
        if let Some(known) = self.known.get(name) {
            return Ok(Rc::clone(known));
        }
        let pixels = match built_in(name) {
            Some(pixels) => pixels,
            None => (self.image)(name).map_err(ProgramError::Image)?,
        };
        self.spend(&pixels)?;
        let pixels = Rc::new(pixels);
        self.known.insert(name.to_owned(), Rc::clone(&pixels));
        Ok(pixels)
    }

    /// Subtracts an image's texels from the rest.
    fn spend(&mut self, input: &Pixels) -> Result<(), ProgramError<E>> {
        *self.left = self.left.checked_sub(input.rgba.len() as u64).ok_or(ProgramError::TooLarge)?;
        Ok(())
    }
}

fn grey([r, g, b, _]: [u8; 4]) -> u8 {
    ((u32::from(r) + u32::from(g) + u32::from(b)) / 3) as u8
}

type Vector = [f32; 3];

fn normalized(vector: Vector) -> Vector {
    let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
    if length > 0.0 { vector.map(|part| part / length) } else { vector }
}

/// Encodes a direction as bytes, with alpha 255.
fn encoded(normal: Vector) -> [u8; 4] {
    let [x, y, z] = normal.map(|part| (part * 127.0 + 128.0) as u8);
    [x, y, z, 255]
}

fn decoded([x, y, z, _]: [u8; 4]) -> Vector {
    [x, y, z].map(|part| (f32::from(part) - 128.0) / 127.0)
}

/// Computes normals from heights: the mean of the two triangles of each texel's square. Beyond its edges the image
/// repeats if its sides are powers of two.
fn height_map(heights: &Pixels, scale: f32) -> Pixels {
    let (width, height) = heights.size();
    let factor = scale / 256.0;
    let slope = |from: u8, to: u8| (f32::from(to) - f32::from(from)) * factor;
    heights.map(|x, y, own| {
        let (right, below) = ((x + 1) & (width - 1), (y + 1) & (height - 1));
        let own = grey(own);
        let right_of = grey(heights.at(right, y));
        let (below_of, beyond) = (grey(heights.at(x, below)), grey(heights.at(right, below)));
        let upper = normalized([-slope(own, right_of), -slope(own, below_of), 1.0]);
        let lower = normalized([-slope(below_of, beyond), slope(below_of, own), 1.0]);
        encoded(normalized(std::array::from_fn(|axis| upper[axis] + lower[axis])))
    })
}

/// Adds the slopes of two normal maps.
fn add_normals(a: &Pixels, b: &Pixels) -> Pixels {
    a.map(|x, y, texel| {
        let mut normal = decoded(texel);
        let length = normal.iter().map(|part| part * part).sum::<f32>();
        if length < 1.0 {
            normal[2] = (1.0 - normal[0] * normal[0] - normal[1] * normal[1]).max(0.0).sqrt();
        }
        let other = decoded(b.sampled((x, y), a.size()));
        encoded(normalized([normal[0] + other[0], normal[1] + other[1], normal[2]]))
    })
}

/// Averages each texel with its neighbours, ignoring texels that are not normals.
fn smooth_normals(normals: &Pixels) -> Pixels {
    let (width, height) = normals.size();
    normals.map(|x, y, [.., alpha]| {
        let mut sum = [0.0; 3];
        for (dx, dy) in (0..9).map(|at| (at % 3, at / 3)) {
            // One less than the position, wrapping at the edges.
            let place = |at: usize, step: usize, size: usize| (at + step + size - 1) & (size - 1);
            let [r, g, b, _] = normals.at(place(x, dx, width), place(y, dy, height));
            if [r, g, b] != [0; 3] && [r, g, b] != [128; 3] {
                let parts = [r, g, b].map(|part| f32::from(part) - 128.0);
                sum = std::array::from_fn(|axis| sum[axis] + parts[axis]);
            }
        }
        let [r, g, b, _] = encoded(normalized(sum));
        [r, g, b, alpha]
    })
}
