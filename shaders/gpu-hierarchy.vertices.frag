// gpu-hierarchy, last pass: every vertex from the model-space pose (article 002's closing section).
//
// Uniforms    joints: two texels per joint, one row per copy: rotation; translation (xyz)
//             joint_texels: width and height of that texture
//             influences: for each vertex INFLUENCES times two texels: the vertex in the joint's space (xyz) and the
//             joint (w); the normal in the joint's space (xyz) and the weight (w)
//             influence_texels: width and height of that texture
//             rows_per_copy: rows of vertices per copy
// Output      position and normal of each vertex side by side

uniform sampler2D joints;
uniform vec2 joint_texels;
uniform sampler2D influences;
uniform vec2 influence_texels;
uniform float rows_per_copy;

void main()
{
    float column = floor(gl_FragCoord.x / 2.0);
    float part = floor(gl_FragCoord.x) - 2.0 * column;
    float copy = floor(gl_FragCoord.y / rows_per_copy);
    float row = floor(gl_FragCoord.y) - copy * rows_per_copy;
    vec3 sum = vec3(0.0);
    for (int i = 0; i < INFLUENCES; i++) {
        float texel = 2.0 * (column * float(INFLUENCES) + float(i)) + 0.5;
        vec4 offset = texture2D(influences, vec2(texel, row + 0.5) / influence_texels);
        vec4 turned = texture2D(influences, vec2(texel + 1.0, row + 0.5) / influence_texels);
        vec2 joint = vec2(2.0 * offset.w + 0.5, copy + 0.5);
        vec4 rotation = texture2D(joints, joint / joint_texels);
        if (part < 0.5) {
            vec3 place = texture2D(joints, (joint + vec2(1.0, 0.0)) / joint_texels).xyz;
            sum += turned.w * (place + rotate(rotation, offset.xyz));
        } else {
            sum += turned.w * rotate(rotation, turned.xyz);
        }
    }
    gl_FragColor = vec4(part < 0.5 ? sum : normalize(sum), 1.0);
}
