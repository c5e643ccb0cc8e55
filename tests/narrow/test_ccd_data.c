/* test_ccd_data.c: continuous queries with known exact results (../shared/data/ccd, where it is there): published ones
 * (Wang et al. 2021), degenerate ones, and the pair counts of a recorded step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <unistd.h>

#include "batched.h"
#include "exact.h"
#include "muslin.h"
#include "narrow/ccd.h"
#include "queries.h"
#include "step_pairs.h"

#define DATA "../shared/data/ccd/"

static void need(const char *path) {
    if (access(path, R_OK) == 0) return;
    print_message("# skipped: %s is not there\n", path);
    skip();
}

typedef struct tally {
    int queries, hits, missed, late, false_alarms, unproved, most_axes;
    double worst_early;
} tally;

static double largest_motion(const ccd_query *q) {
    double motion = 0;
    for (int k = 1; k < 4; k++)
        motion = fmax(motion, v3_length(v3_sub(v3_sub(q->x1[k], q->x1[0]), v3_sub(q->x0[k], q->x0[0]))));
    return motion;
}

/* How many results of batches, with any instruction set, differ in a bit from those that `judge` checks. */
static int batches_differ(const ccd_query *queries, int count, bool edges) {
    int differ = 0;
    int64_t settled = 0;
    for (int level = 0; level < SIMD_LEVELS; level++) {
        if (!simd_use(level)) continue;
        for (int from = 0; from < count; from += MUS_CCD_BATCH)
            for (int fine = 0; fine < 2; fine++) {
                static ccd_block block;
                block.count = 0;
                for (int k = from; k < count && k < from + MUS_CCD_BATCH; k++) {
                    const ccd_query *q = &queries[k];
                    ccd_block_add(&block, q->x0, q->x1, 0, (fine ? 1e-9 : 1e-4) * largest_motion(q));
                }
                differ += ccd_block_differs(&block, edges, &settled);
            }
    }
    mus_set_simd_level(NULL);
    return differ;
}

/* The public query, and the internal one with a coarse tolerance. The time before a contact is proved to be free of any
 * in exact arithmetic, so that a time can't be late; `prove`: how many of the queries. */
static tally judge(const ccd_query *queries, int count, bool edges, int prove) {
    tally t = {.queries = count};
    for (int i = 0; i < count; i++) {
        const ccd_query *q = &queries[i];
        mus_ccd_result r;
        double toi = 2;
        bool hit =
            (edges ? mus_ccd_edge_edge : mus_ccd_vertex_face)((const double *)q->x0, (const double *)q->x1, 0, &toi);
        bool coarse = (edges ? mus_ccd_ee : mus_ccd_vf)(q->x0, q->x1, 0, 1e-4 * largest_motion(q), &r);
        if (r.iterations > t.most_axes) t.most_axes = r.iterations;
        t.hits += q->hit;
        t.missed += q->hit && (!hit || !coarse);
        t.false_alarms += hit && !q->hit;
        if (q->hit && q->toi_high >= 0) {
            t.late += (hit && toi > q->toi_high) || (coarse && r.toi > q->toi_high);
            if (hit && q->toi_low - toi > t.worst_early) t.worst_early = q->toi_low - toi;
        }
        double until = hit ? toi * (1 - 1e-6) : 1;
        int work = 20000;
        if (i < prove && until > 0 && !exact_clear(edges, q->x0, q->x1, 0, 0, until, 60, &work)) t.unproved++;
    }
    return t;
}

static void test_published(void **state) {
    (void)state;
    glob_t found;
    need(DATA "unit-tests_edge-edge_data_0_0.csv");
    assert_int_equal(glob(DATA "*.csv", 0, NULL, &found), 0);
    int missed = 0, late = 0, unproved = 0, misses[2] = {0}, alarms[2] = {0};
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        bool edges = strstr(path, "edge-edge") != NULL;
        int count;
        ccd_query *queries = queries_read_csv(path, &count);
        assert_non_null(queries);
        tally t = judge(queries, count, edges, count);
        print_message("# %s: %d queries, %d hits, %d missed, %d false alarms of %d misses, %d not proved\n",
                      path + sizeof DATA - 1, count, t.hits, t.missed, t.false_alarms, count - t.hits, t.unproved);
        assert_int_equal(batches_differ(queries, count, edges), 0);
        missed += t.missed, late += t.late, unproved += t.unproved;
        misses[edges] += count - t.hits, alarms[edges] += t.false_alarms;
        free(queries);
    }
    globfree(&found);
    for (int k = 0; k < 2; k++)
        print_message("# %s: %d false alarms of %d misses, %.2f %%\n", k ? "edge-edge" : "vertex-face", alarms[k],
                      misses[k], 100.0 * alarms[k] / misses[k]);
    assert_int_equal(missed, 0);
    assert_int_equal(late, 0);
    assert_int_equal(unproved, 0);
    for (int k = 0; k < 2; k++) assert_true(alarms[k] < 0.08 * misses[k]);
}

