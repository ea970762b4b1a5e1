// Light and images, shared by all skinning methods: sky and ground as ambient light, one key light or three, a thin rim. A surface is
// drawn once or several times, each time with up to three images.
//
// Uniforms    eye: the camera, world space; key_direction: towards the light, unit length, world space
//             more_lights: 1 for two lights besides the key light and less of sky and ground, else 0
//             diffuse_map, specular_map: sRGB images; bump_map: normals, each channel (byte - 128) / 127: x towards +u, y
//             towards +v (down the image), z out of the surface
//             green_side: 1, or -1 where the green of normals grows up the image
//             diffuse_uv[2], bump_uv[2], specular_uv[2]: rows of a 2x3 matrix, texture coordinates of the image from the mesh's
//             diffuse_colour: linear RGBA, specular_colour: linear RGB, multiplied with the images
//             vertex_share: vertex colours count as vertex_share.x * colour + vertex_share.y
//             emissive: linear RGB, added to the light
//             alpha_share: weights of diffuse_colour's alpha and of that of image and vertices in the output
//             threshold: texels of diffuse_map with this alpha or less are not drawn
//             shininess: exponent of highlights
//             shares: weights of light, highlights, the diffuse image without light, normals as colours
//             rim: weight of the rim
//             view_right, view_up: of the camera, unit length, world space
// Constants   DIFFUSE_MAP, BUMP_MAP, SPECULAR_MAP: defined if there is such an image
//             LOOKUP: coordinates on diffuse_map: 0 the mesh's; in an image of all directions, an unfolded octahedron, 1 the
//             reflected direction, 2 the normal, 3 the view direction

uniform vec3 eye;
uniform vec3 key_direction;
uniform float more_lights;
uniform sampler2D diffuse_map;
uniform sampler2D bump_map;
uniform sampler2D specular_map;
uniform float green_side;
uniform vec3 diffuse_uv[2];
uniform vec3 bump_uv[2];
uniform vec3 specular_uv[2];
uniform vec4 diffuse_colour;
uniform vec3 specular_colour;
uniform vec2 vertex_share;
uniform vec3 emissive;
uniform vec2 alpha_share;
uniform float threshold;
uniform float shininess;
uniform vec4 shares;
uniform float rim;
uniform vec3 view_right;
uniform vec3 view_up;

varying vec3 world_position;
varying vec3 world_normal;
varying vec2 surface_uv;
varying vec4 surface_colour;
#ifdef TANGENTS
varying vec4 world_tangent;
#endif

const vec3 SKY = vec3(0.31, 0.335, 0.375);
const vec3 GROUND = vec3(0.125, 0.115, 0.105);
const vec3 KEY = vec3(0.63, 0.60, 0.55);
const vec3 FILL = vec3(0.16, 0.19, 0.25);
const vec3 BACK = vec3(0.75, 0.78, 0.85);

vec3 linear_from_srgb(vec3 c)
{
    return pow(c, vec3(2.2));
}

vec3 srgb_from_linear(vec3 c)
{
    return pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2));
}

vec2 image_uv(vec3 row_u, vec3 row_v)
{
    vec3 uv = vec3(surface_uv, 1.0);
    return vec2(dot(row_u, uv), dot(row_v, uv));
}

#ifdef BUMP_MAP
// The normal of the bump map on a surface whose vertices have the normal n.
vec3 bumped(vec3 n)
{
#ifdef TANGENTS
    vec3 along_u = world_tangent.xyz;
    float side = world_tangent.w;
#else
    // The same from screen-space derivatives of position and texture coordinates: one direction per triangle.
    vec3 right = dFdx(world_position);
    vec3 up = dFdy(world_position);
    vec2 uv_right = dFdx(surface_uv);
    vec2 uv_up = dFdy(surface_uv);
    float turn = uv_right.x * uv_up.y - uv_right.y * uv_up.x < 0.0 ? -1.0 : 1.0;
    vec3 along_u = (right * uv_up.y - up * uv_right.y) * turn;
    vec3 along_v = (up * uv_right.x - right * uv_up.x) * turn;
    float side = dot(cross(n, along_u), along_v) < 0.0 ? -1.0 : 1.0;
#endif
    along_u -= n * dot(n, along_u);
    float size = dot(along_u, along_u);
    if (size <= 0.0) {
        return n;
    }
    along_u *= inversesqrt(size);
    vec3 bump = (texture2D(bump_map, image_uv(bump_uv[0], bump_uv[1])).rgb * 255.0 - 128.0) / 127.0;
    return normalize(bump.x * along_u + green_side * bump.y * side * cross(n, along_u) + bump.z * n);
}
#endif

