/* NULL, indices past the end and damaged arguments are failures with a text. */
#include "bindpose.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s is false; '%s'\n", __LINE__, #condition, bindpose_error());                   \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)
#define FAILS(call, text) CHECK(!(call) && strstr(bindpose_error(), text))

int main(int count, char **arguments) {
    const char *const paths[] = {arguments[count - 1], NULL};
    bindpose_mesh mesh;
    bindpose_clip clip;
    double *pose = malloc(16 * sizeof *pose * 3);
    float few[3];

    CHECK(!*bindpose_error() && *bindpose_version());
    FAILS(bindpose_load(NULL, 1), "paths is NULL");
    FAILS(bindpose_load(paths, 2), "a path is NULL");
    FAILS(bindpose_load(paths, 0), "count is 0");
    FAILS(bindpose_validate(paths, 0, "all"), "count is 0");
    FAILS(bindpose_validate(NULL, 1, "all"), "paths is NULL");
    FAILS(bindpose_validate(paths, 1, NULL), "engines is NULL");
    FAILS(bindpose_left_out(NULL), "model is NULL");
    FAILS(bindpose_joint_count(NULL), "model is NULL");
    FAILS(bindpose_joint_name(NULL, 0), "model is NULL");
    FAILS(bindpose_parents(NULL), "model is NULL");
    FAILS(bindpose_mesh_count(NULL), "model is NULL");
    FAILS(bindpose_get_mesh(NULL, 0, &mesh), "model is NULL");
    FAILS(bindpose_clip_count(NULL), "model is NULL");
    FAILS(bindpose_get_clip(NULL, 0, &clip), "model is NULL");
    FAILS(bindpose_pose(NULL, 0, 0, pose), "model is NULL");
    FAILS(bindpose_skin(NULL, 0, pose, few, few), "model is NULL");
    bindpose_free(NULL);
    bindpose_free_text(NULL);

    bindpose_model *model = bindpose_load(paths, 1);
    CHECK(model && bindpose_joint_count(model) == 3 && bindpose_clip_count(model) == 2 && bindpose_mesh_count(model) == 1);
    CHECK(!*bindpose_left_out(model) && bindpose_parents(model)[0] == -1 && bindpose_parents(model)[2] == 1);
    CHECK(!strcmp(bindpose_joint_name(model, 1), "upper"));
    FAILS(bindpose_joint_name(model, 3), "there is no joint 3: the model has 3");
    FAILS(bindpose_get_mesh(model, 1, &mesh), "there is no mesh 1: the model has 1");
    FAILS(bindpose_get_mesh(model, 0, NULL), "out is NULL");
    FAILS(bindpose_get_clip(model, 2, &clip), "there is no clip 2: the model has 2");
    FAILS(bindpose_get_clip(model, 0, NULL), "out is NULL");
    FAILS(bindpose_pose(model, 2, 0, pose), "there is no clip 2: the model has 2");
    FAILS(bindpose_pose(model, 0, NAN, pose), "is not finite");
    FAILS(bindpose_pose(model, 0, 0, NULL), "pose is NULL");
    FAILS(bindpose_skin(model, 0, NULL, few, few), "pose is NULL");
    FAILS(bindpose_skin(model, 0, pose, NULL, few), "positions is NULL");

    /* The rest pose of MD5 is its bind pose: skinned vertices are those of the mesh, also by the arrays. */
    CHECK(bindpose_get_mesh(model, 0, &mesh) && bindpose_pose(model, BINDPOSE_REST, 0, pose));
    CHECK(fabs(pose[16 * 2 + 11] - 48) < 1e-6); /* joint "end" is at ( 0 0 48 ) */
    CHECK(*mesh.name && !strcmp(mesh.material, "cylinder") && mesh.vertex_count == 1423 && mesh.bind_count <= 3);
    float *positions = malloc(mesh.vertex_count * 3 * sizeof *positions), *normals = malloc(mesh.vertex_count * 3 * sizeof *normals);
    FAILS(bindpose_skin(model, 1, pose, positions, normals), "there is no mesh 1: the model has 1");
    CHECK(bindpose_skin(model, 0, pose, positions, normals));
    for (size_t number = 0; number < 3 * mesh.vertex_count; number++)
        CHECK(fabsf(positions[number] - mesh.positions[number]) < 1e-4f && fabsf(normals[number] - mesh.normals[number]) < 1e-4f);
    for (size_t number = 0; number < 3 * mesh.triangle_count; number++)
        CHECK(mesh.indices[number] < mesh.vertex_count);
    CHECK(mesh.influence_starts[mesh.vertex_count] == mesh.influence_count);
    for (size_t slot = 0; slot < mesh.bind_count; slot++) {
        const double *a = pose + 16 * mesh.bind_joints[slot], *b = mesh.inverse_binds + 16 * slot;
        for (size_t row = 0; row < 4; row++)
            for (size_t column = 0; column < 4; column++) {
                double sum = 0;
                for (size_t k = 0; k < 4; k++) sum += a[4 * row + k] * b[4 * k + column];
                CHECK(fabs(sum - (row == column)) < 1e-6);
            }
    }
    for (size_t vertex = 0; vertex < mesh.vertex_count; vertex++) {
        float sum = 0;
        for (size_t at = mesh.influence_starts[vertex]; at < mesh.influence_starts[vertex + 1]; at++) {
            CHECK(mesh.influence_slots[at] < mesh.bind_count);
            sum += mesh.influence_weights[at];
        }
        CHECK(fabsf(sum - 1) < 1e-4f && fabsf(mesh.uvs[2 * vertex] - 0.5f) < 0.51f);
    }
    CHECK(bindpose_get_clip(model, 0, &clip) && !strcmp(clip.name, "cylinder_bend") && clip.frame_rate > 23.9);
    char *report = bindpose_validate(paths, 1, "doom3,quake4");
    CHECK(report && strstr(report, "\"quake4\""));
    bindpose_free_text(report);
    free(positions);
    free(normals);
    free(pose);
    bindpose_free(model);
    return 0;
}
