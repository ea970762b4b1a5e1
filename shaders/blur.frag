// Mean over a spiral of points, denser in the middle; the golden angle spreads them evenly.
//
// Uniforms    picture: input image, dark outside of its edges; radius: share of its side

uniform sampler2D picture;
uniform float radius;

varying vec2 uv;

void main()
{
    float sum = 0.0;
    vec2 direction = vec2(1.0, 0.0);
    // With a bound unknown at compile time the loop is not unrolled: unrolling it is slow to compile.
    int points = radius > 0.0 ? 32 : 0;
    for (int i = 0; i < points; i++) {
        vec2 at = uv + radius * (float(i) + 0.5) / 32.0 * direction;
        vec2 inside = step(vec2(0.0), at) * step(at, vec2(1.0));
        sum += texture2D(picture, at).r * inside.x * inside.y;
        // By the golden angle.
        direction = mat2(-0.737367, 0.675493, -0.675493, -0.737367) * direction;
    }
    gl_FragColor = vec4(vec3(sum / 32.0), 1.0);
}