// Coordinates of a direction in an image of all directions.
vec2 octahedron_uv(vec3 d)
{
    d /= abs(d.x) + abs(d.y) + abs(d.z);
    vec2 folded = (1.0 - abs(d.yx)) * vec2(d.x < 0.0 ? -1.0 : 1.0, d.y < 0.0 ? -1.0 : 1.0);
    return 0.5 + 0.5 * (d.z < 0.0 ? folded : d.xy);
}

// Coordinates on diffuse_map, for a surface with the normal n.
vec2 looked_up(vec3 n, vec3 to_eye)
{
#if LOOKUP == 0
    return image_uv(diffuse_uv[0], diffuse_uv[1]);
#else
    return octahedron_uv(LOOKUP == 1 ? reflect(-to_eye, n) : LOOKUP == 2 ? n : -to_eye);
#endif
}

void main()
{
    vec4 vertex = vertex_share.x * surface_colour + vertex_share.y;
    vec3 surface = diffuse_colour.rgb * vertex.rgb;
    vec3 image = vec3(1.0);
    float alpha = mix(1.0, diffuse_colour.a, alpha_share.x) * mix(1.0, vertex.a, alpha_share.y);
    vec3 smooth_normal = normalize(world_normal);
    vec3 n = smooth_normal;
#ifdef BUMP_MAP
    n = bumped(smooth_normal);
#endif
    if (!gl_FrontFacing) {
        // Seen from behind, the normal is reversed.
        n -= 2.0 * dot(n, smooth_normal) * smooth_normal;
        smooth_normal = -smooth_normal;
    }
    vec3 to_eye = normalize(eye - world_position);
#ifdef DIFFUSE_MAP
    vec4 texel = texture2D(diffuse_map, looked_up(n, to_eye));
    if (texel.a * diffuse_colour.a <= threshold) {
        discard;
    }
    image = linear_from_srgb(texel.rgb);
    alpha *= mix(1.0, texel.a, alpha_share.y);
#endif

    // The key light reaches a little beyond the terminator, which keeps round forms soft.
    float key = max(0.0, (dot(n, key_direction) + 0.2) / 1.2);
    // Inverted normals in a file do not light a whole surface as a rim.
    float edge = rim * pow(1.0 - abs(dot(smooth_normal, to_eye)), 4.0);
    float cosine = max(0.0, dot(n, normalize(key_direction + to_eye)));
    float shine = pow(cosine, shininess);
    vec3 highlight = specular_colour;
#ifdef SPECULAR_MAP
    highlight *= linear_from_srgb(texture2D(specular_map, image_uv(specular_uv[0], specular_uv[1])).rgb);
#endif

    // From the right, and from behind a little above.
    vec3 to_viewer = cross(view_right, view_up);
    float fill = max(0.0, dot(n, normalize(0.8 * view_right + 0.5 * to_viewer)));
    float back = max(0.0, dot(n, normalize(0.35 * view_right + 0.45 * view_up - 0.8 * to_viewer)));
    vec3 light = mix(GROUND, SKY, 0.5 + 0.5 * n.z) * mix(1.0, 0.6, more_lights) + KEY * key + more_lights * (FILL * fill + BACK * back);
    // As in Direct3D 9 and OpenGL 1: emission is added to the light, up to white, before the image is multiplied.
    vec3 lit = min(surface * light + emissive, 1.0) * image + SKY * (0.22 * edge);
    vec3 seen = shares.x * lit + shares.y * KEY * shine * highlight + shares.z * surface * image;
    gl_FragColor = vec4(mix(srgb_from_linear(seen), 0.5 + 0.5 * n, shares.w), alpha);
}
