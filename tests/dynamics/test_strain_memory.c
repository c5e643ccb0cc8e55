/* test_strain_memory.c: Jung's multipliers by factors when the library that makes the factors gets no memory: its
 * allocations are this file's, and each of them fails once. */
#include "../world/scene.h"

#include "dynamics/strain_limit.h"

#define NCOMPLEX
#include <suitesparse/cs.h>

/* Seen by the library, before its own. */
#define IN_ITS_PLACE __attribute__((visibility("default")))

static int64_t made, lost, fails_at = -1; /* allocations so far; not freed yet; the one that fails */

static bool fails(void) {
    return made++ == fails_at;
}

static void *count(void *p) {
    lost += p != NULL;
    return p;
}

IN_ITS_PLACE void *cs_dl_malloc(cs_long_t n, size_t size) {
    return fails() ? NULL : count(malloc((size_t)(n > 1 ? n : 1) * size));
}

IN_ITS_PLACE void *cs_dl_calloc(cs_long_t n, size_t size) {
    return fails() ? NULL : count(calloc((size_t)(n > 1 ? n : 1), size));
}

IN_ITS_PLACE void *cs_dl_realloc(void *p, cs_long_t n, size_t size, cs_long_t *ok) {
    if (!fails()) {
        void *grown = realloc(p, (size_t)(n > 1 ? n : 1) * size);
        if (grown && !p) lost++;
        if ((*ok = grown != NULL)) return grown;
    }
    *ok = 0;
    return p;
}

IN_ITS_PLACE void *cs_dl_free(void *p) {
    lost -= p != NULL;
    free(p);
    return NULL;
}

enum { NU = 8, NV = 6, VERTICES = NU * NV };

/* A sheet stretched beyond its limit; x gets the end positions. */
static void pass(mus_strain_limit *limit, const mus_cloth *cloth, const v3 *x0, v3 *x) {
    for (int i = 0; i < VERTICES; i++) x[i] = v3_make(1.2 * x0[i].x, x0[i].y, 1.15 * x0[i].z);
    made = 0;
    mus_strain_limit_pass(limit, cloth->inverse_mass, x0, x, NULL, NULL);
}

static void test_no_memory(void **state) {
    (void)state;
    mus_cloth_def def = mus_cloth_def_default();
    mus_mesh *mesh = grid_mesh(NU, NV, 0.2, 0.16, "xz", v3_make(0, 0, 0));
    def.mesh = mesh, def.material.strain_limit = 0.1;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    mus_mesh_destroy(mesh);
    mus_strain_limit limit = {.stage = &mus_strain_jung_direct};
    must(mus_strain_limit_add(&limit, cloth, 0));
    must(mus_strain_limit_ready(&limit, VERTICES));
    static v3 x0[VERTICES], wanted[VERTICES], x[VERTICES], drawn[VERTICES];
    memcpy(x0, cloth->x, sizeof x0);
    pass(&limit, cloth, x0, wanted);
    must(limit.status);
    int64_t all = made, refused = 0;
    assert_true(all > 10 && lost == 0);
    for (int i = 0; i < VERTICES; i++) drawn[i] = v3_make(1.2 * x0[i].x, x0[i].y, 1.15 * x0[i].z);
    assert_memory_not_equal(wanted, drawn, sizeof wanted); /* the limit acts */
    for (fails_at = 0; fails_at < all; fails_at++) {
        pass(&limit, cloth, x0, x);
        if (lost) fail_msg("allocation %d fails: %d are not freed", (int)fails_at, (int)lost);
        if (limit.status == MUS_STATUS_OK) { /* room that could not be given back */
            assert_memory_equal(x, wanted, sizeof x);
            continue;
        }
        must_be(MUS_STATUS_NO_MEMORY, limit.status);
        assert_non_null(strstr(mus_get_error_message(), "strain limit 'jung_direct': no memory"));
        assert_non_null(strstr(mus_get_error_message(), "choose 'jung'"));
        assert_memory_equal(x, drawn, sizeof x);
        refused++;
    }
    fails_at = -1;
    print_message("# %d allocations in a pass, %d of them needed\n", (int)all, (int)refused);
    assert_true(refused > all / 2);
    pass(&limit, cloth, x0, x);
    must(limit.status);
    assert_memory_equal(x, wanted, sizeof x);
    mus_strain_limit_free(&limit);
    mus_cloth_free(cloth);
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
