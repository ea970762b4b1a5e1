#version 120
// velocity: velocity skinning (Rohmer et al. 2021), the weighted sum squashed and dragged by the velocities of the joints.
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: four, 0 where unused
//             joints: palette indices, whole numbers; unused ones repeat the last used one
//             moved_by: the same joints as numbers of the skeleton, for `motions`
// Uniforms    palette[3 * JOINTS]: three rows per joint of  skin = pose * inverse(bind)
//             motions: six texels per joint, 256 joints a row, model space: position and parent (-1 without one), linear and
//             angular velocity relative to the parent, centre, directions of stretch and squeeze
//             motion_texels: width and height of that texture
//             effect: drag, squash, one over the size of the skeleton
// Limits      four influences, JOINTS joints in a batch (80 at 256 registers), 256 joints above each other, a texture that
//             vertex shaders read, rigid joints

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec4 weights;
attribute vec4 joints;
attribute vec4 moved_by;

uniform vec4 palette[3 * JOINTS];
uniform sampler2D motions;
uniform vec2 motion_texels;
uniform vec3 effect;

// Angle beyond which drag grows more slowly: 30 degrees.
const float MOST_DRAGGED = 0.5235987755982988;

vec4 motion(float joint, float part)
{
    float row = floor((joint + 0.5) / 256.0);
    vec2 texel = vec2(6.0 * (joint - 256.0 * row) + part, row);
    return texture2DLod(motions, (texel + 0.5) / motion_texels, 0.0);
}

// The displacement of a point by one joint.
vec3 displacement(float joint, vec3 from_joint, vec3 point)
{
    vec3 speed = motion(joint, 1.0).xyz;
    vec3 turn = motion(joint, 2.0).xyz;
    vec3 moved = -effect.x * speed;
    float fast = length(speed);
    if (fast > 0.0) {
        vec3 along = speed / fast;
        float growth = 1.0 + effect.y * fast * effect.z;
        vec3 from = point - motion(joint, 3.0).xyz;
        vec3 part = along * dot(along, from);
        moved += (growth - 1.0) * part + (inversesqrt(growth) - 1.0) * (from - part);
    }
    float turning = length(turn);
    if (turning > 0.0) {
        vec3 axis = turn / turning;
        float rate = length(cross(turn, from_joint)) * effect.z;
        vec3 across = from_joint - axis * dot(axis, from_joint);
        float angle = effect.x * rate;
        if (angle > MOST_DRAGGED)
            angle = MOST_DRAGGED + (angle - MOST_DRAGGED) / rate;
        moved += (cos(angle) - 1.0) * across - sin(angle) * cross(axis, across);
        float growth = 1.0 + effect.y * rate;
        vec3 stretch = motion(joint, 4.0).xyz;
        vec3 squeeze = motion(joint, 5.0).xyz;
        moved += stretch * (dot(stretch, from_joint) * (growth - 1.0));
        moved += squeeze * (dot(squeeze, from_joint) * (1.0 / growth - 1.0));
    }
    return moved;
}

// The displacement of a point by a joint and all its ancestors.
vec3 displacements(float joint, vec3 point)
{
    vec3 moved = vec3(0.0);
    for (int depth = 0; depth < 256; depth++) {
        vec4 place = motion(joint, 0.0);
        moved += displacement(joint, point - place.xyz, point);
        joint = place.w;
        if (joint < -0.5)
            break;
    }
    return moved;
}

void add_joint(float weight, float joint, inout vec4 x, inout vec4 y, inout vec4 z)
{
    int index = 3 * int(joint + 0.5);
    x += weight * palette[index];
    y += weight * palette[index + 1];
    z += weight * palette[index + 2];
}

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec4 x = vec4(0.0);
    vec4 y = vec4(0.0);
    vec4 z = vec4(0.0);
    add_joint(weights.x, joints.x, x, y, z);
    add_joint(weights.y, joints.y, x, y, z);
    add_joint(weights.z, joints.z, x, y, z);
    add_joint(weights.w, joints.w, x, y, z);
    vec4 p = vec4(position, 1.0);
    vec3 point = vec3(dot(x, p), dot(y, p), dot(z, p));
    model_position = point;
    if (weights.x != 0.0) model_position += weights.x * displacements(moved_by.x, point);
    if (weights.y != 0.0) model_position += weights.y * displacements(moved_by.y, point);
    if (weights.z != 0.0) model_position += weights.z * displacements(moved_by.z, point);
    if (weights.w != 0.0) model_position += weights.w * displacements(moved_by.w, point);
    // Transpose of the inverse, up to a factor.
    model_normal = normalize(vec3(
        dot(cross(y.xyz, z.xyz), normal),
        dot(cross(z.xyz, x.xyz), normal),
        dot(cross(x.xyz, y.xyz), normal)));
    model_tangent = vec3(dot(x.xyz, tangent.xyz), dot(y.xyz, tangent.xyz), dot(z.xyz, tangent.xyz));
}
