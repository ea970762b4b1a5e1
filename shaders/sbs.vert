#version 120
// sbs: spherical blend skinning, a blended quaternion about a fitted centre (Kavan and Zara 2005).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: four, 0 where unused
//             joints: palette indices, the deepest joint first, the one nearest the root last; unused ones repeat it
//             joint_set: texel of the centre of this vertex' set of joints
// Uniforms    boneQuat[JOINTS], bonePos[JOINTS]: rotation and translation of  skin = pose * inverse(bind)
//             centres: one texel per set of joints, the centre in the bind pose's model space
//             centre_texels: width and height of that texture
// Limits      four influences, JOINTS joints in a batch, rigid joints

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec4 weights;
attribute vec4 joints;
attribute float joint_set;

uniform vec4 boneQuat[JOINTS];
uniform vec4 bonePos[JOINTS];
uniform sampler2D centres;
uniform vec2 centre_texels;

void add_joint(float weight, float joint, vec4 lead, vec3 centre, inout vec4 q, inout vec3 moved)
{
    int index = int(joint + 0.5);
    vec4 rotation = boneQuat[index];
    q += weight * towards(lead, rotation);
    moved += weight * (rotate(rotation, centre) + bonePos[index].xyz);
}

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    float row = floor((joint_set + 0.5) / centre_texels.x);
    vec2 texel = (vec2(joint_set - row * centre_texels.x, row) + 0.5) / centre_texels;
    vec3 centre = texture2DLod(centres, texel, 0.0).xyz;
    vec4 lead = boneQuat[int(joints.w + 0.5)];
    vec4 q = vec4(0.0);
    vec3 moved = vec3(0.0);
    add_joint(weights.x, joints.x, lead, centre, q, moved);
    add_joint(weights.y, joints.y, lead, centre, q, moved);
    add_joint(weights.z, joints.z, lead, centre, q, moved);
    add_joint(weights.w, joints.w, lead, centre, q, moved);
    q = normalize(q);
    model_position = rotate(q, position - centre) + moved;
    model_normal = rotate(q, normal);
    model_tangent = rotate(q, tangent.xyz);
}
