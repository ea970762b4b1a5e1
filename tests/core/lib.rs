//! Tests of loading, posing and skinning through public items, in modules named as those of bindpose-core.

#![cfg(test)]

mod budget;
mod examples;
mod load;
mod pairing;
mod play;
mod pose;
mod write;

mod engines {
    mod identity;
    mod playback;
    mod x_playback;
}
mod game {
    mod material;
    mod program;
}
mod image_search {
    mod finder;
    mod rules;
    mod shaders;
}
mod model {
    mod camera_path;
    mod helpers;
    mod material;
    mod mesh;
    mod transform;
}
mod runtime {
    mod crowd;
    mod pose;
    mod skin;
}
mod skin {
    mod batch;
    mod blend;
    mod bulge_free_dqs;
    mod cor;
    mod ddm;
    mod dqs_scale;
    mod influences;
    mod limits;
    mod log_matrix;
    mod meshes;
    mod names;
    mod references;
    mod sjb;
    mod velocity;
}
