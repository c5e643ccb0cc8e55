/* test_broad.c: every broad phase finds the very pairs that brute force finds, each once, over all faces and around
 * marked ones, on random soups and on scenes made to be nasty. */
#include "../base/scarce.h"
#include "soup.h"

#include "base/simd.h"
#include "muslin.h"
#include "muslin/math.h"

static const mus_broad_phase *const phases[] = {&mus_broad_box_tree,  &mus_broad_hash_grid,
                                                &mus_broad_octree,    &mus_broad_partition_tree,
                                                &mus_broad_quad_tree, &mus_broad_octree_source};
enum { PHASES = sizeof phases / sizeof phases[0] };

/* The pairs come in the very order of brute force; the box tree's order is its own. */
static bool as_brute(const mus_broad_phase *phase) {
    return phase != &mus_broad_box_tree;
}

/* Which edge comes first is left to the phase. */
static void sort_pairs(mus_pair_list *list) {
    for (int64_t k = 0; k < list->count; k++) {
        mus_pair *p = &list->data[k];
        if (!p->edge_edge || p->vertex[0] < p->vertex[2]) continue;
        *p = (mus_pair){{p->vertex[2], p->vertex[3], p->vertex[0], p->vertex[1]}, 1, 0};
    }
    if (list->count) qsort(list->data, (size_t)list->count, sizeof *list->data, by_vertices);
}

static void same(mus_pair_list *got, mus_pair_list *wanted, bool order) {
    assert_int_equal(got->count, wanted->count);
    assert_true(!order || alike(got, wanted));
    if (order) return;
    sort_pairs(got), sort_pairs(wanted);
    assert_true(alike(got, wanted));
    bool once = true;
    for (int64_t k = 1; k < wanted->count; k++) once &= by_vertices(&wanted->data[k - 1], &wanted->data[k]) < 0;
    assert_true(once);
}

static void copy(mus_pair_list *to, const mus_pair_list *from) {
    assert_true(mus_array_reserve(to, from->count));
    if (from->count) memcpy(to->data, from->data, (size_t)from->count * sizeof *to->data);
    to->count = from->count;
}

/* Removes what octree_source does not look for: all but pairs of a cloth's vertex with a solid's face, and pairs with a
 * round shape. */
static void keep_vertices_with_solids(const mus_broad_scene *scene, mus_pair_list *list) {
    uint8_t *is_cloth = calloc((size_t)scene->vertex_count + 1, 1),
            *is_round = calloc((size_t)scene->vertex_count + 1, 1);
    int64_t kept = 0;
    for (int32_t k = 0; k < scene->leaf_count; k++)
        for (int c = 0; c < 3; c++) {
            is_cloth[scene->leaves[k].vertex[c]] |= k < scene->cloth_leaf_count;
            is_round[scene->leaves[k].vertex[c]] |= k >= scene->cloth_leaf_count && !scene->leaves[k].face;
        }
    for (int64_t k = 0; k < list->count; k++) {
        const int32_t *v = list->data[k].vertex;
        bool with_round = is_round[v[0]] || is_round[v[1]] || is_round[v[2]] || is_round[v[3]];
        if (with_round || (!list->data[k].edge_edge && is_cloth[v[0]] && !is_cloth[v[1]]))
            list->data[kept++] = list->data[k];
    }
    list->count = kept;
    free(is_cloth), free(is_round);
}

static mus_status refuse(void *context, int slot, const mus_pair *pairs, int64_t count) {
    (void)context, (void)slot, (void)pairs, (void)count;
    return MUS_STATUS_CANCELLED;
}

static mus_status ignore(void *context, int slot, const mus_pair *pairs, int64_t count) {
    (void)context, (void)slot, (void)pairs, (void)count;
    return MUS_STATUS_OK;
}

static mus_status no_slot(void *context, int slot) {
    (void)context, (void)slot;
    return MUS_STATUS_OK;
}

static mus_status refuse_all(void *context, int count) {
    (void)count;
    ++*(int *)context;
    return MUS_STATUS_CANCELLED;
}

