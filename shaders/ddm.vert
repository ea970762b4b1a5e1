#version 120
// ddm: direct delta mush (Le and Lewis 2019): every vertex moves with the smoothed surface around it.
//
// Attributes  position, normal, tangent: model space of the bind pose
//             centre: centre of the surface around the vertex, model space of the bind pose
//             parts: column and row of the vertex' first texel in `moments`, and its number of joints there
// Uniforms    moments: three texels for each vertex and joint, the paper's omega about the centre: xx, xy, xz, yy; yz, zz, x, y;
//             z, weight, the joint
//             moment_texels: width and height of that texture
//             palette: three texels per joint, 256 joints a row: the rows of  skin = pose * inverse(bind)
//             palette_texels: width and height of that texture
// Limits      two textures that vertex shaders read; any number of joints and influences

attribute vec3 position;
attribute vec3 normal;
attribute vec4 tangent;
attribute vec3 centre;
attribute vec3 parts;

uniform sampler2D moments;
uniform vec2 moment_texels;
uniform sampler2D palette;
uniform vec2 palette_texels;

vec4 moment(float column)
{
    return texture2DLod(moments, (vec2(column, parts.y) + 0.5) / moment_texels, 0.0);
}

vec4 joint_row(vec2 texel, float row)
{
    return texture2DLod(palette, (texel + vec2(row, 0.0) + 0.5) / palette_texels, 0.0);
}

// The rotation nearest to a matrix with these rows, as in the CPU reference: the eigenvector of the largest eigenvalue of
// Davenport's symmetric matrix, here by squaring it.
vec4 nearest_rotation(vec3 a, vec3 b, vec3 c)
{
    // Raises all eigenvalues, so that the largest is also the one with the largest square.
    float raised = sqrt(dot(a, a) + dot(b, b) + dot(c, c)) + 1e-20;
    vec3 off = vec3(a.y + b.x, a.z + c.x, b.z + c.y);
    vec3 turn = vec3(c.y - b.z, a.z - c.x, b.x - a.y);
    mat4 form = mat4(
        a.x - b.y - c.z + raised, off.x, off.y, turn.x,
        off.x, b.y - a.x - c.z + raised, off.z, turn.y,
        off.y, off.z, c.z - a.x - b.y + raised, turn.z,
        turn, a.x + b.y + c.z + raised);
    for (int i = 0; i < 14; i++) {
        form *= 1.0 / (form[0].x + form[1].y + form[2].z + form[3].w);
        form = form * form;
    }
    // Every column is a multiple of the eigenvector; the longest is the most exact.
    vec4 q = form[3];
    float longest = form[3].w;
    if (form[0].x > longest) { q = form[0]; longest = form[0].x; }
    if (form[1].y > longest) { q = form[1]; longest = form[1].y; }
    if (form[2].z > longest) q = form[2];
    return normalize(q);
}

void skin(out vec3 model_position, out vec3 model_normal, out vec3 model_tangent)
{
    vec3 a = vec3(0.0);
    vec3 b = vec3(0.0);
    vec3 c = vec3(0.0);
    vec3 moved = vec3(0.0);
    // The first joint moves the centre; the others add their differences, which is more precise in floats.
    vec3 first_place = centre;
    int influences = int(parts.z + 0.5);
    for (int i = 0; i < influences; i++) {
        float column = parts.x + 3.0 * float(i);
        vec4 low = moment(column);
        vec4 middle = moment(column + 1.0);
        vec4 high = moment(column + 2.0);
        vec3 first = vec3(middle.zw, high.x);
        float row = floor((high.z + 0.5) / 256.0);
        vec2 joint = vec2(3.0 * (high.z - 256.0 * row), row);
        vec4 x = joint_row(joint, 0.0);
        vec4 y = joint_row(joint, 1.0);
        vec4 z = joint_row(joint, 2.0);
        vec4 from = vec4(centre, 1.0);
        vec3 place = vec3(dot(x, from), dot(y, from), dot(z, from));
        if (i == 0)
            first_place = place;
        place -= first_place;
        mat3 square = mat3(low.xyz, vec3(low.yw, middle.x), vec3(low.z, middle.xy));
        a += square * x.xyz + place.x * first;
        b += square * y.xyz + place.y * first;
        c += square * z.xyz + place.z * first;
        moved += high.y * place + vec3(dot(x.xyz, first), dot(y.xyz, first), dot(z.xyz, first));
    }
    vec4 q = nearest_rotation(a, b, c);
    model_position = rotate(q, position - centre) + moved + first_place;
    model_normal = rotate(q, normal);
    model_tangent = rotate(q, tangent.xyz);
}
