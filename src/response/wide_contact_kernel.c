/* wide_contact_kernel.c: a sweep over wide blocks of contact constraints with SIMD: contact_constraints.c has the
 * method. Compiled once for every instruction set. */
#include "response/wide_contact.h"

#include "base/simd_double.h"
#include "response/contact_constraints.h"

_Static_assert(MUS_CONTACT_SIMD_WIDTH % SIMD_WIDTH == 0, "a wide block is whole groups of lanes");
enum { ALL = (1 << SIMD_WIDTH) - 1 };

/* SIMD_WIDTH lanes of a wide block, from `from` on. */
typedef struct part {
    double *places;
    uint32_t spare;
    mus_wide_contact *wide;
    int from;
} part;

typedef struct corner {
    simd_v3 x;
    simd_double inverse_mass, weight;
} corner;

SIMD_FN simd_v3 load3(const double (*a)[MUS_CONTACT_SIMD_WIDTH], int from) {
    return (simd_v3){simd_load(a[0] + from), simd_load(a[1] + from), simd_load(a[2] + from)};
}

SIMD_FN simd_v3 scale(simd_double s, simd_v3 a) {
    return (simd_v3){simd_mul(s, a.x), simd_mul(s, a.y), simd_mul(s, a.z)};
}

SIMD_FN corner take(const part *p, int c) {
    simd_double a[4];
    simd_gather4(p->places, p->wide->vertex[c] + p->from, a);
    return (corner){{a[0], a[1], a[2]}, a[3], simd_load(p->wide->weight[c] + p->from)};
}

/* x += weight inverse_mass impulse, of the lanes in `some` that move; the others stay unchanged. */
SIMD_FN void apply_impulse(const part *p, int c, const corner *at, uint32_t some, simd_v3 impulse) {
    const mus_wide_contact *r = p->wide;
    uint32_t moves = (uint32_t)r->moves[c] >> p->from;
    if (!(moves & some)) return;
    simd_v3 x = simd_v3_axpy(simd_mul(at->weight, at->inverse_mass), impulse, at->x);
    x = simd_v3_select(mask_of_bits(moves & some), x, at->x);
    simd_double out[4] = {x.x, x.y, x.z, at->inverse_mass};
    if (!r->has_fixed_vertex) {
        simd_scatter4(p->places, r->vertex[c] + p->from, out);
        return;
    }
    uint32_t to[SIMD_WIDTH];
    for (int lane = 0; lane < SIMD_WIDTH; lane++)
        to[lane] = moves >> lane & 1 ? r->vertex[c][p->from + lane] : p->spare;
    mask rest = mask_of_bits(~moves & ALL);
    for (int k = 0; k < 4; k++) out[k] = simd_select(rest, simd_set1(0), out[k]);
    simd_scatter4(p->places, to, out);
}

