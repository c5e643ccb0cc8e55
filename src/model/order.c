/* order.c: reverse Cuthill-McKee (Cuthill & McKee 1969; George & Liu 1979 for the start vertex) for cloths whose mesh
 * is numbered badly, and the reordered copy ("twin") of such a cloth. */
#include "model/order.h"
#include "base/parallel.h"
#include "model/crease.h"
#include "model/plastic_stretch.h"
#include "model/sheet.h"

#include <string.h>

/* Smaller cloths fit in caches anyway. An order is bad if it touches this many times the cache lines of a better one:
 * the numbering of mesh generators and subdivision has one and a half times as many. */
enum { LEAST = 1000, BAD = 3 };

/* ---- quality of an order ---- */

/* Number of cache lines that runs of faces touch, with LINE vertices per line. `seen` (one number per line) is scratch.
 */
static int64_t lines_of(const int32_t *faces, int32_t face_count, int32_t vertex_count, int32_t *seen) {
    enum { RUN = 256, LINE = 8 };
    int64_t lines = 0;
    for (int32_t k = 0; k <= (vertex_count - 1) / LINE; k++) seen[k] = -1;
    for (int32_t f = 0; f < face_count; f++)
        for (int k = 0; k < 3; k++) {
            int32_t *line = &seen[faces[3 * (size_t)f + (size_t)k] / LINE];
            if (*line != f / RUN) lines++, *line = f / RUN;
        }
    return lines;
}

/* ---- reverse Cuthill-McKee ---- */

/* Neighbors of a vertex, those with the fewest neighbors first. */
typedef struct graph {
    int32_t n, *start, *to;
} graph;

static void graph_free(graph *g) {
    mus_free(g->start);
    mus_free(g->to);
}

/* Sorts items by key, stably. `start` (keys + 1) is scratch. */
static void sort_by(const int32_t *key, const int32_t *items, int32_t count, int32_t keys, int32_t *start,
                    int32_t *sorted) {
    memset(start, 0, sizeof *start * ((size_t)keys + 1));
    for (int32_t k = 0; k < count; k++) start[key[k] + 1]++;
    for (int32_t k = 0; k < keys; k++) start[k + 1] += start[k];
    for (int32_t k = 0; k < count; k++) {
        int32_t item = items ? items[k] : k;
        sorted[start[key[item]]++] = item;
    }
}

static void place_ends(const int32_t *edges, int32_t edge_count, graph *g) {
    for (int32_t k = 0; k < 2 * edge_count; k++) g->to[g->start[edges[k]]++] = edges[k ^ 1];
    for (int32_t i = g->n; i > 0; i--) g->start[i] = g->start[i - 1];
    g->start[0] = 0;
}

static mus_status graph_make(const mus_topology *t, graph *g) {
    size_t n = (size_t)t->vertex_count, ends = 2 * (size_t)t->edge_count;
    *g = (graph){t->vertex_count, mus_new(sizeof(int32_t) * (n + 2)), mus_new(sizeof(int32_t) * (ends + 1))};
    int32_t *by = mus_new(sizeof(int32_t) * (3 * n + ends + 2)), *degree = by + n, *at = degree + n,
            *sorted = at + n + 1;
    if (!g->start || !g->to || !by) {
        mus_free(by);
        return MUS_STATUS_NO_MEMORY;
    }
    for (size_t k = 0; k < ends; k++) g->start[t->edges[k] + 1]++;
    for (size_t i = 0; i < n; i++) degree[i] = g->start[i + 1];
    for (size_t i = 0; i < n; i++) g->start[i + 1] += g->start[i];
    place_ends(t->edges, t->edge_count, g);
    /* vertices by their number of neighbors, each into the lists of these */
    sort_by(degree, NULL, g->n, g->n, at, by);
    memcpy(at, g->start, sizeof *at * n);
    for (size_t k = 0; k < n; k++)
        for (int32_t e = g->start[by[k]]; e < g->start[by[k] + 1]; e++) sorted[at[g->to[e]]++] = by[k];
    memcpy(g->to, sorted, sizeof *sorted * ends);
    mus_free(by);
    return MUS_STATUS_OK;
}

/* Lists the connected component of `from` in `queue`, level by level; returns its size. level[i] is -1 if not visited.
 */
