/* test_sort.c: sorting in place. */
#include "tests.h"

#include "base/rng.h"
#include "base/sort.h"

#include <string.h>

typedef struct item {
    int key, place;
    char rest[40];
} item;

static int compare(const void *a, const void *b) {
    const item *p = a, *q = b;
    return p->key != q->key ? (p->key < q->key ? -1 : 1) : p->place < q->place ? -1 : p->place > q->place;
}

static void test_sort(void **state) {
    (void)state;
    static item items[1000];
    for (size_t count = 0; count <= 1000; count = count < 20 ? count + 1 : count * 7) {
        mus_rng rng = mus_rng_make(3, count);
        for (size_t k = 0; k < count; k++) {
            items[k] = (item){.key = (int)mus_rng_below(&rng, 1 + count / 3), .place = (int)k};
            memset(items[k].rest, items[k].key & 127, sizeof items[k].rest);
        }
        mus_sort(items, count, sizeof items[0], compare);
        for (size_t k = 0; k < count; k++) {
            if (k > 0) assert_true(compare(&items[k - 1], &items[k]) < 0);
            for (size_t c = 0; c < sizeof items[k].rest; c++) assert_int_equal(items[k].rest[c], items[k].key & 127);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sort)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
