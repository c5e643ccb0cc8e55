/* test_sequences.c: vertex positions over time from .npy and .mdd: what is read, and every way to be wrong. */
#include "io_kit.h"

#include <minizip/zip.h>

/* The bytes of an .npy of version 1 or 2 whose dictionary is `text`, followed by `size` bytes of data. */
static const char *npy(const char *name, int version, const char *text, const void *data, size_t size) {
    static char bytes[4096];
    size_t length = strlen(text), start = version == 1 ? 10 : 12;
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (char)version;
    bytes[8] = (char)(length & 255), bytes[9] = (char)(length >> 8);
    memcpy(bytes + start, text, length);
    memcpy(bytes + start + length, data, size);
    return file_of_bytes(name, bytes, start + length + size);
}

#define DICT(descr, order, shape) "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }          \n"

static const float narrow[12] = {0.1f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -11.5f};

static void expect_read(const char *path, double first) {
    mus_point_cache cache;
    if (mus_point_cache_load(path, NULL, &cache) != MUS_STATUS_OK) fail_msg("%s", mus_get_error_message());
    assert_int_equal(cache.frame_count, 2);
    assert_int_equal(cache.vertex_count, 2);
    assert_true(cache.start_frame == 0 && cache.sample_rate == 1);
    assert_true(cache.positions[0] == first);
    for (int k = 1; k < 12; k++) assert_true(cache.positions[k] == (double)narrow[k]);
    mus_point_cache_destroy(&cache);
}

static void numpy_arrays(void **state) {
    (void)state;
    double wide[12] = {0.1};
    for (int k = 1; k < 12; k++) wide[k] = (double)narrow[k];
    expect_read(npy("a.npy", 1, DICT("<f4", "False", "(2, 2, 3)"), narrow, sizeof narrow), (double)0.1f);
    expect_read(npy("a.npy", 2, DICT("<f4", "False", "(2, 2, 3)"), narrow, sizeof narrow), (double)0.1f);
    expect_read(npy("b.NPY", 3, DICT("<f8", "False", "(2,2,3)"), wide, sizeof wide), 0.1);
    expect_read(
        npy("c.npy", 1, "{\"shape\": (2, 2, 3), \"fortran_order\": False, \"descr\": \"<f8\"}", wide, sizeof wide),
        0.1);
}

static void refuse_cache(const char *path, const char *words) {
    mus_point_cache cache;
    mus_status status = mus_point_cache_load(path, NULL, &cache);
    assert_true(status == MUS_STATUS_FORMAT || status == MUS_STATUS_INVALID);
    assert_null(cache.positions);
    if (!strstr(mus_get_error_message(), words)) fail_msg("wanted '%s': %s", words, mus_get_error_message());
}