static int32_t walk_levels(const graph *g, int32_t from, int32_t *level, int32_t *queue) {
    int32_t count = 0;
    level[from] = 0, queue[count++] = from;
    for (int32_t k = 0; k < count; k++)
        for (int32_t e = g->start[queue[k]]; e < g->start[queue[k] + 1]; e++) {
            int32_t other = g->to[e];
            if (level[other] >= 0) continue;
            level[other] = level[queue[k]] + 1, queue[count++] = other;
        }
    return count;
}

/* number[place] = vertex. A component begins at a vertex of nearly the largest distance to another. */
static mus_status cuthill_mckee(const mus_topology *t, int32_t *number) {
    enum { LOOKS = 8 };
    graph g;
    mus_status status = graph_make(t, &g);
    int32_t *level = status == MUS_STATUS_OK ? mus_new(sizeof *level * (size_t)g.n) : NULL;
    for (int32_t i = 0; level && i < g.n; i++) level[i] = -1;
    for (int32_t i = 0, done = 0; level && i < g.n; i++) {
        if (level[i] >= 0) continue;
        int32_t *queue = number + done, count = walk_levels(&g, i, level, queue);
        for (int look = 0, far = -1; look < LOOKS && level[queue[count - 1]] > far; look++) {
            far = level[queue[count - 1]];
            int32_t least = count - 1, degree = INT32_MAX;
            for (int32_t k = count; k-- > 0 && level[queue[k]] == far;)
                if (g.start[queue[k] + 1] - g.start[queue[k]] < degree)
                    least = k, degree = g.start[queue[k] + 1] - g.start[queue[k]];
            int32_t from = queue[least];
            for (int32_t k = 0; k < count; k++) level[queue[k]] = -1;
            walk_levels(&g, from, level, queue);
        }
        done += count;
    }
    for (int32_t a = 0, b = g.n - 1; level && a < b; a++, b--) {
        int32_t swap = number[a];
        number[a] = number[b], number[b] = swap;
    }
    if (status == MUS_STATUS_OK && !level) status = MUS_STATUS_NO_MEMORY;
    mus_free(level);
    graph_free(&g);
    return status;
}

/* ---- the twin ---- */

typedef struct twin {
    mus_cloth *given, *made;
    mus_cloth_order *order;
    int32_t *key, *list; /* room for one per element */
    int32_t *start;      /* and one per vertex */
} twin;

static int32_t lowest(const twin *t, const int32_t *vertices, int count) {
    int32_t least = t->order->rank[vertices[0]];
    for (int k = 1; k < count; k++)
        if (t->order->rank[vertices[k]] < least) least = t->order->rank[vertices[k]];
    return least;
}

static void rename_all(const twin *t, int32_t *vertices, int count) {
    for (int k = 0; k < count; k++)
        if (vertices[k] >= 0) vertices[k] = t->order->rank[vertices[k]];
}

/* Lists elements by their lowest place, which is in `key`, in ascending order. */
static void list_by_place(const twin *t, int32_t count) {
    sort_by(t->key, NULL, count, t->given->vertex_count, t->start, t->list);
}

/* Copies faces in their new order, with new vertex numbers. */
static void sort_faces(twin *t, int32_t *faces) {
    const mus_cloth *from = t->given;
    for (int32_t f = 0; f < from->face_count; f++) t->key[f] = lowest(t, from->faces + 3 * (size_t)f, 3);
    list_by_place(t, from->face_count);
    memcpy(t->order->face_number, t->list, sizeof *t->list * (size_t)from->face_count);
    for (int32_t f = 0; f < from->face_count; f++) {
        memcpy(faces + 3 * (size_t)f, from->faces + 3 * (size_t)t->list[f], sizeof *faces * 3);
        rename_all(t, faces + 3 * (size_t)f, 3);
    }
}

static void put_edges(const twin *t) {
    for (int32_t f = 0; f < t->given->face_count; f++)
        for (size_t k = 0; k < 3; k++) {
            int32_t edge = t->made->topology.face_edges[3 * (size_t)f + k];
            int32_t given = t->given->topology.face_edges[3 * (size_t)t->order->face_number[f] + k];
            t->made->rest_lengths[edge] = t->given->rest_lengths[given];
        }
}

static void list_springs(const twin *t) {
    const mus_cloth *from = t->given;
    for (int32_t k = 0; k < from->spring_count; k++)
        t->key[k] = lowest(t, (int32_t[]){from->springs[k].a, (int32_t)from->springs[k].b}, 2);
    list_by_place(t, from->spring_count);
}

