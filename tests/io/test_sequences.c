/* test_sequences.c: vertex positions over time from .npy and .mdd: what is read, and every way to be wrong. */
#include "io_kit.h"

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
    if (mus_point_cache_load(path, &cache) != MUS_STATUS_OK) fail_msg("%s", mus_get_error_message());
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
    mus_status status = mus_point_cache_load(path, &cache);
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
    refuse_cache(file_of("w.npz", "PK"), "numpy.load('body.npz')[NAME]");

    size_t size;
    char *whole = slurp(npy("t.npy", 1, DICT("<f4", "False", "(2, 2, 3)"), narrow, sizeof narrow), &size);
    mus_point_cache cache;
    for (size_t shorter = 0; shorter < size; shorter++) {
        assert_int_equal(mus_point_cache_load(file_of_bytes("t.npy", whole, shorter), &cache), MUS_STATUS_FORMAT);
        assert_null(cache.positions);
    }
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
        assert_int_equal(mus_point_cache_load(file_of_bytes("b.mdd", bytes, shorter), &cache), MUS_STATUS_FORMAT);
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
        cmocka_unit_test(numpy_arrays),
        cmocka_unit_test(numpy_refusals),
        cmocka_unit_test(mdd),
    };
    return cmocka_run_group_tests_name("sequences", tests, make_folder, remove_folder);
}
