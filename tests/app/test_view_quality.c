/* test_view_quality.c: how coarse the window's pictures are on a slow driver. */
#include "app/view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Pictures in a row of a camera that moves, or of a scene that plays; what each takes by its draft, s. The last draft.
 */
static app_draft draw(view_quality *q, app_camera *camera, bool playing, const double cost[APP_DRAFT_COUNT],
                      double frame, int count) {
    app_draft draft = APP_DRAFT_NONE;
    for (int k = 0; k < count; k++) {
        if (!playing) camera->yaw += 0.01f;
        draft = view_quality_choose(q, camera, playing);
        view_quality_add(q, draft, cost[draft], camera, playing, 10, cost[draft] + frame);
    }
    return draft;
}

static void test_fast_drivers_draw_no_drafts(void **state) {
    (void)state;
    view_quality q = {.draft = APP_DRAFT_NONE};
    app_camera camera = {.distance = 3};
    const double first[APP_DRAFT_COUNT] = {0.4, 0.4, 0.4}, next[APP_DRAFT_COUNT] = {0.016, 0.016, 0.016};
    assert_int_equal(draw(&q, &camera, true, first, 0, 1), APP_DRAFT_NONE); /* prepares the driver */
    assert_int_equal(draw(&q, &camera, true, next, 0, 100), APP_DRAFT_NONE);
    assert_int_equal(draw(&q, &camera, false, next, 0, 100), APP_DRAFT_NONE);
    assert_true(q.refine_at == 0);
}

static void test_slow_drivers_draw_drafts_of_motion(void **state) {
    (void)state;
    view_quality q = {.draft = APP_DRAFT_NONE};
    app_camera camera = {.distance = 3};
    const double plain[APP_DRAFT_COUNT] = {0.09, 0.04, 0.02}, half[APP_DRAFT_COUNT] = {0.19, 0.09, 0.05};
    const double slow[APP_DRAFT_COUNT] = {0.9, 0.5, 0.3};
    assert_int_equal(draw(&q, &camera, true, plain, 0, 20), APP_DRAFT_PLAIN); /* no coarser than needed */
    assert_int_equal(draw(&q, &camera, true, half, 0, 20), APP_DRAFT_HALF);
    assert_int_equal(draw(&q, &camera, true, slow, 0, 20), APP_DRAFT_HALF); /* there is none coarser */
    /* The scene stands: a whole picture at once. */
    assert_int_equal(view_quality_choose(&q, &camera, false), APP_DRAFT_NONE);
    view_quality_add(&q, APP_DRAFT_NONE, 0.19, &camera, false, 10, 1);
    assert_true(q.refine_at == 0);
    /* The camera moves: drafts, and soon after the last of them a whole picture. */
    assert_int_equal(draw(&q, &camera, false, half, 0, 5), APP_DRAFT_HALF);
    assert_true(q.refine_at > 10 && q.refine_at < 10.5);
    assert_int_equal(view_quality_choose(&q, &camera, false), APP_DRAFT_NONE);
    view_quality_add(&q, APP_DRAFT_NONE, 0.19, &camera, false, 11, 1);
    assert_true(q.refine_at == 0);
    /* A smaller window: whole pictures again. */
    view_quality_add(&q, APP_DRAFT_NONE, 0.03, &camera, false, 11, 1);
    assert_int_equal(draw(&q, &camera, true, (const double[APP_DRAFT_COUNT]){0.03, 0.02, 0.01}, 0, 20), APP_DRAFT_NONE);
}

/* A simulation that takes longer than its pictures gains little from drafts. */
static void test_slow_frames_have_better_pictures(void **state) {
    (void)state;
    const double cost[APP_DRAFT_COUNT] = {0.13, 0.08, 0.05};
    app_camera camera = {.distance = 3};
    view_quality q = {.draft = APP_DRAFT_NONE};
    assert_int_equal(draw(&q, &camera, true, cost, 0.3, 20), APP_DRAFT_NONE);
    assert_int_equal(draw(&q, &camera, true, cost, 0.2, 20), APP_DRAFT_PLAIN);
    assert_int_equal(draw(&q, &camera, false, cost, 0.3, 20), APP_DRAFT_HALF); /* a camera that is moved */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fast_drivers_draw_no_drafts),
                                       cmocka_unit_test(test_slow_drivers_draw_drafts_of_motion),
                                       cmocka_unit_test(test_slow_frames_have_better_pictures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