static void put_springs(const twin *t) {
    const mus_cloth *from = t->given;
    list_springs(t);
    for (int32_t k = 0; k < from->spring_count; k++) {
        mus_spring *s = &t->made->springs[k];
        *s = from->springs[t->list[k]];
        s->a = t->order->rank[s->a], s->b = (uint32_t)t->order->rank[s->b] & 0x3fffffff;
        if (from->spring_factors) t->made->spring_factors[k] = from->spring_factors[t->list[k]];
        if (from->plastic_stretches) t->made->plastic_stretches[k] = from->plastic_stretches[t->list[k]];
    }
    t->made->spring_count = from->spring_count;
}

static void put_crease(const twin *t, int32_t k) {
    if (t->given->creases) t->made->creases[k] = t->given->creases[t->list[k]];
}

/* Hinges, or folds of a sheet. */
static void list_folds(const twin *t) {
    const mus_cloth *from = t->given;
    int32_t count = mus_cloth_fold_count(from);
    for (int32_t k = 0; k < count; k++) t->key[k] = lowest(t, mus_cloth_fold_vertices(from, k), 4);
    list_by_place(t, count);
}

static void put_hinges(const twin *t) {
    const mus_cloth *from = t->given;
    list_folds(t);
    for (int32_t k = 0; k < from->hinge_count; k++) {
        t->made->hinges[k] = from->hinges[t->list[k]];
        rename_all(t, t->made->hinges[k].vertex, 4);
        put_crease(t, k);
    }
    t->made->hinge_count = from->hinge_count;
}

static mus_status put_sheet(const twin *t) {
    const mus_sheet *from = t->given->sheet;
    mus_sheet *to = t->made->sheet = mus_new(sizeof *to);
    if (!to) return MUS_STATUS_NO_MEMORY;
    size_t faces = (size_t)t->given->face_count;
    *to = (mus_sheet){.faces = mus_new(sizeof *to->faces * faces),
                      .plates = mus_new(sizeof *to->plates * ((size_t)from->plate_count + 1)),
                      .folds = mus_new(sizeof *to->folds * ((size_t)from->fold_count + 1)),
                      .plate_count = from->plate_count,
                      .fold_count = from->fold_count};
    int32_t *at = mus_new(sizeof *at * (faces + (size_t)from->fold_count + 1)); /* of a plate's face; of a fold */
    if (!to->faces || !to->plates || !to->folds || !at) {
        mus_free(at);
        return MUS_STATUS_NO_MEMORY;
    }
    list_folds(t);
    for (int32_t k = 0; k < from->fold_count; k++) {
        to->folds[k] = from->folds[t->list[k]];
        rename_all(t, to->folds[k].vertex, 4);
        put_crease(t, k);
        at[faces + (size_t)t->list[k]] = k;
    }
    for (size_t f = 0; f < faces; f++) at[f] = -1;
    for (int32_t k = 0; k < from->plate_count; k++) at[from->plates[k].face] = k;
    for (int32_t f = 0, next = 0; f < t->given->face_count; f++) {
        int32_t given = t->order->face_number[f];
        to->faces[f] = from->faces[given];
        if (t->given->plastic_stretches) t->made->plastic_stretches[f] = t->given->plastic_stretches[given];
        if (at[given] < 0) continue;
        mus_plate *plate = &to->plates[next++];
        *plate = from->plates[at[given]];
        plate->face = f;
        rename_all(t, plate->vertex, 6);
        for (int k = 0; k < 3; k++)
            if (plate->fold[k] >= 0) plate->fold[k] = at[faces + (size_t)plate->fold[k]];
    }
    mus_free(at);
    return MUS_STATUS_OK;
}

/* Numbers of vertices in the twin's order; NULL: none. Returns false if memory runs out. */
static bool put_map(const mus_cloth_order *order, int32_t count, const double *from, double **to) {
    if (!from) return true;
    if (!(*to = mus_new(sizeof **to * (size_t)count))) return false;
    for (int32_t i = 0; i < count; i++) (*to)[order->rank[i]] = from[i];
    return true;
}

