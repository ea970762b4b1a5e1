#version 120
// sjb: spherical joint blending, a blended quaternion about one joint (article 000 section 5.2).
//
// Attributes  position: model space of the bind pose, minus the bind position of the first joint
//             normal, tangent: model space of the bind pose
//             weights: four, 0 where unused
//             joints: palette indices, the deepest joint first, the one nearest the root last; unused ones repeat it
// Uniforms    boneQuat[JOINTS]: rotation of  skin = pose * inverse(bind)
//             bonePos[JOINTS]: the joint's position in the pose
// Limits      four influences, JOINTS joints in a batch (123 at 256 registers), rigid joints;
//             exact where the influences are the parent of one joint and the joints that start there
//
// Differs from the article's program, which is sjb-article.vert and gets quaternions whose signs follow the parent's, three weights with an
// implied last, and makes a matrix of the sum. Here every vertex chooses signs, and the quaternion rotates by cross
// products.

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec4 weights;
attribute vec4 joints;

uniform vec4 boneQuat[JOINTS];
uniform vec4 bonePos[JOINTS];

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec4 lead = boneQuat[int(joints.w + 0.5)];
    vec4 q = weights.x * towards(lead, boneQuat[int(joints.x + 0.5)])
           + weights.y * towards(lead, boneQuat[int(joints.y + 0.5)])
           + weights.z * towards(lead, boneQuat[int(joints.z + 0.5)])
           + weights.w * lead;
    q = normalize(q);
    model_position = rotate(q, position) + bonePos[int(joints.x + 0.5)].xyz;
    model_normal = rotate(q, normal);
    model_tangent = rotate(q, tangent.xyz);
}
