/* row_pack_kernel.c: a sweep over packs of contact rows, in vector lanes: rows.c has the method. Compiled once for
 * every instruction set. */
#include "response/row_pack.h"

#include "base/lanes.h"
#include "response/rows.h"

_Static_assert(MUS_ROW_LANES % W == 0, "a pack is whole groups of lanes");
enum { ALL = (1 << W) - 1 };

/* W lanes of a pack, from this one on. */
typedef struct part {
    double *places;
    uint32_t spare;
    mus_row_pack *pack;
    int from;
} part;

typedef struct corner {
    l3 x;
    lanes inverse_mass, weight;
} corner;

LANES_FN l3 load3(const double (*a)[MUS_ROW_LANES], int from) {
    return (l3){lanes_load(a[0] + from), lanes_load(a[1] + from), lanes_load(a[2] + from)};
}

LANES_FN l3 scale(lanes s, l3 a) {
    return (l3){lanes_mul(s, a.x), lanes_mul(s, a.y), lanes_mul(s, a.z)};
}

LANES_FN corner take(const part *p, int c) {
    lanes a[4];
    lanes_take(p->places, p->pack->vertex[c] + p->from, a);
    return (corner){{a[0], a[1], a[2]}, a[3], lanes_load(p->pack->weight[c] + p->from)};
}

/* x += weight inverse_mass impulse, of the lanes in `some` that move; the others stay as they are. */
LANES_FN void give(const part *p, int c, const corner *at, uint32_t some, l3 impulse) {
    const mus_row_pack *r = p->pack;
    uint32_t moves = (uint32_t)r->moves[c] >> p->from;
    if (!(moves & some)) return;
    l3 x = l3_axpy(lanes_mul(at->weight, at->inverse_mass), impulse, at->x);
    x = l3_select(mask_of_bits(moves & some), x, at->x);
    lanes out[4] = {x.x, x.y, x.z, at->inverse_mass};
    if (!r->holds) {
        lanes_put(p->places, r->vertex[c] + p->from, out);
        return;
    }
    uint32_t to[W];
    for (int lane = 0; lane < W; lane++) to[lane] = moves >> lane & 1 ? r->vertex[c][p->from + lane] : p->spare;
    mask rest = mask_of_bits(~moves & ALL);
    for (int k = 0; k < 4; k++) out[k] = lanes_select(rest, lanes_all(0), out[k]);
    lanes_put(p->places, to, out);
}