/* The phase is built for x0 and then refitted to boxes that need not have much to do with it. Returns the pairs. */
static int64_t compare(soup *s, double r) {
    mus_pair_list got = {0}, again = {0}, wanted = {0};
    uint8_t *marked = calloc((size_t)s->scene.leaf_count + 1, 1);
    soup_boxes(s, r);
    void *brute;
    assert_int_equal(mus_broad_brute.create(&s->scene, s->x0, &brute), MUS_STATUS_OK);
    mus_pair_list oracle = {0};
    assert_int_equal(all_pairs(&mus_broad_brute, brute, &s->scene, &oracle), MUS_STATUS_OK);
    int64_t count = oracle.count;
    for (int p = 0; p < PHASES; p++) {
        void *state;
        bool vertices_only = phases[p] == &mus_broad_octree_source;
        copy(&wanted, &oracle);
        if (vertices_only) keep_vertices_with_solids(&s->scene, &wanted);
        int64_t own = wanted.count;
        assert_int_equal(phases[p]->create(&s->scene, s->x0, &state), MUS_STATUS_OK);
        mus_lender lender = {0};
        phases[p]->borrow(state, &lender);
        void *lent = aligned_alloc(16, lender.used + 16);
        lender = (mus_lender){lent, 0};
        phases[p]->borrow(state, &lender);
        phases[p]->refit(state, &s->scene);
        assert_int_equal(all_pairs(phases[p], state, &s->scene, &got), MUS_STATUS_OK);
        for (int level = 0; level < MUS_SIMD_COUNT;
             level++) {                                  /* the order too depends on neither threads nor vectors */
            if (level > 0 && as_brute(phases[p])) break; /* knows neither */
            if (mus_set_simd_level(mus_simd_name((mus_simd)level)) != MUS_STATUS_OK) continue;
            for (s->scene.threads = 1; s->scene.threads <= 2; s->scene.threads++) {
                assert_int_equal(all_pairs(phases[p], state, &s->scene, &again), MUS_STATUS_OK);
                assert_true(alike(&got, &again));
            }
        }
        assert_int_equal(mus_set_simd_level(NULL), MUS_STATUS_OK);
        s->scene.threads = 2;
        same(&got, &wanted, as_brute(phases[p]));
        int calls = 0; /* who takes the pairs may end the search, and who gathers them too */
        collected c = {.all = &again};
        mus_pair_sink sink = {refuse, full, gather, &c};
        assert_int_equal(phases[p]->pairs(state, &s->scene, &sink), own ? MUS_STATUS_CANCELLED : MUS_STATUS_OK);
        sink = (mus_pair_sink){append, full, gather, &c}; /* a search goes on as if that had not been */
        again.count = 0;
        assert_int_equal(phases[p]->pairs(state, &s->scene, &sink), MUS_STATUS_OK);
        assert_int_equal(again.count, got.count);
        for (int slot = 0; slot < MUS_BROAD_SLOTS; slot++) mus_array_free(&c.slots[slot]);
        if (own) {
            sink = (mus_pair_sink){ignore, no_slot, refuse_all, &calls};
            assert_int_equal(phases[p]->pairs(state, &s->scene, &sink), MUS_STATUS_CANCELLED);
            assert_int_equal(calls, 1);
        }
        for (int share = 0; share < 3; share++) { /* none, some, all */
            for (int32_t k = 0; k < s->scene.leaf_count; k++)
                marked[k] =
                    k < s->scene.cloth_leaf_count && (share == 2 || (share == 1 && mus_rng_below(&rng, 4) == 0));
            got.count = wanted.count = 0;
            assert_int_equal(mus_broad_brute.pairs_of(brute, &s->scene, marked, &wanted), MUS_STATUS_OK);
            if (vertices_only) keep_vertices_with_solids(&s->scene, &wanted);
            assert_int_equal(phases[p]->pairs_of(state, &s->scene, marked, &got), MUS_STATUS_OK);
            s->scene.threads = 1;
            again.count = 0;
            assert_int_equal(phases[p]->pairs_of(state, &s->scene, marked, &again), MUS_STATUS_OK);
            assert_true(alike(&got, &again));
            s->scene.threads = 2;
            same(&got, &wanted, as_brute(phases[p]));
        }
        phases[p]->destroy(state);
        free(lent);
    }
    mus_broad_brute.destroy(brute);
    mus_array_free(&got), mus_array_free(&again), mus_array_free(&wanted), mus_array_free(&oracle);
    free(marked);
    return count;
}

