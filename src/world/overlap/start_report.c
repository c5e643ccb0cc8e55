/* start_report.c: what was found before the first step, and what was moved, in all and by pair of objects. */
#include "world/overlap/start.h"

mus_status mus_start_pairs_count(mus_start_pairs *pairs, const mus_audit_report *found) {
    for (int64_t k = 0; k < found->finding_count; k++) {
        const mus_audit_finding *f = &found->findings[k];
        mus_displaced_pair *pair = mus_start_pairs_find(pairs, f->part[0], f->part[1]);
        if (!pair) return MUS_STATUS_NO_MEMORY;
        *(f->kind == MUS_AUDIT_INSIDE ? &pair->inside : &pair->crossings) += 1;
    }
    return MUS_STATUS_OK;
}

static void count_moves(mus_world *world, const v3 *before) {
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        for (int32_t i = 0; i < cloth->vertex_count; i++) {
            double way = v3_length(v3_sub(v3_load(cloth->x + 3 * (size_t)i), *before++));
            world->start_report.moved += way > 0;
            world->start_report.largest = fmax(world->start_report.largest, way);
        }
    }
}

static void free_names(mus_start_pair *pair) {
    mus_free((char *)(uintptr_t)pair->a);
    mus_free((char *)(uintptr_t)pair->b);
}

static mus_status report_pairs(mus_world *world, const mus_start_pairs *pairs, const v3 *before) {
    for (int64_t k = 0; k < pairs->list.count; k++) {
        const mus_displaced_pair *pair = &pairs->list.data[k];
        mus_start_pair made = {.crossings = pair->crossings, .inside = pair->inside};
        const uint8_t *mark = pair->marks;
        const v3 *from = before;
        for (int64_t c = 0; c < world->cloth_order.count && mark; c++) {
            const mus_cloth *cloth = world->cloths.data[world->cloth_order.data[c]].object;
            for (int32_t i = 0; i < cloth->vertex_count; i++) {
                double way = v3_length(v3_sub(v3_load(cloth->x + 3 * (size_t)i), *from++));
                if (!*mark++ || !(way > 0)) continue;
                made.moved++, made.largest = fmax(made.largest, way);
            }
        }
        if (made.moved == 0 && made.crossings + made.inside == 0) continue;
        made.a = mus_copy_string(mus_world_object_name(world, pair->object[0]));
        made.b = mus_copy_string(mus_world_object_name(world, pair->object[1]));
        if (made.a && made.b && mus_array_push(&world->start_pairs, made)) continue;
        free_names(&made);
        return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}

mus_status mus_start_report_moves(mus_world *world, const mus_start_pairs *pairs, const v3 *before) {
    count_moves(world, before);
    return report_pairs(world, pairs, before);
}

void mus_start_pair_list_free(mus_start_pair_list *list) {
    for (int64_t k = 0; k < list->count; k++) free_names(&list->data[k]);
    mus_array_free(list);
}

void mus_world_get_start_report(const mus_world *world, mus_start_report *report) {
    *report = world->start_report;
}

int32_t mus_world_get_start_pair_count(const mus_world *world) {
    return (int32_t)world->start_pairs.count;
}

void mus_world_get_start_pair(const mus_world *world, int32_t k, mus_start_pair *pair) {
    *pair = k >= 0 && k < world->start_pairs.count ? world->start_pairs.data[k] : (mus_start_pair){.a = "", .b = ""};
}

/* ---- snapshots ---- */

static void archive_pair(mus_archive *a, mus_start_pair *pair) {
    char *names[2] = {(char *)(uintptr_t)pair->a, (char *)(uintptr_t)pair->b};
    for (int k = 0; k < 2; k++) mus_archive_text(a, NULL, &names[k]);
    pair->a = names[0], pair->b = names[1];
    mus_archive_i64(a, NULL, &pair->crossings, 1);
    mus_archive_i64(a, NULL, &pair->inside, 1);
    mus_archive_i32(a, NULL, &pair->moved, 1);
    mus_archive_f64(a, NULL, &pair->largest, 1);
    if (!mus_archive_is_reading(a)) return;
    if (mus_archive_is_ok(a) && (!pair->a || !pair->b)) mus_archive_refuse(a, "a pair of the start has no name");
    mus_archive_within_i64(a, "a count of the start", pair->crossings, 0, INT64_MAX);
    mus_archive_within_i64(a, "a count of the start", pair->inside, 0, INT64_MAX);
    mus_archive_within_i64(a, "a count of the start", pair->moved, 0, INT32_MAX);
    mus_archive_within(a, "the longest way of the start", &pair->largest, 1, 0, MUS_LARGEST_LENGTH);
}

void mus_start_pairs_archive(mus_archive *a, mus_start_pair_list *list) {
    bool reading = a->mode == MUS_ARCHIVE_READ;
    int64_t count = list->count;
    mus_archive_count(a, NULL, &count, 36);
    for (int64_t k = 0; k < count && mus_archive_is_ok(a); k++) {
        mus_start_pair pair = reading ? (mus_start_pair){0} : list->data[k];
        archive_pair(a, &pair);
        if (!reading) continue;
        if (mus_archive_is_ok(a) && mus_array_push(list, pair)) continue;
        if (mus_archive_is_ok(a)) a->status = MUS_STATUS_NO_MEMORY;
        free_names(&pair);
    }
}
