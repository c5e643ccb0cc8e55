/* make_seeds.c: the seed corpora of the fuzz targets: small snapshots of every preset's stages, and bytes for the
 * others. make_seeds FOLDER TARGET writes FOLDER/TARGET/... */
#include "fuzz.h"

#include "../io/gltf_seed.h"
#include "../io/usd_seed.h"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image_write.h>

#include <turbojpeg.h>

static void save(const char *folder, const char *name, const void *bytes, size_t size) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    fuzz_require(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static mus_mesh *grid(int32_t nodes, double size, double height) {
    mus_grid_def def = {mus_grid_def_default().cookie, {nodes, nodes}, {size, size}, "xz", {0, height, 0}};
    mus_mesh *mesh;
    fuzz_require(mus_mesh_create_grid(&def, &mesh) == MUS_STATUS_OK);
    return mesh;
}

static mus_cloth_id add_cloth(mus_world *world, double height, mus_material_model model) {
    mus_cloth_def def = mus_cloth_def_default();
    mus_mesh *mesh = grid(3, 0.1, height);
    mus_cloth_id id;
    def.mesh = mesh;
    def.material.model = model;
    if (model == MUS_MODEL_STVK || model == MUS_MODEL_SQUARE_NETWORK || model == MUS_MODEL_NEO_HOOKEAN) {
        def.material.stretch_warp = def.material.stretch_weft = 1000;
        def.material.stretch_shear = 100;
    }
    fuzz_require(mus_cloth_create(world, &def, &id) == MUS_STATUS_OK);
    mus_mesh_destroy(mesh);
    return id;
}

static mus_obstacle_id add_obstacle(mus_world *world, mus_shape shape, bool dynamic, double height) {
    mus_obstacle_def def = mus_obstacle_def_default();
    mus_obstacle_id id;
    mus_mesh *box = NULL;
    def.shape = shape, def.radius = 0.03, def.length = 0.05;
    for (int k = 0; k < 3; k++) def.size[k] = 0.06;
    def.pose.position[1] = height;
    def.dynamic = dynamic, def.mass = dynamic ? 0.1 : 0;
    if (shape == MUS_SHAPE_MESH)
        fuzz_require(mus_mesh_create_box(def.size, (double[3]){0, 0, 0}, &box) == MUS_STATUS_OK);
    def.mesh = box;
    fuzz_require(mus_obstacle_create(world, &def, &id) == MUS_STATUS_OK);
    if (box && !dynamic) {
        double positions[2 * 24];
        for (int k = 0; k < 48; k++) positions[k] = mus_mesh_get_vertices(box)[k % 24];
        mus_point_cache cache = {.positions = positions, .vertex_count = 8, .frame_count = 2};
        mus_animation animation = {mus_animation_default().cookie, .cache = &cache, .interval = 0.1, .loop = true};
        fuzz_require(mus_obstacle_set_animation(world, id, &animation) == MUS_STATUS_OK);
    }
    mus_mesh_destroy(box);
    return id;
}

static void snapshots(const char *folder) {
    const mus_pipeline pipelines[] = {
        mus_pipeline_default(),
        {"newton", "box_tree", "certified_ccd", "ogc", "truncation", "none", "material"},
        {"incremental", "hash_grid", "certified_ccd", "ogc", "truncation", "none", "material"},
        {"semi_implicit_euler", "partition_tree_cones", "cubic_ccd", "provot", "provot_zones", "sweep", "material"},
        {"implicit_euler", "quad_tree", "spherical", "jung", "none", "jung", "material"}};
    enum { PIPELINES = sizeof pipelines / sizeof *pipelines };
    static const mus_material_model models[] = {MUS_MODEL_SPRINGS, MUS_MODEL_STVK, MUS_MODEL_SQUARE_NETWORK,
                                                MUS_MODEL_CHOI_KO};
    int made = 0;
    for (int p = 0; p < PIPELINES; p++)
        for (int m = 0; m < 4; m++) {
            mus_world_def def = mus_world_def_default();
            def.pipeline = pipelines[p];
            def.threads = 1;
            mus_world *world;
            if (mus_world_create(&def, &world) != MUS_STATUS_OK) {
                fprintf(stderr, "make_seeds: pipeline %d: %s\n", p, mus_get_error_message());
                exit(1);
            }
            mus_cloth_id one = add_cloth(world, 0.0405, models[m]), other = add_cloth(world, 0.0425, MUS_MODEL_SPRINGS);
            add_obstacle(world, m & 1 ? MUS_SHAPE_SPHERE : MUS_SHAPE_BOX, p == 0 && m >= 2, m & 1 ? 0.0095 : 0.009);
            add_obstacle(world, MUS_SHAPE_PLANE, false, -0.5);
            if (m == 2) add_obstacle(world, MUS_SHAPE_CAPSULE, false, -0.2);
            if (m == 3) add_obstacle(world, MUS_SHAPE_MESH, false, -0.3);
            fuzz_require(mus_cloth_pin(world, other, (const int32_t[]){0, 2}, 2) == MUS_STATUS_OK);
            if (m == 1) {
                mus_stitch stitch = {0, {0, 1}, 0.25};
                mus_seam_def seam = mus_seam_def_default();
                mus_seam_id id;
                seam.a = one, seam.b = other, seam.stitches = &stitch, seam.count = 1;
                fuzz_require(mus_seam_create(world, &seam, &id) == MUS_STATUS_OK);
            }
            if (m == 3) {
                mus_response_def response = mus_response_def_default();
                mus_response_id id;
                response.rule = pipelines[p].response, response.name = "like the pipeline's";
                mus_object_id cloth = mus_object_from_cloth(one);
                response.between[0] = cloth, response.friction = 0.2;
                fuzz_require(mus_response_create(world, &response, &id) == MUS_STATUS_OK);
                fuzz_require(mus_world_set_coefficient(world, cloth, mus_object_none(), MUS_COEFFICIENT_FRICTION,
                                                       0.5) == MUS_STATUS_OK);
                fuzz_require(mus_world_ignore_pair(world, cloth, cloth) == MUS_STATUS_OK);
            }
            for (int k = 0; k < (m == 0 ? 0 : 4); k++)
                if (mus_world_step(world) != MUS_STATUS_OK)
                    fprintf(stderr, "make_seeds: pipeline %d, model %d: %s\n", p, m, mus_get_error_message());
            char path[512];
            snprintf(path, sizeof path, "%s/seed_%02d", folder, made++);
            fuzz_require(mus_world_save(world, path) == MUS_STATUS_OK);
            mus_world_destroy(world);
        }
}

typedef struct picture_seed {
    uint8_t bytes[4096];
    size_t size;
} picture_seed;

static void append_picture(void *context, void *data, int size) {
    picture_seed *made = context;
    if (size < 0 || made->size + (size_t)size > sizeof made->bytes) abort();
    memcpy(made->bytes + made->size, data, (size_t)size);
    made->size += (size_t)size;
}

/* Sound files of each format; the first byte is the target's choice of reader. */
static void files(const char *folder) {
#define OBJ                                                                                                            \
    "o a\nv 0 0 0\nv 1 0 0 1\nv 1 1 -0.5e-3\nvt 0 0\nvt 1 0\nf 1/1 2/2 3/1\no b\nv 2 0 0\nf -1//1 \\\n 1//1 2//1\n"
#define VERTEX "element vertex 3\nproperty float x\nproperty double y\nproperty short z\n"
#define FACE   "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    static const char obj[] = "\0" OBJ, parts[] = "\3" OBJ,
                      far_obj[] = "\3v 1e154 0 0\nv 0 1e154 1\nv 1 0 1e154\nf 1 2 3\n",
                      ply[] = "\1ply\nformat ascii 1.0\n" VERTEX FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
                      binary[] = "\1ply\nformat binary_little_endian 1.0\n" VERTEX FACE,
                      stl[] = "\2solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
                              "endloop\nendfacet\nendsolid";
    uint8_t bytes[512] = {0};
    save(folder, "obj", obj, sizeof obj - 1);
    save(folder, "parts", parts, sizeof parts - 1);
    save(folder, "far", far_obj, sizeof far_obj - 1);
    save(folder, "ply", ply, sizeof ply - 1);
    memcpy(bytes, binary, sizeof binary - 1);
    save(folder, "ply_binary", bytes, sizeof binary - 1 + 55);
    save(folder, "stl", stl, sizeof stl - 1);
    memset(bytes, 0, sizeof bytes);
    bytes[0] = 2, bytes[81] = 1;
    save(folder, "stl_binary", bytes, 1 + 84 + 50);
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, "\4POINTCACHE2\0\1\0\0\0\2\0\0\0", 21);
    bytes[29] = 1;
    save(folder, "pc2", bytes, 1 + 32 + 24);
    static const uint8_t colors[3 * 6] = {0, 255, 7, 9, 30, 200, 1, 2, 3, 250, 100, 50, 60, 70, 80, 90, 0, 0};
    picture_seed made = {.bytes = {7}, .size = 1};
    stbi_write_png_to_func(append_picture, &made, 3, 2, 3, colors, 9);
    save(folder, "png", made.bytes, made.size);
    for (int progressive = 0; progressive < 2; progressive++) {
        unsigned char *jpeg = NULL;
        unsigned long size = 0;
        tjhandle encoder = tjInitCompress();
        if (tjCompress2(encoder, colors, 3, 0, 2, TJPF_RGB, &jpeg, &size, TJSAMP_420, 90,
                        progressive ? TJFLAG_PROGRESSIVE : 0) != 0)
            abort();
        made.size = 1;
        append_picture(&made, jpeg, (int)size);
        save(folder, progressive ? "jpeg_progressive" : "jpeg", made.bytes, made.size);
        tjFree(jpeg);
        tjDestroy(encoder);
    }
    static char usd[sizeof usd_seed + 1];
    usd[0] = 8;
    memcpy(usd + 1, usd_seed, sizeof usd_seed - 1);
    save(folder, "usda", usd, sizeof usd_seed);
    char gltf[4096] = "\6";
    save(folder, "gltf", gltf, 1 + gltf_seed_text(gltf + 1, sizeof gltf - 1));
    save(folder, "glb", gltf, 1 + gltf_seed_binary(gltf + 1, sizeof gltf - 1));
}

static void numbers(const char *folder) {
    uint8_t bytes[256];
    for (int seed = 0; seed < 12; seed++) {
        uint32_t state = 12345U + (uint32_t)seed;
        for (size_t k = 0; k < sizeof bytes; k++) {
            state = state * 1664525U + 1013904223U;
            bytes[k] = (uint8_t)(state >> 24);
        }
        bytes[0] = (uint8_t)seed;
        char name[16];
        snprintf(name, sizeof name, "seed_%02d", seed);
        save(folder, name, bytes, sizeof bytes);
    }
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: make_seeds FOLDER TARGET\n");
        return 2;
    }
    if (strcmp(words[2], "fuzz_snapshot") == 0)
        snapshots(words[1]);
    else if (strcmp(words[2], "fuzz_readers") == 0)
        files(words[1]);
    else
        numbers(words[1]);
    return 0;
}