static void fill(soup *s, double space, double size, double travel) {
    for (int32_t k = 0; k < s->scene.leaf_count; k++) {
        v3 at = point(space), by = point(travel), a[3], b[3];
        for (int c = 0; c < 3; c++) {
            a[c] = v3_add(at, point(size));
            b[c] = v3_add(v3_add(a[c], by), point(0.1 * travel));
        }
        bool cloth = k < s->scene.cloth_leaf_count;
        int32_t half = s->scene.object_count / 2;
        soup_loose(s, k,
                   cloth ? (int32_t)mus_rng_below(&rng, (uint64_t)half)
                         : half + (int32_t)mus_rng_below(&rng, (uint64_t)(s->scene.object_count - half)),
                   a, b);
    }
}

static void test_random_soups(void **state) {
    (void)state;
    rng = mus_rng_make(1, 0);
    int64_t pairs = 0;
    for (int round = 0; round < 150; round++) {
        int32_t cloth = (int32_t)mus_rng_below(&rng, 120), obstacle = (int32_t)mus_rng_below(&rng, 80);
        soup s = soup_make(cloth, obstacle, 5);
        for (int p = 0; p < 5; p++)
            for (int q = 0; q < p; q++)
                if (mus_rng_below(&rng, 3) == 0) s.collide[p * 5 + q] = s.collide[q * 5 + p] = 0;
        if (mus_rng_below(&rng, 3) == 0) s.collide[0] = 0; /* no self-collision */
        double far = mus_rng_below(&rng, 4) ? 0 : round % 2 ? 1e6 : -1e5;
        fill(&s, 1, between(0.02, 0.5), mus_rng_below(&rng, 2) ? 0.2 : 3);
        for (int32_t i = 0; i < s.scene.vertex_count; i++) s.x0[i].x += far, s.x1[i].x += far;
        pairs += compare(&s, between(0, 0.05));
        soup_free(&s);
    }
    assert_true(pairs > 100000);
}

/* Enough leaves for threads everywhere. */
static void test_many_leaves(void **state) {
    (void)state;
    rng = mus_rng_make(6, 0);
    soup s = soup_make(2900, 200, 4);
    fill(&s, 1, 0.05, 0.02);
    assert_true(compare(&s, 0.01) > 1000);
    soup_free(&s);
}

static void test_nasty_scenes(void **state) {
    (void)state;
    rng = mus_rng_make(2, 0);
    const int32_t counts[][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {3, 0}, {1, 40}, {40, 1}, {33, 17}};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        soup s = soup_make(counts[k][0], counts[k][1], 2);
        fill(&s, 0.1, 0.3, 0.1);
        compare(&s, 0.01);
        soup_free(&s);
    }
    { /* all coincident: nothing to split by */
        soup s = soup_make(150, 30, 2);
        v3 a[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        for (int32_t k = 0; k < 180; k++) soup_loose(&s, k, k < 150 ? 0 : 1, a, a);
        assert_int_equal(compare(&s, 0), (150 * 149 / 2 + 150 * 30) * (6 + 9)); /* each face with each */
        soup_free(&s);
    }
    { /* a huge face among small ones, and points: faces of no extent */
        soup s = soup_make(200, 20, 2);
        fill(&s, 1, 0.02, 0.01);
        for (int c = 0; c < 3; c++) s.x0[c] = s.x1[c] = point(1e4);
        for (int32_t k = 30; k < 60; k++)
            for (int c = 1; c < 3; c++) s.x0[3 * k + c] = s.x0[3 * k], s.x1[3 * k + c] = s.x1[3 * k];
        compare(&s, 1e-3);
        soup_free(&s);
    }
    { /* built for one shape, refitted to quite another */
        soup s = soup_make(120, 60, 2);
        fill(&s, 1, 0.1, 0.05);
        for (int32_t i = 0; i < s.scene.vertex_count; i++) s.x1[i] = point(1);
        compare(&s, 1e-3);
        soup_free(&s);
    }
    { /* a chain of boxes of which each touches the next in one plane: they overlap */
        soup s = soup_make(60, 0, 1);
        for (int32_t k = 0; k < 60; k++) {
            v3 a[3] = {{k, 0, 0}, {k + 1, 0, 0}, {k, 1, 0}};
            soup_loose(&s, k, 0, a, a);
        }
        assert_int_equal(compare(&s, 0), 59 * (3 + 6)); /* 1 + 2 vertices and 2 x 3 edges reach the common plane */
        soup_free(&s);
    }
    { /* a line of equal boxes: thousands of equal coordinates along two axes */
        soup s = soup_make(3000, 0, 1);
        for (int32_t k = 0; k < 3000; k++) {
            double x = 0.5 * (double)(k % 1500);
            v3 a[3] = {{x, 0, 0}, {x + 0.9, 0, 0}, {x, 1, 0}};
            soup_loose(&s, k, 0, a, a);
        }
        assert_true(compare(&s, 0) > 3000);
        soup_free(&s);
    }
}

