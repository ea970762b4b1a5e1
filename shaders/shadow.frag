// Shadow of a surface on the ground below: the nearer, the darker. Drawn from above; the darkest value wins.
//
// Uniforms    ground_height: world z; shadow_height: distance above the ground without shadow

uniform float ground_height;
uniform float shadow_height;

varying vec3 world_position;

void main()
{
    float height = max(0.0, world_position.z - ground_height) / shadow_height;
    float darkness = clamp(1.0 - height, 0.0, 1.0);
    gl_FragColor = vec4(vec3(darkness * darkness), 1.0);
}
