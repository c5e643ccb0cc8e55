/* test_mutations.c: thousands of damaged files of every format, from fixed seeds: each is either read whole or refused
 * with its path, nothing is leaked, and no count in a file makes the reader take more memory than the file warrants. */
#include "gltf_seed.h"
#include "io_kit.h"

#include <minizip/zip.h>

static uint64_t stream;

static uint32_t draw(uint32_t below) { /* xorshift */
    stream ^= stream << 13;
    stream ^= stream >> 7;
    stream ^= stream << 17;
    return (uint32_t)(stream >> 32) % below;
}

/* ---- Memory is watched ---- */

static size_t live, peak;

static void *watching_alloc(void *user, void *ptr, size_t old_size, size_t new_size) {
    (void)user;
    live += new_size - old_size;
    if (live > peak) peak = live;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

/* ---- Damage ---- */

enum { ROOM = 4096 };

static const char *const words[] = {"nan",        "-1",         "0",     "99999999999999999999",
                                    "2147483647", "4294967295", "1e999", "f",
                                    "v",          "o",          "vt",    "list",
                                    "element",    "property",   "\\\n",  "/",
                                    "facet",      "endsolid",   "\r",    "-",
                                    ".",          "e5",         "#",     "end_header\n",
                                    "vertex",     "face"};

static size_t damage(char *data, size_t size) {
    for (uint32_t rounds = 1 + draw(4); rounds > 0 && size > 0; rounds--) {
        uint32_t at = draw((uint32_t)size);
        switch (draw(8)) {
        case 0:
            data[at] = (char)draw(256);
            break;
        case 1:
            data[at] ^= (char)(1 << draw(8));
            break;
        case 2:
            size = at;
            break;
        case 3: { /* a word over what is there */
            const char *word = words[draw(sizeof words / sizeof *words)];
            size_t length = strlen(word);
            if (at + length <= size) memcpy(data + at, word, length);
            break;
        }
        case 4: { /* a word between */
            const char *word = words[draw(sizeof words / sizeof *words)];
            size_t length = strlen(word);
            if (size + length > ROOM) break;
            memmove(data + at + length, data + at, size - at);
            memcpy(data + at, word, length);
            size += length;
            break;
        }
        case 5: { /* a piece lost */
            uint32_t length = 1 + draw(16);
            if (at + length > size) break;
            memmove(data + at, data + at + length, size - at - length);
            size -= length;
            break;
        }
        case 6: { /* a piece twice */
            uint32_t length = 1 + draw(64);
            if (at + length > size || size + length > ROOM) break;
            memmove(data + at + length, data + at, size - at);
            size += length;
            break;
        }
        default: { /* an extreme number in binary */
            static const uint32_t extremes[] = {0,          1,          0x7fffffff, 0x80000000,
                                                0xffffffff, 0x7f800000, 0x7fc00000, 0x00ffffff};
            uint32_t value = extremes[draw(8)];
            if (at + 4 <= size) memcpy(data + at, &value, 4);
        }
        }
    }
    return size;
}

static void expect_sound(const int32_t *faces, int32_t face_count, const double *vertices, int32_t vertex_count) {
    assert_true(face_count > 0);
    for (int64_t k = 0; k < 3 * (int64_t)face_count; k++) assert_in_range(faces[k], 0, vertex_count - 1);
    for (int64_t k = 0; k < 3 * (int64_t)vertex_count; k++) assert_true(isfinite(vertices[k]));
}

static void expect_refused(mus_status status, const char *path) {
    assert_int_equal(status, MUS_STATUS_FORMAT);
    assert_memory_equal(mus_get_error_message(), path, strlen(path));
}

/* Whether the file was read. */
static bool try_file(const char *path, size_t size) {
    bool good = false;
    peak = live = 0;
    const char *extension = strrchr(path, '.');
    if (strcmp(extension, ".pc2") == 0 || strcmp(extension, ".npy") == 0 || strcmp(extension, ".npz") == 0 ||
        strcmp(extension, ".mdd") == 0) {
        mus_point_cache cache;
        mus_status status = mus_point_cache_load(path, NULL, &cache);
        if (status == MUS_STATUS_OK) {
            good = true;
            for (int64_t k = 0; k < 3 * (int64_t)cache.vertex_count * cache.frame_count; k++)
                assert_true(isfinite(cache.positions[k]));
        } else
            expect_refused(status, path);
        mus_point_cache_destroy(&cache);
    } else {
        if (strncmp(extension, ".gl", 3) == 0) {
            mus_point_cache cache;
            mus_status status = mus_point_cache_sample(path, NULL, 8, &cache);
            assert_true(status == MUS_STATUS_OK || status == MUS_STATUS_FORMAT || status == MUS_STATUS_INVALID);
            for (int64_t k = 0; k < 3 * (int64_t)cache.vertex_count * cache.frame_count; k++)
                assert_true(isfinite(cache.positions[k]));
            mus_point_cache_destroy(&cache);
            peak = 0;
        }
        mus_mesh *mesh;
        mus_status status = mus_mesh_load(path, NULL, &mesh);
        if (status == MUS_STATUS_OK) {
            good = true;
            expect_sound(mus_mesh_get_faces(mesh), mus_mesh_get_face_count(mesh), mus_mesh_get_vertices(mesh),
                         mus_mesh_get_vertex_count(mesh));
            mus_mesh_check(mesh, NULL); /* may say anything, but must end */
        } else
            expect_refused(status, path);
        mus_mesh_destroy(mesh);
        mus_parts *parts;
        assert_int_equal(mus_parts_load(path, &parts), status);
        int32_t count;
        const mus_part *part = status == MUS_STATUS_OK ? mus_parts_get_all(parts, &count) : NULL;
        for (int32_t i = 0; part && i < count; i++)
            expect_sound(part[i].faces, part[i].face_count, part[i].vertices, part[i].vertex_count);
        mus_parts_destroy(parts);
    }
    assert_int_equal(live, 0);
    /* The smallest items of a file, bytes of an OBJ's faces and an empty part, become some hundred bytes at most. */
    if (peak > 70000 + 400 * size) fail_msg("%zu bytes were taken for a file of %zu", peak, size);
    return good;
}

static void mutate(const char *name, const char *seed, size_t seed_size) {
    enum { TRIALS = 2500 };
    char data[ROOM];
    int read = 0;
    stream = 88172645463325252u;
    for (const char *c = name; *c; c++) stream = stream * 31 + (unsigned char)*c;
    mus_set_allocator(watching_alloc, NULL);
    assert_true(try_file(file_of_bytes(name, seed, seed_size), seed_size));
    for (int trial = 0; trial < TRIALS; trial++) {
        memcpy(data, seed, seed_size);
        size_t size = damage(data, seed_size);
        if (try_file(file_of_bytes(name, data, size), size)) read++;
    }
    mus_set_allocator(NULL, NULL);
    print_message("# %s: %d damaged files, %d of them still readable\n", name, TRIALS, read);
    assert_in_range(read, 1, TRIALS - TRIALS / 5); /* the damage neither spares all nor ruins all */
}

static void obj(void **state) {
    (void)state;
    const char seed[] =
        "# sheet\no cloth:a\nv 0 0 0\nv 1 0 0 1\nv 1 1 -0.5e-3\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
        "s off\nf 1/1 2/2 3/3 \\\n 4/4\no obstacle:b\nv 2 0 0\r\nv 3 0 0\r\nv 3 1 0\r\nvn 0 0 1\n"
        "f -3/1/1 -2/2/1 -1/3/1\ng g\nf 1//1 5//1 6//1\nl 1 2\n";
    mutate("m.obj", seed, sizeof seed - 1);
}

static void ply_ascii(void **state) {
    (void)state;
    const char seed[] =
        "ply\nformat ascii 1.0\ncomment c\nelement material 2\nproperty int a\nproperty list short double b\n"
        "element vertex 4\nproperty double z\nproperty float x\nproperty float y\nproperty float s\n"
        "property float t\nelement face 2\nproperty uchar flags\nproperty list uchar int vertex_indices\n"
        "end_header\n1 0\n2 2 0.5 7\n0 0 0 1 1\n0 1 0 1 0\n0 1 1 0 1\n1e-3 0 1 0 0\n1 4 0 1 2 3\n1 3 0 1 3\n";
    mutate("a.ply", seed, sizeof seed - 1);
}

static void written(const char *name) {
    mus_grid_def def = {mus_grid_def_default().cookie, {3, 4}, {1, 1}, NULL, {0, 0, 0}};
    mus_mesh *mesh;
    size_t size;
    assert_int_equal(mus_mesh_create_grid(&def, &mesh), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_save(mesh, path_of(name)), MUS_STATUS_OK);
    mus_mesh_destroy(mesh);
    char *seed = slurp(path_of(name), &size);
    if (size > ROOM / 2) { /* STL is long-winded: four of its faces will do */
        char *cut = seed;
        for (int i = 0; i < 4; i++) cut = strstr(cut, "endfacet\n") + 9;
        strcpy(cut, "endsolid x\n");
        size = strlen(seed);
    }
    mutate(name, seed, size);
    free(seed);
}

static void ply_binary(void **state) {
    (void)state;
    written("b.ply");
}

static void sequences(void **state) {
    (void)state;
    char npy[10 + 70 + 24] = "\x93NUMPY\1\0\106";
    const float numbers[6] = {1, 2, 3, 4, 5, 6};
    memset(npy + 10, ' ', 70);
    memcpy(npy + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }", 62);
    memcpy(npy + 80, numbers, sizeof numbers);
    mutate("s.npy", npy, sizeof npy);
    zipFile zip = zipOpen64(path_of("s.npz"), APPEND_STATUS_CREATE);
    assert_int_equal(zipOpenNewFileInZip64(zip, "verts.npy", NULL, NULL, 0, NULL, 0, NULL, Z_DEFLATED, 9, 1), ZIP_OK);
    assert_int_equal(zipWriteInFileInZip(zip, npy, sizeof npy), ZIP_OK);
    assert_int_equal(zipCloseFileInZip(zip), ZIP_OK);
    assert_int_equal(zipClose(zip, NULL), ZIP_OK);
    size_t size;
    char *npz = slurp(path_of("s.npz"), &size);
    mutate("s.npz", npz, size);
    free(npz);
    const char mdd[8 + 4 + 24] = {0, 0, 0, 1, 0, 0, 0, 2};
    mutate("s.mdd", mdd, sizeof mdd);
}

static void ply_big_endian(void **state) {
    (void)state;
    const char seed[] = "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty short x\nproperty uchar y\n"
                        "property int8 z\nelement face 1\nproperty list ushort uint16 vertex_index\nproperty float f\n"
                        "end_header\n\0\0\1\2\0\1\1\2\1\0\3\1\0\3\0\0\0\1\0\2\0\0\0";
    mutate("c.ply", seed, sizeof seed);
}

static void stl_ascii(void **state) {
    (void)state;
    written("d.stl");
}

static void stl_binary(void **state) {
    (void)state;
    char seed[84 + 3 * 50] = "binary";
    seed[80] = 3;
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < 9; k++) {
            float value = (float)((f + 1) * (k * k % 5));
            memcpy(seed + 84 + 50 * f + 12 + 4 * k, &value, 4);
        }
    mutate("e.stl", seed, sizeof seed);
}

static void gltf(void **state) {
    (void)state;
    char seed[ROOM];
    mutate("g.gltf", seed, gltf_seed_text(seed, sizeof seed));
    mutate("h.glb", seed, gltf_seed_binary(seed, sizeof seed));
}

static void pc2(void **state) {
    (void)state;
    char seed[32 + 3 * 4 * 12] = "POINTCACHE2";
    seed[12] = 1, seed[16] = 4, seed[28] = 3;
    mutate("f.pc2", seed, sizeof seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj),
        cmocka_unit_test(ply_ascii),
        cmocka_unit_test(ply_binary),
        cmocka_unit_test(sequences),
        cmocka_unit_test(ply_big_endian),
        cmocka_unit_test(stl_ascii),
        cmocka_unit_test(stl_binary),
        cmocka_unit_test(pc2),
        cmocka_unit_test(gltf),
    };
    return cmocka_run_group_tests_name("mutations", tests, make_folder, remove_folder);
}
