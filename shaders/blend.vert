#version 120
// blend: linear blending and dual quaternions, half of each.
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: four, 0 where unused
//             joints: palette indices, whole numbers; unused ones repeat the last used one
// Uniforms    boneReal[JOINTS], boneDual[JOINTS]: the two parts of  skin = pose * inverse(bind)  as a dual quaternion
// Limits      four influences, JOINTS joints in a batch (123 at 256 registers), rigid joints

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec4 weights;
attribute vec4 joints;

uniform vec4 boneReal[JOINTS];
uniform vec4 boneDual[JOINTS];

// Share of dual quaternions.
const float FACTOR = 0.5;

// The translation is twice the vector part of dual * conjugate(real).
vec3 translation(vec4 real, vec4 dual)
{
    return 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
}

void add_joint(float weight, float joint, vec4 lead, inout vec4 real, inout vec4 dual, inout vec3 p, inout vec3 n,
    inout vec3 t)
{
    int index = int(joint + 0.5);
    vec4 r = boneReal[index];
    vec4 d = boneDual[index];
    float signed_weight = dot(lead, r) < -1e-6 ? -weight : weight;
    real += signed_weight * r;
    dual += signed_weight * d;
    p += weight * (rotate(r, position) + translation(r, d));
    n += weight * rotate(r, normal);
    t += weight * rotate(r, tangent.xyz);
}

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec4 lead = boneReal[int(joints.x + 0.5)];
    vec4 real = vec4(0.0);
    vec4 dual = vec4(0.0);
    vec3 p = vec3(0.0);
    vec3 n = vec3(0.0);
    vec3 t = vec3(0.0);
    add_joint(weights.x, joints.x, lead, real, dual, p, n, t);
    add_joint(weights.y, joints.y, lead, real, dual, p, n, t);
    add_joint(weights.z, joints.z, lead, real, dual, p, n, t);
    add_joint(weights.w, joints.w, lead, real, dual, p, n, t);
    float size = 1.0 / length(real);
    real *= size;
    dual *= size;
    model_position = mix(p, rotate(real, position) + translation(real, dual), FACTOR);
    model_normal = normalize(mix(n, rotate(real, normal), FACTOR));
    model_tangent = mix(t, rotate(real, tangent.xyz), FACTOR);
}