SIMD_FN void sweep_part(const part *p, bool all, mus_contact_sweep_tally *tally) {
    mus_wide_contact *r = p->wide;
    int from = p->from;
    uint32_t idle = ((uint32_t)r->idle >> from) & ALL, looked = all ? ALL : ALL & ~idle;
    const simd_double zero = simd_set1(0);
    if (!looked) return simd_store(r->change + from, zero);
    corner a = take(p, 0), b = take(p, 1), c = take(p, 2), d = take(p, 3);
    simd_v3 now = simd_v3_axpy(b.weight, b.x, scale(a.weight, a.x));
    now = simd_v3_axpy(d.weight, d.x, simd_v3_axpy(c.weight, c.x, now));
    simd_v3 normal = load3(r->normal, from);
    simd_double gap = simd_sub(simd_v3_dot(normal, now), simd_load(r->offset + from));
    simd_double missing = simd_sub(simd_load(r->target + from), gap);
    simd_double mass = simd_load(r->mass + from), thickness = simd_load(r->thickness + from);
    simd_double before = simd_load(r->normal_impulse + from),
                normal_impulse = simd_add(before, simd_mul(missing, mass));
    normal_impulse = simd_select(simd_greater(zero, normal_impulse), zero, normal_impulse);
    simd_double change = simd_sub(normal_impulse, before);
    uint32_t missed =
        looked & mask_bits(simd_greater(missing, simd_mul(simd_set1(MUS_CONTACT_GAP_TOLERANCE), thickness)));
    mask none = simd_equal(normal_impulse, zero);
    uint32_t beyond =
        mask_bits(mask_and(none, simd_greater(simd_mul(simd_set1(-MUS_CONTACT_IDLE_MARGIN), thickness), missing)));
    uint32_t active_bits = looked & ~mask_bits(mask_and(none, simd_equal(change, zero)));
    r->idle = (uint8_t)((r->idle & ~((uint32_t)ALL << from)) | ((idle & ~looked) | (beyond & looked)) << from);
    tally->missed += __builtin_popcount(missed);
    if (!active_bits) return simd_store(r->change + from, zero);
    mask active = mask_of_bits(active_bits);
    simd_store(r->normal_impulse + from, simd_select(active, normal_impulse, before));
    simd_store(r->change + from, simd_select(active, change, zero));
    simd_double step = simd_mul(simd_mul(simd_set1(MUS_CONTACT_MOTION_TOLERANCE), thickness), mass);
    uint32_t moved = active_bits & mask_bits(simd_greater(simd_abs(change), step));
    tally->moved += __builtin_popcount(moved);
    simd_double sum = simd_load(tally->change + from), square = simd_div(simd_mul(change, change), mass);
    simd_store(tally->change + from, simd_select(active, simd_add(sum, square), sum));
    simd_v3 slip = simd_v3_sub(now, load3(r->rest, from)), old = load3(r->friction_impulse, from);
    slip = simd_v3_axpy(simd_neg(simd_v3_dot(normal, slip)), normal, slip);
    simd_v3 friction_impulse = simd_v3_axpy(simd_neg(mass), slip, old);
    simd_double limit = simd_mul(simd_load(r->friction + from), normal_impulse),
                length2 = simd_v3_length2(friction_impulse);
    mask slides = simd_greater(length2, simd_mul(limit, limit));
    friction_impulse =
        simd_v3_select(slides, scale(simd_div(limit, simd_sqrt(length2)), friction_impulse), friction_impulse);
    simd_v3 impulse = simd_v3_axpy(change, normal, simd_v3_sub(friction_impulse, old));
    friction_impulse = simd_v3_select(active, friction_impulse, old);
    simd_store(r->friction_impulse[0] + from, friction_impulse.x);
    simd_store(r->friction_impulse[1] + from, friction_impulse.y);
    simd_store(r->friction_impulse[2] + from, friction_impulse.z);
    apply_impulse(p, 0, &a, active_bits, impulse);
    apply_impulse(p, 1, &b, active_bits, impulse);
    apply_impulse(p, 2, &c, active_bits, impulse);
    apply_impulse(p, 3, &d, active_bits, impulse);
}

SIMD_FN void conjugate_step_part(const part *p, simd_double ratio) {
    mus_wide_contact *r = p->wide;
    int from = p->from;
    const simd_double zero = simd_set1(0);
    simd_double further = simd_mul(ratio, simd_load(r->conjugate_change + from));
    simd_store(r->conjugate_change + from, simd_add(simd_load(r->change + from), further));
    uint32_t some = ALL & ~mask_bits(simd_equal(further, zero));
    if (!some) return;
    simd_double normal_impulse = simd_load(r->normal_impulse + from);
    simd_store(r->normal_impulse + from,
               simd_select(simd_equal(further, zero), normal_impulse, simd_add(normal_impulse, further)));
    r->idle &= (uint8_t) ~(some << from);
    simd_v3 impulse = scale(further, load3(r->normal, from));
    corner a = take(p, 0), b = take(p, 1), c = take(p, 2), d = take(p, 3);
    apply_impulse(p, 0, &a, some, impulse);
    apply_impulse(p, 1, &b, some, impulse);
    apply_impulse(p, 2, &c, some, impulse);
    apply_impulse(p, 3, &d, some, impulse);
}

void MUS_KERNEL(mus_wide_contact_sweep)(mus_contact_vertex *places, int64_t spare, mus_wide_contact *wide_contacts,
                                        int64_t count, bool all, mus_contact_sweep_tally *tally) {
    part p = {&places->x, (uint32_t)(MUS_CONTACT_VERTEX_DOUBLES * spare), wide_contacts, 0};
    for (const mus_wide_contact *end = wide_contacts + count; p.wide < end; p.wide++)
        for (p.from = 0; p.from < MUS_CONTACT_SIMD_WIDTH; p.from += SIMD_WIDTH) sweep_part(&p, all, tally);
}

void MUS_KERNEL(mus_wide_contact_conjugate_step)(mus_contact_vertex *places, int64_t spare,
                                                 mus_wide_contact *wide_contacts, int64_t count, double ratio) {
    part p = {&places->x, (uint32_t)(MUS_CONTACT_VERTEX_DOUBLES * spare), wide_contacts, 0};
    for (const mus_wide_contact *end = wide_contacts + count; p.wide < end; p.wide++)
        for (p.from = 0; p.from < MUS_CONTACT_SIMD_WIDTH; p.from += SIMD_WIDTH)
            conjugate_step_part(&p, simd_set1(ratio));
}
