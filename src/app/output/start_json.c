/* start_json.c: what was found and moved before the first step, as JSON. */
#include "host.h"
#include "cli/json.h"

json_t *app_start_json(const mus_world *world) {
    mus_start_report r;
    json_t *pairs = json_array();
    mus_world_get_start_report(world, &r);
    for (int32_t k = 0; k < mus_world_get_start_pair_count(world); k++) {
        mus_start_pair p;
        mus_world_get_start_pair(world, k, &p);
        json_array_append_new(pairs,
                              json_pack("{s:o, s:o, s:I, s:I, s:i, s:o}", "a", text_or_null(p.a), "b",
                                        text_or_null(p.b), "crossings", (json_int_t)p.crossings, "inside",
                                        (json_int_t)p.inside, "moved", (int)p.moved, "largest", real(p.largest)));
    }
    return json_pack("{s:I, s:I, s:I, s:i, s:i, s:o, s:i, s:i, s:o}", "crossings", (json_int_t)r.crossings, "inside",
                     (json_int_t)r.inside, "touches", (json_int_t)r.touches, "moved", (int)r.moved, "rounds",
                     (int)r.rounds, "largest", real(r.largest), "allowed", (int)r.allowed, "misplaced",
                     (int)r.misplaced, "pairs", pairs);
}

void app_start_print_json(const mus_world *world) {
    json_t *o = app_start_json(world);
    json_dumpf(o, stdout, JSON_REAL_PRECISION(6));
    json_decref(o);
}