/* Sheets of one numbering each, waved, crossing one another and balls and capsules; the faces in any order. */
static void test_meshes(void **state) {
    (void)state;
    rng = mus_rng_make(4, 0);
    enum { N = 12, SHEETS = 3, FACES = 2 * (N - 1) * (N - 1), ROUND = 20 };
    int64_t pairs = 0;
    for (int round = 0; round < 25; round++) {
        soup s = soup_make(SHEETS * FACES, ROUND, SHEETS + 2);
        if (round % 3 == 0) s.collide[0] = 0; /* the first sheet passes through itself */
        if (round % 4 == 0) s.collide[1] = s.collide[s.scene.object_count] = 0;
        int32_t order[SHEETS * FACES];
        for (int32_t k = 0; k < SHEETS * FACES; k++) {
            int32_t j = round % 2 ? (int32_t)mus_rng_below(&rng, (uint64_t)k + 1) : k;
            order[k] = order[j], order[j] = k;
        }
        double wave = between(0, 0.5), travel = between(0, 0.2), space = between(0.02, 0.3);
        for (int sheet = 0; sheet < SHEETS; sheet++) {
            v3 by = point(travel);
            for (int k = 0; k < N * N; k++) {
                double u = (double)(k % N) / N, v = (double)(k / N) / N;
                v3 at = v3_make(u, wave * mus_sin(9 * u + 5 * v) + space * sheet, v + 0.1 * mus_sin(20 * wave * v));
                s.x0[s.scene.vertex_count] = at;
                s.x1[s.scene.vertex_count++] = v3_add(v3_add(at, by), point(0.05 * travel));
            }
        }
        int32_t grid[2 * (SHEETS + 2)] = {N, N, N, N, N, N};
        float place[2 * SHEETS * FACES];
        if (round % 4 < 3) s.scene.place = place, s.scene.grid = round % 2 ? NULL : grid; /* some know no rest */
        for (int32_t k = 0; k < SHEETS * FACES; k++) {
            int32_t sheet = order[k] / FACES, f = order[k] % FACES, quad = f / 2, first = sheet * N * N;
            int32_t a = first + quad / (N - 1) * N + quad % (N - 1);
            place[2 * k] = (float)(quad % (N - 1)), place[2 * k + 1] = (float)quad / (N - 1);
            if (f % 2)
                soup_shared(&s, k, sheet, a, a + 1, a + N + 1);
            else
                soup_shared(&s, k, sheet, a, a + N + 1, a + N);
        }
        for (int32_t k = 0; k < ROUND; k++) { /* round shapes: a point or an edge, without an interior */
            int32_t p = s.scene.vertex_count, q = p + k % 2;
            for (int32_t i = p; i <= q; i++) s.x0[i] = s.x1[i] = point(1), s.scene.vertex_count++;
            s.scene.leaves[SHEETS * FACES + k] =
                (mus_leaf){.vertex = {p, q, q},
                           .object = (uint32_t)(SHEETS + k % 2),
                           .own = (unsigned)(q > p ? 3 * MUS_OWN_VERTEX | MUS_OWN_EDGE : MUS_OWN_VERTEX)};
        }
        pairs += compare(&s, between(0, 0.05));
        soup_free(&s);
    }
    assert_true(pairs > 100000);
}

static mus_swept_box box_of_point(v3 x0, v3 x1, double r0, double r1) {
    mus_packed_swept_box packed = mus_swept_box_of_point(x0, x1, r0, r1);
    return mus_swept_box_unpack(&packed);
}

