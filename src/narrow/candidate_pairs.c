/* candidate_pairs.c: filters pairs of overlapping boxes. Most are rejected by an axis along which the two sides stay
 * apart over the whole step, motion bound included. */
#include "narrow/candidate_pairs.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "mesh/distance.h"
#include "narrow/cylinder.h"
#include "narrow/filter_kernel.h"

#include <string.h>

double mus_candidate_pair_nearest(const mus_candidate_pair *c, const v3 *x, v3 *d, double weight[4]) {
    const int32_t *v = c->vertex;
    double w[3];
    if (c->edge_edge) {
        *d = mus_nearest_edge_edge(x[v[0]], x[v[1]], x[v[2]], x[v[3]], w);
        weight[0] = -(1 - w[0]), weight[1] = -w[0], weight[2] = 1 - w[1], weight[3] = w[1];
    } else {
        *d = mus_nearest_vertex_face(x[v[0]], x[v[1]], x[v[2]], x[v[3]], w);
        weight[0] = 1, weight[1] = -w[0], weight[2] = -w[1], weight[3] = -w[2];
    }
    return v3_length(*d);
}

/* Candidate pairs of one kind, queued for the kernel. */
typedef struct nearest_queue {
    mus_filter_batch batch;
    int64_t place[MUS_FILTER_BATCH];
} nearest_queue;

static void flush_nearest(const mus_candidate_pair *candidates, const v3 *x, mus_filter_nearest *kernel,
                          nearest_queue *q, mus_nearest *out) {
    mus_filter_batch *b = &q->batch;
    double weight[4][MUS_FILTER_BATCH];
    if (!b->count) return;
    uint64_t near_pairs = kernel(x, b, weight);
    for (int k = 0; k < b->count; k++) {
        mus_nearest *n = &out[q->place[k]];
        if (near_pairs >> k & 1)
            *n = (mus_nearest){v3_make(b->axis[0][k], b->axis[1][k], b->axis[2][k]),
                               {weight[0][k], weight[1][k], weight[2][k], weight[3][k]},
                               b->length[k]};
        else
            n->length = mus_candidate_pair_nearest(&candidates[q->place[k]], x, &n->d, n->weight);
    }
    b->count = 0;
}

void mus_candidate_pairs_nearest(const mus_candidate_pair *candidates, int64_t count, const v3 *x, mus_nearest *out) {
    static mus_filter_nearest *const kernel[2][MUS_SIMD_COUNT] = {
        {mus_filter_nearest_vf_baseline, mus_filter_nearest_vf_avx2, mus_filter_nearest_vf_avx512},
        {mus_filter_nearest_ee_baseline, mus_filter_nearest_ee_avx2, mus_filter_nearest_ee_avx512}};
    mus_simd level = mus_simd_level();
    nearest_queue queues[2];
    queues[0].batch.count = queues[1].batch.count = 0;
    for (int64_t k = 0; k < count; k++) {
        const mus_candidate_pair *c = &candidates[k];
        nearest_queue *q = &queues[c->edge_edge];
        memcpy(q->batch.vertex[q->batch.count], c->vertex, sizeof c->vertex);
        q->place[q->batch.count++] = k;
        if (q->batch.count == MUS_FILTER_BATCH) flush_nearest(candidates, x, kernel[c->edge_edge][level], q, out);
    }
    for (int e = 0; e < 2; e++) flush_nearest(candidates, x, kernel[e][level], &queues[e], out);
}

