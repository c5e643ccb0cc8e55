/* test_gltf.c: glTF files in memory that runs out, integers as positions, and poses that are computed by hand. The
 * models of tests/cli/gltf.sh test the rest. */
#include "../base/scarce.h"
#include "gltf_seed.h"
#include "io_kit.h"

static char seed[8192];

/* Writes the text container with `from`, if any, replaced by `to`. */
static const char *text_with(const char *name, const char *from, const char *to) {
    size_t size = gltf_seed_text(seed, sizeof seed);
    assert_in_range(size, 1, sizeof seed / 2);
    seed[size] = 0;
    if (from) {
        char *at = strstr(seed, from);
        assert_non_null(at);
        memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
        memcpy(at, to, strlen(to));
    }
    return file_of_bytes(name, seed, strlen(seed));
}

/* The first joint does not move; the second is 1 m above the origin and turns by 180 degrees about z: its weighted
 * matrix takes (x, y, 0) to (-x, 1 - y, 0). At rest it takes it to (x, 1 + y, 0). The morph target adds half of vertex
 * 1's position (1, 0, 0) to vertex 1. */
static void poses(void **state) {
    (void)state;
    mus_mesh *mesh;
    mus_point_cache cache;
    text_with("p.gltf", NULL, NULL);
    assert_int_equal(mus_mesh_load(path_of("p.gltf"), NULL, &mesh), MUS_STATUS_OK);
    const double rest[12] = {0, 0, 0, 1.5, 0, 0, 1, 2, 0, 0, 1 + 127 / 255.0, 0};
    const double *x = mus_mesh_get_vertices(mesh);
    for (int k = 0; k < 12; k++)
        if (!(fabs(x[k] - rest[k]) < 1e-12)) fail_msg("number %d at rest: %.17g instead of %.17g", k, x[k], rest[k]);
    mus_mesh_destroy(mesh);
    assert_int_equal(mus_point_cache_sample(path_of("p.gltf"), "turn", 2.4, &cache), MUS_STATUS_OK);
    assert_int_equal(cache.frame_count, 3); /* 1 s in two steps of 0.5 s, 1.2 / 2.4 */
    assert_int_equal(cache.vertex_count, 4);
    assert_true(fabs(cache.sample_rate - 1.2) < 1e-12);
    const double end[12] = {0, 0, 0, 1.5, 0, 0, -1, 0, 0, 0, 128 / 255.0, 0};
    x = cache.positions + 24;
    for (int k = 0; k < 12; k++)
        if (!(fabs(x[k] - end[k]) < 1e-6)) fail_msg("number %d at the end: %.17g instead of %.17g", k, x[k], end[k]);
    /* half way by 90 degrees: (x, y) to (-y, 1 + x) */
    const double half[3] = {-1, 2, 0};
    for (int k = 0; k < 3; k++) assert_true(fabs(cache.positions[12 + 6 + k] - half[k]) < 1e-6);
    mus_point_cache_destroy(&cache);
}

/* Positions as integers (KHR_mesh_quantization): the same bytes as shorts, and as signed and unsigned bytes. */
static void integers(void **state) {
    (void)state;
    static const struct {
        const char *type;
        int size;
        bool is_signed;
    } kinds[] = {{"5122", 2, true}, {"5123", 2, false}, {"5120", 1, true}, {"5121", 1, false}};
    for (int k = 0; k < 4; k++) {
        mus_mesh *mesh;
        char accessor[160];
        snprintf(accessor, sizeof accessor,
                 "{\"bufferView\":1,\"byteOffset\":28,\"componentType\":%s,\"count\":4,\"type\":\"VEC3\"}",
                 kinds[k].type);
        text_with("q.gltf", "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"}", accessor);
        char *skinned = strstr(seed, "\"skin\":0"), *targets = strstr(seed, "\"targets\":");
        assert_true(skinned && targets); /* neither joints nor targets act */
        memcpy(skinned, "\"xxxx\":0", 8);
        memcpy(targets, "\"xxxxxxx\":", 10);
        file_of_bytes("q.gltf", seed, strlen(seed));
        assert_int_equal(mus_mesh_load(path_of("q.gltf"), NULL, &mesh), MUS_STATUS_OK);
        const double *x = mus_mesh_get_vertices(mesh);
        int32_t next = 0; /* vertices at one place are one */
        for (int v = 0; v < 4; v++) {
            double p[3];
            for (int c = 0; c < 3; c++) {
                const unsigned char *at = limb + 76 + (size_t)kinds[k].size * (size_t)(3 * v + c);
                int value = kinds[k].size == 2 ? at[0] + 256 * at[1] : at[0], range = kinds[k].size == 2 ? 65536 : 256;
                p[c] = kinds[k].is_signed && value >= range / 2 ? value - range : value;
            }
            bool known = false;
            for (int32_t w = 0; w < next; w++) known = known || memcmp(x + 3 * w, p, sizeof p) == 0;
            if (!known && next < mus_mesh_get_vertex_count(mesh))
                assert_memory_equal(x + 3 * (size_t)next++, p, sizeof p);
        }
        assert_int_equal(next, mus_mesh_get_vertex_count(mesh));
        mus_mesh_destroy(mesh);
    }
}

static mus_status load_one(int job) {
    static const char *const names[] = {"a.gltf", "a.glb"};
    mus_mesh *mesh = NULL;
    mus_point_cache cache = {.positions = NULL};
    mus_status status = job < 2 ? mus_mesh_load(path_of(names[job]), NULL, &mesh)
                                : mus_point_cache_sample(path_of(names[job - 2]), NULL, 8, &cache);
    if (status != MUS_STATUS_OK) assert_true(!mesh && !cache.positions);
    mus_mesh_destroy(mesh);
    mus_point_cache_destroy(&cache);
    return status;
}

static void failing_allocations(void **state) {
    (void)state;
    text_with("a.gltf", NULL, NULL);
    file_of_bytes("a.glb", seed, gltf_seed_binary(seed, sizeof seed));
    for (int job = 0; job < 4; job++)
        for (int64_t fail_at = 1;; fail_at++) {
            scarce memory = {.fail_at = fail_at};
            mus_set_allocator(scarce_alloc, &memory);
            mus_status status = load_one(job);
            bool reached = memory.count >= fail_at;
            mus_set_allocator(NULL, NULL);
            assert_int_equal(memory.blocks, 0);
            assert_int_equal(status, reached ? MUS_STATUS_NO_MEMORY : MUS_STATUS_OK);
            if (reached) continue;
            assert_true(fail_at > 20);
            break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses),
        cmocka_unit_test(integers),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests_name("gltf", tests, make_folder, remove_folder);
}
