// Corrections by examples, for sjbbe, sjbbe-article, sbe, psd and eigenskin (article 000 sections 4.2.3 and 5.3).
//
// Attributes  offset0..3: offsets from the position (xyz); offset0.w: index into exampleWeights
//             normal_offset0..3: the same for the normal
// Uniforms    exampleWeights[JOINTS]: shares of a joint's four offsets in this pose

attribute vec4 offset0;
attribute vec3 offset1;
attribute vec3 offset2;
attribute vec3 offset3;
attribute vec3 normal_offset0;
attribute vec3 normal_offset1;
attribute vec3 normal_offset2;
attribute vec3 normal_offset3;

uniform vec4 exampleWeights[JOINTS];

// Corrects a vertex in the bind pose.
void correct(inout vec3 p, inout vec3 n)
{
    vec4 share = exampleWeights[int(offset0.w + 0.5)];
    p += share.x * offset0.xyz + share.y * offset1 + share.z * offset2 + share.w * offset3;
    n += share.x * normal_offset0 + share.y * normal_offset1 + share.z * normal_offset2 + share.w * normal_offset3;
}
