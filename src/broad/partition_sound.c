/* partition_sound.c: the tree by the plane at rest with normal cones that miss no contact: a node is not tested with
 * itself if it is proved that nothing in it touches anything else in it, at any time of the step, wherever its vertices
 * end within the motion bound (Volino & Magnenat-Thalmann 1994; Tang, Curtis, Yoon & Manocha 2009; Schvartzman, Perez &
 * Otaduy 2010).
 *
 * 1. The node is a disc (patch_boundary.h).
 * 2. A cone of less than a right angle about its axis contains all normals of all its faces, at all times. With corners
 *    on straight lines a normal is a quadratic of time, and in the cone if its three Bernstein coefficients are: those
 *    at both ends, and (p0 x q1 + p1 x q0)/2 for edges p, q. So no face turns over in projection
 *    along the axis.
 * 3. Seen along the axis from the mean of the border's vertices, which moves, all edges of the border run in the same
 *    direction around it, at all times: a quadratic again. And at the start they run around it once.
 *
 * By Euler's formula the angles of the projected faces about their vertices can then add up to no more than one turn at
 * any vertex inside, nor overlap at any on the border: the angles of a border that runs around k times allow for k - 1
 * more turns in all, and here there are none. So the projection is one-to-one at every time, and two points that met
 * would be one.
 *
 * This proves that nothing touches, not that everything keeps a thickness apart: it is for tests of motion, not of
 * distance. */
#include "broad/cone_tree.h"
#include "broad/partition.h"
#include "muslin/math.h"

static const double pi = 3.14159265358979323846;
static const double widest = 3.14159265358979323846 / 2 - 1e-4; /* rad: less the total rounding of angles */
static const double slack = 1e-7;     /* rad: rounding of one step of it (acos near 1: 2e-8) */
static const double rounding = 1e-14; /* relative, of a product of two lengths, with its sums */

/* Bound on the distance of a vertex's end from x1. */
static double end_radius(const mus_broad_scene *scene) {
    return 1.7320508075688774 * (1 + 1e-9) * scene->motion_bound;
}

/* A Bernstein coefficient of a normal, and a bound on its error. */
typedef struct control {
    v3 normal;
    double off;
} control;

/* A displacement d of one corner changes p x q by d x (the edge opposite). */
static bool controls_of(const mus_broad_scene *scene, int32_t leaf, control c[3]) {
    const int32_t *v = scene->leaves[leaf].vertex;
    const v3 *x0 = scene->x0, *x1 = scene->x1;
    v3 p0 = v3_sub(x0[v[1]], x0[v[0]]), q0 = v3_sub(x0[v[2]], x0[v[0]]);
    v3 p1 = v3_sub(x1[v[1]], x1[v[0]]), q1 = v3_sub(x1[v[2]], x1[v[0]]);
    double round0 = v3_length(p0) + v3_length(q0) + v3_length(v3_sub(p0, q0));
    double round1 = v3_length(p1) + v3_length(q1) + v3_length(v3_sub(p1, q1));
    double error = rounding * (round0 + round1) * (round0 + round1), r = end_radius(scene);
    c[0] = (control){v3_cross(p0, q0), error};
    c[1] = (control){v3_scale(0.5, v3_add(v3_cross(p0, q1), v3_cross(p1, q0))), error + 0.5 * r * round0};
    c[2] = (control){v3_cross(p1, q1), error + r * round1 + 3 * r * r};
    for (int k = 0; k < 3; k++)
        if (!(v3_length(c[k].normal) > c[k].off)) return false;
    return true;
}

static mus_cone of_face(const mus_broad_scene *scene, int32_t leaf) {
    control c[3];
    v3 sum = {0};
    if (!controls_of(scene, leaf, c)) return (mus_cone){sum, pi};
    for (int k = 0; k < 3; k++) sum = v3_add(sum, v3_normalized(c[k].normal));
    mus_cone cone = {v3_normalized(sum), 0};
    double least = 1; /* cosine of the largest angle from the axis to a coefficient, plus that of its error */
    for (int k = 0; k < 3; k++) {
        double length = v3_length(c[k].normal), sine = c[k].off / length;
        double cosine = fmax(-1, fmin(v3_dot(cone.axis, c[k].normal) / length, 1));
        least = fmin(least, cosine * sqrt(1 - sine * sine) - sqrt(1 - cosine * cosine) * sine);
    }
    cone.angle = least > 0 ? mus_acos(least) + slack : pi;
    return cone;
}

