/* gltf_seed.h: a small glTF file in both of its containers, for the tests that damage files. */
#ifndef TESTS_GLTF_SEED_H
#define TESTS_GLTF_SEED_H

#include <stdint.h>
#include <string.h>

/* Two skinned triangles whose second joint turns: of the binary and of the text container. */
static const unsigned char
    limb[132] =
        {
            0,   0, 0, 0, 0,   0, 0,    0,    0, 0,   0,    0,    0,   0,   0x80, 0x3f,
            0,   0, 0, 0, 0,   0, 0,    0,    0, 0,   0x80, 0x3f, 0,   0,   0x80, 0x3f,
            0,   0, 0, 0, 0,   0, 0,    0,    0, 0,   0x80, 0x3f, 0,   0,   0,    0, /* four positions */
            0,   0, 1, 0, 2,   0, 0,    0,    2, 0,   3,    0,                       /* six indices */
            0,   1, 0, 0, 0,   1, 0,    0,    0, 1,   0,    0,    0,   1,   0,    0, /* joints */
            255, 0, 0, 0, 255, 0, 0,    0,    0, 255, 0,    0,    128, 127, 0,    0, /* weights */
            0,   0, 0, 0, 0,   0, 0x80, 0x3f,                                        /* times 0 and 1 */
            0,   0, 0, 0, 0,   0, 0,    0,    0, 0,   0,    0,    0,   0,   0x80, 0x3f,
            0,   0, 0, 0, 0,   0, 0,    0,    0, 0,   0x80, 0x3f, 0,   0,   0,    0, /* turns */
};
#define LIMB(uri)                                                                                                      \
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"mesh\":0,\"skin\":0},{" \
    "\"children\":[2]},{\"translation\":[0,1,0]}],\"skins\":[{\"joints\":[1,2]}],\"meshes\":[{\"weights\":[0.5],"      \
    "\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3},\"indices\":1,\"targets\":[{"     \
    "\"POSITION\":6}]}]}],\"animations\":[{\"name\":\"turn\",\"samplers\":[{\"input\":4,\"output\":5}],\"channels\":[" \
    "{"                                                                                                                \
    "\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}]}],\"buffers\":[{" uri                               \
    "\"byteLength\":132}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,"          \
    "\"byteLength\":84}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},{"     \
    "\"bufferView\":1,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"},{\"bufferView\":1,\"byteOffset\":12,"    \
    "\"componentType\":5121,\"count\":4,\"type\":\"VEC4\"},{\"bufferView\":1,\"byteOffset\":28,\"componentType\":"     \
    "5121,"                                                                                                            \
    "\"normalized\":true,\"count\":4,\"type\":\"VEC4\"},{\"bufferView\":1,\"byteOffset\":44,\"componentType\":5126,"   \
    "\"count\":2,\"type\":\"SCALAR\"},{\"bufferView\":1,\"byteOffset\":52,\"componentType\":5126,\"count\":2,"         \
    "\"type\":"                                                                                                        \
    "\"VEC4\"},{\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{"            \
    "\"bufferView\":1,"                                                                                                \
    "\"byteOffset\":2,\"componentType\":5121},\"values\":{\"bufferView\":0,\"byteOffset\":12}}}]}"

/* Writes the text container to `seed`; returns its length. 0: no room. */
static inline size_t gltf_seed_text(char *seed, size_t room) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char before[] = LIMB("\"uri\":\"data:;base64,@\",");
    size_t start = (size_t)(strchr(before, '@') - before), length = sizeof limb / 3 * 4;
    if (sizeof before + length > room) return 0;
    memcpy(seed, before, start);
    for (size_t k = 0; k < sizeof limb / 3; k++) {
        uint32_t bits = (uint32_t)limb[3 * k] << 16 | (uint32_t)limb[3 * k + 1] << 8 | limb[3 * k + 2];
        for (size_t c = 0; c < 4; c++) seed[start + 4 * k + c] = digits[bits >> (18 - 6 * c) & 63];
    }
    memcpy(seed + start + length, before + start + 1, sizeof before - start - 2);
    return sizeof before - 2 + length;
}

/* The same as .glb. */
static inline size_t gltf_seed_binary(char *seed, size_t room) {
    static const char text[] = LIMB("");
    uint32_t length = (uint32_t)(sizeof text + 2) / 4 * 4, total = 28 + length + sizeof limb, size = sizeof limb;
    if (total > room) return 0;
    memset(seed, ' ', total);
    memcpy(seed, "glTF\2\0\0", 8);
    memcpy(seed + 8, &total, 4);
    memcpy(seed + 12, &length, 4);
    memcpy(seed + 16, "JSON", 4);
    memcpy(seed + 20, text, sizeof text - 1);
    memcpy(seed + 20 + length, &size, 4);
    memcpy(seed + 24 + length, "BIN", 4);
    memcpy(seed + 28 + length, limb, sizeof limb);
    return total;
}

#endif
