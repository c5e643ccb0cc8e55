/* test_bodies_heavy.c: rigid bodies up to 200 times as heavy as the sheet that they fall on: they come to rest, and
 * what they bounce and weigh is accounted for. */
#include "bodies.h"

/* Up to 200 times as heavy as the sheet. What rolls about in a hammock loses its speed slowly: that of 20 kg has 0.027
 * m/s after 7.5 s and 0.010 after 10 s, under `sequential`, which takes more from it, 0.010 and 0.003. */
static void test_heavy_ball(void **state) {
    (void)state;
    settles(2, 5.5, -0.07, 0.02);
    settles(20, 10, -0.07, 0.02);
}

/* A ball that is dropped on a sheet pinned all around bounces and settles. In every step its momentum changes by
 * gravity and by the contacts listed, to rounding: what it takes from the sheet goes on to the pins, and at rest that
 * is what the ball weighs. It never has more energy than it was dropped with, nor have ball and sheet together. Without
 * and with restitution, one twice and one twenty times as heavy as the sheet. */
static void test_bounce_accounted(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double mass = k < 2 ? 0.2 : 2, h = 1.0 / 240, most = mass * g * 0.3, low = 0, bounced = 0;
        mus_world *world = bodies_world(h, g, 1);
        hammock(world, 17, true);
        mus_obstacle_def def = ball_def(0.12, mass, v3_make(0.01, 0.3, 0.02));
        def.restitution = k % 2 ? 0.4 : 0;
        mus_obstacle_id body = add_body(world, def);
        mus_energy first, last;
        must(mus_world_get_energy(world, &first));
        v3 before = v3_make(0, 0, 0), mean = before;
        enum { LAST = 120 };
        const int count = 2160;
        double least = 0, risen = 0;
        for (int n = 0; n < count; n++) {
            must(mus_world_step(world));
            mus_rigid_body_motion m = motion_of(world, body);
            v3 now = v3_scale(mass, v3_load(m.velocity)), from = contacts_on(world, body);
            v3 off = v3_sub(v3_sub(now, before), from);
            off.y += mass * g * h * (n ? 1 : 0.5); /* the first step takes velocities to its middle */
            near(v3_length(off), 0, 1e-12 * mass, "momentum not accounted for");
            double energy = 0.5 * v3_dot(now, v3_load(m.velocity)) + mass * g * m.center[1] +
                            0.5 * v3_dot(v3_load(m.angular_velocity), v3_load(m.angular_momentum));
            if (energy > most) fail_msg("step %d: %g of %g J", n, energy, most);
            must(mus_world_get_energy(world, &last));
            least = n ? fmin(least, last.total) : first.total, risen = fmax(risen, last.total - least);
            low = fmin(low, now.y / mass), bounced = fmax(bounced, low < -1 ? now.y / mass : 0);
            if (n >= count - LAST) mean = v3_axpy(1.0 / LAST, from, mean);
            before = now;
            if (n % 8 == 0) audited(world, 0);
        }
        printf("# %g kg: falls with %.3g m/s, bounces with %.3g m/s, ends with %.3g m/s, %.3g of %.3g J; rises by %.3g "
               "J\n",
               mass, -low, bounced, v3_length(before) / mass, last.total, first.total, risen);
        assert_true(bounced > 0.3);
        near(v3_length(before) / mass, 0, 0.03, "speed in the end");
        near(mean.y, mass * g * h, 0.02 * mass * g * h, "weight on the sheet");
        assert_true(risen < 5e-3 * first.total); /* 1e-9 m aside: up to 3.7e-3 */
        mus_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heavy_ball),
        cmocka_unit_test(test_bounce_accounted),
        UNDER_SEQUENTIAL(test_heavy_ball),
        UNDER_SEQUENTIAL(test_bounce_accounted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
