/* test_picture.c: brightness of PNG and JPEG files at places; what is refused; memory that runs out. */
#include "../base/scarce.h"
#include "io_kit.h"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image_write.h>

#include <turbojpeg.h>

typedef struct sink {
    unsigned char bytes[8192];
    size_t size;
} sink;

static void append(void *context, void *data, int size) {
    sink *s = context;
    assert_true(size >= 0 && s->size + (size_t)size <= sizeof s->bytes);
    memcpy(s->bytes + s->size, data, (size_t)size);
    s->size += (size_t)size;
}

static sink png_of(int width, int height, int channels, const unsigned char *pixels) {
    sink made = {.size = 0};
    assert_true(stbi_write_png_to_func(append, &made, width, height, channels, pixels, width * channels));
    return made;
}

/* Of quality 100 without coarser colors. */
static sink jpeg_of(int width, int height, enum TJPF format, bool progressive, const unsigned char *pixels) {
    tjhandle encoder = tjInitCompress();
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    int sampling = format == TJPF_GRAY ? TJSAMP_GRAY : TJSAMP_444, flags = progressive ? TJFLAG_PROGRESSIVE : 0;
    assert_int_equal(tjCompress2(encoder, pixels, width, 0, height, (int)format, &bytes, &size, sampling, 100, flags),
                     0);
    sink made = {.size = 0};
    append(&made, bytes, (int)size);
    tjFree(bytes);
    tjDestroy(encoder);
    return made;
}

static mus_picture *load_picture(const char *path) {
    mus_picture *picture = NULL;
    if (mus_picture_load(path, &picture) != MUS_STATUS_OK) fail_msg("%s", mus_get_error_message());
    return picture;
}

static void near(double value, double wanted, double tolerance) {
    if (!(fabs(value - wanted) <= tolerance)) fail_msg("got %.17g instead of %.17g", value, wanted);
}

/* Three columns and two rows; the upper row is 0, 51, 255. */
static const unsigned char gray[6] = {0, 51, 255, 102, 153, 204};

static void places(void **state) {
    (void)state;
    sink made = png_of(3, 2, 1, gray);
    mus_picture *picture = load_picture(file_of_bytes("a.png", made.bytes, made.size));
    assert_int_equal(mus_picture_get_width(picture), 3);
    assert_int_equal(mus_picture_get_height(picture), 2);
    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 3; column++) /* at the centers of pixels: v is 0 at the bottom */
            near(mus_picture_sample(picture, (column + 0.5) / 3, 1 - (row + 0.5) / 2), gray[3 * row + column] / 255.0,
                 1e-15);
    near(mus_picture_sample(picture, 1.0 / 3, 0.75), 0.1, 1e-15); /* between 0 and 51 */
    near(mus_picture_sample(picture, 0.5 / 3, 0.5), 0.2, 1e-15);  /* between 0 and 102 */
    near(mus_picture_sample(picture, 2.0 / 3, 0.5), (0.2 + 1 + 0.6 + 0.8) / 4, 1e-15);
    near(mus_picture_sample(picture, -5, 7), 0, 0); /* the nearest place beyond the edges */
    near(mus_picture_sample(picture, 5, -7), 0.8, 1e-15);
    near(mus_picture_sample(picture, 1e300, 1), 1, 0);
    assert_true(isnan(mus_picture_sample(picture, NAN, 0)) && isnan(mus_picture_sample(picture, 0, INFINITY)));
    mus_picture_destroy(picture);
    mus_picture_destroy(NULL);
}

static void colors(void **state) {
    (void)state;
    static const unsigned char rgba[4 * 4] = {255, 0, 0, 255, 0, 255, 0, 0, 0, 0, 255, 9, 255, 255, 255, 0};
    const double wanted[] = {0.30, 0.59, 0.11, 1};
    sink made = png_of(4, 1, 4, rgba);
    mus_picture *picture = load_picture(file_of_bytes("c.png", made.bytes, made.size));
    for (int k = 0; k < 4; k++) near(mus_picture_sample(picture, (k + 0.5) / 4, 0.5), wanted[k], 0.01);
    mus_picture_destroy(picture);
}

