//! Documents in the file's own terms and order.

pub(super) mod md5;
pub(super) mod x;

use crate::records::Writer;
use std::io;

type Written = io::Result<()>;
