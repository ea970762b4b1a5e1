#version 120
// dqs: dual quaternion skinning (Kavan et al. 2007).
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

void add_joint(float weight, float joint, vec4 lead, inout vec4 real, inout vec4 dual)
{
    int index = int(joint + 0.5);
    vec4 r = boneReal[index];
    float signed_weight = dot(lead, r) < -1e-6 ? -weight : weight;
    real += signed_weight * r;
    dual += signed_weight * boneDual[index];
}

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec4 lead = boneReal[int(joints.x + 0.5)];
    vec4 real = vec4(0.0);
    vec4 dual = vec4(0.0);
    add_joint(weights.x, joints.x, lead, real, dual);
    add_joint(weights.y, joints.y, lead, real, dual);
    add_joint(weights.z, joints.z, lead, real, dual);
    add_joint(weights.w, joints.w, lead, real, dual);
    float size = 1.0 / length(real);
    real *= size;
    dual *= size;
    // The translation is twice the vector part of dual * conjugate(real).
    vec3 move = 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
    model_position = rotate(real, position) + move;
    model_normal = rotate(real, normal);
    model_tangent = rotate(real, tangent.xyz);
}
