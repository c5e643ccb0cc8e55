/* name_overlaps.c: overlaps in messages, by the names of their objects. */
#include "world/overlap/start.h"

#include <stdio.h>
#include <string.h>

static int side_order(const mus_audit_finding *f, const mus_audit_finding *g) {
    for (int k = 0; k < 2; k++)
        if (f->part[k] != g->part[k]) return f->part[k] < g->part[k] ? -1 : 1;
    return 0;
}

static void name_pair(const mus_world *world, const mus_audit_finding *f, int64_t count, char *text, size_t size) {
    const char *first = mus_world_object_name(world, f->part[0]), *second = mus_world_object_name(world, f->part[1]);
    int32_t cloths = (int32_t)world->cloth_order.count;
    if (f->part[0] >= cloths && f->kind != MUS_AUDIT_INSIDE)
        snprintf(text, size, "obstacle '%s', a rigid body, intersects obstacle '%s' (face %d of it and face %d)", first,
                 second, f->face[0] + 1, f->face[1] + 1);
    else if (f->part[0] >= cloths)
        snprintf(text, size, "obstacle '%s', a rigid body, is %.3g m inside obstacle '%s'", first, f->depth, second);
    else if (f->kind == MUS_AUDIT_INSIDE)
        snprintf(text, size, "%s %d of cloth '%s' is %.3g m inside obstacle '%s' (%lld such)",
                 f->face[1] == -1 ? "vertex" : "face", f->face[0] + 1, first, f->depth, second, (long long)count);
    else
        snprintf(text, size, "face %d of cloth '%s' intersects face %d of %s '%s' (%lld such pairs)", f->face[0] + 1,
                 first, f->face[1] + 1, f->part[1] < cloths ? "cloth" : "obstacle", second, (long long)count);
}

mus_status mus_world_name_overlaps(const mus_world *world, const mus_audit_report *report, const char *before,
                                   const char *remedy) {
    enum { NAMED = 5 };
    char text[760] = "", pair[256];
    int64_t pairs = 0;
    for (int64_t k = 0; k < report->finding_count; k++) {
        const mus_audit_finding *f = &report->findings[k];
        bool inside = f->kind == MUS_AUDIT_INSIDE, known = false;
        int64_t count = 0;
        for (int64_t j = 0; j < report->finding_count && !known; j++) {
            const mus_audit_finding *g = &report->findings[j];
            if (side_order(f, g) != 0 || (g->kind == MUS_AUDIT_INSIDE) != inside) continue;
            known = j < k;
            count++;
        }
        if (known) continue;
        if (pairs++ >= NAMED) continue;
        name_pair(world, f, count, pair, sizeof pair);
        size_t used = strlen(text);
        if (used + strlen(pair) + 3 < sizeof text)
            snprintf(text + used, sizeof text - used, "%s%s", used ? "; " : "", pair);
    }
    char more[48] = "";
    if (pairs > NAMED) snprintf(more, sizeof more, "; and %lld more pairs of objects", (long long)(pairs - NAMED));
    return mus_fail(MUS_STATUS_OVERLAP, "overlap: %s%s%s; %s", before, text, more, remedy);
}
