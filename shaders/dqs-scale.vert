#version 120
// dqs-scale: dual quaternion skinning in two phases, for joints with scale (Kavan et al. 2008).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: four, 0 where unused
//             joints: palette indices, whole numbers; unused ones repeat the last used one
// Uniforms    scale[3 * JOINTS]: three rows per joint of the scale in  skin = pose * inverse(bind),  about the joint
//             boneReal[JOINTS], boneDual[JOINTS]: its rigid remainder as a dual quaternion
// Limits      four influences, JOINTS joints in a batch (49 at 256 registers)

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec4 weights;
attribute vec4 joints;

uniform vec4 scale[3 * JOINTS];
uniform vec4 boneReal[JOINTS];
uniform vec4 boneDual[JOINTS];

void add_joint(float weight, float joint, vec4 lead, inout vec4 real, inout vec4 dual, inout vec4 x, inout vec4 y,
    inout vec4 z)
{
    int index = int(joint + 0.5);
    vec4 r = boneReal[index];
    float signed_weight = dot(lead, r) < -1e-6 ? -weight : weight;
    real += signed_weight * r;
    dual += signed_weight * boneDual[index];
    x += weight * scale[3 * index];
    y += weight * scale[3 * index + 1];
    z += weight * scale[3 * index + 2];
}

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec4 lead = boneReal[int(joints.x + 0.5)];
    vec4 real = vec4(0.0);
    vec4 dual = vec4(0.0);
    vec4 x = vec4(0.0);
    vec4 y = vec4(0.0);
    vec4 z = vec4(0.0);
    add_joint(weights.x, joints.x, lead, real, dual, x, y, z);
    add_joint(weights.y, joints.y, lead, real, dual, x, y, z);
    add_joint(weights.z, joints.z, lead, real, dual, x, y, z);
    add_joint(weights.w, joints.w, lead, real, dual, x, y, z);
    vec4 p = vec4(position, 1.0);
    vec3 scaled = vec3(dot(x, p), dot(y, p), dot(z, p));
    // Transpose of the inverse of the scale, up to a factor.
    vec3 scaled_normal = normalize(vec3(
        dot(cross(y.xyz, z.xyz), normal),
        dot(cross(z.xyz, x.xyz), normal),
        dot(cross(x.xyz, y.xyz), normal)));

    float size = 1.0 / length(real);
    real *= size;
    dual *= size;
    // The translation is twice the vector part of dual * conjugate(real).
    vec3 move = 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
    model_position = rotate(real, scaled) + move;
    model_normal = rotate(real, scaled_normal);
    model_tangent = rotate(real, vec3(dot(x.xyz, tangent.xyz), dot(y.xyz, tangent.xyz), dot(z.xyz, tangent.xyz)));
}