/* Sum over the sides that two vertices belong to. */
static double pair_radius(const mus_assembly *a, int32_t one, int32_t other) {
    return mus_assembly_radius(a, one) + mus_assembly_radius(a, other);
}
static double pair_thickness(const mus_assembly *a, const int32_t v[4], bool edge_edge) {
    int sides = edge_edge ? 2 : 1; /* vertices of the first side */
    double thickness = mus_assembly_pair_thickness(a, v, edge_edge);
    int32_t cloth = a->cloth_vertex_count;
    if (!a->neighbors.list.count || v[0] >= cloth || v[sides] >= cloth) return thickness;
    if (!a->joined && a->object_of[v[0]] != a->object_of[v[sides]]) return thickness;
    for (int i = 0; i < sides; i++)
        for (int k = sides; k < 4; k++)
            thickness = fmin(thickness, MUS_NEIGHBOR_SHARE * mus_neighbors_distance(&a->neighbors, v[i], v[k]));
    return thickness;
}

/* A thickness reduced between neighbors is all of their range: a mesh at rest lies just beyond it. */
static double pair_range(const mus_assembly *a, const int32_t v[4], bool edge_edge, double thickness) {
    double full = mus_assembly_pair_thickness(a, v, edge_edge);
    return thickness < full ? thickness : MUS_CONTACT_RANGE * full;
}

double mus_candidate_pair_radius(const mus_assembly *a, const mus_candidate_pair *c) {
    return pair_radius(a, c->vertex[0], c->vertex[c->edge_edge ? 2 : 1]);
}

double mus_candidate_pair_thickness(const mus_assembly *a, const mus_candidate_pair *c) {
    return pair_thickness(a, c->vertex, c->edge_edge);
}

double mus_candidate_pair_range(const mus_assembly *a, const mus_candidate_pair *c, double thickness) {
    return pair_range(a, c->vertex, c->edge_edge, thickness);
}

typedef struct filter {
    const mus_assembly *a;
    const mus_pair *pairs;
    const mus_motion_bounds *bounds;
    mus_candidate_pair *out; /* one slot per pair */
} filter;

/* Pairs of one kind, queued for the filter. */
typedef struct queue {
    mus_filter_batch batch;
    mus_candidate_pair *slot[MUS_FILTER_BATCH];
} queue;

/* Neighbors in a cloth have a smaller thickness. It depends on all their vertices, so it is computed only for pairs
 * that pass with the full range: a pair that stays apart by the full range also stays apart by the smaller one. */
static uint64_t filter_neighbors(const filter *f, mus_filter_kept *kernel, bool edge_edge, const mus_filter_batch *b,
                                 uint64_t kept) {
    const mus_assembly *a = f->a;
    if (!a->neighbors.list.count) return kept;
    mus_filter_batch nearer;
    uint8_t place[MUS_FILTER_BATCH];
    nearer.count = 0, nearer.near = b->near;
    for (uint64_t bits = kept; bits; bits &= bits - 1) {
        int k = __builtin_ctzll(bits), to = nearer.count;
        double thickness = pair_thickness(a, b->vertex[k], edge_edge);
        double range = pair_range(a, b->vertex[k], edge_edge, thickness);
        if (range >= b->range[k]) continue;
        memcpy(nearer.vertex[to], b->vertex[k], sizeof nearer.vertex[to]);
        nearer.radius[to] = b->radius[k], nearer.range[to] = range, nearer.motion_bound[to] = b->motion_bound[k];
        place[nearer.count++] = (uint8_t)k;
    }
    if (!nearer.count) return kept;
    uint64_t still = kernel(a->x0, f->bounds->end, &nearer);
    for (int k = 0; k < nearer.count; k++)
        if (!(still >> k & 1)) kept &= ~((uint64_t)1 << place[k]);
    return kept;
}

