// For timing: the end of a skinning program with as little work as in article 000's test (section 3.4): no texture and hardly
// any light, so that vertices are the bottleneck. Follows a method's file, as figure.vert does.
//
// Uniforms    world_from_model: rigid placement of the model; clip_from_world: the camera

uniform mat4 world_from_model;
uniform mat4 clip_from_world;

varying float shade;

void main()
{
    vec3 model_position;
    vec3 model_normal;
#ifdef TANGENTS
    vec3 model_tangent;
    skin(model_position, model_normal, model_tangent);
#else
    skin(model_position, model_normal);
#endif
    // Uses the normal, so that the driver does not remove its skinning.
    shade = 0.5 + 0.5 * model_normal.z;
    gl_Position = clip_from_world * (world_from_model * vec4(model_position, 1.0));
}
