#version 120
// log-matrix: the exponential of blended logarithms (Alexa 2002, Magnenat-Thalmann et al. 2004).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: four, 0 where unused
//             joints: palette indices, whole numbers; unused ones repeat the last used one
// Uniforms    boneTurn[JOINTS], boneTravel[JOINTS]: the logarithm of  skin = pose * inverse(bind),  a rotation vector
//             (axis times angle, radians) and the velocity of the origin
// Limits      four influences, JOINTS joints in a batch (123 at 256 registers), rigid joints

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec4 weights;
attribute vec4 joints;

uniform vec4 boneTurn[JOINTS];
uniform vec4 boneTravel[JOINTS];

void add_joint(float weight, float joint, inout vec3 turn, inout vec3 travel)
{
    int index = int(joint + 0.5);
    turn += weight * boneTurn[index].xyz;
    travel += weight * boneTravel[index].xyz;
}

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec3 turn = vec3(0.0);
    vec3 travel = vec3(0.0);
    add_joint(weights.x, joints.x, turn, travel);
    add_joint(weights.y, joints.y, turn, travel);
    add_joint(weights.z, joints.z, turn, travel);
    add_joint(weights.w, joints.w, turn, travel);
    // sin(a / 2) / (a / 2) and (a - sin a) / a^3 for the angle a, by their series where floats would cancel.
    float square = dot(turn, turn);
    float angle = sqrt(square);
    float sinc = angle < 0.01 ? 1.0 - square / 24.0 : sin(0.5 * angle) / (0.5 * angle);
    float along = angle < 1.0
        ? 1.0 / 6.0 - square * (1.0 / 120.0 - square * (1.0 / 5040.0 - square * (1.0 / 362880.0)))
        : (angle - sin(angle)) / (square * angle);
    // (1 - cos a) / a^2 is half of sinc squared.
    vec3 around = cross(turn, travel);
    vec3 moved = travel + 0.5 * sinc * sinc * around + along * cross(turn, around);
    vec4 q = vec4(0.5 * sinc * turn, cos(0.5 * angle));
    model_position = rotate(q, position) + moved;
    model_normal = rotate(q, normal);
    model_tangent = rotate(q, tangent.xyz);
}
