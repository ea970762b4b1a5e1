//! Damaged .x files: every file that the reader accepts can be imported, posed and skinned.

use crate::support;
use bindpose::budget::Budget;
use bindpose::import::x::{Imported, XImportOptions, import};
use bindpose::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose::skin::{Skinned, linear};
use bindpose_parsers::x::{self, Reading};

/// Imports a file if it can be read, and evaluates every clip and mesh.
fn show(bytes: &[u8]) {
    let Ok(file) = x::unpack(bytes, Reading::Lenient) else { return };
    let Ok(parsed) = x::parse(&file, Reading::Lenient) else { return };
    let Ok(Imported { model, .. }) = import(parsed.document, &XImportOptions::default(), &Budget::default()) else {
        return;
    };
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    let mut skinned = Skinned::default();
    for clip in &model.clips {
        assert_eq!(clip.joints.len(), model.skeleton.len());
        sample(&model.skeleton, clip, clip.duration / 3.0, &mut local);
        local_to_model(&model.skeleton, &local, &mut pose);
        assert_eq!(pose.0.len(), model.skeleton.len());
        for mesh in &model.meshes {
            assert!(mesh.material.index() < model.materials.len());
            linear(mesh, &pose, &mut skinned);
            assert_eq!(skinned.positions.len(), mesh.vertex_count());
        }
    }
    for mesh in &model.meshes {
        assert!(mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < mesh.vertex_count()));
        assert!(mesh.normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-3));
    }
}

/// A skinned, animated square in which every number can be damaged.
const FIGURE: &str = "xof 0303txt 0032
Frame Root { FrameTransformMatrix { 1,0,0,0, 0,0,1,0, 0,1,0,0, 0,0,0,1;; }
Frame Bone { FrameTransformMatrix { 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,2,0,1;; }
Mesh M { 4; 0;0;0;, 1;0;0;, 1;1;0;, 0;1;0;; 2; 3;0,1,2;, 4;0,2,3,1;;
MeshNormals { 2; 0;0;1;, 0;1;0;; 2; 3;0,1,0;, 4;0,0,0,0;; }
MeshTextureCoords { 4; 0;0;, 1;0;, 1;1;, 0;1;; }
MeshVertexColors { 1; 2; 1;0.5;0;1;; }
VertexDuplicationIndices { 4; 4; 0,1,2,3; }
MeshMaterialList { 2; 2; 0,1; Material { 1;1;1;1;; 5; 1;1;1;; 0;0;0;; } Material { 1;1;1;1;; 5; 1;1;1;; 0;0;0;; } }
XSkinMeshHeader { 2; 2; 2; }
SkinWeights { \"Root\"; 3; 0,1,2; 1,0.5,0.25; 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1;; }
SkinWeights { \"Bone\"; 3; 1,2,3; 0.5,0.75,1; 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,-2,0,1;; }
} } }
AnimTicksPerSecond { 24; }
AnimationSet Wave { Animation { {Bone} AnimationKey { 0; 2; 0;4; 1,0,0,0;;, 9;4; 0.7,0.7,0,0;;; }
AnimationKey { 1; 2; 0;3; 1,1,1;;, 5;3; 2,2,2;;; } }
Animation { {Root} AnimationKey { 4; 2; 0;16; 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1;;, 9;16; 1,0,0,0, 0,0,1,0, 0,1,0,0, 0,0,0,1;;; } } }
";

/// Random damage that is the same on every machine: Knuth's MMIX constants.
struct Damage(u64);

impl Damage {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    /// Replaces a digit by another number, or changes a byte.
    fn to(&mut self, original: &[u8]) -> Vec<u8> {
        const NUMBERS: [&str; 10] = ["0", "-1", "2", "99", "1e38", "-3e38", "0.000001", "nan", "4294967295", "1e-40"];
        let mut bytes = original.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len() - 16) + 16;
            let number = NUMBERS[self.below(NUMBERS.len())].bytes();
            match bytes[at] {
                b'0'..=b'9' => drop(bytes.splice(at..=at, number)),
                _ if self.below(8) == 0 => bytes[at] = self.below(256) as u8,
                _ => {}
            }
        }
        bytes
    }
}

#[test]
fn damaged_files_can_be_shown_or_are_refused() {
    show(FIGURE.as_bytes());
    let mut damage = Damage(7);
    for _ in 0..3000 {
        show(&damage.to(FIGURE.as_bytes()));
    }
    for path in &support::real_files(&["x"]) {
        let original = std::fs::read(path).unwrap();
        for _ in 0..(200_000 / original.len()).clamp(1, 40) {
            show(&damage.to(&original));
        }
    }
}

/// Chains of frames as deep as the reader accepts, with matrices that overflow.
#[test]
fn overflowing_transforms_are_handled() {
    let frame = "Frame A { FrameTransformMatrix { 3e38,0,0,0, 0,3e38,0,0, 0,0,3e38,0, 3e38,0,0,1;; } ";
    let mesh = "Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; } ";
    let text = format!("xof 0303txt 0032\n{}{mesh}{}", frame.repeat(200), "}".repeat(200));
    show(text.as_bytes());
    show(text.replace("3e38", "0").as_bytes());
}
