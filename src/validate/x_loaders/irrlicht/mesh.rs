//! Meshes.

use super::model::Mesh;
use super::objects::Objects;
use super::{Program, check_memory, crash};
use crate::codes::{Rule, x as rules};
use crate::verdict::{Fallible, Stop};
use bindpose_core::engines::XLists;
use bindpose_parsers::Span;

/// Largest number of faces, and of triangle corners, that Luanti reads from 5.17 on.
const MOST: u64 = 1 << 28;
/// Size of a vertex in memory, in bytes.
const VERTEX: u64 = 36;
/// Largest number of materials that Luanti reads from 5.17 on.
const MATERIALS: u32 = 30_000;

impl<'a> Objects<'a, '_> {
    pub fn mesh(&mut self) -> Fallible<()> {
        let span = self.tokens.last;
        let mut mesh = Mesh { span, ..Mesh::default() };
        let read = self.mesh_content(&mut mesh);
        self.meshes.push(mesh);
        read
    }

    fn mesh_content(&mut self, mesh: &mut Mesh) -> Fallible<()> {
        self.open("No opening brace in Mesh found in x file")?;
        mesh.vertices = self.tokens.int()?;
        check_memory(&self.tokens, mesh.vertices, VERTEX)?;
        let (start, mut positions) = (self.tokens.last, Vec::new());
        self.tokens.is_odd = false;
        self.tokens.repeat(mesh.vertices, |tokens, _| {
            positions.push(tokens.floats::<3>()?.map(f64::from));
            Ok(())
        })?;
        self.semicolons(2, "No finishing semicolon in Mesh Vertex Array found in x file")?;
        self.faces(mesh)?;
        self.semicolons(2, "No finishing semicolon in Mesh Face Array found in x file")?;
        if self.tokens.is_odd {
            let (triangles, _) = mesh.indices.as_chunks::<3>();
            let triangles = triangles.iter().map(|corners| corners.map(Some)).collect();
            let at = start.start as usize;
            self.verdict.reading.lists.push(XLists { at, vertices: positions, triangles });
        }
        loop {
            self.keep(1);
            let name = self.tokens.token()?;
            match name {
                b"" => return self.unexpected_end("Mesh in x file."),
                b"}" => return Ok(()),
                b"MeshNormals" => self.normals(mesh)?,
                b"MeshTextureCoords" => self.texture_coords(mesh)?,
                b"MeshVertexColors" => self.vertex_colors(mesh)?,
                b"MeshMaterialList" => self.material_list(mesh)?,
                b"VertexDuplicationIndices" => self.skip_object()?,
                b"DeclData" => self.decl_data(mesh)?,
                b"FVFData" => self.fvf_data(mesh)?,
                b"XSkinMeshHeader" => self.skin_header()?,
                b"SkinWeights" => self.skin_weights(mesh)?,
                _ => self.skip_unknown(name, "mesh in x file")?,
            }
        }
    }

    fn faces(&mut self, mesh: &mut Mesh) -> Fallible<()> {
        let count = self.tokens.int()?;
        if self.program == Program::Luanti && u64::from(count) > MOST {
            return self.silent(rules::COUNT_TOO_LARGE, "Too many faces");
        }
        check_memory(&self.tokens, count, 12)?;
        let mut total = u64::from(count) * 3;
        for _ in 0..count {
            let corners = self.tokens.int()?;
            if corners < 3 {
                if self.program == Program::Irrlicht {
                    let span = self.tokens.last;
                    return crash(
                        rules::FACE_CORNERS,
                        span,
                        "a face has fewer than three corners, and those behind it are read from memory that nobody wrote",
                    );
                }
                return self.fault(rules::FACE_CORNERS, "Invalid face count (<3) found in Mesh x file reader.");
            }
            total += u64::from(corners - 3) * 3;
            if self.program == Program::Luanti && total > MOST && corners != 3 {
                return self.silent(rules::COUNT_TOO_LARGE, "Too many indices");
            }
            if total * 4 > super::MEMORY {
                return crash(rules::COUNT_TOO_LARGE, self.tokens.last, "std::bad_alloc");
            }
            self.face(mesh, corners)?;
        }
        let wrong = mesh.indices.iter().any(|&index| index >= mesh.vertices);
        if wrong && self.program != Program::Irrlicht {
            let span = mesh.wrong_index.unwrap_or(self.tokens.last);
            return self.silent_at(rules::FACE_INDEX, span, "Out of range index found in Mesh x file reader.");
        }
        Ok(())
    }

    /// Reads a face as a fan of triangles.
    fn face(&mut self, mesh: &mut Mesh, corners: u32) -> Fallible<()> {
        let (mut first, mut before) = (None, None);
        for corner in 0..corners {
            let at = self.tokens.at;
            let index = self.tokens.int()?;
            if index >= mesh.vertices {
                mesh.wrong_index.get_or_insert(self.tokens.last);
            }
            match (first, before) {
                (Some(first), Some(before)) if corner > 1 => mesh.indices.extend([first, before, index]),
                _ => {}
            }
            first = first.or(Some(index));
            before = Some(index);
            // Without further numbers all are 0. Three of them are enough.
            if self.tokens.at <= at && corner > 2 {
                break;
            }
        }
        mesh.corners.push(((corners - 2) as u16).wrapping_mul(3));
        Ok(())
    }

    /// Stops with a message that has no line.
    fn silent<T>(&self, rule: Rule, message: &str) -> Fallible<T> {
        self.silent_at(rule, self.tokens.last, message)
    }

    fn silent_at<T>(&self, rule: Rule, span: Span, message: &str) -> Fallible<T> {
        super::fault(rule, span, message, None)
    }

    fn normals(&mut self, mesh: &Mesh) -> Fallible<()> {
        self.open("No opening brace in Mesh Normals found in x file")?;
        let count = self.tokens.int()?;
        check_memory(&self.tokens, count, 12)?;
        self.tokens.repeat(count, |tokens, _| tokens.floats::<3>().map(drop))?;
        self.semicolons(2, "No finishing semicolon in Mesh Normals Array found in x file")?;
        let faces = self.tokens.int()?;
        if self.program == Program::Luanti && faces as usize > mesh.corners.len() {
            return self.fault(rules::NORMAL_FACES, "Too many face normals found in x file");
        }
        for face in 0..faces {
            self.face_normals(mesh, face as usize, count)?;
        }
        self.semicolons(2, "No finishing semicolon in Mesh Face Normals Array found in x file")?;
        self.keep(2);
        self.close("No closing brace in Mesh Normals found in x file")
    }

    fn face_normals(&mut self, mesh: &Mesh, face: usize, normals: u32) -> Fallible<()> {
        let corners = self.tokens.int()?;
        let Some(&wanted) = mesh.corners.get(face) else {
            return crash(rules::NORMAL_FACES, self.tokens.last, "more faces have normals than there are faces");
        };
        if corners.wrapping_sub(2).wrapping_mul(3) != u32::from(wanted) {
            return self.fault(rules::NORMAL_CORNERS, "Not matching normal and face index count found in x file");
        }
        for _ in 0..corners {
            let at = self.tokens.at;
            let normal = self.tokens.int()?;
            let span = self.tokens.last;
            if normal >= normals && self.program != Program::Luanti {
                return crash(rules::NORMAL_INDEX, span, "a normal is read from outside of the list");
            }
            if normal >= normals {
                self.verdict.add_misread(rules::NORMAL_INDEX, span, || "a corner without a normal is unlit".to_owned());
            }
            if self.tokens.at <= at {
                break;
            }
        }
        Ok(())
    }

    fn texture_coords(&mut self, mesh: &Mesh) -> Fallible<()> {
        self.open("No opening brace in Mesh Texture Coordinates found in x file")?;
        let count = self.tokens.int()?;
        if count > mesh.vertices {
            if self.program == Program::Luanti {
                return self.fault(rules::TEXTURE_COORDS, "Too many texture coords found in x file");
            }
            return crash(
                rules::TEXTURE_COORDS,
                self.tokens.last,
                "texture coordinates are written outside of the list of vertices",
            );
        }
        self.tokens.repeat(count, |tokens, _| tokens.floats::<2>().map(drop))?;
        self.semicolons(2, "No finishing semicolon in Mesh Texture Coordinates Array found in x file")?;
        self.keep(2);
        self.close("No closing brace in Mesh Texture Coordinates Array found in x file")
    }

    fn vertex_colors(&mut self, mesh: &Mesh) -> Fallible<()> {
        self.open("No opening brace for Mesh Vertex Colors found in x file")?;
        let count = self.tokens.int()?;
        for _ in 0..count {
            let at = self.tokens.at;
            if self.tokens.int()? >= mesh.vertices {
                let message = "index value in parseDataObjectMeshVertexColors out of bounds";
                return self.fault(rules::COLOR_INDEX, message);
            }
            self.tokens.floats::<4>()?;
            self.tokens.semicolon()?;
            self.tokens.semicolon()?;
            if self.tokens.at <= at {
                break;
            }
        }
        self.semicolons(1, "No finishing semicolon in Mesh Vertex Colors Array found in x file")?;
        self.keep(2);
        if !self.tokens.closing_brace()? {
            let message = "No closing brace in Mesh Texture Coordinates Array found in x file";
            self.log(rules::VALUES_EXTRA, message.to_owned());
            // Only here, Luanti forgets that this is an error.
            let span = self.tokens.last;
            self.verdict.add_misread(rules::VALUES_EXTRA, span, || {
                "reading ends here, and what follows is not shown".to_owned()
            });
            return Err(Stop::Finished);
        }
        Ok(())
    }

    fn material_list(&mut self, mesh: &mut Mesh) -> Fallible<()> {
        self.open("No opening brace in Mesh Material List found in x file")?;
        mesh.material_span = self.tokens.last;
        let materials = self.tokens.int()?;
        let materials = match self.program {
            Program::Luanti => materials.clamp(1, MATERIALS),
            _ => materials.max(1),
        };
        if self.program == Program::Luanti {
            mesh.materials = materials as usize;
        }
        let listed = self.tokens.int()?;
        mesh.face_materials.clear();
        let mut material = 0;
        for (face, &corners) in (0_u32..).zip(&mesh.corners) {
            if face < listed {
                material = self.tokens.int()?;
            }
            if material >= materials && self.program != Program::Irrlicht {
                return self.fault(rules::MATERIAL_INDEX, "Out of range index found in x file");
            }
            mesh.face_materials.extend(std::iter::repeat_n(material, usize::from(corners) / 3));
        }
        if !self.tokens.is_binary {
            self.tokens.optional_semicolon()?;
        }
        self.materials(mesh)
    }

    fn materials(&mut self, mesh: &mut Mesh) -> Fallible<()> {
        loop {
            self.keep(2);
            let name = self.tokens.token()?;
            match name {
                b"" => return self.unexpected_end("Mesh Material list in .x file."),
                b"}" => return Ok(()),
                b";" => {}
                b"{" => {
                    let name = self.tokens.token()?;
                    mesh.materials += match self.program {
                        Program::Luanti => 0,
                        Program::Luanti516 => 1,
                        Program::Irrlicht => self.materials.get(name).copied().unwrap_or(0),
                    };
                    self.tokens.token()?;
                }
                b"Material" => {
                    mesh.materials += 1;
                    match self.program {
                        Program::Irrlicht => self.material()?,
                        _ => self.skip_object()?,
                    }
                }
                _ if self.program == Program::Irrlicht => self.skip_unknown(name, "material list in x file")?,
                _ => {
                    // Luanti does not use materials.
                    self.unknown_type(name, "material list in x file");
                    self.skip_object()?;
                }
            }
        }
    }

    /// Reads a material, which only Irrlicht does.
    pub fn material(&mut self) -> Fallible<()> {
        self.open("No opening brace in Mesh Material found in .x file")?;
        self.tokens.floats::<4>()?;
        self.tokens.semicolon()?;
        self.tokens.semicolon()?;
        self.tokens.float()?;
        for _ in 0..2 {
            self.tokens.floats::<3>()?;
            self.tokens.semicolon()?;
            self.tokens.semicolon()?;
        }
        loop {
            let name = self.tokens.token()?;
            match name {
                b"" => return self.unexpected_end("Mesh Material in .x file."),
                b"}" => return Ok(()),
                _ if [&b"TextureFilename"[..], b"NormalmapFilename"].iter().any(|it| it.eq_ignore_ascii_case(name)) => {
                    self.texture()?;
                }
                _ => self.skip_unknown(name, "material in .x file")?,
            }
        }
    }

    fn texture(&mut self) -> Fallible<()> {
        self.open("No opening brace in Texture filename found in x file")?;
        if self.tokens.string()?.is_none() {
            return self.fault(rules::STRING_END, "Unknown syntax while reading texture filename string in x file");
        }
        self.close("No closing brace in Texture filename found in x file")
    }
}
