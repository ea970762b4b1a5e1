/* Prints the box around a model in the middle of its first clip, and what an engine does with its files:
 *   example ENGINES FILE... */
#include "bindpose.h"
#include <stdio.h>
#include <stdlib.h>

static int failed(void) {
    fprintf(stderr, "%s\n", bindpose_error());
    return 1;
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: example ENGINES FILE...\n");
        return 2;
    }
    const char *const *paths = (const char *const *)(arguments + 2);
    bindpose_model *model = bindpose_load(paths, (size_t)count - 2);
    if (!model) return failed();
    fputs(bindpose_left_out(model), stderr);

    bindpose_clip clip;
    size_t number = BINDPOSE_REST;
    double time = 0;
    if (bindpose_get_clip(model, 0, &clip)) {
        number = 0;
        time = clip.duration / 2;
        printf("%s at %g s\n", clip.name, time);
    }
    double *pose = malloc(bindpose_joint_count(model) * 16 * sizeof *pose);
    if (!pose || !bindpose_pose(model, number, time, pose)) return failed();
    for (size_t index = 0; index < bindpose_mesh_count(model); index++) {
        bindpose_mesh mesh;
        if (!bindpose_get_mesh(model, index, &mesh)) return failed();
        float *positions = malloc(mesh.vertex_count * 3 * sizeof *positions);
        if (!positions || !bindpose_skin(model, index, pose, positions, NULL)) return failed();
        for (size_t axis = 0; axis < 3; axis++) {
            float low = positions[axis], high = positions[axis];
            for (size_t vertex = 1; vertex < mesh.vertex_count; vertex++) {
                float at = positions[3 * vertex + axis];
                if (at < low) low = at;
                if (at > high) high = at;
            }
            printf("%s %c: %.5f to %.5f\n", mesh.name, "xyz"[axis], low, high);
        }
        free(positions);
    }
    free(pose);
    bindpose_free(model);

    char *report = bindpose_validate(paths, (size_t)count - 2, arguments[1]);
    if (!report) return failed();
    puts(report);
    bindpose_free_text(report);
    return 0;
}
