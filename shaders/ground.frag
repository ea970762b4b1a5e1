// Grid lines one pixel wide, every tenth one stronger, fading away from the centre; soft shadows. For ground.vert.
//
// Uniforms    cell: distance between two lines, world units; rgba: colour of the lines, sRGB with alpha
//             shadow: blurred darkness seen from above; shadow_reach: half the side length of the square it covers

uniform float cell;
uniform vec4 rgba;
uniform vec3 centre;
uniform sampler2D shadow;
uniform float shadow_reach;

varying vec2 ground_point;
varying vec2 from_centre;

float lines(vec2 p)
{
    vec2 width = fwidth(p);
    vec2 distance_to_line = abs(fract(p - 0.5) - 0.5);
    vec2 line = 1.0 - smoothstep(vec2(0.3) * width, vec2(1.3) * width, distance_to_line);
    // Lines closer together than pixels fade instead of flickering.
    line *= 1.0 - smoothstep(vec2(0.2), vec2(0.6), width);
    return max(line.x, line.y);
}

void main()
{
    float fade = 1.0 - smoothstep(0.2, 1.0, length(from_centre));
    float strength = max(0.5 * lines(ground_point / cell), lines(ground_point / (10.0 * cell)));
    float line = rgba.a * strength * fade;

    vec2 uv = 0.5 + 0.5 * (ground_point - centre.xy) / shadow_reach;
    vec2 inside = step(vec2(0.0), uv) * step(uv, vec2(1.0));
    float dark = 0.75 * texture2D(shadow, uv).r * inside.x * inside.y;

    // Lines over shadow over the background.
    float alpha = line + dark * (1.0 - line);
    gl_FragColor = vec4(rgba.rgb * (1.0 - 0.6 * dark) * line / max(alpha, 0.0001), alpha);
}
