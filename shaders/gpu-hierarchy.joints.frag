// gpu-hierarchy, first passes: from local to model space by pointer jumping (article 002's closing section).
//
// Every joint is multiplied by the joint that it points to, and then points where that one pointed. Local poses and parents
// become the model-space pose after log2(depth) passes.
//
// Uniforms    joints: two texels per joint, one row per copy: rotation; translation (xyz) and the index of the joint that
//             it points to, -1 once there is none (w)
//             joint_texels: width and height of that texture

uniform sampler2D joints;
uniform vec2 joint_texels;

vec4 joint_part(float index, float part)
{
    return texture2D(joints, vec2(2.0 * index + part + 0.5, gl_FragCoord.y) / joint_texels);
}

void main()
{
    float index = floor(gl_FragCoord.x / 2.0);
    float part = floor(gl_FragCoord.x) - 2.0 * index;
    vec4 own_rotation = joint_part(index, 0.0);
    vec4 own_place = joint_part(index, 1.0);
    if (own_place.w < -0.5) {
        gl_FragColor = part < 0.5 ? own_rotation : own_place;
    } else {
        vec4 rotation = joint_part(own_place.w, 0.0);
        vec4 place = joint_part(own_place.w, 1.0);
        if (part < 0.5) {
            gl_FragColor = normalize(multiply(rotation, own_rotation));
        } else {
            gl_FragColor = vec4(place.xyz + rotate(rotation, own_place.xyz), place.w);
        }
    }
}
