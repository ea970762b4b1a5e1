//! Detection of normal maps by the texels of TGA files.

/// Bytes read from the beginning of an image.
pub(super) const SAMPLED: u64 = 64 << 10;
/// Smallest number of texels for a result.
const LEAST: usize = 64;
/// Smallest share of unit vectors towards the viewer in a normal map, and largest share in another image.
const MANY: f64 = 0.9;
const FEW: f64 = 0.2;
/// Largest x and y of a normal map's mean: normals lean to all sides, unlike the colours of a sky, which is as blue.
const LEAN: f64 = 0.25;
/// Unpainted texels are darker than this in all channels, or medium grey: a direction shorter than this.
const DARK: u8 = 16;
const SHORT: f64 = 0.1;
/// Largest deviation of a normal's length from 1, after rounding to 8 bits and filtering.
const TOLERANCE: f64 = 0.15;

/// Use that an image's texels suit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Texels {
    /// Normal map: nearly all texels are unit vectors.
    Normals,
    /// Other image: hardly any texel is one.
    Colours,
}

/// Returns Doom 3's error for a TGA file of `length` bytes that begins with these.
pub(super) fn error(bytes: &[u8], length: u64) -> Option<&'static str> {
    let &[comment, map, kind, _, _, _, _, _, _, _, _, _, w, wide, h, high, bits, _, ..] = bytes else {
        return Some("the file ends in its header");
    };
    let size = |low, high| u64::from(u16::from_le_bytes([low, high]));
    let texels = size(w, wide) * size(h, high) * u64::from(bits >> 3);
    match kind {
        2 | 3 | 10 if map != 0 => Some("colormaps not supported"),
        2 | 10 if ![24, 32].contains(&bits) => Some("Only 32 or 24 bit images supported (no colormaps)"),
        2 | 3 if 18 + u64::from(comment) + texels > length => Some("incomplete file"),
        2 | 3 | 10 => None,
        _ => Some("Only type 2 (RGB), 3 (gray), and 10 (RGB) TGA images supported"),
    }
}

/// Returns the use that the beginning of a TGA file suits; `None` for other files, and if the texels are between both.
pub(super) fn suited(bytes: &[u8]) -> Option<Texels> {
    let [comment, 0, kind @ (2 | 10), _, _, _, _, _, _, _, _, _, _, _, _, _, bits @ (24 | 32), _, rest @ ..] = bytes
    else {
        return None;
    };
    let (size, body) = (usize::from(*bits) / 8, rest.get(usize::from(*comment)..)?);
    let texels: Vec<&[u8]> = match kind {
        2 => body.chunks_exact(size).collect(),
        _ => packed(body, size),
    };
    let axes: Vec<[f64; 3]> = texels
        .iter()
        .filter(|texel| texel.iter().take(3).any(|&channel| channel >= DARK))
        .map(|texel| axes(texel))
        .filter(|axes| length(axes) > SHORT)
        .collect();
    if axes.len() < LEAST {
        return None;
    }
    let count = axes.len() as f64;
    let mean = |axis: fn(&[f64; 3]) -> f64| axes.iter().map(axis).sum::<f64>() / count;
    let leans = mean(|[x, ..]| *x).abs() > LEAN || mean(|[_, y, _]| *y).abs() > LEAN;
    let normals = axes.iter().filter(|axes| is_normal(axes)).count() as f64 / count;
    match normals {
        normals if normals >= MANY && !leans => Some(Texels::Normals),
        normals if normals <= FEW => Some(Texels::Colours),
        _ => None,
    }
}

/// Returns the texels of a run-length encoded image; the texel of a run once.
fn packed(mut body: &[u8], size: usize) -> Vec<&[u8]> {
    let mut texels = Vec::new();
    while let [head, rest @ ..] = body {
        let count = if head & 0x80 == 0 { usize::from(*head) + 1 } else { 1 };
        let Some((run, rest)) = rest.split_at_checked(count * size) else { break };
        texels.extend(run.chunks_exact(size));
        body = rest;
    }
    texels
}

/// Converts a texel (blue, green, red) to a direction in tangent space.
fn axes(texel: &[u8]) -> [f64; 3] {
    [2, 1, 0].map(|channel| texel.get(channel).map_or(0.0, |&channel| f64::from(channel) / 127.5 - 1.0))
}

/// True for a unit vector that points towards the viewer.
fn is_normal(axes: &[f64; 3]) -> bool {
    axes[2] > 0.0 && (length(axes) - 1.0).abs() <= TOLERANCE
}

fn length([x, y, z]: &[f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tga(kind: u8, texels: impl IntoIterator<Item = [u8; 3]>) -> Vec<u8> {
        let mut bytes = vec![0; 18];
        (bytes[2], bytes[16]) = (kind, 24);
        for texel in texels {
            bytes.extend((kind == 10).then_some(0));
            bytes.extend(texel);
        }
        bytes
    }

    /// Returns the texel of a normal that is this many degrees above the x axis.
    fn normal(degrees: f64) -> [u8; 3] {
        [degrees.to_radians().cos(), 0.0, degrees.to_radians().sin()].map(|axis| ((axis + 1.0) * 127.5).round() as u8)
    }

    #[test]
    fn unit_vectors_make_a_normal_map() {
        let leaning = || (0..90).map(|degrees| normal(f64::from(degrees - 45)));
        assert_eq!(suited(&tga(2, leaning())), Some(Texels::Normals));
        assert_eq!(suited(&tga(10, leaning())), Some(Texels::Normals));
        let greys = (0..90).map(|grey| [grey * 2; 3]);
        assert_eq!(suited(&tga(2, greys)), Some(Texels::Colours));
        let skin = (0..90).map(|shade| [60 + shade, 80 + shade, 130 + shade]);
        assert_eq!(suited(&tga(10, skin)), Some(Texels::Colours));
        assert_eq!(suited(&tga(2, [[235, 206, 135]; 90])), None, "a sky");
        for unpainted in [[0; 3], [128; 3]] {
            let texels = [unpainted; 90].into_iter().chain(leaning());
            assert_eq!(suited(&tga(2, texels)), Some(Texels::Normals));
        }
        let half = (0..90).map(|texel| if texel % 2 == 0 { normal(20.0) } else { [20; 3] });
        assert_eq!(suited(&tga(2, half)), None);
        assert_eq!(suited(&tga(2, leaning().take(9))), None);
        assert_eq!(suited(&tga(3, leaning())), None);
        assert_eq!(suited(b"\x89PNG"), None);
    }
}
