//! Quake's table of normals.

/// Coordinates of Quake's 162 normals, the corners of an icosahedron whose edges are divided by four.
const COORDINATES: [f32; 21] = [
    0.0, 0.147621, 0.162460, 0.238856, 0.262866, 0.295242, 0.309017, 0.425325, 0.442863, 0.5, 0.525731, 0.587785,
    0.681718, 0.688191, 0.716567, 0.809017, 0.850651, 0.864188, 0.951056, 0.955423, 1.0,
];

/// Quake's normals in its order: x, y and z as letters of [`COORDINATES`], in upper case if negative.
const NORMALS: &[u8] =
    b"KaqIdrFatGjpCesaauaqkBombomakqgjpkaqfatidrcesMboPgjLhnQkaRidOmbNlhJpgDriHnlOmBJpGKqaaqKDrIatFEsCauaatfEscdri\
escjpgdrIesCjpGqkaombomBkqahnlridnlhpgjmbolhntfauaasceqKatFarIdsCepGjmBoqakriDpgJscEkaQmbOmBOqaKpGJrIDsCEboM\
gjPhnLidRlhNnlHBoMGjPakQKaQIdRFaTCeSaaUfaTceSIDRGJPCESaQKBOMbOMaKQgJPiDRcESdRIjPGhNLoMBnLHlHNaTFaUaeSCaQkaTf\
dRieScjPgoMbkQaDRIJPGESCQKaOMBOMbKQaJPgDRiEScRIdPGjNLhMBoIDrLHnGJpBOmHNlCEsiDrcEsgJpbOmaKqhNllHnnLhTfaSceUaa\
QakTFaSCeRiDScEPgJRIDSCEPGJMbOMBOQaKNlHLhNHnLHNLLHNNLH";

/// Returns Quake's 162 normals by their numbers, unit vectors rounded to six decimals.
pub fn normals() -> Vec<[f32; 3]> {
    let part = |letter: u8| {
        let size = COORDINATES[usize::from(letter.to_ascii_lowercase() - b'a')];
        if letter.is_ascii_uppercase() { -size } else { size }
    };
    NORMALS.as_chunks().0.iter().map(|normal: &[u8; 3]| normal.map(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three numbers are known from the sources of exporters: +z is 5, +x 52, -y 104.
    #[test]
    fn normals_are_those_of_quake() {
        let normals = normals();
        assert_eq!(normals.len(), 162);
        assert_eq!([normals[5], normals[52], normals[104]], [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]);
        let squared = |a: &[f32; 3], b: &[f32; 3]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
        for (number, normal) in normals.iter().enumerate() {
            assert!((squared(normal, &[0.0; 3]) - 1.0).abs() < 4e-6, "{number}: {normal:?}");
            let others = normals.iter().map(|other| squared(other, normal).sqrt()).filter(|far| *far > 0.0);
            // An edge of the icosahedron is 63.4 degrees, in four parts.
            let nearest = others.fold(2.0, f32::min);
            assert!((0.2..0.33).contains(&nearest), "{number}: {nearest}");
        }
    }
}
