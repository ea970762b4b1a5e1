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
pub(super) const OCTAL: u16 = 11;
pub(super) const NOT_FINITE: u16 = 12;
pub(super) const COMMENT: u16 = 13;
pub(super) const NAME: u16 = 14;
pub(super) const NUMBER: u16 = 15;
pub(super) const LONG_LINE: u16 = 16;
pub(super) const STRING: u16 = 17;
pub(super) const CHARACTER: u16 = 18;

pub(super) const LATE_PARENT: u16 = 105;
pub(super) const ROOTS: u16 = 106;
pub(super) const PARENT: u16 = 108;
