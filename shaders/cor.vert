#version 120
// cor: a blended quaternion about an optimised centre of rotation (Le and Hodgins 2016).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             centre: the vertex' centre of rotation, computed once from the weights of the surface around it
//             weights: four, 0 where unused
//             joints: palette indices, whole numbers; unused ones repeat the last used one
// Uniforms    palette[3 * JOINTS]: three rows per joint of  skin = pose * inverse(bind)
//             boneQuat[JOINTS]: its rotation
// Limits      four influences, JOINTS joints in a batch, rigid joints

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec3 centre;
attribute vec4 weights;
attribute vec4 joints;

uniform vec4 palette[3 * JOINTS];
uniform vec4 boneQuat[JOINTS];

void add_joint(float weight, float joint, vec4 lead, inout vec4 q, inout vec4 x, inout vec4 y, inout vec4 z)
{
    int index = int(joint + 0.5);
    q += weight * towards(lead, boneQuat[index]);
    x += weight * palette[3 * index];
    y += weight * palette[3 * index + 1];
    z += weight * palette[3 * index + 2];
}

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec4 lead = boneQuat[int(joints.x + 0.5)];
    vec4 q = vec4(0.0);
    vec4 x = vec4(0.0);
    vec4 y = vec4(0.0);
    vec4 z = vec4(0.0);
    add_joint(weights.x, joints.x, lead, q, x, y, z);
    add_joint(weights.y, joints.y, lead, q, x, y, z);
    add_joint(weights.z, joints.z, lead, q, x, y, z);
    add_joint(weights.w, joints.w, lead, q, x, y, z);
    q = normalize(q);
    vec4 from = vec4(centre, 1.0);
    vec3 moved = vec3(dot(x, from), dot(y, from), dot(z, from));
    model_position = rotate(q, position - centre) + moved;
    model_normal = rotate(q, normal);
    model_tangent = rotate(q, tangent.xyz);
}