/* Two boxes that pass each other on the way are not parted by boxes at both ends unless one stays on one side. */
static void test_moving_boxes(void **state) {
    (void)state;
    mus_swept_box still = box_of_point(v3_make(0, 0, 0), v3_make(0, 0, 0), 0.1, 0.1);
    mus_swept_box through = box_of_point(v3_make(-1, 0, 0), v3_make(1, 0, 0), 0.1, 0.1);
    mus_swept_box beside = box_of_point(v3_make(-1, 0.5, 0), v3_make(1, 0.5, 0), 0.1, 0.1);
    mus_swept_box chased = box_of_point(v3_make(-1, 0, 0), v3_make(-0.3, 0, 0), 0.1, 0.1);
    assert_true(mus_swept_box_overlap(&still, &through));
    assert_false(mus_swept_box_overlap(&still, &beside));
    assert_false(mus_swept_box_overlap(&still, &chased));
    /* rounded outward: a double between two floats lies inside */
    rng = mus_rng_make(3, 0);
    for (int k = 0; k < 10000; k++) {
        v3 p = point(mus_exp(between(k % 2 ? -120 : -30, 30))); /* some below the least float */
        mus_swept_box box = box_of_point(p, p, 0, 0);
        mus_swept_box same_place = box_of_point(p, p, 0, 0);
        assert_true(mus_swept_box_overlap(&box, &same_place));
        float lo[4], hi[4];
        _mm_storeu_ps(lo, box.lo0), _mm_storeu_ps(hi, box.hi1);
        for (int c = 0; c < 3; c++) { /* and to the nearest floats */
            double x = v3_get(p, c);
            assert_true((double)lo[c] <= x && x <= (double)hi[c]);
            assert_true((double)nextafterf(lo[c], INFINITY) > x && (double)nextafterf(hi[c], -INFINITY) < x);
        }
    }
}

/* The figure that the phase's description gives. */
static void test_losses(void **state) {
    (void)state;
    int64_t all, culled = 0;
    soup s = soup_make(900, 0, 2);
    rng = mus_rng_make(6, 0);
    fill(&s, 1, 0.12, 0.1);
    assert_int_equal(found_by(&mus_broad_hash_grid_source, &s, &all, &culled), 476);
    assert_int_equal(all, 723);
    soup_free(&s);
}

static scarce memory;

/* What a phase does, with room given beforehand for what it finds. */
static mus_status search(const mus_broad_phase *phase, soup *s, const uint8_t *marked, int64_t *found) {
    static mus_pair_list list;
    void *state = NULL;
    *found = list.count = 0;
    mus_status status = phase->create(&s->scene, s->x0, &state);
    if (status != MUS_STATUS_OK) {
        assert_null(state);
        mus_array_free(&list);
        return status;
    }
    mus_lender lender = {0};
    phase->borrow(state, &lender);
    void *lent = aligned_alloc(16, lender.used + 16);
    lender = (mus_lender){lent, 0};
    phase->borrow(state, &lender);
    for (int round = 0; status == MUS_STATUS_OK && round < 3; round++) {
        if (round == 2) memory.fail_at = 1; /* by then it has all that it needs */
        phase->refit(state, &s->scene);
        mus_pair_sink sink = {ignore, no_slot, no_slot, NULL};
        status = phase->pairs(state, &s->scene, &sink);
        list.count = 0;
        if (status == MUS_STATUS_OK) status = phase->pairs_of(state, &s->scene, marked, &list);
    }
    *found = list.count;
    phase->destroy(state);
    free(lent);
    mus_array_free(&list);
    return status;
}

/* The source's octree, where vertices and faces lie in one place: it divides where that separates some, and compares
 * far fewer boxes than there are pairs where it does. */