static void flush(const filter *f, mus_filter_kept *kernel, bool edge_edge, queue *q) {
    mus_filter_batch *b = &q->batch;
    bool skin_radii = f->bounds->skin_radii != NULL;
    uint64_t kept = kernel(skin_radii ? f->bounds->end : f->a->x0, f->bounds->end, b);
    if (kept && !skin_radii) kept = filter_neighbors(f, kernel, edge_edge, b, kept);
    for (int k = 0; k < b->count; k++) {
        mus_candidate_pair *c = q->slot[k];
        c->rejected = !(kept >> k & 1);
        if (c->rejected) continue;
        *c = (mus_candidate_pair){.axis = {(float)b->axis[0][k], (float)b->axis[1][k], (float)b->axis[2][k]},
                                  .gap0 = (float)(b->length[k] - b->radius[k]),
                                  .edge_edge = edge_edge};
        memcpy(c->vertex, b->vertex[k], sizeof c->vertex);
        if (b->radius[k] > 0 && mus_pair_has_cylinder(f->a, c->vertex)) {
            mus_cylinder_nearest nearest; /* so far tested as a capsule, which contains it */
            mus_cylinder_find_nearest(f->a, c, 0, &nearest);
            c->gap0 = (float)nearest.gap;
        }
    }
    b->count = 0;
}

static bool has_motion_bound(const filter *f, int32_t vertex) {
    return vertex < f->a->cloth_vertex_count ||
           (f->bounds->rigid_bodies && f->a->objects[f->a->object_of[vertex]].rigid);
}

/* Sum (m) of the skin radii of two sides: of each side the largest among its vertices. */
static double sum_skin_radii(const float *skin_radii, const int32_t v[4], bool edge_edge) {
    float a = skin_radii[v[0]], b = skin_radii[v[1]], c = skin_radii[v[2]], d = skin_radii[v[3]];
    if (edge_edge) return (double)(a > b ? a : b) + (double)(c > d ? c : d);
    float cd = c > d ? c : d;
    return (double)a + (double)(b > cd ? b : cd);
}

static void filter_block(void *context, int64_t begin, int64_t end, int64_t block) {
    static mus_filter_kept *const kernel[2][MUS_SIMD_COUNT] = {
        {mus_filter_kept_vf_baseline, mus_filter_kept_vf_avx2, mus_filter_kept_vf_avx512},
        {mus_filter_kept_ee_baseline, mus_filter_kept_ee_avx2, mus_filter_kept_ee_avx512}};
    filter *f = context;
    (void)block;
    const mus_assembly *a = f->a;
    int32_t cloth = a->cloth_vertex_count, object[2] = {-1, -1};
    double radius = 0, range = 0, motion_bound = 0; /* of the current pair of objects */
    bool varies = false;                            /* thickness within that pair */
    mus_simd level = mus_simd_level();
    const float *skin_radii = f->bounds->skin_radii;
    /* A neighbor list ignores exemptions, which change from step to step. */
    bool has_exemptions = !skin_radii && mus_assembly_has_exemptions(a);
    queue queues[2];
    for (int k = 0; k < 2; k++) queues[k].batch.count = 0, queues[k].batch.near = skin_radii || f->bounds->near;
    for (int64_t k = begin; k < end; k++) {
        const mus_pair *p = &f->pairs[k];
        if (has_exemptions && mus_assembly_is_exempt(a, p->vertex, p->edge_edge ? 2 : 1, 4)) {
            f->out[k].rejected = 1;
            continue;
        }
        queue *q = &queues[p->edge_edge];
        int to = q->batch.count++;
        int32_t *v = q->batch.vertex[to];
        bool swap = p->edge_edge && p->vertex[0] >= cloth;
        for (int i = 0; i < 4; i++) v[i] = p->vertex[swap ? (i + 2) % 4 : i];
        int32_t other = v[p->edge_edge ? 2 : 1];
        if (a->object_of[v[0]] != object[0] || a->object_of[other] != object[1]) {
            object[0] = a->object_of[v[0]], object[1] = a->object_of[other];
            radius = pair_radius(a, v[0], other);
            varies = a->objects[object[0]].thicknesses || a->objects[object[1]].thicknesses;
            range = MUS_CONTACT_RANGE * mus_assembly_pair_thickness(a, v, p->edge_edge);
            bool both = has_motion_bound(f, v[0]) && has_motion_bound(f, other);
            motion_bound = both ? 2 * f->bounds->motion_bound : f->bounds->motion_bound;
        }
        if (varies) range = MUS_CONTACT_RANGE * mus_assembly_pair_thickness(a, v, p->edge_edge);
        q->slot[to] = &f->out[k];
        q->batch.radius[to] = radius, q->batch.range[to] = range, q->batch.motion_bound[to] = motion_bound;
        if (skin_radii) {
            q->batch.range[to] = fmax(range, MUS_MOTION_BOUND_APPROACH * f->bounds->motion_bound) +
                                 sum_skin_radii(skin_radii, v, p->edge_edge);
            q->batch.motion_bound[to] = 0;
        }
        if (q->batch.count == MUS_FILTER_BATCH) flush(f, kernel[p->edge_edge][level], p->edge_edge, q);
    }
    for (int edge_edge = 0; edge_edge < 2; edge_edge++)
        if (queues[edge_edge].batch.count) flush(f, kernel[edge_edge][level], edge_edge, &queues[edge_edge]);
}

