#version 130
// quat-array: seven floats per joint in one array (article 004).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             weights: four, 0 where unused
//             joints: palette indices, whole numbers
// Uniforms    bones[7 * JOINTS]: quaternion x, y, z, w and translation of  skin = pose * inverse(bind);
//             conjugate quaternions, as Doom 3's code below expects
// Limits      four influences, JOINTS joints in a batch (18 in the article: 126 floats), rigid joints

in vec3 position;
in vec3 normal;
in vec4 tangent;
in vec4 weights;
in vec4 joints;

uniform float bones[7 * JOINTS];

// The nine products of Doom 3's SDK; turn rotates the normal, without translation.
void transform(int joint, float weight, inout vec3 p_sum, inout vec3 n_sum, inout vec3 t_sum)
{
    int i = joint * 7;
    float x = bones[i];
    float y = bones[i + 1];
    float z = bones[i + 2];
    float w = bones[i + 3];
    vec3 move = vec3(bones[i + 4], bones[i + 5], bones[i + 6]);

    float xxzz = x * x - z * z;
    float wwyy = w * w - y * y;
    float xw2 = x * w * 2.0;
    float xy2 = x * y * 2.0;
    float xz2 = x * z * 2.0;
    float yw2 = y * w * 2.0;
    float yz2 = y * z * 2.0;
    float zw2 = z * w * 2.0;
    vec3 row_x = vec3(xxzz + wwyy, xy2 + zw2, xz2 - yw2);
    vec3 row_y = vec3(xy2 - zw2, y * y + w * w - x * x - z * z, yz2 + xw2);
    vec3 row_z = vec3(xz2 + yw2, yz2 - xw2, wwyy - xxzz);

    vec3 p = vec3(dot(row_x, position), dot(row_y, position), dot(row_z, position));
    vec3 n = vec3(dot(row_x, normal), dot(row_y, normal), dot(row_z, normal));
    vec3 t = vec3(dot(row_x, tangent.xyz), dot(row_y, tangent.xyz), dot(row_z, tangent.xyz));
    p_sum += weight * (p + move);
    n_sum += weight * n;
    t_sum += weight * t;
}

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec3 p = vec3(0.0);
    vec3 n = vec3(0.0);
    vec3 t = vec3(0.0);
    transform(int(joints.x + 0.5), weights.x, p, n, t);
    transform(int(joints.y + 0.5), weights.y, p, n, t);
    transform(int(joints.z + 0.5), weights.z, p, n, t);
    transform(int(joints.w + 0.5), weights.w, p, n, t);
    model_position = p;
    model_normal = normalize(n);
    model_tangent = t;
}
