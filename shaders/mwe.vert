#version 120
// mwe: multi-weight enveloping, a weight for every element of every joint's matrix (Wang and Phillips 2002).
//
// Attributes  position, normal, tangent: model space of the bind pose
//             joints: palette indices, the heaviest joint first, whole numbers
//             pivot: bind position of the heaviest joint
//             weight_vertex: number of the vertex in multi_weights
// Uniforms    palette[3 * JOINTS]: three rows per joint of  skin = pose * inverse(bind)
//             multi_weights: twelve texels per vertex, the weights of three rows of each of its four joints
//             weight_texels: width and height of that texture
// Limits      four influences, JOINTS joints in a batch, rigid joints

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec4 joints;
attribute vec3 pivot;
attribute float weight_vertex;

uniform vec4 palette[3 * JOINTS];
uniform sampler2D multi_weights;
uniform vec2 weight_texels;

vec4 weights_at(float column, float row)
{
    return texture2DLod(multi_weights, (vec2(column, row) + 0.5) / weight_texels, 0.0);
}

// Adds a joint's matrix relative to the heaviest joint's (rows a, b, c; `at` is where it moves the pivot), about the pivot.
void add_joint(float joint, vec2 texel, vec3 a, vec3 b, vec3 c, vec3 at, inout vec4 x, inout vec4 y, inout vec4 z)
{
    int row = 3 * int(joint + 0.5);
    vec4 from = vec4(pivot, 1.0);
    vec4 u = vec4(palette[row].xyz, dot(palette[row], from) - at.x);
    vec4 v = vec4(palette[row + 1].xyz, dot(palette[row + 1], from) - at.y);
    vec4 w = vec4(palette[row + 2].xyz, dot(palette[row + 2], from) - at.z);
    x += weights_at(texel.x, texel.y) * (a.x * u + b.x * v + c.x * w);
    y += weights_at(texel.x + 1.0, texel.y) * (a.y * u + b.y * v + c.y * w);
    z += weights_at(texel.x + 2.0, texel.y) * (a.z * u + b.z * v + c.z * w);
}

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    int head = 3 * int(joints.x + 0.5);
    vec3 a = palette[head].xyz;
    vec3 b = palette[head + 1].xyz;
    vec3 c = palette[head + 2].xyz;
    vec4 from = vec4(pivot, 1.0);
    vec3 at = vec3(dot(palette[head], from), dot(palette[head + 1], from), dot(palette[head + 2], from));
    float a_row = weight_texels.x / 12.0;
    float row = floor((weight_vertex + 0.5) / a_row);
    vec2 texel = vec2(12.0 * (weight_vertex - a_row * row), row);
    vec4 x = vec4(0.0);
    vec4 y = vec4(0.0);
    vec4 z = vec4(0.0);
    add_joint(joints.x, texel, a, b, c, at, x, y, z);
    add_joint(joints.y, texel + vec2(3.0, 0.0), a, b, c, at, x, y, z);
    add_joint(joints.z, texel + vec2(6.0, 0.0), a, b, c, at, x, y, z);
    add_joint(joints.w, texel + vec2(9.0, 0.0), a, b, c, at, x, y, z);

    vec4 p = vec4(position - pivot, 1.0);
    vec3 local = vec3(dot(x, p), dot(y, p), dot(z, p));
    vec3 n = vec3(
        dot(cross(y.xyz, z.xyz), normal),
        dot(cross(z.xyz, x.xyz), normal),
        dot(cross(x.xyz, y.xyz), normal));
    vec3 t = vec3(dot(x.xyz, tangent.xyz), dot(y.xyz, tangent.xyz), dot(z.xyz, tangent.xyz));
    model_position = vec3(dot(a, local), dot(b, local), dot(c, local)) + at;
    model_normal = normalize(vec3(dot(a, n), dot(b, n), dot(c, n)));
    model_tangent = vec3(dot(a, t), dot(b, t), dot(c, t));
}