static mus_status put_elements(twin *t) {
    const mus_cloth *from = t->given;
    mus_cloth *to = t->made;
    to->material = from->material, to->thickness = from->thickness;
    to->friction = from->friction, to->restitution = from->restitution, to->self_collision = from->self_collision;
    to->layer = from->layer;
    to->mean_edge = from->mean_edge;
    memcpy(to->spring_laws, from->spring_laws, sizeof to->spring_laws);
    if (from->creases) {
        size_t count = (size_t)mus_cloth_fold_count(from) + 1;
        if (!(to->creases = mus_new(sizeof *to->creases * count))) return MUS_STATUS_NO_MEMORY;
    }
    if (from->plastic_stretches) {
        size_t count = (size_t)mus_plastic_stretch_count(from) + 1;
        if (!(to->plastic_stretches = mus_new(sizeof *to->plastic_stretches * count))) return MUS_STATUS_NO_MEMORY;
    }
    if (!put_map(t->order, from->vertex_count, from->thicknesses, &to->thicknesses) ||
        !put_map(t->order, from->vertex_count, from->max_thicknesses, &to->max_thicknesses) ||
        !put_map(t->order, from->vertex_count, from->frictions, &to->frictions) ||
        !put_map(t->order, from->vertex_count, from->strain_limits, &to->strain_limits) ||
        !put_map(t->order, from->vertex_count, from->dampings, &to->dampings))
        return MUS_STATUS_NO_MEMORY;
    if (from->spring_factors) {
        size_t count = (size_t)from->spring_count + 1;
        if (!(to->spring_factors = mus_new(sizeof *to->spring_factors * count))) return MUS_STATUS_NO_MEMORY;
    }
    for (int32_t i = 0; i < from->vertex_count; i++) to->mass[t->order->rank[i]] = from->mass[i];
    put_edges(t), put_springs(t);
    if (!from->sheet) put_hinges(t);
    if (from->warps) {
        if (!(to->warps = mus_new(sizeof *to->warps * (size_t)from->face_count))) return MUS_STATUS_NO_MEMORY;
        for (int32_t f = 0; f < from->face_count; f++) to->warps[f] = from->warps[t->order->face_number[f]];
    }
    return from->sheet ? put_sheet(t) : MUS_STATUS_OK;
}

/* Makes the twin from faces in their new order. */
static mus_status make_twin(twin *t, const int32_t *faces) {
    const mus_cloth *from = t->given;
    mus_status status = mus_cloth_shell(from->name, from->vertex_count, faces, from->face_count, &t->made);
    if (status == MUS_STATUS_OK) status = put_elements(t);
    if (status != MUS_STATUS_OK) {
        mus_cloth_free(t->made);
        return status;
    }
    mus_cloth_trim(t->made);
    t->order->solved = t->made, t->order->given = t->given;
    t->made->order = t->given->order = t->order;
    return MUS_STATUS_OK;
}

mus_status mus_cloth_put_in_order(mus_cloth *cloth) {
    size_t n = (size_t)cloth->vertex_count, faces = (size_t)cloth->face_count, elements = faces;
    if (n < LEAST || cloth->grid_nodes[0]) return MUS_STATUS_OK;
    if ((size_t)cloth->spring_count > elements) elements = (size_t)cloth->spring_count;
    if ((size_t)cloth->topology.hinge_count > elements) elements = (size_t)cloth->topology.hinge_count;
    mus_cloth_order *o = mus_new(sizeof *o);
    if (!o) return MUS_STATUS_NO_MEMORY;
    o->rank = mus_new(sizeof *o->rank * n);
    o->number = mus_new(sizeof *o->number * n);
    o->face_number = mus_new(sizeof *o->face_number * faces);
    int32_t *scratch = mus_new(sizeof *scratch * (2 * elements + n + 1)), *sorted = mus_new(sizeof *sorted * 3 * faces);
    bool all = o->rank && o->number && o->face_number && scratch && sorted;
    mus_status status = all ? cuthill_mckee(&cloth->topology, o->number) : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) {
        twin t = {
            .given = cloth, .order = o, .key = scratch, .list = scratch + elements, .start = scratch + 2 * elements};
        for (int32_t k = 0; k < cloth->vertex_count; k++) o->rank[o->number[k]] = k;
        sort_faces(&t, sorted);
        int64_t lines = lines_of(cloth->faces, cloth->face_count, cloth->vertex_count, t.start);
        if (lines > BAD * lines_of(sorted, cloth->face_count, cloth->vertex_count, t.start))
            status = make_twin(&t, sorted);
    }
    mus_free(scratch);
    mus_free(sorted);
    if (!cloth->order) mus_cloth_order_release(o);
    return status;
}