static void contents(void **state) {
    (void)state;
    static const unsigned char rgb[3 * 2] = {10, 20, 30, 250, 240, 230};
    uint8_t colors[9];
    sink made = png_of(2, 1, 3, rgb);
    mus_picture *picture = load_picture(file_of_bytes("d.png", made.bytes, made.size)), *other;
    mus_picture_copy_colors(picture, colors);
    assert_memory_equal(colors, rgb, sizeof rgb);
    size_t size;
    const void *file = mus_picture_get_file(picture, &size);
    assert_int_equal(size, made.size);
    assert_memory_equal(file, made.bytes, size);
    made = png_of(3, 1, 1, gray);
    other = load_picture(file_of_bytes("d.png", made.bytes, made.size));
    mus_picture_copy_colors(other, colors);
    for (int k = 0; k < 9; k++) assert_int_equal(colors[k], gray[k / 3]);
    assert_true(mus_picture_get_serial(other) != mus_picture_get_serial(picture));
    mus_picture_destroy(picture);
    assert_int_equal(mus_picture_decode(made.bytes, made.size, "memory", &picture), MUS_STATUS_OK);
    assert_int_equal(mus_picture_get_width(picture), 3);
    near(mus_picture_sample(picture, 0.5, 0.5), 0.2, 1e-15);
    assert_memory_equal(mus_picture_get_file(picture, &size), made.bytes, made.size);
    assert_int_equal(size, made.size);
    assert_true(mus_picture_get_serial(other) != mus_picture_get_serial(picture));
    mus_picture_destroy(other);
    mus_picture_destroy(picture);
    assert_int_equal(mus_picture_decode(made.bytes, 40, "memory", &picture), MUS_STATUS_FORMAT);
    assert_null(picture);
    assert_non_null(strstr(mus_get_error_message(), "memory: "));
}

static void jpegs(void **state) {
    (void)state;
    unsigned char rgb[3 * 16 * 24], gray16[16 * 24];
    for (int y = 0; y < 24; y++)
        for (int x = 0; x < 16; x++) { /* two colors beside each other, darker from top to bottom */
            for (int k = 0; k < 3; k++)
                rgb[3 * (16 * y + x) + k] = (unsigned char)((x < 8) == (k == 0) ? 240 - 8 * y : 20);
            gray16[16 * y + x] = (unsigned char)(4 * x + 5 * y);
        }
    for (int progressive = 0; progressive < 2; progressive++) {
        sink made = jpeg_of(16, 24, TJPF_RGB, progressive, rgb);
        mus_picture *picture = load_picture(file_of_bytes("a.jpg", made.bytes, made.size));
        uint8_t colors[sizeof rgb];
        assert_int_equal(mus_picture_get_width(picture), 16);
        assert_int_equal(mus_picture_get_height(picture), 24);
        assert_string_equal(mus_picture_get_type(picture), "image/jpeg");
        mus_picture_copy_colors(picture, colors);
        for (size_t i = 0; i < sizeof rgb; i++) near(colors[i], rgb[i], 4);
        size_t size;
        assert_memory_equal(mus_picture_get_file(picture, &size), made.bytes, made.size);
        assert_int_equal(size, made.size);
        mus_picture_destroy(picture);
        made = jpeg_of(16, 24, TJPF_GRAY, progressive, gray16);
        assert_int_equal(mus_picture_decode(made.bytes, made.size, "memory", &picture), MUS_STATUS_OK);
        for (int y = 0; y < 24; y++)
            for (int x = 0; x < 16; x++)
                near(255 * mus_picture_sample(picture, (x + 0.5) / 16, 1 - (y + 0.5) / 24), gray16[16 * y + x], 2);
        mus_picture_destroy(picture);
    }
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

static void looks(void **state) {
    (void)state;
    sink made = png_of(3, 2, 1, gray);
    mus_picture *picture = load_picture(file_of_bytes("l.png", made.bytes, made.size));
    mus_world_def def = mus_world_def_default();
    mus_world *world;
    assert_int_equal(mus_world_create(&def, &world), MUS_STATUS_OK);
    mus_grid_def grid = mus_grid_def_default();
    for (int k = 0; k < 2; k++) grid.nodes[k] = 3, grid.size[k] = 1;
    mus_mesh *mesh;
    assert_int_equal(mus_mesh_create_grid(&grid, &mesh), MUS_STATUS_OK);
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.mesh = mesh, cloth.look.texture = MUS_TEXTURE_PICTURE;
    mus_cloth_id id;
    assert_int_equal(mus_cloth_create(world, &cloth, &id), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "'picture' must be given with MUS_TEXTURE_PICTURE"));
    cloth.look.picture = picture;
    assert_int_equal(mus_cloth_create(world, &cloth, &id), MUS_STATUS_OK);
    mus_look look;
    assert_int_equal(mus_cloth_get_look(world, id, &look), MUS_STATUS_OK);
    assert_ptr_equal(look.picture, picture);
    look.picture_size[0] = 1; /* and no height */
    assert_int_equal(mus_cloth_set_look(world, id, &look), MUS_STATUS_INVALID);
    look.picture_size[1] = NAN;
    assert_int_equal(mus_cloth_set_look(world, id, &look), MUS_STATUS_INVALID);
    look.picture_size[1] = 2;
    assert_int_equal(mus_cloth_set_look(world, id, &look), MUS_STATUS_OK);
    look.texture = MUS_TEXTURE_CHECKER;
    assert_int_equal(mus_cloth_set_look(world, id, &look), MUS_STATUS_INVALID);
    mus_world_destroy(world);
    mus_mesh_destroy(mesh);
    mus_picture_destroy(picture);
}

