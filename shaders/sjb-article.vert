#version 120
// sjb-article: spherical joint blending as article 000's program has it (section 5.2.1): signs of quaternions are fixed
// before the shader, the last weight is implied, and a matrix is made of the blended quaternion.
//
// Attributes  as sjb.vert; weights.w is not read
// Uniforms    boneQuat[JOINTS]: rotation of  skin = pose * inverse(bind), not pointing away from the parent's
//             bonePos[JOINTS]: the joint's position in the pose
// Limits      four influences, JOINTS joints in a batch (123 at 256 registers), rigid joints;
//             exact where the influences are the parent of one joint and the joints that start there
//
// Differs from the article's program in its loop over NumBones, which is unrolled here, and in the tangent, which the
// article does not have.

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec4 weights;
attribute vec4 joints;

uniform vec4 boneQuat[JOINTS];
uniform vec4 bonePos[JOINTS];

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec4 q = weights.x * boneQuat[int(joints.x + 0.5)]
           + weights.y * boneQuat[int(joints.y + 0.5)]
           + weights.z * boneQuat[int(joints.z + 0.5)]
           + (1.0 - weights.x - weights.y - weights.z) * boneQuat[int(joints.w + 0.5)];
    vec3 x;
    vec3 y;
    vec3 z;
    to_matrix(normalize(q), x, y, z);
    model_position = vec3(dot(x, position), dot(y, position), dot(z, position)) + bonePos[int(joints.x + 0.5)].xyz;
    model_normal = vec3(dot(x, normal), dot(y, normal), dot(z, normal));
    model_tangent = vec3(dot(x, tangent.xyz), dot(y, tangent.xyz), dot(z, tangent.xyz));
}
