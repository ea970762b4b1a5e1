#version 120
// matrix-loop: position and normal by every matrix, in a loop whose bound is a uniform (article 000, VSP).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: of the first three influences; the last is the rest to 1
//             joints: palette indices, whole numbers; unused ones repeat the last used one
// Uniforms    palette[3 * JOINTS]: three rows per joint of  skin = pose * inverse(bind)
//             influences: largest number per vertex of this batch; DirectX's compiler made a REP loop of it
// Limits      four influences, JOINTS joints in a batch (82 at 256 registers)

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec3 weights;
attribute vec4 joints;

uniform vec4 palette[3 * JOINTS];
uniform int influences;

void add_joint(float weight, float joint, inout vec3 p, inout vec3 n, inout vec3 t)
{
    int row = 3 * int(joint + 0.5);
    vec4 x = palette[row];
    vec4 y = palette[row + 1];
    vec4 z = palette[row + 2];
    vec4 from = vec4(position, 1.0);
    p += weight * vec3(dot(x, from), dot(y, from), dot(z, from));
    n += weight * vec3(dot(x.xyz, normal), dot(y.xyz, normal), dot(z.xyz, normal));
    t += weight * vec3(dot(x.xyz, tangent.xyz), dot(y.xyz, tangent.xyz), dot(z.xyz, tangent.xyz));
}

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec3 p = vec3(0.0);
    vec3 n = vec3(0.0);
    vec3 t = vec3(0.0);
    float last = 1.0;
    for (int i = 0; i < influences - 1; i++) {
        last -= weights[i];
        add_joint(weights[i], joints[i], p, n, t);
    }
    add_joint(last, joints[influences - 1], p, n, t);
    model_position = p;
    model_normal = normalize(n);
    model_tangent = t;
}
