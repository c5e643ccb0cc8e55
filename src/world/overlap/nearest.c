/* nearest.c: the point of a mesh nearest to another point, by the auditor's box tree. */
#include "world/overlap/nearest.h"
#include "mesh/distance.h"

static void search(const mus_audit_object *mesh, const mus_audit_tree *tree, int32_t index, v3 p,
                   mus_nearest_point *best) {
    const mus_audit_node *node = &tree->nodes[index];
    if (node->child >= 0) {
        double first = mus_box_distance2(&tree->nodes[node->child].box, p),
               second = mus_box_distance2(&tree->nodes[node->child + 1].box, p);
        int swap = second < first;
        if (fmin(first, second) < best->distance2) search(mesh, tree, node->child + swap, p, best);
        if (fmax(first, second) < best->distance2) search(mesh, tree, node->child + 1 - swap, p, best);
        return;
    }
    for (int32_t i = node->first; i < node->first + node->count; i++) {
        const int32_t *f = mesh->faces + 3 * (size_t)tree->order[i];
        double w[3];
        v3 d = mus_nearest_vertex_face(p, v3_load(mesh->vertices + 3 * (size_t)f[0]),
                                       v3_load(mesh->vertices + 3 * (size_t)f[1]),
                                       v3_load(mesh->vertices + 3 * (size_t)f[2]), w);
        if (!(v3_length2(d) < best->distance2)) continue;
        *best = (mus_nearest_point){tree->order[i], {w[0], w[1], w[2]}, d, v3_length2(d)};
    }
}

mus_nearest_point mus_nearest_on_mesh(const mus_audit_object *mesh, const mus_audit_tree *tree, v3 p, double bound2) {
    mus_nearest_point best = {.face = -1, .distance2 = bound2};
    if (tree->node_count > 0 && mus_box_distance2(&tree->nodes[0].box, p) < bound2) search(mesh, tree, 0, p, &best);
    return best;
}
