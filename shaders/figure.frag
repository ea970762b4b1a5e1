// Light and texture, shared by all skinning methods: sky and ground as ambient light, one key light, a thin rim.
//
// Uniforms    eye: the camera, world space; key_direction: towards the light, unit length, world space
//             base_colour: linear RGB and the alpha that is written; emissive: linear RGB, added to the light; diffuse_map, has_map: sRGB image or 0
//             cut_out: alpha below this is not drawn; flat_share: 1 shows base_colour without light

uniform vec3 eye;
uniform vec3 key_direction;
uniform vec4 base_colour;
uniform vec3 emissive;
uniform sampler2D diffuse_map;
uniform float has_map;
uniform float cut_out;
uniform float flat_share;

varying vec3 world_position;
varying vec3 world_normal;
varying vec2 surface_uv;
varying vec4 surface_colour;

const vec3 SKY = vec3(0.31, 0.335, 0.375);
const vec3 GROUND = vec3(0.125, 0.115, 0.105);
const vec3 KEY = vec3(0.63, 0.60, 0.55);

vec3 linear_from_srgb(vec3 c)
{
    return pow(c, vec3(2.2));
}

vec3 srgb_from_linear(vec3 c)
{
    return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2));
}

void main()
{
    vec3 surface = base_colour.rgb * surface_colour.rgb;
    vec3 image = vec3(1.0);
    if (has_map > 0.5) {
        vec4 texel = texture2D(diffuse_map, surface_uv);
        if (texel.a < cut_out) {
            discard;
        }
        image = linear_from_srgb(texel.rgb);
    }

    vec3 n = normalize(world_normal);
    if (!gl_FrontFacing) {
        n = -n;
    }
    vec3 to_eye = normalize(eye - world_position);
    // The key light reaches a little beyond the terminator, which keeps round forms soft.
    float key = max(0.0, (dot(n, key_direction) + 0.2) / 1.2);
    // Normals that a file turned inside out make no rim of a whole surface.
    float rim = pow(1.0 - abs(dot(n, to_eye)), 4.0);
    float shine = pow(max(0.0, dot(n, normalize(key_direction + to_eye))), 32.0);

    vec3 light = mix(GROUND, SKY, 0.5 + 0.5 * n.z) + KEY * key;
    // As in Direct3D 9 and OpenGL 1: what shines by itself joins the light, up to white, and the image colours both.
    vec3 lit = min(surface * light + emissive, 1.0) * image + SKY * (0.22 * rim) + KEY * (0.06 * shine);
    gl_FragColor = vec4(srgb_from_linear(mix(lit, surface * image, flat_share)), base_colour.a);
}
