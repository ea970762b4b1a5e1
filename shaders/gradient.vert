#version 120
// gradient: the sum of four gradient matrices (article 001 section 4).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: four, 0 where unused
//             joints: palette indices plus 0.2, so that truncation is safe (GLSL 1.20 has no
//             integer attributes); unused ones repeat the last used one, which is already cached
// Uniforms    palette[JOINTS]: the gradient matrix  pose * inverse(bind)  of each joint
// Limits      four influences, JOINTS joints in a batch (32 in the article)

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec4 weights;
attribute vec4 joints;

uniform mat4 palette[JOINTS];

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    mat4 gradient = mat4(0.0);
    for (int i = 0; i < 4; i++) {
        gradient += palette[int(joints[i])] * weights[i];
    }
    model_position = (gradient * vec4(position, 1.0)).xyz;
    // transpose(inverse(gradient)) up to a factor: the cofactors, for which GLSL 1.20 has no function.
    vec3 a = gradient[0].xyz;
    vec3 b = gradient[1].xyz;
    vec3 c = gradient[2].xyz;
    model_normal = normalize(cross(b, c) * normal.x + cross(c, a) * normal.y + cross(a, b) * normal.z);
    model_tangent = (gradient * vec4(tangent.xyz, 0.0)).xyz;
}
