#version 120
// sbe, psd, eigenskin: linear blending of vertices corrected by examples (article 000 section 4.2.3).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: of the first three influences; the fourth is the rest to 1
//             joints: palette indices, whole numbers; unused ones repeat the last used one
//             those of examples.glsl
// Uniforms    palette[3 * JOINTS]: three rows per joint of  skin = pose * inverse(bind)
// Limits      four influences, four offsets per vertex, JOINTS joints in a batch

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec3 weights;
attribute vec4 joints;

uniform vec4 palette[3 * JOINTS];

void add_joint(float weight, float joint, inout vec4 x, inout vec4 y, inout vec4 z)
{
    int row = 3 * int(joint + 0.5);
    x += weight * palette[row];
    y += weight * palette[row + 1];
    z += weight * palette[row + 2];
}

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec4 x = vec4(0.0);
    vec4 y = vec4(0.0);
    vec4 z = vec4(0.0);
    add_joint(weights.x, joints.x, x, y, z);
    add_joint(weights.y, joints.y, x, y, z);
    add_joint(weights.z, joints.z, x, y, z);
    add_joint(1.0 - weights.x - weights.y - weights.z, joints.w, x, y, z);

    vec3 corrected = position;
    vec3 n = normal;
    correct(corrected, n);
    vec4 p = vec4(corrected, 1.0);
    model_position = vec3(dot(x, p), dot(y, p), dot(z, p));
    // Transpose of the inverse, up to a factor: exact for scaled and for blended joints (article 001 section 3.4).
    model_normal = normalize(vec3(
        dot(cross(y.xyz, z.xyz), n),
        dot(cross(z.xyz, x.xyz), n),
        dot(cross(x.xyz, y.xyz), n)));
    model_tangent = vec3(dot(x.xyz, tangent.xyz), dot(y.xyz, tangent.xyz), dot(z.xyz, tangent.xyz));
}
