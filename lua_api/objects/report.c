/* report.c: reports of a world as tables: the auditor's findings and the statistics of a step. */
#include "binding.h"

#include <string.h>

static int report_gc(lua_State *L) {
    mus_audit_report_destroy(lua_touserdata(L, 1));
    return 0;
}

/* Of one side; parts NULL: of the world. */
static const char *side_name(const mus_audit_finding *finding, int side, mus_world *world, const mus_part *parts) {
    if (parts) return parts[finding->part[side]].name;
    const char *name = mus_object_get_name(world, finding->object[side]);
    return name ? name : "?";
}

static void set_integer(lua_State *L, const char *name, int64_t value) {
    lua_pushinteger(L, value);
    lua_setfield(L, -2, name);
}

static void set_number(lua_State *L, const char *name, double value) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

/* The report's table; parts NULL: of the world. */
static void push_report(lua_State *L, const mus_audit_report *report, mus_world *world, const mus_part *parts) {
    static const char *const kinds[] = {"crossing", "vertex_pair", "edge_pair", "inside"};
    lua_createtable(L, 0, 8);
    set_integer(L, "intersections", report->intersections);
    set_integer(L, "inside", report->inside);
    set_integer(L, "touches", report->touches);
    set_integer(L, "allowed", report->allowed);
    set_integer(L, "pairs_tested", report->pairs_tested);
    set_number(L, "max_depth", report->max_depth);
    lua_pushboolean(L, report->intersections == 0 && report->inside == 0);
    lua_setfield(L, -2, "clean");
    lua_createtable(L, (int)report->finding_count, 0);
    for (int64_t k = 0; k < report->finding_count; k++) {
        const mus_audit_finding *finding = &report->findings[k];
        lua_createtable(L, 0, 4);
        lua_pushstring(L, kinds[finding->kind]);
        lua_setfield(L, -2, "kind");
        lua_createtable(L, 2, 0);
        lua_createtable(L, 2, 0);
        for (int side = 0; side < 2; side++) {
            lua_pushstring(L, side_name(finding, side, world, parts));
            lua_rawseti(L, -3, side + 1);
            if (finding->face[side] < 0) continue;
            lua_pushinteger(L, finding->face[side] + 1);
            lua_rawseti(L, -2, side + 1);
        }
        lua_setfield(L, -3, "faces");
        lua_setfield(L, -2, "objects");
        if (finding->kind == MUS_AUDIT_INSIDE) set_number(L, "depth", finding->depth);
        lua_rawseti(L, -2, k + 1);
    }
    lua_setfield(L, -2, "findings");
}

static mus_audit_report *new_report(lua_State *L) {
    mus_audit_report *report = lua_newuserdatauv(L, sizeof *report, 0);
    memset(report, 0, sizeof *report);
    luaL_setmetatable(L, "muslin.audit_report");
    return report;
}

/* Options at `index`: {tolerance = m} or none. */
static double audit_tolerance(lua_State *L, int index) {
    static const char *const keys[] = {"tolerance", NULL};
    if (lua_isnoneornil(L, index)) return 1e-4;
    mus_lua_check_keys(L, index, "audit", keys);
    double tolerance = mus_lua_opt_number(L, index, "audit", "tolerance", 1e-4);
    if (tolerance < 0) mus_lua_error(L, "audit: field 'tolerance' must be >= 0 m (got %f)", tolerance);
    return tolerance;
}

int mus_lua_world_audit(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "audit");
    double tolerance = audit_tolerance(L, 2);
    mus_audit_report *report = new_report(L);
    mus_lua_check_status(L, mus_world_audit(box->world, tolerance, report));
    push_report(L, report, box->world, NULL);
    return 1;
}

static int parts_gc(lua_State *L) {
    mus_parts **parts = lua_touserdata(L, 1);
    mus_parts_destroy(*parts);
    *parts = NULL;
    return 0;
}

/* muslin.audit(path [, options]): the parts of a file. */
int mus_lua_audit_file(lua_State *L) {
    luaL_checkstring(L, 1);
    const char *path = mus_lua_check_path(L, 1, "muslin.audit(path)");
    double tolerance = audit_tolerance(L, 2);
    mus_parts **parts = lua_newuserdatauv(L, sizeof(mus_parts *), 0);
    *parts = NULL;
    luaL_setmetatable(L, "muslin.parts");
    mus_audit_report *report = new_report(L);
    mus_lua_check_readable(L, "muslin.audit(path)", path);
    mus_lua_check_status(L, mus_parts_load(path, parts));
    int32_t count = 0;
    const mus_part *list = mus_parts_get_all(*parts, &count);
    mus_lua_check_status(L, mus_parts_audit(list, count, tolerance, report));
    push_report(L, report, NULL, list);
    return 1;
}

