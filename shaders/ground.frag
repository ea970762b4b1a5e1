// Grid lines one pixel wide, every tenth one stronger, fading away from the centre, for ground.vert.
//
// Uniforms    cell: distance of two lines, world units; rgba: sRGB with alpha

uniform float cell;
uniform vec4 rgba;

varying vec2 ground_point;
varying vec2 from_centre;

float lines(vec2 p)
{
    vec2 width = fwidth(p);
    vec2 distance_to_line = abs(fract(p - 0.5) - 0.5);
    vec2 line = 1.0 - smoothstep(vec2(0.5) * width, vec2(1.5) * width, distance_to_line);
    // Where lines are closer than pixels they fade instead of flickering.
    line *= 1.0 - smoothstep(vec2(0.2), vec2(0.6), width);
    return max(line.x, line.y);
}

void main()
{
    float fade = 1.0 - smoothstep(0.25, 1.0, length(from_centre));
    float strength = max(0.45 * lines(ground_point / cell), lines(ground_point / (10.0 * cell)));
    gl_FragColor = vec4(rgba.rgb, rgba.a * strength * fade);
}
