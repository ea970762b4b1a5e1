//! Quake's `.mdl`, Quake II's `.md2` and Quake III's `.md3`: models that store the vertices of every frame.
//!
//! They are read to replace their frames and to be compared with models of joints.

mod normals;

pub use normals::normals;

use std::f32::consts::TAU;

/// A model of vertices.
#[derive(Debug, Clone, PartialEq)]
pub struct VertexModel {
    /// Its frames in order, at least one. The frames of a group follow each other.
    pub frames: Vec<VertexFrame>,
    /// Its surfaces; a `.mdl` and a `.md2` have one.
    pub surfaces: Vec<Surface>,
    /// Its skins.
    pub skins: Skins,
    /// First image of a `.mdl`: width, height and indices into Quake's palette, top row first.
    pub image: Option<(u32, u32, Vec<u8>)>,
    /// Flags of a `.mdl`, such as a rocket's trail; 0 for others.
    pub flags: u32,
}

/// A frame of a [`VertexModel`].
#[derive(Debug, Clone, PartialEq)]
pub struct VertexFrame {
    /// Its name.
    pub name: String,
    /// Position in model space and unit normal of each vertex, surface by surface.
    pub vertices: Vec<[[f32; 3]; 2]>,
}

/// Triangles of one material.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// Its name; empty in a `.mdl` and a `.md2`.
    pub name: String,
    /// Name of its image in a `.md3`.
    pub shader: String,
    /// Triangles, clockwise seen from the front: for each corner the vertex in [`VertexFrame::vertices`], not compared
    /// with their number, and its texture coordinates, from the left end of the image's top row.
    pub triangles: Vec<[(usize, [f32; 2]); 3]>,
}

/// The skins of a [`VertexModel`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skins {
    /// Skins of a `.mdl`: for each, the number of images that alternate. Those of a `.md3` are other files.
    Numbered(Vec<usize>),
    /// Skins of a `.md2`: paths of images, with `/`.
    Named(Vec<String>),
}

/// Bytes that are not a [`VertexModel`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Another kind of file.
    #[error(
        "the file is not a model of Quake, Quake II or Quake III: it begins with none of IDPO (version 6), IDP2 (version 8) \
         and IDP3 (version 15)"
    )]
    Magic,
    /// A file that ends early.
    #[error("the model ends at byte {length}, before its {what} at byte {offset}")]
    Truncated {
        /// The missing part.
        what: &'static str,
        /// Expected position of this part, in bytes.
        offset: usize,
        /// Size of the file.
        length: usize,
    },
    /// An impossible count.
    #[error("the model claims {count} {what}")]
    Count {
        /// The counted parts.
        what: &'static str,
        /// The count.
        count: i32,
    },
    /// A model without frames.
    #[error("the model has no frames")]
    None,
}

/// True if a file begins as one of these models.
pub fn is_vertex_model(head: &[u8]) -> bool {
    [&b"IDPO\x06\0\0\0"[..], b"IDP2\x08\0\0\0", b"IDP3\x0f\0\0\0"].iter().any(|mark| head.starts_with(mark))
}

