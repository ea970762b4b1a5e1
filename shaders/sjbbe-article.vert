#version 120
// sjbbe-article: spherical joint blending by example as article 000's program has it (section 5.3.3): signs of
// quaternions are fixed before the shader, the last weight is implied, and a matrix is made of the blended quaternion.
//
// Attributes  as sjbbe.vert; weights.w is not read
// Uniforms    as sjbbe.vert, but boneQuat[JOINTS] does not point away from the parent's
// Limits      as sjbbe.vert
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

    vec3 p = position;
    vec3 n = normal;
    correct(p, n);
    model_position = vec3(dot(x, p), dot(y, p), dot(z, p)) + bonePos[int(joints.x + 0.5)].xyz;
    model_normal = normalize(vec3(dot(x, n), dot(y, n), dot(z, n)));
    model_tangent = vec3(dot(x, tangent.xyz), dot(y, tangent.xyz), dot(z, tangent.xyz));
}
