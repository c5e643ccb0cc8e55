/* partition_cones.c: the tree by the plane at rest, with the normal cones of Provot 1997 (section 2.2): every node has
 * an axis and a half-angle that its faces' normals lie within; where that is below a right angle, the node is not
 * tested with itself. As the source has it: normals at the end of the step alone, and nothing is asked about the
 * contour. So it loses what meets in a region of low curvature: on the way, or where its border curls over it. Only
 * what lies within one node is lost, and never a meeting with another cloth or an obstacle. On one thread. */
#include "broad/partition.h"

typedef struct cone {
    v3 axis;      /* unit, or zero: none */
    double angle; /* half, rad */
} cone;

typedef struct cone_tree {
    mus_hierarchy tree;
    cone *cones;     /* one a node; lent */
    uint8_t *skip;   /* lent */
    int32_t *leaves; /* under a node; lent */
    int64_t culled;
} cone_tree;

static const double pi = 3.14159265358979323846;

static cone of_face(const mus_broad_scene *scene, int32_t leaf) {
    const int32_t *v = scene->leaves[leaf].vertex;
    v3 a = scene->x1[v[0]];
    v3 normal = v3_cross(v3_sub(scene->x1[v[1]], a), v3_sub(scene->x1[v[2]], a));
    bool flat = v3_length2(normal) > 0;
    return (cone){v3_normalized(normal), flat ? 0 : pi};
}

static cone join(const cone *a, const cone *b) {
    v3 mean = v3_normalized(v3_scale(0.5, v3_add(a->axis, b->axis)));
    if (!(v3_length2(mean) > 0)) return (cone){mean, pi};
    double between = mus_acos(fmax(-1, fmin(v3_dot(a->axis, b->axis), 1)));
    return (cone){mean, between / 2 + fmax(a->angle, b->angle)};
}

static void refit_cones(cone_tree *t, const mus_broad_scene *scene) {
    const mus_hierarchy *h = &t->tree;
    for (int32_t k = h->count - 1; k >= 0; k--) {
        const mus_tree_node *n = &h->nodes[k];
        const int32_t *item = h->items + n->first;
        t->cones[k] = n->lowest ? of_face(scene, item[0]) : join(&t->cones[item[0]], &t->cones[item[1]]);
        t->leaves[k] = n->lowest ? 1 : t->leaves[item[0]] + t->leaves[item[1]];
        t->skip[k] = !n->lowest && t->cones[k].angle < pi / 2;
    }
    int32_t cloth = h->obstacle.count ? h->obstacle.data[0] : h->count; /* nodes of cloth come first */
    t->culled = 0;
    for (int32_t k = 0; k < cloth; k++) t->culled += t->skip[k] ? (int64_t)t->leaves[k] * (t->leaves[k] - 1) / 2 : 0;
    for (int32_t k = 0; k < cloth; k++) { /* less what lies under another such node */
        const mus_tree_node *n = &h->nodes[k];
        for (int i = 0; !n->lowest && t->skip[k] && i < 2; i++) {
            int32_t child = h->items[n->first + i];
            if (t->skip[child]) t->culled -= (int64_t)t->leaves[child] * (t->leaves[child] - 1) / 2;
        }
    }
}

static void cone_tree_destroy(void *state) {
    cone_tree *t = state;
    if (t) mus_hierarchy_free(&t->tree);
    mus_free(t);
}

static mus_status cone_tree_create(const mus_broad_scene *scene, const v3 *x, void **state) {
    cone_tree *t = mus_new(sizeof *t);
    *state = NULL;
    if (!t) return MUS_STATUS_NO_MEMORY;
    mus_status status = mus_partition_build(&t->tree, scene, x);
    if (status == MUS_STATUS_OK)
        *state = t;
    else
        cone_tree_destroy(t);
    return status;
}

static void cone_tree_borrow(void *state, mus_lender *lender) {
    cone_tree *t = state;
    size_t nodes = (size_t)t->tree.room;
    mus_hierarchy_borrow(&t->tree, lender);
    mus_lend(lender, &t->cones, sizeof *t->cones * nodes);
    mus_lend(lender, &t->leaves, sizeof *t->leaves * nodes);
    mus_lend(lender, &t->skip, nodes);
}

static void cone_tree_refit(void *state, const mus_broad_scene *scene) {
    cone_tree *t = state;
    mus_hierarchy_refit(&t->tree, scene);
    refit_cones(t, scene);
    t->tree.skip = t->skip;
}

static mus_status cone_tree_pairs(void *state, const mus_broad_scene *scene, const mus_pair_sink *sink) {
    cone_tree *t = state;
    return mus_hierarchy_pairs(&t->tree, scene, sink);
}

static mus_status cone_tree_pairs_of(void *state, const mus_broad_scene *scene, const uint8_t *marked,
                                     mus_pair_list *pairs) {
    cone_tree *t = state;
    return mus_hierarchy_pairs_of(&t->tree, scene, marked, pairs);
}

static int64_t cone_tree_culled(const void *state) {
    const cone_tree *t = state;
    return t->culled;
}

const mus_broad_phase mus_broad_partition_tree_cones = {.name = "partition_tree_cones",
                                                        .wants_rest = true,
                                                        .create = cone_tree_create,
                                                        .destroy = cone_tree_destroy,
                                                        .refit = cone_tree_refit,
                                                        .borrow = cone_tree_borrow,
                                                        .pairs = cone_tree_pairs,
                                                        .pairs_of = cone_tree_pairs_of,
                                                        .culled = cone_tree_culled};
