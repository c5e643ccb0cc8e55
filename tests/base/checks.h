/* checks.h: what all C tests share: cmocka, a call that must succeed, a number that must be near another, meshes,
 * random directions. */
#ifndef MUS_TESTS_CHECKS_H
#define MUS_TESTS_CHECKS_H

#include "tests.h"

#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "muslin.h"
#include "muslin/math.h"

/* The call must end in this status; otherwise its message is shown. */
#define must_be(wanted, call)                                                                                          \
    do {                                                                                                               \
        mus_status must_status = (call);                                                                               \
        if (must_status != (wanted))                                                                                   \
            fail_msg("%s: %s (%s)", #call, mus_status_get_name(must_status),                                           \
                     must_status == MUS_STATUS_OK ? "it succeeded" : mus_get_error_message());                         \
    } while (0)
#define must(call) must_be(MUS_STATUS_OK, call)

static inline void near(double got, double wanted, double tolerance, const char *what) {
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%s: %.12g, wanted %.12g within %.3g (off by %.3g)", what, got, wanted, tolerance, got - wanted);
}

/* The object of that name; NULL: none. */
static inline mus_object_id named(const mus_world *world, const char *name) {
    mus_object_id id = mus_object_none();
    if (name) must(mus_world_find_object(world, name, &id));
    return id;
}

static inline mus_mesh *grid_mesh(int nu, int nv, double lu, double lv, const char *plane, v3 center) {
    mus_grid_def def = {mus_grid_def_default().cookie, .nodes = {nu, nv}, .size = {lu, lv}, .plane = plane,
                        .center = {center.x, center.y, center.z}};
    mus_mesh *mesh = NULL;
    must(mus_mesh_create_grid(&def, &mesh));
    return mesh;
}

/* A unit quaternion about a unit axis. */
static inline void turn(double q[4], v3 axis, double angle) {
    double s = mus_sin(angle / 2);
    q[0] = mus_cos(angle / 2), q[1] = s * axis.x, q[2] = s * axis.y, q[3] = s * axis.z;
}
static inline v3 random_direction(mus_rng *rng) {
    for (;;) {
        double x = mus_rng_between(rng, -1, 1), y = mus_rng_between(rng, -1, 1), z = mus_rng_between(rng, -1, 1);
        v3 d = v3_make(x, y, z);
        double l = v3_length(d);
        if (l > 0.1 && l < 1) return v3_scale(1 / l, d);
    }
}

#endif