static void numpy_refusals(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {DICT("|O", "False", "(2, 2, 3)"), "must be float32 or float64, little endian (the header has '|O'"},
        {DICT("<i4", "False", "(2, 2, 3)"), "numpy.save(path, a.astype('<f4'))"},
        {DICT(">f4", "False", "(2, 2, 3)"), "they are big endian: the header has '>f4'"},
        {DICT("<f4", "True", "(2, 2, 3)"), "must be in C order (it is in Fortran order); in Python: "},
        {DICT("<f4", "False", "(2, 6)"), "its shape must be (frames, vertices, 3) (the header has (2, 6)"},
        {DICT("<f4", "False", "(2, 3, 2)"), "its shape must be (frames, vertices, 3)"},
        {DICT("<f4", "False", "(1, 2, 2, 3)"), "its shape must be (frames, vertices, 3)"},
        {DICT("<f4", "False", "()"), "its shape must be (frames, vertices, 3)"},
        {DICT("<f4", "False", "(x, 2, 3)"), "its shape must be (frames, vertices, 3)"},
        {DICT("<f4", "False", "(0, 4, 3)"), "must have at least one frame and one vertex (got 0 and 4)"},
        {DICT("<f4", "False", "(2, 3, 3)"),
         "2 frames of 3 vertices need 12 bytes for each vertex, but 48 bytes follow"},
        {DICT("<f4", "False", "(99999999999999999, 2, 3)"), "must have at least one frame"},
        {DICT("<f4", "False", "(2147483647, 715827882, 3)"), "2147483647 frames of 715827882 vertices need 12 bytes"},
        {DICT("<f8", "False", "(2, 2, 3)"), "need 24 bytes for each vertex, but 48 bytes follow"},
        {"{'descr': '<f4', 'fortran_order': False}", "(the header has )"},
        {"{'descr': '<f4', 'shape': (2, 2, 3)}", "must be in C order; in Python"},
        {"{'fortran_order': False, 'shape': (2, 2, 3)}", "must be float32 or float64"},
        {"", "must be float32 or float64"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        refuse_cache(npy("w.npy", 1, wrong[k].text, narrow, sizeof narrow), wrong[k].words);
    refuse_cache(file_of("w.npy", "POINTCACHE2"), "is not an .npy file");
    refuse_cache(npy("w.npy", 4, DICT("<f4", "False", "(2, 2, 3)"), narrow, sizeof narrow),
                 "the version must be 1, 2 or 3 (got 4)");
    float bad[12] = {0};
    bad[7] = NAN;
    refuse_cache(npy("w.npy", 1, DICT("<f4", "False", "(2, 2, 3)"), bad, sizeof bad),
                 "vertex 1 of frame 2 must be finite");

    size_t size;
    char *whole = slurp(npy("t.npy", 1, DICT("<f4", "False", "(2, 2, 3)"), narrow, sizeof narrow), &size);
    mus_point_cache cache;
    for (size_t shorter = 0; shorter < size; shorter++) {
        assert_int_equal(mus_point_cache_load(file_of_bytes("t.npy", whole, shorter), NULL, &cache), MUS_STATUS_FORMAT);
        assert_null(cache.positions);
    }
    free(whole);
}

/* ---- .npz, as numpy.savez (stored) and numpy.savez_compressed (deflated) write it -------------------------------- */

static const char *archive_of(const char *name, int level, int count, const char *const *members,
                              const char *const *files) {
    const char *path = path_of(name);
    zipFile zip = zipOpen64(path, APPEND_STATUS_CREATE);
    assert_non_null(zip);
    for (int k = 0; k < count; k++) {
        size_t size;
        char *bytes = slurp(files[k], &size);
        assert_int_equal(
            zipOpenNewFileInZip64(zip, members[k], NULL, NULL, 0, NULL, 0, NULL, level ? Z_DEFLATED : 0, level, 1),
            ZIP_OK);
        assert_int_equal(zipWriteInFileInZip(zip, bytes, (unsigned)size), ZIP_OK);
        assert_int_equal(zipCloseFileInZip(zip), ZIP_OK);
        free(bytes);
    }
    assert_int_equal(zipClose(zip, NULL), ZIP_OK);
    return path;
}

static const char *archive_of_one(const char *name, int level, const char *text) {
    const char *file = npy("m.npy", 1, text, narrow, sizeof narrow);
    return archive_of(name, level, 1, &(const char *){"verts.npy"}, &file);
}

static void expect_array(const char *path, const char *array) {
    mus_point_cache cache;
    if (mus_point_cache_load(path, array, &cache) != MUS_STATUS_OK) fail_msg("%s", mus_get_error_message());
    assert_int_equal(cache.frame_count, 2);
    for (int k = 0; k < 12; k++) assert_true(cache.positions[k] == (double)narrow[k]);
    mus_point_cache_destroy(&cache);
}

static void npz(void **state) {
    (void)state;
    for (int level = 0; level <= 9; level += 9) {
        expect_array(archive_of_one("a.npz", level, DICT("<f4", "False", "(2, 2, 3)")), NULL);
        expect_array(archive_of_one("a.NPZ", level, DICT("<f4", "False", "(2, 2, 3)")), "verts");
        const char *text = file_of("readme", "no array");
        const char *poses = npy("p.npy", 1, DICT("<f4", "False", "(2, 6)"), narrow, sizeof narrow);
        const char *verts = npy("v.npy", 1, DICT("<f4", "False", "(2, 2, 3)"), narrow, sizeof narrow);
        expect_array(archive_of("b.npz", level, 3, (const char *[]){"readme.txt", "poses.npy", "verts.npy"},
                                (const char *[]){text, poses, verts}),
                     NULL);
    }
}

static void refuse_array(const char *path, const char *array, const char *words) {
    mus_point_cache cache;
    assert_int_not_equal(mus_point_cache_load(path, array, &cache), MUS_STATUS_OK);
    assert_null(cache.positions);
    if (!strstr(mus_get_error_message(), words)) fail_msg("wanted '%s': %s", words, mus_get_error_message());
}

static void npz_refusals(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {DICT("|O", "False", "(2, 2, 3)"), "w.npz: array 'verts': its numbers must be float32 or float64"},
        {DICT(">f4", "False", "(2, 2, 3)"), "w.npz: array 'verts': its numbers must be float32 or float64, little"},
        {DICT("<f4", "True", "(2, 2, 3)"), "w.npz: array 'verts': the array must be in C order"},
        {DICT("<f4", "False", "(2, 6)"), "w.npz: array 'verts': its shape must be (frames, vertices, 3)"},
        {DICT("<f4", "False", "(3, 2, 3)"), "w.npz: array 'verts': 3 frames of 2 vertices need 12 bytes"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        refuse_array(archive_of_one("w.npz", 9, wrong[k].text), NULL, wrong[k].words);
    const char *poses = npy("p.npy", 1, DICT("<f4", "False", "(2, 6)"), narrow, sizeof narrow);
    const char *verts = npy("v.npy", 1, DICT("<f4", "False", "(2, 2, 3)"), narrow, sizeof narrow);
    const char *both =
        archive_of("w.npz", 0, 2, (const char *[]){"poses.npy", "trans.npy"}, (const char *[]){poses, poses});
    refuse_array(both, NULL,
                 "has no array of float32 or float64 of the shape (frames, vertices, 3) in C order; its "
                 "arrays: 'poses', 'trans'");
    both = archive_of("w.npz", 0, 2, (const char *[]){"verts.npy", "joints.npy"}, (const char *[]){verts, verts});
    refuse_array(both, NULL,
                 "has 2 arrays of the shape (frames, vertices, 3); give the name of one, array = NAME: "
                 "'verts', 'joints'");
    refuse_array(both, "vert", "has no array 'vert'; its arrays: 'verts', 'joints'");
    expect_array(both, "joints");
    refuse_array(archive_of("w.npz", 9, 1, (const char *[]){"readme.txt"}, &verts), NULL, "(it has no arrays)");
    refuse_array(archive_of("w.npz", 9, 1, (const char *[]){"readme.txt"}, &verts), "verts", "(it has no arrays)");
    refuse_array(file_of("w.npz", "PK"), NULL, "(it is no zip archive)");
    refuse_array(npy("w.npy", 1, DICT("<f4", "False", "(2, 2, 3)"), narrow, sizeof narrow), "verts",
                 "only an .npz has arrays with names (got 'verts')");

    for (int level = 0; level <= 9; level += 9) {
        size_t size;
        char *whole = slurp(archive_of_one("t.npz", level, DICT("<f4", "False", "(2, 2, 3)")), &size);
        for (size_t shorter = 0; shorter < size; shorter++) {
            const char *path = file_of_bytes("t.npz", whole, shorter);
            mus_point_cache cache; /* minizip takes missing bytes at the end for zeros, which many of the last 22 are */
            mus_status status = mus_point_cache_load(path, NULL, &cache);
            mus_point_cache_destroy(&cache);
            if (status == MUS_STATUS_OK)
                expect_array(path, NULL);
            else
                refuse_array(path, NULL, "t.npz: ");
            assert_true(status != MUS_STATUS_OK || size - shorter < 22);
        }
        whole[60] ^= 1; /* within the array's bytes */
        refuse_array(file_of_bytes("t.npz", whole, size), "verts", "array 'verts': is damaged");
        free(whole);
    }
}

/* An archive whose one member unpacks to much more than its bytes could hold is refused before memory is taken. */
static void npz_promises(void **state) {
    (void)state;
    size_t size;
    char *whole = slurp(archive_of_one("t.npz", 9, DICT("<f4", "False", "(2, 2, 3)")), &size);
    size_t entry = 0;
    while (memcmp(whole + entry, "PK\1\2", 4) != 0) entry++;
    memset(whole + entry + 24, 0x7f, 4); /* its size when unpacked */
    refuse_array(file_of_bytes("t.npz", whole, size), "verts", "array 'verts': is damaged");
    free(whole);
}

static void mdd(void **state) {
    (void)state;
    unsigned char bytes[8 + 8 + 48] = {0, 0, 0, 2, 0, 0, 0, 2};
    for (int k = 0; k < 12; k++) {
        uint32_t bits;
        memcpy(&bits, &narrow[k], sizeof bits);
        for (int b = 0; b < 4; b++) bytes[16 + 4 * k + b] = (unsigned char)(bits >> (24 - 8 * b));
    }
    expect_read(file_of_bytes("a.mdd", bytes, sizeof bytes), (double)0.1f);
    mus_point_cache cache;
    for (size_t shorter = 0; shorter < sizeof bytes; shorter++) {
        assert_int_equal(mus_point_cache_load(file_of_bytes("b.mdd", bytes, shorter), NULL, &cache), MUS_STATUS_FORMAT);
        assert_null(cache.positions);
    }
    bytes[3] = 0;
    refuse_cache(file_of_bytes("b.mdd", bytes, 8), "must have at least one frame and one vertex (got 0 and 2)");
    memset(bytes, 255, 8);
    refuse_cache(file_of_bytes("b.mdd", bytes, sizeof bytes),
                 "has 4294967295 frames by its header, and ends before their times");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numpy_arrays), cmocka_unit_test(numpy_refusals), cmocka_unit_test(npz),
        cmocka_unit_test(npz_refusals), cmocka_unit_test(npz_promises),   cmocka_unit_test(mdd),
    };
    return cmocka_run_group_tests_name("sequences", tests, make_folder, remove_folder);
}
