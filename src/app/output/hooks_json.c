/* hooks_json.c: time of the world's hooks, as JSON. */
#include "host.h"
#include "cli/json.h"

#include <stdlib.h>

/* [{"event": ..., "name": ..., "calls": ..., "total_ms": ...}, ...] */
json_t *app_hooks_json(lua_State *L, int world_index) {
    json_t *list = json_array();
    int64_t count = mus_lua_world_hook_times(L, world_index, NULL, 0);
    mus_lua_hook_time *times = calloc((size_t)count + 1, sizeof *times);
    if (times) mus_lua_world_hook_times(L, world_index, times, count);
    for (int64_t k = 0; times && k < count; k++) {
        json_t *o = json_object();
        json_object_set_new(o, "event", text_or_null(times[k].event));
        json_object_set_new(o, "name", text_or_null(times[k].name));
        json_object_set_new(o, "calls", json_integer(times[k].calls));
        json_object_set_new(o, "total_ms", real(times[k].total_ms));
        json_array_append_new(list, o);
    }
    free(times);
    return list;
}

void app_hooks_print_json(lua_State *L, int world_index) {
    json_t *list = app_hooks_json(L, world_index);
    json_dumpf(list, stdout, JSON_REAL_PRECISION(6));
    json_decref(list);
}