/// Reads a model.
///
/// # Errors
///
/// [`Error`]: another kind of file, or a damaged one.
pub fn parse(bytes: &[u8]) -> Result<VertexModel, Error> {
    if !is_vertex_model(bytes) {
        return Err(Error::Magic);
    }
    let mut reader = Reader { bytes, at: 0 };
    let model = match bytes[3] {
        b'O' => mdl(&mut reader)?,
        b'2' => md2(&mut reader)?,
        _ => md3(&mut reader)?,
    };
    if model.frames.is_empty() { Err(Error::None) } else { Ok(model) }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize, what: &'static str) -> Result<&'a [u8], Error> {
        let end = self.at.saturating_add(length);
        let taken = self.bytes.get(self.at..end);
        let taken = taken.ok_or(Error::Truncated { what, offset: self.at, length: self.bytes.len() })?;
        self.at = end;
        Ok(taken)
    }

    /// Takes `count` records of `N` bytes.
    fn records<const N: usize>(&mut self, count: usize, what: &'static str) -> Result<&'a [[u8; N]], Error> {
        Ok(self.take(count.saturating_mul(N), what)?.as_chunks().0)
    }

    fn numbers<const N: usize>(&mut self, what: &'static str) -> Result<[i32; N], Error> {
        Ok(words(self.take(4 * N, what)?).map(u32::cast_signed))
    }

    fn counts<const N: usize>(&mut self, at: usize, what: [&'static str; N]) -> Result<[usize; N], Error> {
        self.at = at;
        let numbers = self.numbers::<N>(what[0])?;
        let mut counts = [0; N];
        for (place, count) in numbers.into_iter().enumerate() {
            counts[place] = usize::try_from(count).map_err(|_| Error::Count { what: what[place], count })?;
        }
        Ok(counts)
    }

    fn floats<const N: usize>(&mut self, what: &'static str) -> Result<[f32; N], Error> {
        Ok(self.numbers(what)?.map(|bits| f32::from_bits(bits as u32)))
    }

    /// Reads a name of `length` bytes, or up to a zero byte.
    fn name(&mut self, length: usize, what: &'static str) -> Result<String, Error> {
        let bytes = self.take(length, what)?;
        let name = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(name.iter().map(|&byte| char::from(byte)).collect())
    }

    /// Reads vertices in steps of a grid: three bytes, and the number of a normal.
    fn packed(&mut self, count: usize, scale: [f32; 3], origin: [f32; 3]) -> Result<Vec<[[f32; 3]; 2]>, Error> {
        let normals = normals();
        let vertex = |&[x, y, z, normal]: &[u8; 4]| {
            let steps = [x, y, z].map(f32::from);
            let normal = normals.get(usize::from(normal)).copied().unwrap_or([0.0, 0.0, 1.0]);
            [std::array::from_fn(|axis| steps[axis] * scale[axis] + origin[axis]), normal]
        };
        Ok(self.records(count, "vertices of a frame")?.iter().map(vertex).collect())
    }
}

/// Bytes of a frame's name.
const FRAME_NAME: usize = 16;
/// Bytes of other names.
const NAME: usize = 64;
/// Flag of a `.mdl`'s vertex between the front and the back half of the image.
const ON_SEAM: i32 = 0x20;

/// Returns the numbers of a record, which has four bytes for each.
fn words<const N: usize>(record: &[u8]) -> [u32; N] {
    std::array::from_fn(|place| u32::from_le_bytes(std::array::from_fn(|at| record[4 * place + at])))
}

fn half(bytes: [u8; 2]) -> usize {
    usize::from(u16::from_le_bytes(bytes))
}

fn mdl(reader: &mut Reader<'_>) -> Result<VertexModel, Error> {
    reader.at = 8;
    let (scale, origin) = (reader.floats("scale")?, reader.floats("origin")?);
    let whats = ["skins", "skin width", "skin height", "vertices", "triangles", "frames"];
    let [skins, width, height, vertices, triangles, frames] = reader.counts(48, whats)?;
    let [_, flags] = reader.numbers("flags")?;
    reader.at = 84;
    let texels = width.saturating_mul(height);
    let (mut numbered, mut image) = (Vec::new(), None);
    for _ in 0..skins {
        let mut images = 1;
        if reader.numbers::<1>("skin")? != [0] {
            [images] = reader.counts(reader.at, ["skins of a group"])?;
            reader.take(images.saturating_mul(4), "times of a skin group")?;
        }
        let all = reader.take(images.saturating_mul(texels), "skin")?;
        image = image.or_else(|| Some((width as u32, height as u32, all.get(..texels)?.to_vec())));
        numbered.push(images);
    }
    let coordinates = reader.records::<12>(vertices, "texture coordinates")?;
    let triangle = |bytes: &[u8; 16]| {
        let [front, corners @ ..] = words::<4>(bytes).map(u32::cast_signed);
        corners.map(|corner| {
            let own = coordinates.get(corner as usize).map_or([0; 3], |own| words(own).map(u32::cast_signed));
            let moved = if front == 0 && own[0] & ON_SEAM != 0 { width as f32 / 2.0 } else { 0.0 };
            (corner as usize, [(own[1] as f32 + 0.5 + moved) / width as f32, (own[2] as f32 + 0.5) / height as f32])
        })
    };
    let triangles = reader.records(triangles, "triangles")?.iter().map(triangle).collect();
    let mut all = Vec::new();
    for _ in 0..frames {
        let mut poses = 1;
        if reader.numbers::<1>("frame")? != [0] {
            [poses] = reader.counts(reader.at, ["frames of a group"])?;
            reader.take(8, "bounds of a frame group")?;
            reader.take(poses.saturating_mul(4), "times of a frame group")?;
        }
        for _ in 0..poses {
            reader.take(8, "bounds of a frame")?;
            let name = reader.name(FRAME_NAME, "frame name")?;
            all.push(VertexFrame { name, vertices: reader.packed(vertices, scale, origin)? });
        }
    }
    let surfaces = vec![Surface { name: String::new(), shader: String::new(), triangles }];
    Ok(VertexModel { frames: all, surfaces, skins: Skins::Numbered(numbered), image, flags: flags as u32 })
}

fn md2(reader: &mut Reader<'_>) -> Result<VertexModel, Error> {
    let whats = ["skin width", "skin height", "bytes in each frame", "skins", "vertices", "texture coordinates"];
    let [width, height, size, skins, vertices, coordinates] = reader.counts(8, whats)?;
    let whats = ["triangles", "drawing commands", "frames", "offset of the skins", "offset of the texture coordinates"];
    let [triangles, _, frames, first_skin, first_coordinate] = reader.counts(32, whats)?;
    let [first_triangle, start] = reader.counts(52, ["offset of the triangles", "offset of the frames"])?;
    let mut paths = Vec::new();
    for skin in 0..skins {
        reader.at = first_skin.saturating_add(skin.saturating_mul(NAME));
        paths.push(reader.name(NAME, "skin path")?.replace('\\', "/"));
    }
    reader.at = first_coordinate;
    let coordinates = reader.records::<4>(coordinates, "texture coordinates")?;
    reader.at = first_triangle;
    let triangle = |&[a0, a1, b0, b1, c0, c1, s0, s1, t0, t1, u0, u1]: &[u8; 12]| {
        let corner = |vertex: [u8; 2], place: [u8; 2]| {
            let [x0, x1, y0, y1] = coordinates.get(half(place)).copied().unwrap_or_default();
            let [x, y] = [[x0, x1], [y0, y1]].map(|part| f32::from(i16::from_le_bytes(part)));
            (half(vertex), [x / width.max(1) as f32, y / height.max(1) as f32])
        };
        [corner([a0, a1], [s0, s1]), corner([b0, b1], [t0, t1]), corner([c0, c1], [u0, u1])]
    };
    let triangles = reader.records(triangles, "triangles")?.iter().map(triangle).collect();
    // Frames are consecutive. A smaller size would count the same bytes repeatedly.
    if frames > 1 && size < vertices.saturating_mul(4).saturating_add(24 + FRAME_NAME) {
        return Err(Error::Count { what: "bytes in each frame", count: size as i32 });
    }
    let mut all = Vec::new();
    for frame in 0..frames {
        reader.at = start.saturating_add(frame.saturating_mul(size));
        let (scale, origin) = (reader.floats("scale of a frame")?, reader.floats("origin of a frame")?);
        let name = reader.name(FRAME_NAME, "frame name")?;
        all.push(VertexFrame { name, vertices: reader.packed(vertices, scale, origin)? });
    }
    let surfaces = vec![Surface { name: String::new(), shader: String::new(), triangles }];
    Ok(VertexModel { frames: all, surfaces, skins: Skins::Named(paths), image: None, flags: 0 })
}

fn md3(reader: &mut Reader<'_>) -> Result<VertexModel, Error> {
    let [frames, _, surfaces] = reader.counts(76, ["frames", "tags", "surfaces"])?;
    let [start, _, mut next] =
        reader.counts(92, ["offset of the frames", "offset of the tags", "offset of the surfaces"])?;
    reader.at = start;
    let mut all = Vec::new();
    for _ in 0..frames {
        reader.take(40, "bounds of a frame")?;
        all.push(VertexFrame { name: reader.name(FRAME_NAME, "frame name")?, vertices: Vec::new() });
    }
    let mut made = Vec::new();
    for _ in 0..surfaces {
        let first = all.first().map_or(0, |frame| frame.vertices.len());
        next = md3_surface(reader, next, first, &mut all, &mut made)?;
    }
    Ok(VertexModel { frames: all, surfaces: made, skins: Skins::Numbered(Vec::new()), image: None, flags: 0 })
}

/// Reads the surface at `start`, whose vertices follow `first` others. Returns the start of the next one.
fn md3_surface(
    reader: &mut Reader<'_>,
    start: usize,
    first: usize,
    frames: &mut [VertexFrame],
    surfaces: &mut Vec<Surface>,
) -> Result<usize, Error> {
    let at = |offset: usize| start.saturating_add(offset);
    reader.at = at(4);
    let name = reader.name(NAME, "surface name")?;
    let whats = ["frames of a surface", "shaders", "vertices", "triangles", "offset of the triangles"];
    let [own_frames, shaders, vertices, triangles, to_triangles] = reader.counts(at(72), whats)?;
    let whats =
        ["offset of the shaders", "offset of the texture coordinates", "offset of the vertices", "end of a surface"];
    let [to_shaders, to_coordinates, to_vertices, end] = reader.counts(at(92), whats)?;
    reader.at = at(to_shaders);
    let shader = if shaders > 0 { reader.name(NAME, "shader")? } else { String::new() };
    reader.at = at(to_coordinates);
    let coordinates = reader.records::<8>(vertices, "texture coordinates")?;
    reader.at = at(to_triangles);
    let triangle = |bytes: &[u8; 12]| {
        let corners: [u32; 3] = words(bytes);
        corners.map(|corner| {
            let [a, b, c, d, e, f, g, h] = coordinates.get(corner as usize).copied().unwrap_or_default();
            (corner as usize + first, [[a, b, c, d], [e, f, g, h]].map(f32::from_le_bytes))
        })
    };
    let triangles = reader.records(triangles, "triangles")?.iter().map(triangle).collect();
    let after = reader.at;
    reader.at = at(to_vertices);
    let vertex = |&[x0, x1, y0, y1, z0, z1, from_z, about_z]: &[u8; 8]| {
        let position = [[x0, x1], [y0, y1], [z0, z1]].map(|part| f32::from(i16::from_le_bytes(part)) / 64.0);
        let [from_z, about_z] = [from_z, about_z].map(|angle| f32::from(angle) * TAU / 255.0);
        [position, [about_z.cos() * from_z.sin(), about_z.sin() * from_z.sin(), from_z.cos()]]
    };
    for frame in frames.iter_mut().take(own_frames) {
        frame.vertices.extend(reader.records(vertices, "vertices of a frame")?.iter().map(vertex));
    }
    surfaces.push(Surface { name, shader, triangles });
    // Otherwise the next surfaces would count the same bytes repeatedly.
    let is_whole = after.max(reader.at) <= at(end);
    if is_whole { Ok(at(end)) } else { Err(Error::Count { what: "bytes in a surface", count: end as i32 }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a .mdl with one skin of 2 x 1 texels, a group of two skins, one vertex, one triangle, two frames and a
    /// group of one frame.
    fn mdl() -> Vec<u8> {
        let mut bytes = b"IDPO".to_vec();
        let numbers = |bytes: &mut Vec<u8>, numbers: &[i32]| {
            numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        };
        numbers(&mut bytes, &[6]);
        bytes.extend([0; 40]);
        numbers(&mut bytes, &[2, 2, 1, 1, 1, 3, 0, 0]);
        bytes.extend([0; 4]);
        numbers(&mut bytes, &[0]);
        bytes.extend([7; 2]);
        numbers(&mut bytes, &[1, 2, 0, 0]);
        bytes.extend([7; 4]);
        bytes.extend([0; 12 + 16]);
        let frame = |bytes: &mut Vec<u8>, name: &[u8]| {
            bytes.extend([0; 8]);
            bytes.extend(name);
            bytes.resize(bytes.len() + 16 - name.len(), 0);
            bytes.extend([0; 4]);
        };
        numbers(&mut bytes, &[0]);
        frame(&mut bytes, b"stand1");
        numbers(&mut bytes, &[0]);
        frame(&mut bytes, b"stand2");
        numbers(&mut bytes, &[1, 1]);
        bytes.extend([0; 8 + 4]);
        frame(&mut bytes, b"walk1");
        bytes
    }

    fn names(model: &VertexModel) -> Vec<&str> {
        model.frames.iter().map(|frame| frame.name.as_str()).collect()
    }

    #[test]
    fn frames_of_both_kinds_of_model_are_read() {
        let old = parse(&mdl()).unwrap();
        assert_eq!(names(&old), ["stand1", "stand2", "walk1"]);
        assert_eq!(old.skins, Skins::Numbered(vec![1, 2]));
        let mut md2 = b"IDP2".to_vec();
        for number in [8, 0, 0, 40, 1, 0, 0, 0, 0, 2, 68, 0, 0, 132, 0, 0_i32] {
            md2.extend(number.to_le_bytes());
        }
        assert_eq!(md2.len(), 68);
        md2.extend(b"models/imp\\skin.pcx");
        md2.resize(132, 0);
        for name in [b"run1", b"run2"] {
            md2.extend([0; 24]);
            md2.extend(name);
            md2.extend([0; 12]);
        }
        let old = parse(&md2).unwrap();
        assert_eq!(names(&old), ["run1", "run2"]);
        assert_eq!(old.skins, Skins::Named(vec!["models/imp/skin.pcx".into()]));
        for length in 8..md2.len() - 12 {
            assert!(parse(&md2[..length]).is_err(), "{length} bytes");
        }
        // Two thousand million frames in the same bytes.
        md2[16..20].copy_from_slice(&[0; 4]);
        md2[40..44].copy_from_slice(&i32::MAX.to_le_bytes());
        assert!(matches!(parse(&md2), Err(Error::Count { .. })));
    }

    #[test]
    fn damaged_models_are_refused() {
        assert_eq!(parse(b"IDPO"), Err(Error::Magic));
        let whole = mdl();
        for length in 8..whole.len() {
            assert!(parse(&whole[..length]).is_err(), "{length} bytes");
        }
        let mut many = whole;
        many[68..72].copy_from_slice(&i32::MAX.to_le_bytes());
        assert!(parse(&many).is_err());
    }

    /// Surfaces that lie in each other would multiply the size of the file.
    #[test]
    fn surfaces_follow_each_other() {
        let mut md3 = b"IDP3".to_vec();
        let numbers = |bytes: &mut Vec<u8>, numbers: &[i32]| {
            numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        };
        numbers(&mut md3, &[15]);
        md3.resize(76, 0);
        numbers(&mut md3, &[1, 0, 1, 0, 108, 164, 164, 0]);
        md3.resize(164, 0);
        let surface = md3.len();
        md3.resize(surface + 72, 0);
        numbers(&mut md3, &[1, 0, 1, 0, 108, 108, 108, 116, 124]);
        md3.extend([0; 8]);
        md3.extend([64, 0, 0, 0, 128, 255, 0, 0]);
        let model = parse(&md3).unwrap();
        assert_eq!(model.frames[0].vertices, [[[1.0, 0.0, -2.0], [0.0, 0.0, 1.0]]]);
        let end = surface + 104;
        md3[end..end + 4].copy_from_slice(&123_i32.to_le_bytes());
        assert!(matches!(parse(&md3), Err(Error::Count { what: "bytes in a surface", .. })));
    }
}
