#version 110
// morph: per-vertex animation, interpolated linearly between stored frames (article 000 section 2.3).
//
// Attributes  position, normal: the vertex in the frame before, model space of the pose
//             next_position, next_normal: the same in the frame after
// Uniforms    share: 0 at the frame before, 1 at the one after
// Limits      only memory: every frame stores every vertex

attribute vec3 position;
attribute vec3 normal;
attribute vec3 next_position;
attribute vec3 next_normal;

uniform float share;

void skin(out vec3 model_position, out vec3 model_normal)
{
    model_position = mix(position, next_position, share);
    model_normal = normalize(mix(normal, next_normal, share));
}
