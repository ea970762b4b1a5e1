#version 110
// ffp: the fixed-function pipeline's non-indexed vertex blending (article 000 section 3.3.1, FFP).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: of the batch's first three matrices; the fourth is the rest to 1
// Uniforms    palette[3 * 4]: three rows for each of the batch's four matrices
// Limits      four matrices for a whole batch, in the same order for every vertex in it: no indices

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec3 weights;

uniform vec4 palette[12];

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    float last = 1.0 - weights.x - weights.y - weights.z;
    vec4 x = weights.x * palette[0] + weights.y * palette[3] + weights.z * palette[6] + last * palette[9];
    vec4 y = weights.x * palette[1] + weights.y * palette[4] + weights.z * palette[7] + last * palette[10];
    vec4 z = weights.x * palette[2] + weights.y * palette[5] + weights.z * palette[8] + last * palette[11];

    vec4 p = vec4(position, 1.0);
    model_position = vec3(dot(x, p), dot(y, p), dot(z, p));
    // Fixed function transforms normals by the blended inverse transpose; normalize removes the factor.
    model_normal = normalize(vec3(
        dot(cross(y.xyz, z.xyz), normal),
        dot(cross(z.xyz, x.xyz), normal),
        dot(cross(x.xyz, y.xyz), normal)));
    model_tangent = vec3(dot(x.xyz, tangent.xyz), dot(y.xyz, tangent.xyz), dot(z.xyz, tangent.xyz));
}
