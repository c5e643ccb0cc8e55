/* candidates.c: from pairs of overlapping boxes to pairs that matter: an axis along which the two sides stay apart over
 * the whole step, wandering included, settles most of them. */
#include "narrow/candidates.h"
#include "base/parallel.h"
#include "mesh/distance.h"

double mus_candidate_nearest(const mus_candidate *c, const v3 *x, v3 *d, double weight[4]) {
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

double mus_candidate_radius(const mus_assembly *a, const mus_candidate *c) {
    int32_t other = c->vertex[c->edge_edge ? 2 : 1];
    return mus_assembly_radius(a, c->vertex[0]) + mus_assembly_radius(a, other);
}

double mus_candidate_thickness(const mus_assembly *a, const mus_candidate *c) {
    int32_t other = c->vertex[c->edge_edge ? 2 : 1];
    return mus_assembly_reach(a, c->vertex[0]) + mus_assembly_reach(a, other);
}

/* Least extent along d by which side A is beyond side B. */
static double separation(const mus_candidate *c, const v3 *x, v3 d) {
    const int32_t *v = c->vertex;
    double p0 = v3_dot(d, x[v[0]]), p1 = v3_dot(d, x[v[1]]), p2 = v3_dot(d, x[v[2]]), p3 = v3_dot(d, x[v[3]]);
    if (c->edge_edge) return fmin(p2, p3) - fmax(p0, p1);
    return p0 - fmax(p1, fmax(p2, p3));
}

typedef struct filter {
    const mus_assembly *a;
    const mus_pair *pairs;
    const v3 *envelope;
    double wander;
    mus_candidate *out; /* one slot a pair */
} filter;

/* Apart along d at both ends: by the contact's range at the end, and wherever its vertices may still wander from there?
 * The slack covers rounding, which is far below it: a pair that is kept is decided exactly later, one that is dropped
 * stays clear by at least the slack. */
static bool stays_apart(const filter *f, const mus_candidate *c, v3 d, double length, double radius, double reach,
                        double wander) {
    double slack = 1e-6 * length;
    double spread = fabs(d.x) + fabs(d.y) + fabs(d.z);
    if (separation(c, f->a->x0, d) <= radius * length + slack) return false;
    return separation(c, f->envelope, d) > radius * length + fmax(reach * length, wander * spread) + slack;
}

static void filter_block(void *context, int64_t begin, int64_t end, int64_t block) {
    filter *f = context;
    (void)block;
    int32_t cloth = f->a->cloth_vertex_count;
    for (int64_t k = begin; k < end; k++) {
        const mus_pair *p = &f->pairs[k];
        mus_candidate *c = &f->out[k];
        *c = (mus_candidate){.edge_edge = p->edge_edge};
        bool swap = p->edge_edge && p->vertex[0] >= cloth;
        for (int i = 0; i < 4; i++) c->vertex[i] = p->vertex[swap ? (i + 2) % 4 : i];
        bool obstacle = c->vertex[0] >= cloth || c->vertex[2] >= cloth;
        double radius = mus_candidate_radius(f->a, c);
        double reach = MUS_CONTACT_RANGE * mus_candidate_thickness(f->a, c),
               wander = obstacle ? f->wander : 2 * f->wander;
        v3 d;
        double weight[4];
        c->checked = 1; /* dropped, until it is kept */
        double length = mus_candidate_nearest(c, f->a->x0, &d, weight);
        if (stays_apart(f, c, d, length, radius, reach, wander)) continue;
        v3 end_d;
        double end_length = mus_candidate_nearest(c, f->envelope, &end_d, weight);
        if (stays_apart(f, c, end_d, end_length, radius, reach, wander)) continue;
        c->axis[0] = (float)d.x, c->axis[1] = (float)d.y, c->axis[2] = (float)d.z;
        c->gap0 = (float)(length - radius);
        c->checked = 0;
    }
}

mus_status mus_candidates_filter(const mus_assembly *a, const mus_pair *pairs, int64_t count, const v3 *envelope,
                                 double wander, int threads, mus_candidate_list *list) {
    enum { CHUNK = 1 << 16, WORTH_THREADS = 8192 }; /* bounds the scratch; small enough to stay in cache */
    for (int64_t from = 0; from < count; from += CHUNK) {
        int64_t size = count - from < CHUNK ? count - from : CHUNK;
        if (!mus_array_reserve(list, list->count + size)) return MUS_STATUS_NO_MEMORY;
        filter f = {a, pairs + from, envelope, wander, list->data + list->count};
        mus_parallel_for(size < WORTH_THREADS ? 1 : threads, size, 1024, filter_block, &f);
        int64_t kept = list->count;
        for (int64_t k = 0; k < size; k++)
            if (!f.out[k].checked) list->data[kept++] = f.out[k];
        list->count = kept;
    }
    return MUS_STATUS_OK;
}
