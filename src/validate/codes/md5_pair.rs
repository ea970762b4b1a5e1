//! A mesh and a clip, or an MD5 file and its neighbours.

use super::Rule;
use bindpose_core::diagnostic::Severity::{Hint, Info, Warning};

const PAIR: &[&str] = &["MD5P"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        prefixes: PAIR,
        number: 1,
        name: "joint-count",
        severity: Warning,
        title: "mesh and clip have different numbers of joints",
        why: "All but vkQuake after 1.35.0 and (it seems) the KEX engine demand the same number; some end the \
              program.",
        fix: "export mesh and clips from one armature",
    },
    Rule {
        prefixes: PAIR,
        number: 2,
        name: "joint-name",
        severity: Warning,
        title: "mesh and clip name a joint differently, or order them differently",
        why: "Doom 3 and most Quake engines compare names joint by joint, upper and lower case apart. Daemon fails \
              in silence. Q2PRO and yquake2remaster go by position and animate the wrong joint. vkQuake, Red \
              Eclipse and assimp go by name.",
        fix: "export mesh and clips from one armature",
    },
    Rule {
        prefixes: PAIR,
        number: 3,
        name: "joint-parent",
        severity: Warning,
        title: "a joint has another parent in the clip than in the mesh",
        why: "Clips store poses relative to the parent. Doom 3 and the Quake engines refuse the pair, the others \
              show a torn model.",
        fix: "export mesh and clips from one armature",
    },
    Rule {
        prefixes: PAIR,
        number: 4,
        name: "unmapped-parent",
        severity: Hint,
        title: "a joint hangs under one that only the clip has",
        why: "vkQuake finds joints by name and needs the parent in the mesh, too: \"has unmapped parent\".",
        fix: "keep the joint in the mesh's armature, or remove it from the clip",
    },
    Rule {
        prefixes: PAIR,
        number: 5,
        name: "sibling-frames",
        severity: Warning,
        title: "the clip has another number of frames than the .mdl or .md2 beside it",
        why: "Quake and Quake II games set frame numbers of the old model. Past the end the Quake engines show frame \
              0, Q2PRO starts over.",
        fix: "export exactly one frame per frame of the old model",
    },
    Rule {
        prefixes: PAIR,
        number: 6,
        name: "no-clip",
        severity: Hint,
        title: "there is no .md5anim of the same name beside the .md5mesh",
        why: "The Quake and Quake II engines look for it: most refuse the model or show the old one. Doom 3 names \
              clips in declarations.",
        fix: "for Quake, even a static model needs a clip of one frame",
    },
    Rule {
        prefixes: PAIR,
        number: 7,
        name: "fewer-skins",
        severity: Hint,
        title: "the mesh has fewer skins than the .mdl beside it",
        why: "vkQuake shows the .mdl for entities whose skin is missing.",
        fix: "add SHADER_01_00 and so on",
    },
    Rule {
        prefixes: PAIR,
        number: 8,
        name: "md5scale",
        severity: Info,
        title: "the .md5scale beside the mesh names an unknown joint or frame",
        why: "Q2PRO and q2repro read it, up to 4096 tokens of JSON; what it names wrongly does nothing.",
        fix: "",
    },
    Rule {
        prefixes: PAIR,
        number: 9,
        name: "bounds-small",
        severity: Warning,
        title: "the box of a frame does not hold the skinned vertices",
        why: "Daemon and Doom 3 cull with it: the model vanishes at the edge of the screen.",
        fix: "`--fix` computes the boxes again",
    },
    Rule {
        prefixes: PAIR,
        number: 10,
        name: "leaves-bind-box",
        severity: Hint,
        title: "animated vertices leave the box of the bind pose by more than a tenth",
        why: "The Quake engines and FTE cull with the bind pose's box: the model can vanish at the edge of the \
              screen.",
        fix: "",
    },
    Rule {
        prefixes: PAIR,
        number: 11,
        name: "bounds-large",
        severity: Info,
        title: "the box of a frame is much larger than the skinned vertices",
        why: "It was made from something else: another mesh, the rest pose, or another unit.",
        fix: "`--fix` computes the boxes again",
    },
    Rule {
        prefixes: PAIR,
        number: 12,
        name: "unapplied-transform",
        severity: Warning,
        title: "clip and bind pose differ by one turn or scale at the root",
        why: "The armature or the mesh object had a transform that was not applied before export, the most frequent \
              reason for distorted models.",
        fix: "apply all transforms to armature and meshes, then export both again",
    },
    Rule {
        prefixes: PAIR,
        number: 13,
        name: "proportions",
        severity: Info,
        title: "joints stand farther from or nearer to their parents than in the bind pose",
        why: "The clip was made for a figure of other proportions or another unit: limbs stretch.",
        fix: "",
    },
    Rule {
        prefixes: PAIR,
        number: 14,
        name: "binary-cache",
        severity: Hint,
        title: "a binary file under generated/ is newer than the source",
        why: "RBDOOM-3-BFG loads that instead.",
        fix: "delete generated/rendermodels and generated/anim",
    },
    Rule {
        prefixes: PAIR,
        number: 15,
        name: "rates-differ",
        severity: Info,
        title: "clips of one mesh have different frame rates",
        why: "Doom 3 can blend them, but frame commands and blend times in its scripts count 24ths of a second.",
        fix: "",
    },
];
