/* partition_cones.c: the tree by the plane at rest, with the normal cones of Provot 1997 (section 2.2): every node has
 * an axis and a half-angle that contain the normals of its faces; if the half-angle is below a right angle, the node is
 * not tested with itself. As in the source, only normals at the end of the step are used, and the silhouette is not
 * tested. So contacts within a region of low curvature are missed: those during the step, or where its border curls
 * over it. Only contacts within one node are missed, none with another cloth or an obstacle. Runs on one thread. */
#include "broad/cone_tree.h"
#include "broad/partition.h"
#include "muslin/math.h"

static const double pi = 3.14159265358979323846;

static mus_cone of_face(const mus_broad_scene *scene, int32_t leaf) {
    const int32_t *v = scene->leaves[leaf].vertex;
    v3 a = scene->x1[v[0]];
    v3 normal = v3_cross(v3_sub(scene->x1[v[1]], a), v3_sub(scene->x1[v[2]], a));
    bool flat = v3_length2(normal) > 0;
    return (mus_cone){v3_normalized(normal), flat ? 0 : pi};
}

static mus_cone join(const mus_cone *a, const mus_cone *b) {
    v3 mean = v3_normalized(v3_scale(0.5, v3_add(a->axis, b->axis)));
    if (!(v3_length2(mean) > 0)) return (mus_cone){mean, pi};
    double between = mus_acos(fmax(-1, fmin(v3_dot(a->axis, b->axis), 1)));
    return (mus_cone){mean, between / 2 + fmax(a->angle, b->angle)};
}

static bool is_narrow(const mus_cone_tree *t, const mus_broad_scene *scene, int32_t k) {
    (void)scene;
    return t->cones[k].angle < pi / 2;
}

const mus_cone_law mus_cone_law_at_end = {of_face, join, is_narrow};

static mus_status create(const mus_broad_scene *scene, const v3 *x, void **state) {
    return mus_cone_tree_create(mus_partition_build, scene, x, state);
}

static void refit(void *state, const mus_broad_scene *scene) {
    mus_cone_tree_refit(state, scene, &mus_cone_law_at_end);
}

const mus_broad_phase mus_broad_partition_tree_cones = {.name = "partition_tree_cones",
                                                        .wants_rest = true,
                                                        .create = create,
                                                        .destroy = mus_cone_tree_destroy,
                                                        .refit = refit,
                                                        .borrow = mus_cone_tree_borrow,
                                                        .pairs = mus_cone_tree_pairs,
                                                        .pairs_of = mus_cone_tree_pairs_of,
                                                        .culled = mus_cone_tree_culled};
