/* unfold.c: recovers the flat layout at rest from edge lengths. */
#include "model/unfold.h"

#include <string.h>

static const double flat_error = 1e-6; /* share of an edge's length */

typedef struct sheet_map {
    const mus_cloth *cloth;
    const double *lengths; /* at rest, one per edge */
    mus_topology topology;
    double (*at)[2]; /* of vertices */
    uint8_t *placed; /* vertices */
    uint8_t *seen;   /* faces */
    int32_t *queue;  /* faces whose corners are placed */
    double right;    /* largest x of all that is placed */
} sheet_map;

static void put_vertex(sheet_map *m, int32_t vertex, double x, double y) {
    m->at[vertex][0] = x, m->at[vertex][1] = y;
    m->placed[vertex] = 1;
    m->right = fmax(m->right, x);
}

/* Places corner k of a face whose other corners are placed: on the side away from `from`. */
static void put_corner(sheet_map *m, int32_t face, int k, const double from[2]) {
    const int32_t *v = m->cloth->faces + 3 * (size_t)face, *e = m->topology.face_edges + 3 * (size_t)face;
    const double *length = m->lengths;
    int32_t a = v[(k + 1) % 3], b = v[(k + 2) % 3];
    double *p = m->at[a], *q = m->at[b];
    double base[2] = {q[0] - p[0], q[1] - p[1]}, size = sqrt(base[0] * base[0] + base[1] * base[1]);
    double to_a = length[e[k]], to_b = length[e[(k + 2) % 3]];
    if (!(size > 0)) { /* corners placed by other paths that coincide */
        put_vertex(m, v[k], p[0] + to_a, p[1]);
        return;
    }
    double along = (to_a * to_a - to_b * to_b + size * size) / (2 * size);
    double off = sqrt(fmax(to_a * to_a - along * along, 0));
    double u[2] = {base[0] / size, base[1] / size};
    double side = u[0] * (from[1] - p[1]) - u[1] * (from[0] - p[0]);
    if (side > 0) off = -off;
    put_vertex(m, v[k], p[0] + along * u[0] - off * u[1], p[1] + along * u[1] + off * u[0]);
}

static void start_at_face(sheet_map *m, int32_t face) {
    const int32_t *v = m->cloth->faces + 3 * (size_t)face;
    double length = m->lengths[m->topology.face_edges[3 * (size_t)face]], x = m->right + 2 * length;
    for (int k = 0; k < 2; k++)
        if (!m->placed[v[k]]) put_vertex(m, v[k], x + k * length, 0);
    if (!m->placed[v[2]]) put_corner(m, face, 2, (double[2]){x, -1});
}

static void cross_edge(sheet_map *m, int32_t face, int edge, int32_t *tail) {
    const mus_topology *t = &m->topology;
    const int32_t *two = t->edge_faces + 2 * (size_t)t->face_edges[3 * (size_t)face + (size_t)edge];
    int32_t other = two[0] == face ? two[1] : two[0];
    if (other < 0 || m->seen[other]) return;
    m->seen[other] = 1;
    m->queue[(*tail)++] = other;
    const int32_t *v = m->cloth->faces + 3 * (size_t)other, *here = m->cloth->faces + 3 * (size_t)face;
    for (int k = 0; k < 3; k++)
        if (!m->placed[v[k]]) put_corner(m, other, k, m->at[here[(edge + 2) % 3]]);
}

static void place_vertices(sheet_map *m) {
    int32_t head = 0, tail = 0;
    for (int32_t f = 0; f < m->cloth->face_count; f++) {
        if (m->seen[f]) continue;
        m->seen[f] = 1;
        m->queue[tail++] = f;
        start_at_face(m, f);
        while (head < tail) {
            int32_t face = m->queue[head++];
            for (int k = 0; k < 3; k++) cross_edge(m, face, k, &tail);
        }
    }
}

static void take_middles(const sheet_map *m, float *place) {
    for (int32_t f = 0; f < m->cloth->face_count; f++) {
        const int32_t *v = m->cloth->faces + 3 * (size_t)f;
        for (int c = 0; c < 2; c++)
            place[2 * (size_t)f + (size_t)c] = (float)((m->at[v[0]][c] + m->at[v[1]][c] + m->at[v[2]][c]) / 3);
    }
}

/* Whether all edges have their lengths at rest. */
static bool is_flat(const sheet_map *m) {
    const mus_topology *t = &m->topology;
    for (int32_t e = 0; e < t->edge_count; e++) {
        const double *p = m->at[t->edges[2 * (size_t)e]], *q = m->at[t->edges[2 * (size_t)e + 1]];
        double size = sqrt((q[0] - p[0]) * (q[0] - p[0]) + (q[1] - p[1]) * (q[1] - p[1]));
        if (!(fabs(size - m->lengths[e]) <= flat_error * m->lengths[e])) return false;
    }
    return true;
}

static mus_status unfold(const mus_cloth *cloth, const double *lengths, float *middles, double (*vertices)[2],
                         bool *flat) {
    sheet_map m = {.cloth = cloth, .lengths = lengths};
    mus_status status = mus_topology_build(cloth->faces, cloth->face_count, cloth->vertex_count, &m.topology);
    if (status != MUS_STATUS_OK) return status;
    size_t count = (size_t)cloth->vertex_count + 1, faces = (size_t)cloth->face_count + 1;
    m.at = mus_new(sizeof *m.at * count);
    m.placed = mus_new(count);
    m.seen = mus_new(faces);
    m.queue = mus_new(sizeof *m.queue * faces);
    bool made = m.at && m.placed && m.seen && m.queue;
    if (made) place_vertices(&m);
    if (made && middles) take_middles(&m, middles);
    if (made && vertices) memcpy(vertices, m.at, sizeof *m.at * (size_t)cloth->vertex_count), *flat = is_flat(&m);
    mus_free(m.at);
    mus_free(m.placed);
    mus_free(m.seen);
    mus_free(m.queue);
    mus_topology_free(&m.topology);
    return made ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

mus_status mus_cloth_unfold(const mus_cloth *cloth, float *place) {
    return unfold(cloth, cloth->rest_lengths, place, NULL, NULL);
}

mus_status mus_cloth_unfold_vertices(const mus_cloth *cloth, const double *lengths, double (*vertices)[2], bool *flat) {
    return unfold(cloth, lengths, NULL, vertices, flat);
}
