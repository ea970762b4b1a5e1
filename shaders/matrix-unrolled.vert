#version 120
// matrix-unrolled: as matrix-loop, but compiled once per influence count (article 000, VSP2).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: of the first three influences; the last is the rest to 1
//             joints: palette indices, whole numbers; unused ones repeat the last used one
// Uniforms    palette[3 * JOINTS]: three rows per joint of  skin = pose * inverse(bind)
// Limits      INFLUENCES of 1 to 4, JOINTS joints in a batch; no flow control: 8 instructions per influence in
//             the article, which has no tangents

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec3 weights;
attribute vec4 joints;

uniform vec4 palette[3 * JOINTS];

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
#if INFLUENCES == 1
    add_joint(1.0, joints.x, p, n, t);
#elif INFLUENCES == 2
    add_joint(weights.x, joints.x, p, n, t);
    add_joint(1.0 - weights.x, joints.y, p, n, t);
#elif INFLUENCES == 3
    add_joint(weights.x, joints.x, p, n, t);
    add_joint(weights.y, joints.y, p, n, t);
    add_joint(1.0 - weights.x - weights.y, joints.z, p, n, t);
#else
    add_joint(weights.x, joints.x, p, n, t);
    add_joint(weights.y, joints.y, p, n, t);
    add_joint(weights.z, joints.z, p, n, t);
    add_joint(1.0 - weights.x - weights.y - weights.z, joints.w, p, n, t);
#endif
    model_position = p;
    model_normal = normalize(n);
    model_tangent = t;
}