static void test_degenerate(void **state) {
    (void)state;
    static const char *const classes[] = {
        "coplanar", "parallel",     "touch at 0", "touch at 1",  "tiny gap",   "offset 1e6",    "zero velocity",
        "sliver",   "integer grid", "tiny scale", "huge motion", "huge shift", "shared vertex", "corner touches"};
    need(DATA "degenerate_vf.ccdq");
    need(DATA "degenerate_ee.ccdq");
    int missed = 0, late = 0, most_axes = 0;
    for (int edges = 0; edges < 2; edges++) {
        int count, kind;
        ccd_query *queries =
            queries_read_binary(edges ? DATA "degenerate_ee.ccdq" : DATA "degenerate_vf.ccdq", &count, &kind);
        assert_non_null(queries);
        assert_int_equal(kind, edges);
        assert_int_equal(count, 6000);
        assert_int_equal(batches_differ(queries, count, edges), 0);
        for (int c = 0; c < 14; c++) {
            int first = 300 * c, n = c < 13 ? 300 : count - first;
            tally t = judge(queries + first, n, edges, 0);
            print_message(
                "# %s, %s: %d hits of %d, %d missed, %d late (worst %.2g early), %d false alarms, at most %d axes\n",
                edges ? "edge-edge" : "vertex-face", classes[c], t.hits, n, t.missed, t.late, t.worst_early,
                t.false_alarms, t.most_axes);
            missed += t.missed, late += t.late;
            most_axes = t.most_axes > most_axes ? t.most_axes : most_axes;
        }
        free(queries);
    }
    assert_int_equal(missed, 0);
    assert_int_equal(late, 0);
    assert_true(most_axes <= 1400); /* 1309 take 0.06 ms, and no query may take more than 0.1 */
}

/* Contacts of all pairs in batches, and the sum of their times, which differs if one of them does. */
static int64_t batched_hits(const recorded_step *step, const pair_list *list, bool edges, double tolerance,
                            double *sum) {
    static mus_ccd_batch batch;
    static mus_ccd_pool pool;
    const v3 *x0 = (const v3 *)step->x0, *x1 = (const v3 *)step->x1;
    int64_t hits = 0;
    *sum = 0;
    pool.count = 0;
    for (int64_t from = 0; from < list->count; from += MUS_CCD_BATCH) {
        batch.count = (int)(list->count - from < MUS_CCD_BATCH ? list->count - from : MUS_CCD_BATCH);
        for (int k = 0; k < batch.count; k++) {
            (edges ? step_vertices_ee : step_vertices_vf)(step, list->pairs[from + k], batch.vertex[k]);
            batch.gap[k] = 0;
        }
        uint64_t left = (edges ? mus_ccd_batch_settle_ee : mus_ccd_batch_settle_vf)(x0, x1, &batch);
        for (; left; left &= left - 1) mus_ccd_pool_add(&pool, &batch, __builtin_ctzll(left), tolerance, 0);
        if (pool.count <= MUS_CCD_POOL - MUS_CCD_BATCH && from + MUS_CCD_BATCH < list->count) continue;
        (edges ? mus_ccd_pool_solve_ee : mus_ccd_pool_solve_vf)(x0, x1, &pool);
        for (int k = 0; k < pool.count; k++)
            if (pool.pair[k].hit) hits++, *sum += pool.pair[k].result.toi;
        pool.count = 0;
    }
    return hits;
}

/* The sweep's counts are those stated with the data; a sample of results is proved. */
static void test_recorded_step(void **state) {
    (void)state;
    recorded_step step;
    need(DATA "cloth-ball.ccdm");
    assert_true(step_read(DATA "cloth-ball.ccdm", &step));
    pair_list lists[2] = {0};
    step_find_pairs(&step, &lists[0], &lists[1]);
    assert_int_equal(lists[0].count, 1655541);
    assert_int_equal(lists[1].count, 5197332);
    int unproved = 0, proved = 0;
    for (int edges = 0; edges < 2; edges++) {
        int64_t hits = 0;
        double sum = 0;
        for (int64_t i = 0; i < lists[edges].count; i++) {
            v3 x0[4], x1[4];
            mus_ccd_result r;
            (edges ? step_gather_ee : step_gather_vf)(&step, lists[edges].pairs[i], x0, x1);
            bool hit = (edges ? mus_ccd_ee : mus_ccd_vf)(x0, x1, 0, 1e-6, &r);
            if (hit) hits++, sum += r.toi;
            if (i % 4001 == 0) {
                int work = 20000;
                double until = hit ? r.toi * (1 - 1e-6) : 1;
                unproved += until > 0 && !exact_clear(edges, x0, x1, 0, 0, until, 60, &work);
                proved++;
            }
        }
        for (int level = 0; level < SIMD_LEVELS; level++) {
            double batched_sum;
            if (!simd_use(level)) continue;
            assert_int_equal(batched_hits(&step, &lists[edges], edges, 1e-6, &batched_sum), hits);
            assert_true(batched_sum == sum); /* in the same order */
        }
        mus_set_simd_level(NULL);
        print_message("# %s: %lld pairs, %lld hits\n", edges ? "edge-edge" : "vertex-face",
                      (long long)lists[edges].count, (long long)hits);
        free(lists[edges].pairs);
    }
    assert_int_equal(unproved, 0);
    assert_true(proved > 1000);
    step_free(&step);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published), cmocka_unit_test(test_degenerate),
                                       cmocka_unit_test(test_recorded_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