LANES_FN void sweep_part(const part *p, bool all, mus_row_tally *tally) {
    mus_row_pack *r = p->pack;
    int from = p->from;
    uint32_t idle = ((uint32_t)r->idle >> from) & ALL, looked = all ? ALL : ALL & ~idle;
    const lanes zero = lanes_all(0);
    if (!looked) return lanes_store(r->change + from, zero);
    corner a = take(p, 0), b = take(p, 1), c = take(p, 2), d = take(p, 3);
    l3 now = l3_axpy(b.weight, b.x, scale(a.weight, a.x));
    now = l3_axpy(d.weight, d.x, l3_axpy(c.weight, c.x, now));
    l3 normal = load3(r->normal, from);
    lanes gap = lanes_sub(l3_dot(normal, now), lanes_load(r->offset + from));
    lanes missing = lanes_sub(lanes_load(r->target + from), gap);
    lanes mass = lanes_load(r->mass + from), thickness = lanes_load(r->thickness + from);
    lanes before = lanes_load(r->push + from), push = lanes_add(before, lanes_mul(missing, mass));
    push = lanes_select(lanes_above(zero, push), zero, push);
    lanes change = lanes_sub(push, before);
    uint32_t missed = looked & mask_bits(lanes_above(missing, lanes_mul(lanes_all(MUS_ROW_MISSED), thickness)));
    mask none = lanes_equal(push, zero);
    uint32_t beyond = mask_bits(mask_and(none, lanes_above(lanes_mul(lanes_all(-MUS_ROW_IDLE), thickness), missing)));
    uint32_t pushing = looked & ~mask_bits(mask_and(none, lanes_equal(change, zero)));
    r->idle = (uint8_t)((r->idle & ~((uint32_t)ALL << from)) | ((idle & ~looked) | (beyond & looked)) << from);
    tally->missed += __builtin_popcount(missed);
    if (!pushing) return lanes_store(r->change + from, zero);
    mask active = mask_of_bits(pushing);
    lanes_store(r->push + from, lanes_select(active, push, before));
    lanes_store(r->change + from, lanes_select(active, change, zero));
    lanes step = lanes_mul(lanes_mul(lanes_all(MUS_ROW_MOVED), thickness), mass);
    uint32_t moved = pushing & mask_bits(lanes_above(lanes_abs(change), step));
    tally->moved += __builtin_popcount(moved);
    lanes sum = lanes_load(tally->change + from), square = lanes_div(lanes_mul(change, change), mass);
    lanes_store(tally->change + from, lanes_select(active, lanes_add(sum, square), sum));
    l3 slip = l3_sub(now, load3(r->rest, from)), old = load3(r->drag, from);
    slip = l3_axpy(lanes_neg(l3_dot(normal, slip)), normal, slip);
    l3 drag = l3_axpy(lanes_neg(mass), slip, old);
    lanes limit = lanes_mul(lanes_load(r->friction + from), push), length2 = l3_length2(drag);
    mask slides = lanes_above(length2, lanes_mul(limit, limit));
    drag = l3_select(slides, scale(lanes_div(limit, lanes_sqrt(length2)), drag), drag);
    l3 impulse = l3_axpy(change, normal, l3_sub(drag, old));
    drag = l3_select(active, drag, old);
    lanes_store(r->drag[0] + from, drag.x);
    lanes_store(r->drag[1] + from, drag.y);
    lanes_store(r->drag[2] + from, drag.z);
    give(p, 0, &a, pushing, impulse);
    give(p, 1, &b, pushing, impulse);
    give(p, 2, &c, pushing, impulse);
    give(p, 3, &d, pushing, impulse);
}

LANES_FN void lead_part(const part *p, lanes ratio) {
    mus_row_pack *r = p->pack;
    int from = p->from;
    const lanes zero = lanes_all(0);
    lanes further = lanes_mul(ratio, lanes_load(r->lead + from));
    lanes_store(r->lead + from, lanes_add(lanes_load(r->change + from), further));
    uint32_t some = ALL & ~mask_bits(lanes_equal(further, zero));
    if (!some) return;
    lanes push = lanes_load(r->push + from);
    lanes_store(r->push + from, lanes_select(lanes_equal(further, zero), push, lanes_add(push, further)));
    r->idle &= (uint8_t) ~(some << from);
    l3 impulse = scale(further, load3(r->normal, from));
    corner a = take(p, 0), b = take(p, 1), c = take(p, 2), d = take(p, 3);
    give(p, 0, &a, some, impulse);
    give(p, 1, &b, some, impulse);
    give(p, 2, &c, some, impulse);
    give(p, 3, &d, some, impulse);
}

void MUS_KERNEL(mus_row_pack_sweep)(mus_row_place *places, int64_t spare, mus_row_pack *packs, int64_t count, bool all,
                                    mus_row_tally *tally) {
    part p = {&places->x, (uint32_t)(MUS_ROW_PLACE * spare), packs, 0};
    for (const mus_row_pack *end = packs + count; p.pack < end; p.pack++)
        for (p.from = 0; p.from < MUS_ROW_LANES; p.from += W) sweep_part(&p, all, tally);
}

void MUS_KERNEL(mus_row_pack_lead)(mus_row_place *places, int64_t spare, mus_row_pack *packs, int64_t count,
                                   double ratio) {
    part p = {&places->x, (uint32_t)(MUS_ROW_PLACE * spare), packs, 0};
    for (const mus_row_pack *end = packs + count; p.pack < end; p.pack++)
        for (p.from = 0; p.from < MUS_ROW_LANES; p.from += W) lead_part(&p, lanes_all(ratio));
}