static void test_octree_source(void **state) {
    (void)state;
    enum { SIDE = 40, FACES = SIDE * SIDE };
    rng = mus_rng_make(11, 0);
    soup s = soup_make(FACES, FACES, 2);
    for (int32_t k = 0; k < 2 * FACES; k++) { /* two layers of small faces, side by side, one on the other */
        v3 at = v3_make(k % SIDE, k < FACES ? 0.01 : 0, k % FACES / SIDE), a[3] = {at, at, at};
        a[1].x += 0.9, a[2].z += 0.9;
        soup_loose(&s, k, k < FACES ? 0 : 1, a, a);
    }
    int64_t compared = 0, most = (int64_t)3 * FACES * FACES, found;
    assert_true(compare(&s, 0.02) > 3 * FACES);
    s.scene.compared = &compared;
    uint8_t *marked = calloc(2 * FACES, 1);
    assert_int_equal(search(&mus_broad_octree_source, &s, marked, &found), MUS_STATUS_OK); /* six searches */
    free(marked);
    s.scene.compared = NULL;
    print_message("octree_source: %.4f of all pairs of boxes compared\n", (double)compared / 6 / (double)most);
    assert_true(compared > FACES && compared / 6 < most / 50);
    soup_free(&s);
    s = soup_make(129, 129, 2); /* in a cube of 128, divided at whole numbers, where there are vertices */
    for (int32_t k = 0; k < 258; k++) {
        v3 at = v3_make(k % 129 % 100, k % 129 < 128 ? 0 : 128, 0), b[3] = {at, at, at};
        b[1].z += 1, b[2].x += 1;
        soup_loose(&s, k, k < 129 ? 0 : 1, b, b);
    }
    assert_true(compare(&s, 0) > 3 * 129);
    soup_free(&s);
    void *octree; /* kept, as in a run: its trees follow what moves, cloth or solid */
    mus_pair_list pairs = {0};
    s = soup_make(20, 20, 2);
    for (int32_t k = 0; k < 40; k++) {
        v3 a[3] = {{k % 20, 0, 0}, {k % 20, 0, 0.5}, {k % 20 + 0.5, 0, 0}};
        soup_loose(&s, k, k < 20 ? 0 : 1, a, a);
    }
    assert_int_equal(mus_broad_octree_source.create(&s.scene, s.x0, &octree), MUS_STATUS_OK);
    for (int round = 0; round < 6; round++) { /* apart, by the solid; met again by the cloth; and so on */
        bool by_solid = round % 2 == 1;
        for (int32_t i = by_solid ? 60 : 0; i < (by_solid ? 120 : 60) && round > 0; i++)
            s.x0[i].y += 50, s.x1[i].y += 50;
        soup_boxes(&s, 1e-3);
        mus_broad_octree_source.refit(octree, &s.scene);
        assert_int_equal(all_pairs(&mus_broad_octree_source, octree, &s.scene, &pairs), MUS_STATUS_OK);
        assert_int_equal(pairs.count, by_solid ? 0 : 60);
    }
    mus_broad_octree_source.destroy(octree);
    mus_array_free(&pairs);
    soup_free(&s);
    s = soup_make(400, 400, 2); /* all around one point, and one face around everything */
    for (int32_t k = 0; k < 800; k++) {
        v3 a[3] = {{0, 0, 0}, point(k == 799 ? 50 : 1e-3), point(k == 799 ? 50 : 1e-3)};
        soup_loose(&s, k, k < 400 ? 0 : 1, a, a);
    }
    assert_true(compare(&s, 1e-6) > 400 * 400);
    soup_free(&s);
}

/* Each allocation fails once, and nothing is lost but the search; a search like the one before needs none. */
static void test_no_memory(void **state) {
    (void)state;
    rng = mus_rng_make(5, 0);
    soup s = soup_make(90, 30, 2);
    fill(&s, 1, 0.3, 0.3);
    soup_boxes(&s, 0.01);
    uint8_t marked[120] = {0};
    memset(marked, 1, 30);
    mus_set_allocator(scarce_alloc, &memory);
    s.scene.x0 = s.x0, s.scene.x1 = s.x1;
    for (int p = 0; p < PHASES + 2; p++) {
        static const mus_broad_phase *const with_cones[] = {&mus_broad_partition_tree_sound,
                                                            &mus_broad_quad_tree_cones};
        const mus_broad_phase *phase = p < PHASES ? phases[p] : with_cones[p - PHASES];
        int64_t found = 0;
        mus_status status = MUS_STATUS_NO_MEMORY;
        for (int64_t granted = 0; status != MUS_STATUS_OK; granted++) {
            assert_true(granted < 100);
            memory = (scarce){.lasting = true, .fail_at = granted + 1};
            status = search(phase, &s, marked, &found);
            assert_true(status == MUS_STATUS_OK || status == MUS_STATUS_NO_MEMORY);
            if (granted == 0) assert_int_equal(status, MUS_STATUS_NO_MEMORY);
        }
        assert_true(found > 10);
    }
    mus_set_allocator(NULL, NULL);
    soup_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_soups), cmocka_unit_test(test_nasty_scenes),
                                       cmocka_unit_test(test_meshes),       cmocka_unit_test(test_moving_boxes),
                                       cmocka_unit_test(test_losses),       cmocka_unit_test(test_octree_source),
                                       cmocka_unit_test(test_no_memory),    cmocka_unit_test(test_many_leaves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
