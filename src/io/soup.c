/* soup.c: growing arrays for the readers, and the choice of reader and writer by a file's extension. */
#include "io/soup.h"

#include <string.h>

void mus_soup_free(mus_soup *soup) {
    mus_array_free(&soup->vertices);
    mus_array_free(&soup->uvs);
    mus_array_free(&soup->faces);
    mus_array_free(&soup->uv_faces);
    for (int64_t i = 0; i < soup->objects.count; i++) mus_free(soup->objects.data[i].name);
    mus_array_free(&soup->objects);
    for (int64_t i = 0; i < soup->groups.count; i++) mus_free((char *)soup->groups.data[i].name);
    mus_array_free(&soup->groups);
    mus_array_free(&soup->stitches);
}

static mus_status too_many(const char *path, const char *what) {
    return mus_fail(MUS_STATUS_FORMAT, "%s: has more %s than can be numbered (%d)", path, what, INT32_MAX / 3);
}

mus_status mus_soup_vertex(mus_soup *soup, const char *path, const double vertex[3]) {
    int64_t n = soup->vertices.count;
    if (n / 3 >= INT32_MAX / 3) return too_many(path, "vertices");
    if (!mus_array_reserve(&soup->vertices, n + 3)) return MUS_STATUS_NO_MEMORY;
    memcpy(soup->vertices.data + n, vertex, 3 * sizeof *vertex);
    soup->vertices.count += 3;
    return MUS_STATUS_OK;
}

mus_status mus_soup_uv(mus_soup *soup, const char *path, const double uv[2]) {
    int64_t n = soup->uvs.count;
    if (n / 2 >= INT32_MAX / 3) return too_many(path, "texture vertices");
    if (!mus_array_reserve(&soup->uvs, n + 2)) return MUS_STATUS_NO_MEMORY;
    memcpy(soup->uvs.data + n, uv, 2 * sizeof *uv);
    soup->uvs.count += 2;
    return MUS_STATUS_OK;
}

mus_status mus_soup_polygon(mus_soup *soup, const char *path, const int32_t *corners, const int32_t *uvs,
                            int64_t count) {
    int64_t n = soup->faces.count, added = 3 * (count - 2);
    if ((n + added) / 3 > INT32_MAX / 3) return too_many(path, "faces");
    if (!mus_array_reserve(&soup->faces, n + added)) return MUS_STATUS_NO_MEMORY;
    if (uvs && !mus_array_reserve(&soup->uv_faces, soup->uv_faces.count + added)) return MUS_STATUS_NO_MEMORY;
    for (int64_t i = 1; i + 1 < count; i++) {
        const int64_t fan[3] = {0, i, i + 1};
        for (int k = 0; k < 3; k++) {
            soup->faces.data[soup->faces.count++] = corners[fan[k]];
            if (uvs) soup->uv_faces.data[soup->uv_faces.count++] = uvs[fan[k]];
        }
    }
    return MUS_STATUS_OK;
}

uint64_t mus_hash_number(uint64_t h, double value) {
    uint64_t bits;
    value += 0.0; /* turns -0 into 0 */
    memcpy(&bits, &value, sizeof bits);
    h = (h ^ bits) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

int32_t mus_merge_positions(const double *positions, int64_t count, const mus_vertex_identity *identity,
                            int32_t *number) {
    size_t slots = 16;
    while (slots < (size_t)count * 2) slots *= 2;
    int32_t *table = mus_new(slots * sizeof *table); /* vertex + 1; 0 is empty */
    if (!table) return -1;
    int32_t distinct = 0;
    for (int32_t i = 0; i < count; i++) {
        const double *p = positions + 3 * (size_t)i;
        uint64_t hash = identity ? identity->hash(identity->user, i) : 0;
        for (int k = 0; k < 3; k++) hash = mus_hash_number(hash, p[k]);
        size_t slot = (size_t)hash & (slots - 1);
        for (; table[slot] != 0; slot = (slot + 1) & (slots - 1)) {
            const double *q = positions + 3 * (size_t)(table[slot] - 1);
            if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2] &&
                (!identity || identity->same(identity->user, table[slot] - 1, i)))
                break;
        }
        if (table[slot] == 0) {
            table[slot] = i + 1;
            number[i] = distinct++;
        } else
            number[i] = number[table[slot] - 1];
    }
    mus_free(table);
    return distinct;
}