/* The narrowest cone that contains both. */
static mus_cone join(const mus_cone *a, const mus_cone *b) {
    if (a->angle >= widest || b->angle >= widest) return (mus_cone){{0}, pi};
    double cosine = fmax(-1, fmin(v3_dot(a->axis, b->axis), 1)), between = mus_acos(cosine);
    if (between + b->angle <= a->angle) return (mus_cone){a->axis, a->angle + slack};
    if (between + a->angle <= b->angle) return (mus_cone){b->axis, b->angle + slack};
    double angle = 0.5 * (a->angle + between + b->angle) + slack;
    if (angle >= widest) return (mus_cone){{0}, pi};
    v3 across = v3_normalized(v3_axpy(-cosine, a->axis, b->axis));
    double turn = angle - a->angle;
    v3 axis = v3_axpy(mus_sin(turn), across, v3_scale(mus_cos(turn), a->axis));
    return (mus_cone){v3_normalized(axis), angle};
}

/* The mean of the border's vertices. */
static v3 middle_of(const v3 *x, const int32_t *ends, int32_t count) {
    v3 sum = {0};
    for (int32_t k = 0; k < count; k++) sum = v3_add(sum, x[ends[2 * k]]);
    return v3_scale(1.0 / count, sum);
}

static bool runs_round_once(const mus_broad_scene *scene, v3 axis, const int32_t *ends, int32_t count) {
    v3 o0 = middle_of(scene->x0, ends, count), o1 = middle_of(scene->x1, ends, count);
    double r = end_radius(scene), turned = 0;
    for (int32_t k = 0; k < count; k++) {
        v3 a0 = v3_sub(scene->x0[ends[2 * k]], o0), b0 = v3_sub(scene->x0[ends[2 * k + 1]], o0);
        v3 a1 = v3_sub(scene->x1[ends[2 * k]], o1), b1 = v3_sub(scene->x1[ends[2 * k + 1]], o1);
        double far0 = v3_length(a0) + v3_length(b0), far1 = v3_length(a1) + v3_length(b1);
        double error = rounding * (far0 + far1) * (far0 + far1), across = v3_dot(axis, v3_cross(a0, b0));
        if (!(across > error)) return false;
        v3 twice = v3_add(v3_cross(a0, b1), v3_cross(a1, b0));
        if (!(0.5 * v3_dot(axis, twice) > error + 0.5 * r * far0)) return false;
        if (!(v3_dot(axis, v3_cross(a1, b1)) > error + r * far1 + r * r)) return false;
        turned += mus_atan2(across, v3_dot(a0, b0) - v3_dot(axis, a0) * v3_dot(axis, b0));
    }
    return turned < 3 * pi;
}

static bool is_one_to_one(const mus_cone_tree *t, const mus_broad_scene *scene, int32_t k) {
    const mus_patch_boundary *boundary = &t->boundaries.of[k];
    if (boundary->count == 0 || t->cones[k].angle >= widest) return false;
    return runs_round_once(scene, t->cones[k].axis, t->boundaries.ends.data + 2 * boundary->first, boundary->count);
}

static mus_status create(const mus_broad_scene *scene, const v3 *x, void **state) {
    mus_status status = mus_cone_tree_create(mus_partition_build, scene, x, state);
    if (status != MUS_STATUS_OK) return status;
    mus_cone_tree *t = *state;
    status = mus_patch_boundaries_make(&t->boundaries, &t->tree, scene);
    if (status == MUS_STATUS_OK) return status;
    mus_cone_tree_destroy(t);
    *state = NULL;
    return status;
}

static void refit(void *state, const mus_broad_scene *scene) {
    static const mus_cone_law law = {of_face, join, is_one_to_one};
    mus_cone_tree_refit(state, scene, &law);
}

const mus_broad_phase mus_broad_partition_tree_sound = {.name = "partition_tree_sound",
                                                        .wants_rest = true,
                                                        .motion_only = true,
                                                        .create = create,
                                                        .destroy = mus_cone_tree_destroy,
                                                        .refit = refit,
                                                        .borrow = mus_cone_tree_borrow,
                                                        .pairs = mus_cone_tree_pairs,
                                                        .pairs_of = mus_cone_tree_pairs_of,
                                                        .culled = mus_cone_tree_culled};
