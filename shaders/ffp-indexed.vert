#version 110
// ffp-indexed: the fixed-function pipeline's indexed vertex blending (article 000 section 3.3.2, FFP2).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: of the first three influences; the fourth is the rest to 1
//             joints: palette indices, whole numbers (one byte each in DirectX); unused ones repeat the last
// Uniforms    palette[3 * JOINTS]: three rows per matrix
// Limits      four influences, JOINTS matrices in a batch (57 on a Radeon 8500)

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec3 weights;
attribute vec4 joints;

uniform vec4 palette[3 * JOINTS];

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    float last = 1.0 - weights.x - weights.y - weights.z;
    int a = 3 * int(joints.x + 0.5);
    int b = 3 * int(joints.y + 0.5);
    int c = 3 * int(joints.z + 0.5);
    int d = 3 * int(joints.w + 0.5);
    vec4 x = weights.x * palette[a] + weights.y * palette[b] + weights.z * palette[c] + last * palette[d];
    vec4 y = weights.x * palette[a + 1] + weights.y * palette[b + 1] + weights.z * palette[c + 1] + last * palette[d + 1];
    vec4 z = weights.x * palette[a + 2] + weights.y * palette[b + 2] + weights.z * palette[c + 2] + last * palette[d + 2];

    vec4 p = vec4(position, 1.0);
    model_position = vec3(dot(x, p), dot(y, p), dot(z, p));
    model_normal = normalize(vec3(
        dot(cross(y.xyz, z.xyz), normal),
        dot(cross(z.xyz, x.xyz), normal),
        dot(cross(x.xyz, y.xyz), normal)));
    model_tangent = vec3(dot(x.xyz, tangent.xyz), dot(y.xyz, tangent.xyz), dot(z.xyz, tangent.xyz));
}
