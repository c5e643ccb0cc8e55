/* row_pack_kernel.c: a sweep over packs of contact rows, in vector lanes: rows.c has the method. Compiled once for
 * every instruction set. */
#include "response/row_pack.h"

#include "base/lanes.h"
#include "response/rows.h"

_Static_assert(MUS_ROW_LANES % W == 0, "a pack is whole groups of lanes");
enum { ALL = (1 << W) - 1 };

/* W lanes of a pack, from this one on. */
typedef struct part {
    v3_padded *x;
    int32_t spare;
    mus_row_pack *pack;
    int from;
} part;

LANES_FN l3 load3(const double (*a)[MUS_ROW_LANES], int from) {
    return (l3){lanes_load(a[0] + from), lanes_load(a[1] + from), lanes_load(a[2] + from)};
}

/* x[vertex] += give impulse, of the lanes in `some`; the others stay as they are. */
LANES_FN void give(const part *p, uint32_t some, const l3 at[4], l3 impulse) {
    mask active = mask_of_bits(some);
    for (int c = 0; c < 4; c++) {
        uint32_t moves = (uint32_t)p->pack->moves[c] >> p->from;
        int32_t to[W];
        if (!(moves & some)) continue;
        for (int lane = 0; lane < W; lane++)
            to[lane] = moves >> lane & 1 ? p->pack->vertex[c][p->from + lane] : p->spare;
        l3_put(p->x, to, l3_select(active, l3_axpy(lanes_load(p->pack->give[c] + p->from), impulse, at[c]), at[c]));
    }
}

LANES_FN void sweep_part(const part *p, bool all, mus_row_tally *tally) {
    mus_row_pack *r = p->pack;
    int from = p->from;
    uint32_t idle = ((uint32_t)r->idle >> from) & ALL, looked = all ? ALL : ALL & ~idle;
    const lanes zero = lanes_all(0);
    if (!looked) return lanes_store(r->change + from, zero);
    l3 at[4], now;
    for (int c = 0; c < 4; c++) at[c] = l3_take(p->x, r->vertex[c] + from);
    lanes w = lanes_load(r->weight[0] + from);
    now = (l3){lanes_mul(w, at[0].x), lanes_mul(w, at[0].y), lanes_mul(w, at[0].z)};
    for (int c = 1; c < 4; c++) now = l3_axpy(lanes_load(r->weight[c] + from), at[c], now);
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
    l3 drag = l3_axpy(lanes_neg(lanes_load(r->drag_mass + from)), slip, old);
    lanes limit = lanes_mul(lanes_load(r->friction + from), push), length2 = l3_length2(drag);
    mask slides = lanes_above(length2, lanes_mul(limit, limit));
    lanes share = lanes_div(limit, lanes_sqrt(length2));
    l3 held = {lanes_mul(share, drag.x), lanes_mul(share, drag.y), lanes_mul(share, drag.z)};
    drag = l3_select(slides, held, drag);
    l3 impulse = l3_axpy(change, normal, l3_sub(drag, old));
    drag = l3_select(active, drag, old);
    lanes_store(r->drag[0] + from, drag.x);
    lanes_store(r->drag[1] + from, drag.y);
    lanes_store(r->drag[2] + from, drag.z);
    give(p, pushing, at, impulse);
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
    l3 at[4], normal = load3(r->normal, from);
    for (int c = 0; c < 4; c++) at[c] = l3_take(p->x, r->vertex[c] + from);
    give(p, some, at, (l3){lanes_mul(further, normal.x), lanes_mul(further, normal.y), lanes_mul(further, normal.z)});
}

void MUS_KERNEL(mus_row_pack_sweep)(v3_padded *x, int32_t spare, mus_row_pack *packs, int64_t count, bool all,
                                    mus_row_tally *tally) {
    for (int64_t k = 0; k < count; k++)
        for (int from = 0; from < MUS_ROW_LANES; from += W) sweep_part(&(part){x, spare, &packs[k], from}, all, tally);
}

void MUS_KERNEL(mus_row_pack_lead)(v3_padded *x, int32_t spare, mus_row_pack *packs, int64_t count, double ratio) {
    for (int64_t k = 0; k < count; k++)
        for (int from = 0; from < MUS_ROW_LANES; from += W)
            lead_part(&(part){x, spare, &packs[k], from}, lanes_all(ratio));
}