int mus_lua_world_stats(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "stats");
    mus_stats stats;
    mus_world_get_stats(box->world, &stats);
    lua_createtable(L, 0, 16);
    lua_createtable(L, 0, MUS_PHASE_COUNT);
    for (int phase = 0; phase < MUS_PHASE_COUNT; phase++)
        set_number(L, mus_phase_get_name(phase), stats.phase_ms[phase]);
    lua_setfield(L, -2, "phase_ms");
    set_number(L, "step_ms", stats.step_ms);
    set_number(L, "dt", stats.dt);
    set_integer(L, "candidates", stats.candidates);
    set_integer(L, "contacts", stats.contacts);
    set_integer(L, "ccd_tests", stats.ccd_tests);
    set_integer(L, "ccd_hits", stats.ccd_hits);
    set_integer(L, "ccd_passes", stats.ccd_passes);
    set_integer(L, "zones", stats.zones);
    set_integer(L, "zone_vertices", stats.zone_vertices);
    set_integer(L, "substeps", stats.substeps);
    set_integer(L, "allowed", stats.allowed);
    set_integer(L, "pinched", stats.pinched);
    set_integer(L, "iterations", stats.iterations);
    set_number(L, "residual", stats.residual);
    set_number(L, "max_strain", stats.max_strain);
    set_number(L, "kinetic_energy", stats.kinetic_energy);
    set_number(L, "contact_energy", stats.contact_energy);
    set_integer(L, "unresolved", stats.unresolved);
    set_integer(L, "culled", stats.culled);
    set_integer(L, "box_tests", stats.box_tests);
    mus_lua_push_hook_times(L, 1);
    lua_setfield(L, -2, "hooks");
    return 1;
}

int mus_lua_world_start_report(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "start_report");
    mus_start_report report;
    mus_world_get_start_report(box->world, &report);
    lua_createtable(L, 0, 8);
    set_integer(L, "crossings", report.crossings);
    set_integer(L, "inside", report.inside);
    set_integer(L, "touches", report.touches);
    set_integer(L, "moved", report.moved);
    set_integer(L, "rounds", report.rounds);
    set_number(L, "largest", report.largest);
    set_integer(L, "allowed", report.allowed);
    set_integer(L, "misplaced", report.misplaced);
    int32_t count = mus_world_get_start_pair_count(box->world);
    lua_createtable(L, count, 0);
    for (int32_t k = 0; k < count; k++) {
        mus_start_pair pair;
        mus_world_get_start_pair(box->world, k, &pair);
        lua_createtable(L, 0, 6);
        lua_pushstring(L, pair.a);
        lua_setfield(L, -2, "a");
        lua_pushstring(L, pair.b);
        lua_setfield(L, -2, "b");
        set_integer(L, "crossings", pair.crossings);
        set_integer(L, "inside", pair.inside);
        set_integer(L, "moved", pair.moved);
        set_number(L, "largest", pair.largest);
        lua_rawseti(L, -2, k + 1);
    }
    lua_setfield(L, -2, "pairs");
    return 1;
}

int mus_lua_world_energy(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "energy");
    mus_energy energy;
    mus_lua_check_status(L, mus_world_get_energy(box->world, &energy));
    lua_createtable(L, 0, 5);
    set_number(L, "kinetic", energy.kinetic);
    set_number(L, "rotational", energy.rotational);
    set_number(L, "elastic", energy.elastic);
    set_number(L, "gravitational", energy.gravitational);
    set_number(L, "contact", energy.contact);
    set_number(L, "total", energy.total);
    return 1;
}

void mus_lua_open_reports(lua_State *L) {
    static const luaL_Reg report[] = {{"__gc", report_gc}, {NULL, NULL}}, parts[] = {{"__gc", parts_gc}, {NULL, NULL}};
    static const luaL_Reg none[] = {{NULL, NULL}};
    mus_lua_new_type(L, "muslin.audit_report", report, none, NULL, NULL);
    mus_lua_new_type(L, "muslin.parts", parts, none, NULL, NULL);
}
