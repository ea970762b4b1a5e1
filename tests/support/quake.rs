//! Models of Quake and Quake II, created in tests.

/// Creates a Quake model with two skins of one texel, without vertices and triangles, with frames of these names.
pub fn mdl(names: &[&str]) -> Vec<u8> {
    let mut bytes = b"IDPO".to_vec();
    bytes.extend(6_u32.to_le_bytes());
    bytes.resize(48, 0);
    bytes.extend([2_u32, 1, 1, 0, 0, names.len() as u32].map(u32::to_le_bytes).as_flattened());
    bytes.resize(84, 0);
    bytes.extend([0; 10]);
    for name in names {
        bytes.extend([0; 12]);
        let mut field = name.as_bytes().to_vec();
        field.resize(16, 0);
        bytes.extend(field);
    }
    bytes
}

/// Creates a Quake II model with these skins and one frame, `stand01`.
pub fn md2(skins: &[&str]) -> Vec<u8> {
    let mut bytes = b"IDP2".to_vec();
    let frames = 68 + 64 * skins.len() as u32;
    let head = [8, 0, 0, 40, skins.len() as u32, 0, 0, 0, 0, 1, 68, 0, 0, frames, 0, 0];
    bytes.extend(head.map(u32::to_le_bytes).as_flattened());
    for skin in skins {
        let mut field = skin.as_bytes().to_vec();
        field.resize(64, 0);
        bytes.extend(field);
    }
    bytes.extend([0; 24]);
    bytes.extend(b"stand01\0\0\0\0\0\0\0\0\0");
    bytes
}
