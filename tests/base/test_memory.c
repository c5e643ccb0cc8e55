/* test_memory.c: counting, the replaceable allocator, failure of every allocation, growable arrays, error record. */
#include "base/memory.h"
#include "muslin.h"
#include "scarce.h"
#include "tests.h"

#include <stdlib.h>
#include <string.h>

static void counts_live_bytes(void **state) {
    (void)state;
    size_t before = mus_get_allocated_bytes();
    uint64_t count = mus_get_allocation_count();
    char *a = mus_new(100);
    assert_non_null(a);
    assert_int_equal((uintptr_t)a % 16, 0);
    for (int k = 0; k < 100; k++) assert_int_equal(a[k], 0);
    assert_int_equal(mus_get_allocated_bytes() - before, 100);
    assert_int_equal(mus_get_allocation_count() - count, 1);
    memset(a, 7, 100);
    a = mus_resize(a, 300);
    assert_int_equal(mus_get_allocated_bytes() - before, 300);
    assert_int_equal(mus_get_allocation_count() - count, 2);
    for (int k = 0; k < 100; k++) assert_int_equal(a[k], 7);
    a = mus_resize(a, 50);
    assert_int_equal(mus_get_allocated_bytes() - before, 50);
    assert_int_equal(mus_get_allocation_count() - count, 2); /* shrinking is no allocation */
    assert_null(mus_resize(a, 0));
    assert_int_equal(mus_get_allocated_bytes(), before);
    mus_free(NULL);
    assert_null(mus_new(0));
    assert_int_equal(mus_get_allocated_bytes(), before);
}

static void refuses_absurd_sizes(void **state) {
    (void)state;
    size_t before = mus_get_allocated_bytes();
    assert_null(mus_new(SIZE_MAX - 3));
    assert_non_null(strstr(mus_get_error_message(), "out of memory"));
    struct {
        double *data;
        int64_t count, capacity;
    } a = {0};
    assert_false(mus_array_reserve(&a, INT64_MAX / 2));
    assert_null(a.data);
    assert_int_equal(a.capacity, 0);
    assert_int_equal(mus_get_allocated_bytes(), before);
}

/* Grows two arrays and a string; frees all; true when nothing was refused. */
static bool session(void) {
    MUS_ARRAY(int32_t) a = {0};
    MUS_ARRAY(double) b = {0};
    bool good = true;
    for (int k = 0; k < 1000 && good; k++) good = mus_array_push(&a, k) && mus_array_push(&b, 0.5 * k);
    for (int64_t k = 0; k < a.count; k++) assert_int_equal(a.data[k], k);
    for (int64_t k = 0; k < b.count; k++) assert_true(b.data[k] == 0.5 * (double)k);
    assert_true(a.count <= a.capacity && b.count <= b.capacity);
    char *name = good ? mus_copy_string("linen") : NULL;
    good = good && name;
    if (good) assert_string_equal(name, "linen");
    mus_free(name);
    mus_array_free(&a);
    mus_array_free(&b);
    assert_null(a.data);
    return good;
}

static void survives_every_failing_allocation(void **state) {
    (void)state;
    scarce memory = {0};
    mus_set_allocator(scarce_alloc, &memory);
    uint64_t count = mus_get_allocation_count();
    assert_true(session());
    int requests = (int)(mus_get_allocation_count() - count);
    assert_in_range(requests, 10, 100);
    for (int k = 0; k < requests; k++) {
        memory = (scarce){.fail_at = k + 1};
        size_t before = mus_get_allocated_bytes();
        assert_false(session());
        assert_non_null(strstr(mus_get_error_message(), "out of memory"));
        assert_int_equal(memory.blocks, 0);
        assert_int_equal(memory.bytes, 0);
        assert_int_equal(mus_get_allocated_bytes(), before);
    }
    memory = (scarce){.fail_at = requests + 1}; /* one more than there are */
    assert_true(session());
    mus_set_allocator(NULL, NULL);
    assert_true(session());
    assert_int_equal(memory.blocks, 0);
}

static void error_record_takes_itself(void **state) {
    (void)state;
    assert_int_equal(mus_fail(MUS_STATUS_INVALID, "field '%s' is %d", "dt", -1), MUS_STATUS_INVALID);
    assert_string_equal(mus_get_error_message(), "field 'dt' is -1");
    mus_fail(MUS_STATUS_HOOK, "hook: %s", mus_get_error_message());
    assert_string_equal(mus_get_error_message(), "hook: field 'dt' is -1");
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    mus_fail(MUS_STATUS_IO, "%s", text);
    assert_int_equal(strlen(mus_get_error_message()), 1023); /* cut, not overrun */
    for (int k = MUS_STATUS_OK; k <= MUS_STATUS_HOOK; k++) {
        assert_string_not_equal(mus_status_get_name((mus_status)k), "unknown");
        for (int j = 0; j < k; j++)
            assert_string_not_equal(mus_status_get_name((mus_status)j), mus_status_get_name((mus_status)k));
    }
    assert_string_equal(mus_status_get_name((mus_status)99), "unknown");
}

static void build_names_itself(void **state) {
    (void)state;
    mus_build build = mus_get_build();
    assert_string_equal(build.version, MUS_VERSION);
    assert_string_equal(mus_get_version(), MUS_VERSION);
    assert_true(strncmp(build.compiler, "gcc ", 4) == 0 || strncmp(build.compiler, "clang ", 6) == 0);
    assert_non_null(build.cpu);
    assert_string_not_equal(build.cpu, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_live_bytes),
        cmocka_unit_test(refuses_absurd_sizes),
        cmocka_unit_test(survives_every_failing_allocation),
        cmocka_unit_test(error_record_takes_itself),
        cmocka_unit_test(build_names_itself),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