mus_status mus_candidate_pairs_filter(const mus_assembly *a, const mus_pair *pairs, int64_t count,
                                      const mus_motion_bounds *bounds, int threads, mus_candidate_pair_list *list) {
    enum { CHUNK = 1 << 16, WORTH_THREADS = 2048 }; /* bounds the scratch memory; small enough for the cache */
    for (int64_t from = 0; from < count; from += CHUNK) {
        int64_t size = count - from < CHUNK ? count - from : CHUNK;
        if (!mus_array_reserve(list, list->count + size)) return MUS_STATUS_NO_MEMORY;
        filter f = {a, pairs + from, bounds, list->data + list->count};
        mus_parallel_for(size < WORTH_THREADS ? 1 : threads, size, 1024, filter_block, &f);
        int64_t kept = list->count;
        for (int64_t k = 0; k < size; k++)
            if (!f.out[k].rejected) list->data[kept++] = f.out[k];
        list->count = kept;
    }
    return MUS_STATUS_OK;
}

mus_status mus_found_filter(const mus_assembly *a, const mus_pair *pairs, int64_t count,
                            const mus_motion_bounds *bounds, mus_found *found) {
    enum { CHUNK = 512 };
    mus_candidate_pair out[CHUNK];
    for (int64_t from = 0; from < count; from += CHUNK) {
        int64_t size = count - from < CHUNK ? count - from : CHUNK;
        filter f = {a, pairs + from, bounds, out};
        filter_block(&f, 0, size, 0);
        for (int64_t k = 0; k < size; k++) {
            if (out[k].rejected) continue;
            struct mus_found_place place = {pairs[from + k].order, found->candidates.count};
            if (!mus_array_push(&found->places, place) || !mus_array_push(&found->candidates, out[k]))
                return MUS_STATUS_NO_MEMORY;
        }
    }
    return MUS_STATUS_OK;
}

/* Shell sort: the places are nearly in order, and the C library's sort may allocate. */
void mus_found_sort(mus_found *found) {
    static const int64_t gaps[] = {1750000, 350000, 70000, 14000, 3500, 701, 132, 23, 4, 1};
    struct mus_found_place *x = found->places.data;
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++)
        for (int64_t k = gaps[g]; k < found->places.count; k++) {
            struct mus_found_place place = x[k];
            int64_t at = k;
            for (; at >= gaps[g] && x[at - gaps[g]].order > place.order; at -= gaps[g]) x[at] = x[at - gaps[g]];
            x[at] = place;
        }
}

mus_status mus_found_move(mus_found *found, mus_candidate_pair_list *list) {
    if (!mus_array_reserve(list, list->count + found->places.count)) return MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < found->places.count; k++)
        list->data[list->count++] = found->candidates.data[found->places.data[k].index];
    found->candidates.count = found->places.count = 0;
    return MUS_STATUS_OK;
}

