//! bindpose for C: the functions of `include/bindpose.h`. `boundary` has them, and all unsafe code; `model` is what they show.

mod boundary;
mod model;
