/* cloth_memory.c: the memory of a cloth and of its twin in the solver's order. */
#include "mesh/mesh.h"
#include "model/embedding.h"
#include "model/network.h"
#include "model/order.h"
#include "model/sheet.h"
#include "model/spring_program.h"

#include <string.h>

/* A grid has at most six springs per node, any mesh one per edge and one per hinge. */
int64_t mus_cloth_spring_room(const mus_cloth *cloth) {
    int64_t springs = (int64_t)cloth->topology.edge_count + cloth->topology.hinge_count;
    return springs > 6 * (int64_t)cloth->vertex_count ? springs : 6 * (int64_t)cloth->vertex_count;
}

mus_status mus_cloth_allocate(mus_cloth *cloth, const int32_t *faces, const char *name) {
    size_t n = (size_t)cloth->vertex_count, face_count = (size_t)cloth->face_count;
    cloth->name = mus_copy_string(name);
    cloth->faces = mus_new(sizeof(int32_t) * 3 * face_count);
    if (!cloth->name || !cloth->faces) return MUS_STATUS_NO_MEMORY;
    memcpy(cloth->faces, faces, sizeof(int32_t) * 3 * face_count);
    mus_status status = mus_topology_build(cloth->faces, cloth->face_count, cloth->vertex_count, &cloth->topology);
    if (status != MUS_STATUS_OK) return status;
    const mus_topology *t = &cloth->topology;
    size_t vector = sizeof(double) * 3 * n;
    cloth->x = mus_new(vector);
    cloth->v = mus_new(vector);
    cloth->f = mus_new(vector);
    cloth->mass = mus_new(sizeof(double) * n);
    cloth->inverse_mass = mus_new(sizeof(double) * n);
    cloth->rest_lengths = mus_new(sizeof(double) * (size_t)t->edge_count);
    cloth->springs = mus_new(sizeof(mus_spring) * (size_t)mus_cloth_spring_room(cloth));
    cloth->hinges = mus_new(sizeof(mus_hinge) * ((size_t)t->hinge_count + 1));
    bool all = cloth->x && cloth->v && cloth->f && cloth->mass && cloth->inverse_mass && cloth->rest_lengths &&
               cloth->springs && cloth->hinges;
    return all ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

/* Shrinks a block; if a strict allocator refuses, the larger one is kept. */
static void *shrink_block(void *block, size_t bytes) {
    void *smaller = mus_resize(block, bytes);
    return smaller ? smaller : block;
}

void mus_cloth_trim(mus_cloth *cloth) {
    cloth->springs = shrink_block(cloth->springs, sizeof(mus_spring) * ((size_t)cloth->spring_count + 1));
    cloth->hinges = shrink_block(cloth->hinges, sizeof(mus_hinge) * ((size_t)cloth->hinge_count + 1));
    mus_topology_keep_edges(&cloth->topology);
}

mus_status mus_cloth_shell(const char *name, int32_t vertex_count, const int32_t *faces, int32_t face_count,
                           mus_cloth **out) {
    *out = NULL;
    mus_cloth *cloth = mus_new(sizeof *cloth);
    if (!cloth) return MUS_STATUS_NO_MEMORY;
    cloth->vertex_count = vertex_count;
    cloth->face_count = face_count;
    mus_status status = mus_cloth_allocate(cloth, faces, name);
    if (status == MUS_STATUS_OK)
        *out = cloth;
    else
        mus_cloth_free(cloth);
    return status;
}

void mus_cloth_order_release(mus_cloth_order *o) {
    mus_free(o->rank);
    mus_free(o->number);
    mus_free(o->face_number);
    mus_free(o);
}

void mus_cloth_order_free(mus_cloth *cloth) {
    mus_cloth_order *o = cloth->order;
    if (!o || o->given != cloth) return;
    o->solved->spring_programs = NULL; /* owned by the given cloth */
    mus_cloth_free(o->solved);
    mus_cloth_order_release(o);
    cloth->order = NULL;
}

void mus_cloth_free(mus_cloth *cloth) {
    if (!cloth) return;
    mus_cloth_order_free(cloth);
    mus_topology_free(&cloth->topology);
    mus_sheet_free(cloth->sheet);
    mus_network_free(cloth->network);
    mus_array_free(&cloth->pulls);
    mus_spring_programs_free(cloth->spring_programs);
    mus_mesh_groups_free(cloth->groups, cloth->group_count);
    mus_embedding_free(cloth->embedding);
    void *blocks[] = {cloth->name,
                      cloth->faces,
                      cloth->rest_lengths,
                      cloth->x,
                      cloth->v,
                      cloth->f,
                      cloth->mass,
                      cloth->inverse_mass,
                      cloth->normals,
                      cloth->areas,
                      cloth->force_jacobian,
                      cloth->wind,
                      cloth->pins,
                      cloth->anchors,
                      cloth->springs,
                      cloth->hinges,
                      cloth->creases,
                      cloth->plastic_stretches,
                      cloth->warps,
                      cloth->reference,
                      cloth->uvs,
                      cloth->uv_faces,
                      cloth->spring_factors,
                      cloth->thicknesses,
                      cloth->max_thicknesses,
                      cloth->frictions,
                      cloth->strain_limits,
                      cloth->dampings,
                      cloth};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
}
