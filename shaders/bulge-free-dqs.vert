#version 120
// bulge-free-dqs: dual quaternions, then back to the vertex' distance from its bone (Kim and Han 2014).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: four, 0 where unused
//             joints: palette indices, whole numbers, the heaviest first; unused ones repeat the last used one
//             bone_start, bone_end: the bone of the first joint nearest to the vertex, model space of the bind pose
// Uniforms    boneReal[JOINTS], boneDual[JOINTS]: the two parts of  skin = pose * inverse(bind)  as a dual quaternion
// Limits      four influences, JOINTS joints in a batch (123 at 256 registers), rigid joints

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec4 weights;
attribute vec4 joints;
attribute vec3 bone_start;
attribute vec3 bone_end;

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

// The translation is twice the vector part of dual * conjugate(real).
vec3 translation(vec4 real, vec4 dual)
{
    return 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
}

// The point of the bone nearest to p.
vec3 nearest_on_bone(vec3 p)
{
    vec3 along = bone_end - bone_start;
    float share = dot(p - bone_start, along) / max(dot(along, along), 1e-30);
    return bone_start + clamp(share, 0.0, 1.0) * along;
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
    model_normal = rotate(real, normal);
    model_tangent = rotate(real, tangent.xyz);
    model_position = rotate(real, position) + translation(real, dual);

    // In the bind pose's space of the bone's joint, where the bone does not move.
    vec3 move = translation(lead, boneDual[int(joints.x + 0.5)]);
    vec4 back = vec4(-lead.xyz, lead.w);
    vec3 now = rotate(back, model_position - move);
    vec3 foot = nearest_on_bone(now);
    float apart = distance(now, foot);
    float at_rest = distance(position, nearest_on_bone(position));
    if (apart > at_rest)
        model_position = rotate(lead, foot + (at_rest / apart) * (now - foot)) + move;
}
