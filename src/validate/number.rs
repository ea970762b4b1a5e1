//! The numbers of our codes that more than one module names; `codes` holds their texts.
//!
//! Below 200 a number means the same in all three kinds of MD5 file; only the prefix differs.

pub(super) const VERSION: u16 = 1;
pub(super) const COMMAND_LINE_MISSING: u16 = 2;
pub(super) const COMMAND_LINE_VALUE: u16 = 3;
pub(super) const LONG_STRING: u16 = 4;
pub(super) const ORDER: u16 = 5;
pub(super) const MESH_NAME: u16 = 6;
pub(super) const COUNT: u16 = 7;
pub(super) const SYNTAX: u16 = 8;
pub(super) const GLUED: u16 = 9;
pub(super) const LINE_BREAK: u16 = 10;
pub(super) const LEADING_ZERO: u16 = 11;
pub(super) const NOT_FINITE: u16 = 12;
pub(super) const COMMENT: u16 = 13;
pub(super) const NAME: u16 = 14;
pub(super) const NUMBER: u16 = 15;
pub(super) const LONG_LINE: u16 = 16;
pub(super) const STRING: u16 = 17;
pub(super) const CHARACTER: u16 = 18;
pub(super) const NOT_ASCII: u16 = 19;
pub(super) const NUL: u16 = 20;
pub(super) const CR_ONLY: u16 = 21;
pub(super) const KEYWORD: u16 = 22;
pub(super) const JOINED: u16 = 23;
pub(super) const OTHER_BASE: u16 = 24;
pub(super) const FRACTION: u16 = 25;
pub(super) const WRAPS: u16 = 26;
pub(super) const REPEATED: u16 = 27;
pub(super) const BLOCK_COUNT: u16 = 28;
pub(super) const TRAILING: u16 = 29;
pub(super) const OTHER_LAYOUT: u16 = 30;

pub(super) const LONG_NAME: u16 = 101;
pub(super) const JOINTS_256: u16 = 102;
pub(super) const JOINTS_64: u16 = 103;
pub(super) const PARENT_128: u16 = 104;
pub(super) const LATE_PARENT: u16 = 105;
pub(super) const ROOTS: u16 = 106;
pub(super) const DUPLICATE: u16 = 107;
pub(super) const PARENT: u16 = 108;
pub(super) const QUATERNION: u16 = 109;
pub(super) const SUBTREE: u16 = 110;

/// Meshes.
pub(super) mod mesh {
    pub const INFLUENCES_4: u16 = 201;
    pub const INFLUENCES_8: u16 = 202;
    pub const NO_WEIGHTS: u16 = 203;
    pub const WEIGHT_SUM: u16 = 204;
    pub const RESIDUAL: u16 = 205;
    pub const VERTICES: u16 = 206;
    pub const TRIANGLES: u16 = 207;
    pub const WEIGHTS: u16 = 208;
    pub const MESHES: u16 = 209;
    pub const INDEX: u16 = 210;
    pub const RECORD_NUMBER: u16 = 211;
    pub const RECORD_COUNT: u16 = 212;
    pub const DEGENERATE: u16 = 213;
    pub const SHADER: u16 = 214;
    pub const UNUSED_WEIGHT: u16 = 215;
    pub const NEGATIVE: u16 = 216;
    pub const EMPTY: u16 = 217;
    pub const UNUSED_VERTEX: u16 = 218;
    pub const DROPPED: u16 = 219;
}

/// Clips, and the frame rate of cameras.
pub(super) mod anim {
    pub const RATE_FRACTION: u16 = 201;
    pub const RATE_ZERO: u16 = 202;
    pub const BASEFRAME_NEEDED: u16 = 203;
    pub const FLAGS: u16 = 204;
    pub const COMPONENTS: u16 = 205;
    pub const FIRST_COMPONENT: u16 = 206;
    pub const BLOCK_MISSING: u16 = 207;
    pub const BOUNDS_COUNT: u16 = 208;
    pub const BASEFRAME_COUNT: u16 = 209;
    pub const FRAME_MISSING: u16 = 210;
    pub const FRAME_ORDER: u16 = 211;
    pub const FRAME_VALUES: u16 = 212;
    pub const TOO_MANY: u16 = 213;
    pub const COMPONENT_COUNT: u16 = 214;
    pub const LOOP_SEAM: u16 = 215;
    pub const FAST_JOINT: u16 = 216;
    pub const FLIPPED: u16 = 217;
    pub const BASEFRAME_DIFFERS: u16 = 218;
    pub const ROOT_OFFSET: u16 = 219;
    pub const BOUNDS_INVERTED: u16 = 220;
    pub const SHARED: u16 = 221;
    pub const UNUSED: u16 = 222;
    pub const POP: u16 = 223;
}

/// Cameras.
pub(super) mod camera {
    pub const CUT: u16 = 230;
    pub const CUT_ORDER: u16 = 231;
}

/// Pairs: `MD5P` and the number less 300.
pub(super) mod pair {
    pub const COUNT: u16 = 301;
    pub const NAME: u16 = 302;
    pub const PARENT: u16 = 303;
    pub const UNMAPPED: u16 = 304;
    pub const SIBLING: u16 = 305;
    pub const NO_CLIP: u16 = 306;
    pub const SKINS: u16 = 307;
    pub const SCALE: u16 = 308;
    pub const BOUNDS_SMALL: u16 = 309;
    pub const LEAVES_BOX: u16 = 310;
    pub const BOUNDS_LARGE: u16 = 311;
    pub const UNAPPLIED: u16 = 312;
    pub const PROPORTIONS: u16 = 313;
    pub const CACHE: u16 = 314;
    pub const RATES: u16 = 315;
}
