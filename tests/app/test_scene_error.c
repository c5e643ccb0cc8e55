/* test_scene_error.c: errors are reported where no memory is left to note them. */
#include "app/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OWN_MALLOC
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_MALLOC
#endif

#ifndef OWN_MALLOC
typedef struct chain {
    struct chain *next;
} chain;

/* Takes whatever blocks there are, down to the smallest. */
static chain *take_all(void) {
    chain *all = NULL, *one;
    for (size_t size = (size_t)1 << 24; size >= sizeof *one; size /= 2)
        while ((one = malloc(size))) {
            one->next = all;
            all = one;
        }
    return all;
}
#endif

static void test_exhausted_memory(void **state) {
    (void)state;
#ifdef OWN_MALLOC
    skip(); /* the sanitizer's allocator ends the program */
#else
    static app_scene scene, other;
    static const char message[] = "scene.lua:12: the cloth has no mesh: give it one";
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    limit = before;
    limit.rlim_cur = (rlim_t)1 << 30;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    chain *all = take_all();
    app_scene_set_error(&scene, message);
    bool kept = scene.error && strcmp(scene.error, message) == 0;
    app_scene_set_error(&scene, "another");
    bool replaced = scene.error && strcmp(scene.error, "another") == 0;
    app_scene_set_error(&other, NULL);
    while (all) {
        chain *next = all->next;
        free(all);
        all = next;
    }
    setrlimit(RLIMIT_AS, &before);
    assert_true(kept);
    assert_true(replaced);
    assert_null(other.error);
    app_scene_set_error(&scene, message);
    assert_string_equal(scene.error, message);
    app_scene_set_error(&scene, NULL);
    assert_null(scene.error);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exhausted_memory)};
    return cmocka_run_group_tests_name("scene_error", tests, NULL, NULL);
}