/* ---- state ---- */

static void send_plastic_stretches(const twin *t) {
    if (!t->given->plastic_stretches) return;
    size_t bytes = sizeof(double) * (size_t)mus_plastic_stretch_numbers(t->given);
    if (!t->given->sheet) list_springs(t);
    const int32_t *list = t->given->sheet ? t->order->face_number : t->list;
    for (int32_t k = 0; k < mus_plastic_stretch_count(t->given); k++) {
        memcpy(mus_plastic_stretch_rest(t->made, k), mus_plastic_stretch_rest(t->given, list[k]), bytes);
        t->made->plastic_stretches[k] = t->given->plastic_stretches[list[k]];
    }
}

mus_status mus_cloth_send_rest(mus_cloth *given) {
    mus_cloth *made = mus_cloth_solved(given);
    if (made == given) return MUS_STATUS_OK;
    int32_t folds = mus_cloth_fold_count(given), count = folds > given->spring_count ? folds : given->spring_count;
    int32_t *scratch = mus_new(sizeof *scratch * (2 * (size_t)count + (size_t)given->vertex_count + 1));
    if (!scratch) return MUS_STATUS_NO_MEMORY;
    twin t = {.given = given, .made = made, .order = given->order, .key = scratch, .list = scratch + count};
    t.start = t.list + count;
    list_folds(&t);
    for (int32_t k = 0; k < folds; k++) {
        if (given->sheet)
            made->sheet->folds[k].rest = given->sheet->folds[t.list[k]].rest;
        else
            made->hinges[k].rest = given->hinges[t.list[k]].rest;
        put_crease(&t, k);
    }
    send_plastic_stretches(&t);
    mus_free(scratch);
    return MUS_STATUS_OK;
}

static bool reserve_arrays(mus_cloth *to, const mus_cloth *from) {
    if (from->force_jacobian && !to->force_jacobian)
        to->force_jacobian = mus_new(sizeof(double) * mus_cloth_force_jacobian_size(to));
    if (from->wind && !to->wind) to->wind = mus_new(sizeof *to->wind * (size_t)to->face_count);
    return (to->force_jacobian || !from->force_jacobian) && (to->wind || !from->wind);
}

mus_status mus_cloth_send(mus_cloth *from) {
    const mus_cloth_order *o = from->order;
    if (!o) return MUS_STATUS_OK;
    mus_cloth *to = o->solved;
    const v3 *x = (const v3 *)from->x, *v = (const v3 *)from->v, *f = (const v3 *)from->f;
    if (!reserve_arrays(to, from)) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < to->vertex_count; k++) {
        int32_t i = o->number[k];
        ((v3 *)to->x)[k] = x[i], ((v3 *)to->v)[k] = v[i], ((v3 *)to->f)[k] = f[i];
        to->inverse_mass[k] = from->inverse_mass[i];
    }
    to->previous_dt = from->previous_dt;
    to->pin_count = from->pin_count;
    to->spring_programs = from->spring_programs;
    to->windy = from->windy;
    for (int32_t k = 0; from->windy && k < to->face_count; k++) to->wind[k] = from->wind[o->face_number[k]];
    memcpy(to->jacobian_form, from->jacobian_form, sizeof to->jacobian_form);
    for (int by = 0; by < 2; by++)
        for (int c = 0; from->jacobian_form[by] != MUS_JACOBIAN_NONE && c < 6; c++)
            for (int32_t k = 0; k < to->vertex_count; k++)
                mus_cloth_force_jacobian(to, by, c)[k] = mus_cloth_force_jacobian(from, by, c)[o->number[k]];
    return MUS_STATUS_OK;
}

typedef struct receiving {
    mus_cloth *to;
    const v3 *x, *v;
} receiving;

static void receive_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const receiving *r = context;
    v3 *places = (v3 *)r->to->x, *velocities = (v3 *)r->to->v;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        int32_t k = mus_cloth_solved_vertex(r->to, (int32_t)i);
        places[i] = r->x[k], velocities[i] = r->v[k];
    }
}

void mus_cloth_receive(mus_cloth *to, const v3 *x, const v3 *v, int threads) {
    mus_parallel_vertices(threads, to->vertex_count, receive_rows, &(receiving){to, x, v});
}
