/*
 * bindpose for C: loads MD5, DirectX .x and glTF models, poses and skins them, and says what engines do with their files.
 *
 *   cargo build --release -p bindpose-c
 *   cc -Ic/include example.c -Ltarget/release -lbindpose_c
 *
 * Model space is right-handed with +Z up, in the file's units. Matrices are 16 numbers, row by row, for matrix * column. Times are
 * seconds. Text is UTF-8 and ends with a zero byte; paths are UTF-8 on Windows, else bytes.
 *
 * Functions that fail return NULL, 0 or false, and bindpose_error() has the reason. NULL in place of an argument is such a failure.
 * Other pointers must be valid: a model must come from bindpose_load and not be freed, an array must have the stated length.
 * Models do not change, so threads may share them. There is no promise yet that later versions are compatible.
 */
#ifndef BINDPOSE_H
#define BINDPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In place of a clip: the rest pose. */
#define BINDPOSE_REST SIZE_MAX

/* A skeleton with its meshes and clips. */
typedef struct bindpose_model bindpose_model;

/* A triangle mesh in its bind pose. Its pointers are valid until bindpose_free. */
typedef struct bindpose_mesh {
    const char *name;
    const char *material; /* MD5's shader */
    size_t vertex_count, triangle_count, influence_count, bind_count;
    const float *positions;   /* 3 for each vertex */
    const float *normals;     /* 3 for each vertex, unit length */
    const float *uvs;         /* 2 for each vertex; (0, 0) is the left end of the image's top row */
    const uint32_t *indices;  /* 3 for each triangle, counter-clockwise seen from the front */
    /* Vertex v has the influences starts[v] up to, but not including, starts[v + 1]; vertex_count + 1 numbers. */
    const uint32_t *influence_starts;
    const uint32_t *influence_slots; /* for each influence, an index into bind_joints */
    const float *influence_weights;  /* for each influence, as in the file */
    const uint32_t *bind_joints;     /* for each slot, a joint */
    const double *inverse_binds;     /* for each slot, a matrix from model to joint space; pose * inverse bind is the palette */
} bindpose_mesh;

typedef struct bindpose_clip {
    const char *name; /* valid until bindpose_free */
    double duration;
    double frame_rate; /* 0 if the file has no frames */
    bool looping;
} bindpose_clip;

/* The version of the library, such as "0.1.0". */
const char *bindpose_version(void);

/* The reason of the last failure in this thread, empty if there is none; valid until the next failure in this thread. */
const char *bindpose_error(void);

/* Loads one model and its clips. A lone .md5mesh gets the fitting clips of its folder. */
bindpose_model *bindpose_load(const char *const *paths, size_t count);

/* Frees a model. NULL is allowed. */
void bindpose_free(bindpose_model *model);

/* What the files have but the model lacks, a sentence a line; empty if nothing is missing. Valid until bindpose_free. */
const char *bindpose_left_out(const bindpose_model *model);

size_t bindpose_joint_count(const bindpose_model *model);
const char *bindpose_joint_name(const bindpose_model *model, size_t joint);

/* The parent of each joint, -1 for roots. Parents come first. */
const int32_t *bindpose_parents(const bindpose_model *model);

size_t bindpose_mesh_count(const bindpose_model *model);
bool bindpose_get_mesh(const bindpose_model *model, size_t mesh, bindpose_mesh *out);

size_t bindpose_clip_count(const bindpose_model *model);
bool bindpose_get_clip(const bindpose_model *model, size_t clip, bindpose_clip *out);

/* Writes a matrix from joint to model space for each joint: 16 * bindpose_joint_count numbers. Times are clamped to the clip. */
bool bindpose_pose(const bindpose_model *model, size_t clip, double time, double *pose);

/*
 * Skins a mesh linearly with all its influences. Reads 16 * bindpose_joint_count numbers, as bindpose_pose writes them, and writes 3
 * for each vertex. normals may be NULL.
 */
bool bindpose_skin(const bindpose_model *model, size_t mesh, const double *pose, float *positions, float *normals);

/*
 * Checks files and folders for engines, which are separated by commas, or "all". Returns the JSON of `bindpose validate --format json`,
 * for bindpose_free_text.
 */
char *bindpose_validate(const char *const *paths, size_t count, const char *engines);

/* Frees a text of bindpose_validate. NULL is allowed. */
void bindpose_free_text(char *text);

#ifdef __cplusplus
}
#endif

#endif
