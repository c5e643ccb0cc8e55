/* control.c: pcall, xpcall and coroutines that do not catch a stop: in stock Lua `while true do pcall(f) end`
 * survives every hook that raises. Otherwise they behave as in the manual. */
#include "sandbox/sandbox.h"

/* ---- Protected calls --------------------------------------------------------------------------------------------- */

/* `below` values of the stack are not results. */
static int finish_call(lua_State *L, int status, lua_KContext below) {
    if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - (int)below;
    mus_lua_box_rethrow(L);
    lua_pushboolean(L, 0);
    lua_insert(L, -2);
    return 2;
}

static int control_pcall(lua_State *L) {
    luaL_checkany(L, 1);
    lua_pushboolean(L, 1); /* the first result of a success */
    lua_insert(L, 1);
    int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_call);
    return finish_call(L, status, 0);
}

/* Upvalue 1: the user's message handler. It is not called when the state is to stop, as it could loop. */
static int guarded_handler(lua_State *L) {
    if (mus_lua_sandbox_cancelled(L)) return 1;
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, 1);
    return 1;
}

static int control_xpcall(lua_State *L) {
    luaL_checktype(L, 2, LUA_TFUNCTION);
    int arguments = lua_gettop(L) - 2;
    lua_pushvalue(L, 2);
    lua_pushcclosure(L, guarded_handler, 1);
    lua_replace(L, 2);
    lua_pushboolean(L, 1);
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2); /* function, handler, true, function, arguments... */
    int status = lua_pcallk(L, arguments, LUA_MULTRET, 2, 2, finish_call);
    return finish_call(L, status, 2);
}

/* ---- Coroutines -------------------------------------------------------------------------------------------------- */

static lua_State *check_coroutine(lua_State *L) {
    lua_State *co = lua_tothread(L, 1);
    luaL_argexpected(L, co, 1, "coroutine");
    return co;
}

int mus_lua_resume(lua_State *L, lua_State *co, int arguments) {
    if (!lua_checkstack(co, arguments)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, co, arguments);
    mus_lua_box *box = mus_lua_box_of(L);
    lua_State *before = box ? box->running : NULL;
    if (box) box->running = co;
    if (box && mus_lua_box_stop(box))
        mus_lua_box_arm(co); /* the signal may have reached the coroutine that ran before */
    int results = 0, status = lua_resume(co, L, arguments, &results);
    if (box) box->running = before;
    if (status == LUA_OK || status == LUA_YIELD) {
        if (!lua_checkstack(L, results + 1)) {
            lua_pop(co, results);
            lua_pushliteral(L, "too many results to resume");
            return -1;
        }
        lua_xmove(co, L, results);
        if (box && mus_lua_box_stop(box)) mus_lua_box_arm(L);
        return results;
    }
    lua_xmove(co, L, 1);
    return -1;
}

static int control_resume(lua_State *L) {
    lua_State *co = check_coroutine(L);
    int results = mus_lua_resume(L, co, lua_gettop(L) - 1);
    if (results < 0) {
        mus_lua_box_rethrow(L);
        lua_pushboolean(L, 0);
        lua_insert(L, -2);
        return 2;
    }
    lua_pushboolean(L, 1);
    lua_insert(L, -(results + 1));
    return results + 1;
}

enum { MAX_CLOSE_DEPTH = 200 }; /* LUAI_MAXCCALLS: Lua's limit of nested C calls */

/* Closes the pending variables of a coroutine that is suspended or dead; their code may loop as well, or close
 * another coroutine, and so on. lua_resetthread does not know its caller (lua_closethread of 5.4.6 does), so Lua's
 * own count of nested calls restarts in every coroutine. */
static int reset(lua_State *L, lua_State *co) {
    mus_lua_box *box = mus_lua_box_of(L);
    if (box->close_depth >= MAX_CLOSE_DEPTH || mus_lua_is_stack_low(L))
        luaL_error(L, "C stack overflow: coroutines that close each other, %d deep", box->close_depth);
    lua_State *before = box->running;
    box->running = co;
    if (mus_lua_box_stop(box)) mus_lua_box_arm(co);
    box->close_depth++;
    int status = lua_resetthread(co); /* raises nothing */
    box->close_depth--;
    box->running = before;
    return status;
}

/* Upvalue 1: the coroutine. */
static int call_wrapped(lua_State *L) {
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    int results = mus_lua_resume(L, co, lua_gettop(L));
    if (results >= 0) return results;
    int status = lua_status(co);
    if (status != LUA_OK && status != LUA_YIELD) { /* it failed inside */
        lua_pushvalue(L, -1);
        lua_xmove(L, co, 1); /* lua_resetthread takes the error from the top, and may put another there */
        if (reset(L, co) != LUA_OK) {
            lua_xmove(co, L, 1);
        }
    }
    mus_lua_box_rethrow(L);
    if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int control_wrap(lua_State *L) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    lua_pushcclosure(L, call_wrapped, 1);
    return 1;
}

static const char *status_of(lua_State *L, lua_State *co) {
    if (co == L) return "running";
    switch (lua_status(co)) {
    case LUA_YIELD:
        return "suspended";
    case LUA_OK: {
        lua_Debug ar;
        if (lua_getstack(co, 0, &ar)) return "normal"; /* it has resumed another */
        return lua_gettop(co) == 0 ? "dead" : "suspended";
    }
    default:
        return "dead";
    }
}

static int control_close(lua_State *L) {
    lua_State *co = check_coroutine(L);
    const char *status = status_of(L, co);
    if (status[0] != 'd' && status[0] != 's') return luaL_error(L, "cannot close a %s coroutine", status);
    if (reset(L, co) == LUA_OK) {
        lua_pushboolean(L, 1);
        return 1;
    }
    lua_pushboolean(L, 0);
    lua_xmove(co, L, 1);
    mus_lua_box_rethrow(L);
    return 2;
}

void mus_lua_open_control(lua_State *L) {
    static const luaL_Reg globals[] = {{"pcall", control_pcall}, {"xpcall", control_xpcall}, {NULL, NULL}};
    static const luaL_Reg coroutines[] = {
        {"resume", control_resume}, {"wrap", control_wrap}, {"close", control_close}, {NULL, NULL}};
    lua_pushglobaltable(L);
    luaL_setfuncs(L, globals, 0);
    lua_getfield(L, -1, "coroutine");
    luaL_setfuncs(L, coroutines, 0);
    lua_pop(L, 2);
}
