/* quad_tree_cones.c: the tree of groups of four boxes with the curvature of the surface on top (Jung 2005,
 * section 4.3): a group whose normals end the step within 53 degrees of their axis is not tested with itself. The
 * source does not print its criterion. The cones are those of Provot 1997 (partition_cones.c), and so are the losses;
 * the angle is narrower, since the source's test is of distance: in a cone of half-angle b, two points of a convex
 * piece of cloth are no nearer than cos b times their distance on it, and responses keep neighbors no farther apart
 * than 0.6 of that distance (MUS_NEIGHBOR_SHARE). With a right angle, folds tighter than the thickness are found late
 * and deep: edges of JUN-1 are then stretched by 0.19, in place of 0.10. Runs on one thread. */
#include "broad/cone_tree.h"
#include "broad/quad_tree.h"

static const double widest = 0.92729521800161; /* rad: acos 0.6 */

static mus_status create(const mus_broad_scene *scene, const v3 *x, void **state) {
    return mus_cone_tree_create(mus_quad_tree_build, scene, x, state);
}

static bool is_flat(const mus_cone_tree *t, const mus_broad_scene *scene, int32_t k) {
    (void)scene;
    return t->cones[k].angle < widest;
}

static void refit(void *state, const mus_broad_scene *scene) {
    mus_cone_law law = {mus_cone_law_at_end.of_face, mus_cone_law_at_end.join, is_flat};
    mus_cone_tree_refit(state, scene, &law);
}

const mus_broad_phase mus_broad_quad_tree_cones = {.name = "quad_tree_cones",
                                                   .wants_rest = true,
                                                   .create = create,
                                                   .destroy = mus_cone_tree_destroy,
                                                   .refit = refit,
                                                   .borrow = mus_cone_tree_borrow,
                                                   .pairs = mus_cone_tree_pairs,
                                                   .pairs_of = mus_cone_tree_pairs_of,
                                                   .culled = mus_cone_tree_culled};
