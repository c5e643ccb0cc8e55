/* test_truncation.c: a pair whose moves were cut does not come near, whichever way it was cut and however much further
 * single vertices are; and a pair without a separating plane is reported as such. */
#include "../world/scene.h"

#include "narrow/ccd.h"
#include "response/truncation.h"

typedef struct pair_scene {
    mus_assembly a;
    mus_object objects[2];
    v3 x0[4], x1[4];
    double inverse_mass[4];
    int32_t object_of[4];
    mus_candidate_pair c;
} pair_scene;

static void make(pair_scene *s, mus_rng *rng, bool edge_edge, double gap, double speed) {
    *s = (pair_scene){.c = {.vertex = {0, 1, 2, 3}, .edge_edge = edge_edge}};
    s->objects[0].count = 4;
    s->a = (mus_assembly){.object_count = 1,
                          .cloth_count = 1,
                          .objects = s->objects,
                          .vertex_count = 4,
                          .cloth_vertex_count = 4,
                          .x0 = s->x0,
                          .x1 = s->x1,
                          .inverse_mass = s->inverse_mass,
                          .object_of = s->object_of};
    v3 d;
    double weight[4], length;
    do {
        for (int k = 0; k < 4; k++) s->x0[k] = v3_scale(mus_rng_between(rng, 0.2, 1), random_direction(rng));
        length = mus_candidate_pair_nearest(&s->c, s->x0, &d, weight);
    } while (!(length > 1e-3));
    for (int k = 0; k < 4; k++) { /* to the gap wanted, from whatever it is */
        bool on_a = edge_edge ? k >= 2 : k == 0;
        if (on_a) s->x0[k] = v3_axpy((gap - length) / length, d, s->x0[k]);
        s->inverse_mass[k] = 1;
    }
    s->c.gap0 = (float)mus_candidate_pair_nearest(&s->c, s->x0, &d, weight);
    for (int k = 0; k < 4; k++) s->x1[k] = v3_axpy(speed, random_direction(rng), s->x0[k]);
}

static bool pair_collides(const pair_scene *s, double gap) {
    mus_ccd_result result; /* which may see a contact where a plane still certifies that there is none */
    if (mus_truncation_certified(&s->a, &s->c, gap)) return false;
    return s->c.edge_edge ? mus_ccd_ee(s->x0, s->x1, gap, 0.01 * gap, &result)
                          : mus_ccd_vf(s->x0, s->x1, gap, 0.01 * gap, &result);
}

static void cuts_are_safe(const mus_truncation *truncation) {
    mus_rng rng = mus_rng_make(31, 0);
    int hits = 0, moved = 0;
    for (int n = 0; n < 20000; n++) {
        pair_scene s;
        double gap = mus_exp(mus_rng_between(&rng, -14, -1)), min_gap = 0.4 * gap;
        make(&s, &rng, n & 1, gap, mus_rng_between(&rng, 0, 3) * (n % 3 ? 1 : gap));
        if (!pair_collides(&s, 0.5 * min_gap)) continue;
        hits++;
        v3 end[4];
        assert_true(truncation->cut(&s.a, &s.c, min_gap, end));
        memcpy(s.x1, end, sizeof end);
        assert_false(pair_collides(&s, 0.5 * min_gap));
        for (int k = 0; k < 4; k++) {
            moved += v3_length(v3_sub(s.x1[k], s.x0[k])) > 0;
            s.x1[k] = v3_lerp(s.x0[k], end[k], mus_rng_double(&rng)); /* cut further, by other pairs */
        }
        assert_false(pair_collides(&s, 0.5 * min_gap));
    }
    print_message("%d of 20000 pairs would have met; %d vertices moved all the same\n", hits, moved);
    assert_true(hits > 1000 && moved > hits);
}

static void test_planar(void **state) {
    (void)state;
    cuts_are_safe(&mus_truncation_planar);
}

static void test_isotropic(void **state) {
    (void)state;
    cuts_are_safe(&mus_truncation_isotropic);
}

/* A prescribed vertex takes its full share: the cloth's side keeps clear of where it goes; where it goes past where the
 * cloth started, no plane is left. */
static void test_prescribed(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(32, 0);
    for (int n = 0; n < 2000; n++) {
        pair_scene s;
        v3 d, end[4];
        double weight[4], gap = 0.1;
        make(&s, &rng, false, gap, 0);
        double length = mus_candidate_pair_nearest(&s.c, s.x0, &d, weight), share = mus_rng_between(&rng, 0.1, 1.5);
        s.inverse_mass[0] = 0;
        s.x1[0] = v3_axpy(-share * gap / length, d, s.x0[0]);
        for (int k = 1; k < 4; k++) s.x1[k] = v3_axpy(0.5 * gap / length, d, s.x0[k]);
        bool can = mus_truncation_planar.cut(&s.a, &s.c, 0.02 * gap, end);
        assert_true(can == (share < 0.98));
        if (!can) continue;
        assert_true(v3_length(v3_sub(end[0], s.x1[0])) == 0);
        memcpy(s.x1, end, sizeof end);
        assert_false(pair_collides(&s, 0.01 * gap));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_planar), cmocka_unit_test(test_isotropic),
                                       cmocka_unit_test(test_prescribed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
