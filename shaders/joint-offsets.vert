#version 120
// joint-offsets: one joint-space offset per influence, as MD5 stores them (article 002).
//
// Attributes  weights: one per influence; up to EPS an influence is skipped
//             offset0..3: the vertex in the joint's space (xyz) and the joint's palette index (w)
//             normal0..3: the bind-space normal in the joint's space
// Uniforms    boneQuat[JOINTS]: rotation of the joint in the pose, as a unit quaternion
//             bonePos[JOINTS]: its position (xyz) and its parent's index, -1 without one (w)
// Limits      four influences, JOINTS joints in a batch (100 in the article), rigid joints
//
// The article packs weights and offsets into gl_MultiTexCoord3..7, leaves normals to the reader, and rotates by two
// products of quaternions instead of cross products.

#define EPS 0.001

attribute vec4 weights;
attribute vec4 offset0;
attribute vec4 offset1;
attribute vec4 offset2;
attribute vec4 offset3;
attribute vec3 normal0;
attribute vec3 normal1;
attribute vec3 normal2;
attribute vec3 normal3;

uniform vec4 boneQuat[JOINTS];
uniform vec4 bonePos[JOINTS];

void add_joint(float weight, vec4 offset, vec3 joint_normal, inout vec3 p, inout vec3 n)
{
    if (weight > EPS) {
        int joint = int(offset.w + 0.5);
        vec4 q = boneQuat[joint];
        p += weight * (bonePos[joint].xyz + rotate(q, offset.xyz));
        n += weight * rotate(q, joint_normal);
    }
}

void skin(out vec3 model_position, out vec3 model_normal)
{
    vec3 p = vec3(0.0);
    vec3 n = vec3(0.0);
    add_joint(weights.x, offset0, normal0, p, n);
    add_joint(weights.y, offset1, normal1, p, n);
    add_joint(weights.z, offset2, normal2, p, n);
    add_joint(weights.w, offset3, normal3, p, n);
    model_position = p;
    model_normal = normalize(n);
}
