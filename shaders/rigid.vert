#version 120
// rigid: every vertex follows one joint, the heaviest (article 000 section 2.4.2, basic skinning).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             joint: palette index, a whole number
// Uniforms    palette[3 * JOINTS]: three rows per joint of  skin = pose * inverse(bind)
// Limits      one influence, JOINTS joints in a batch

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute float joint;

uniform vec4 palette[3 * JOINTS];

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    int row = 3 * int(joint + 0.5);
    vec4 x = palette[row];
    vec4 y = palette[row + 1];
    vec4 z = palette[row + 2];
    vec4 p = vec4(position, 1.0);
    model_position = vec3(dot(x, p), dot(y, p), dot(z, p));
    // The inverse transpose up to a factor, for scaled joints.
    model_normal = normalize(vec3(
        dot(cross(y.xyz, z.xyz), normal),
        dot(cross(z.xyz, x.xyz), normal),
        dot(cross(x.xyz, y.xyz), normal)));
    model_tangent = vec3(dot(x.xyz, tangent.xyz), dot(y.xyz, tangent.xyz), dot(z.xyz, tangent.xyz));
}