void mus_found_free(mus_found *found) {
    mus_array_free(&found->candidates);
    mus_array_free(&found->places);
}

/* Returns a mask for up to MUS_FILTER_BATCH candidate pairs: bit k is set if pair k is near at x1. The smaller
 * thickness of neighbors is computed only for pairs that are near by the full thickness. */
static uint64_t near_at_end(const mus_assembly *a, const mus_candidate_pair *c, int count) {
    static mus_filter_near *const kernel[2][MUS_SIMD_COUNT] = {
        {mus_filter_near_vf_baseline, mus_filter_near_vf_avx2, mus_filter_near_vf_avx512},
        {mus_filter_near_ee_baseline, mus_filter_near_ee_avx2, mus_filter_near_ee_avx512}};
    mus_filter_batch batch[2]; /* vertex–face, edge–edge */
    uint8_t place[2][MUS_FILTER_BATCH];
    uint64_t near = 0;
    batch[0].count = batch[1].count = 0;
    for (int k = 0; k < count; k++) {
        mus_filter_batch *b = &batch[c[k].edge_edge];
        int to = b->count++;
        const int32_t *v = c[k].vertex;
        int32_t other = v[c[k].edge_edge ? 2 : 1];
        double thickness = mus_assembly_pair_thickness(a, v, c[k].edge_edge);
        memcpy(b->vertex[to], v, sizeof b->vertex[to]);
        b->range[to] = (1 + 1e-6) * (pair_radius(a, v[0], other) + MUS_CONTACT_RANGE * thickness);
        place[c[k].edge_edge][to] = (uint8_t)k;
    }
    for (int kind = 0; kind < 2; kind++) {
        uint64_t bits = batch[kind].count ? kernel[kind][mus_simd_level()](a->x1, &batch[kind]) : 0;
        for (; bits; bits &= bits - 1) {
            int at = __builtin_ctzll(bits), k = place[kind][at];
            double range = mus_candidate_pair_range(a, &c[k], mus_candidate_pair_thickness(a, &c[k]));
            double most = mus_candidate_pair_radius(a, &c[k]) + range;
            if (!(batch[kind].length[at] > (1 + 1e-6) * most)) near |= (uint64_t)1 << k;
        }
    }
    return near;
}

typedef struct near_filter_job {
    const mus_assembly *a;
    const mus_candidate_pair *from;
    uint64_t *near; /* one mask per MUS_FILTER_BATCH pairs */
} near_filter_job;

static void test_ends_block(void *context, int64_t begin, int64_t end, int64_t block) {
    const near_filter_job *j = context;
    (void)block;
    for (int64_t k = begin; k < end; k += MUS_FILTER_BATCH) {
        int count = end - k < MUS_FILTER_BATCH ? (int)(end - k) : MUS_FILTER_BATCH;
        j->near[k / MUS_FILTER_BATCH] = near_at_end(j->a, j->from + k, count);
    }
}

mus_status mus_candidate_pairs_keep_near(const mus_assembly *a, const mus_candidate_pair_list *from, int threads,
                                         mus_candidate_pair_list *to) {
    enum { CHUNK = 8192, BLOCK = 16 * MUS_FILTER_BATCH };
    uint64_t near[CHUNK / MUS_FILTER_BATCH];
    to->count = 0;
    for (int64_t first = 0; first < from->count; first += CHUNK) {
        int64_t size = from->count - first < CHUNK ? from->count - first : CHUNK;
        near_filter_job j = {a, from->data + first, near};
        mus_parallel_for(threads, size, BLOCK, test_ends_block, &j);
        for (int64_t k = 0; k < size; k += MUS_FILTER_BATCH)
            for (uint64_t bits = near[k / MUS_FILTER_BATCH]; bits; bits &= bits - 1)
                if (!mus_array_push(to, j.from[k + __builtin_ctzll(bits)])) return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}