static void parts(void **state) {
    (void)state;
    static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, uvs[] = {0, 0, 1, 0, 0, 1};
    static const int32_t face[] = {0, 1, 2};
    mus_part part = {.name = "cloth:a",
                     .vertices = corners,
                     .faces = face,
                     .vertex_count = 3,
                     .face_count = 1,
                     .uvs = uvs,
                     .uv_faces = face,
                     .uv_count = 3,
                     .has_color = true,
                     .picture_file = "a.png"};
    const char *path = path_of("p.usda");
    assert_int_equal(mus_parts_save(&part, 1, path), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "needs a 'picture_place' of sizes > 0 (got 0, 0)"));
    part.picture_place[2] = 2, part.picture_place[3] = 4;
    assert_int_equal(mus_parts_save(&part, 1, path), MUS_STATUS_OK);
    part.picture_file = "a@b.png";
    assert_int_equal(mus_parts_save(&part, 1, path), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "without @ and control characters (got 'a@b.png')"));
}

static void refused(const char *path, mus_status wanted, const char *part) {
    mus_picture *picture = NULL;
    mus_status status = mus_picture_load(path, &picture);
    assert_int_equal(status, wanted);
    assert_null(picture);
    if (!strstr(mus_get_error_message(), part)) fail_msg("no '%s' in: %s", part, mus_get_error_message());
}

static void refusals(void **state) {
    (void)state;
    refused(path_of("none.png"), MUS_STATUS_NOT_FOUND, "none.png");
    refused(file_of_bytes("b.png", "P5 1 1 255 ", 11), MUS_STATUS_FORMAT, "b.png: it is neither a PNG nor a JPEG");
    refused(file_of_bytes("b.jpg", "\xff\xd8\xff\xe0", 4), MUS_STATUS_FORMAT, "b.jpg: the picture is damaged (");
    refused(file_of_bytes("b.png", "", 0), MUS_STATUS_FORMAT, "b.png: it is neither a PNG nor a JPEG");
    sink made = png_of(3, 2, 1, gray);
    for (size_t size = 0; size < made.size - 12; size++) /* the last twelve bytes hold nothing */
        refused(file_of_bytes("b.png", made.bytes, size), MUS_STATUS_FORMAT, "b.png: ");
    made.bytes[16] = made.bytes[20] = 0, made.bytes[17] = made.bytes[21] = 0; /* width and height: big-endian */
    made.bytes[18] = made.bytes[22] = 0x40;
    refused(file_of_bytes("b.png", made.bytes, made.size), MUS_STATUS_FORMAT,
            "a picture may have 1 to 100000000 pixels (got 16387 x 16386)");
    const unsigned char four[4 * 2 * 2] = {0};
    made = jpeg_of(2, 2, TJPF_CMYK, false, four);
    refused(file_of_bytes("b.jpg", made.bytes, made.size), MUS_STATUS_FORMAT, "JPEG of four colors (CMYK) is not read");
    for (int progressive = 0; progressive < 2; progressive++) {
        made = jpeg_of(3, 2, TJPF_GRAY, progressive, gray);
        for (size_t size = 2; size < made.size; size++)
            refused(file_of_bytes("b.jpg", made.bytes, size), MUS_STATUS_FORMAT, "b.jpg: the picture is damaged (");
    }
    size_t frame = 0; /* the marker of the size: FF C2, length, 8 bits, height and width */
    while (made.bytes[frame] != 0xff || made.bytes[frame + 1] != 0xc2) frame++;
    made.bytes[frame + 5] = made.bytes[frame + 7] = 0x40;
    refused(file_of_bytes("b.jpg", made.bytes, made.size), MUS_STATUS_FORMAT,
            "a picture may have 1 to 100000000 pixels (got 16387 x 16386)");
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

static void fail_allocations(const char *path, int least) {
    int failed = 0;
    for (int64_t fail_at = 1;; fail_at++) {
        scarce memory = {.fail_at = fail_at};
        mus_set_allocator(scarce_alloc, &memory);
        mus_picture *picture = NULL;
        mus_status status = mus_picture_load(path, &picture);
        mus_picture_destroy(picture);
        mus_set_allocator(NULL, NULL);
        assert_int_equal(memory.blocks, 0);
        if (status != MUS_STATUS_OK) assert_int_equal(status, MUS_STATUS_NO_MEMORY);
        failed += status != MUS_STATUS_OK;
        if (memory.count < fail_at) break;
    }
    assert_in_range(failed, least, 50);
}

static void failing_allocations(void **state) {
    (void)state;
    sink made = png_of(3, 2, 1, gray);
    fail_allocations(file_of_bytes("s.png", made.bytes, made.size), 5);
    made = jpeg_of(3, 2, TJPF_GRAY, false, gray);
    fail_allocations(file_of_bytes("s.jpg", made.bytes, made.size), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),   cmocka_unit_test(colors),
        cmocka_unit_test(contents), cmocka_unit_test(jpegs),
        cmocka_unit_test(looks),    cmocka_unit_test(parts),
        cmocka_unit_test(refusals), cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests_name("picture", tests, make_folder, remove_folder);
}
