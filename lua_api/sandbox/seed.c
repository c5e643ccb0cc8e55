/* seed.c: the seed of Lua's string hash, the same in every process.
 *
 * Lua places strings in the nodes of a table by a hash with a different seed in every process (luai_makeseed: the clock
 * and addresses). It is visible to a script in the order of next, which order.c replaces, and in the length of a list
 * with holes, `#t`: the border that is found depends on when the table grew, and so on which strings collided. Stock
 * builds have no way to choose the seed, but lua_newstate makes the state in a fixed order:
 *
 *   1. it allocates the block of the main thread and the global state, and fills it, including the seed;
 *   2. it allocates the stack of the main thread (lstate.c: f_luaopen, stack_init);
 *   3. it makes the registry and interns the first strings.
 *
 * At the second allocation the global state is complete and contains no string, so the allocator may write the seed.
 * The global state (lstate.h, global_State; the same in Lua 5.4.0 to 5.4.8 but for the number of words marked *) begins
 *
 *   frealloc, ud              the allocator function and its user pointer
 *   totalbytes                the size of the block
 *   GCdebt, GCestimate, ...*  counters
 *   strt                      string table: pointer NULL, two ints 0
 *   l_registry                a nil
 *   nilvalue                  the integer 0 until the state is whole (completestate)
 *   seed                      unsigned int
 *
 * Nothing is written unless this layout is found. mus_lua_hash_is_fixed then tests the hash of the state itself, and
 * so detects another layout, another hash function or a missed seed. */
#include "sandbox/sandbox.h"

#include <string.h>

static const unsigned int hash_seed = 0x6d75736c; /* arbitrary, but visible to scripts */

/* As in lobject.h: a value of eight bytes, its tag, padding. */
typedef struct tagged_value {
    uint64_t value;
    unsigned char tag;
} tagged_value;
enum { TAG_NIL = 0, TAG_INTEGER = 3 }; /* LUA_VNIL, LUA_VNUMINT */

typedef struct string_table {
    void *hash;
    int used, size;
} string_table;

/* Layout between the counters and the seed. */
typedef struct seed_neighbors {
    string_table strings;
    tagged_value registry, nil_value;
    unsigned int seed;
} seed_neighbors;

typedef struct state_head {
    lua_Alloc allocate;
    void *user;
    uint64_t total_bytes;
} state_head;

enum { MIN_COUNTERS = 1, MAX_COUNTERS = 6 }; /* 8-byte words between total_bytes and the string table; 5.4.0-8: 3 */

static bool is_before_seed(const unsigned char *at) {
    seed_neighbors n;
    memcpy(&n, at, sizeof n);
    return !n.strings.hash && n.strings.used == 0 && n.strings.size == 0 && n.registry.tag == TAG_NIL &&
           n.nil_value.value == 0 && n.nil_value.tag == TAG_INTEGER;
}

bool mus_lua_fix_hash_seed(void *block, size_t size, lua_Alloc allocate, void *user) {
    unsigned char *bytes = block;
    size_t needed = sizeof(state_head) + MAX_COUNTERS * sizeof(uint64_t) + sizeof(seed_neighbors);
    for (size_t at = 0; at + needed <= size; at += sizeof(void *)) {
        state_head head;
        memcpy(&head, bytes + at, sizeof head);
        if (head.allocate != allocate || head.user != user || head.total_bytes != size) continue;
        for (size_t counters = MIN_COUNTERS; counters <= MAX_COUNTERS; counters++) {
            unsigned char *neighbors = bytes + at + sizeof head + counters * sizeof(uint64_t);
            if (!is_before_seed(neighbors)) continue;
            memcpy(neighbors + offsetof(seed_neighbors, seed), &hash_seed, sizeof hash_seed);
            return true;
        }
    }
    return false;
}

/* ---- Reading the state --------------------------------------------------------------------------------------------
 */

enum { NODE_COUNT = 64, KEY_COUNT = 24 }; /* a wrong seed gives the right order in one of 24! states */

/* The node of a short string: lstring.c, luaS_hash, and its last bits (ltable.c, hashpow2). */
static unsigned int node_of(const char *text, size_t size) {
    unsigned int hash = hash_seed ^ (unsigned int)size;
    for (; size > 0; size--) hash ^= (hash << 5) + (hash >> 2) + (unsigned char)text[size - 1];
    return hash % NODE_COUNT;
}

/* A table of 64 nodes gets 24 strings of different nodes: lua_next visits them in the order of the nodes. */
bool mus_lua_hash_is_fixed(lua_State *L) {
    bool taken[NODE_COUNT] = {false};
    lua_createtable(L, 0, NODE_COUNT);
    int count = 0;
    for (int k = 0; count < KEY_COUNT; k++) {
        const char *text = lua_pushfstring(L, "key %d", k);
        unsigned int node = node_of(text, strlen(text));
        if (taken[node]) {
            lua_pop(L, 1);
            continue;
        }
        taken[node] = true;
        count++;
        lua_pushboolean(L, 1);
        lua_rawset(L, -3);
    }
    bool fixed = true;
    long long before = -1;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        size_t size;
        const char *text = lua_tolstring(L, -2, &size);
        long long node = node_of(text, size);
        fixed = fixed && node > before;
        before = node;
    }
    lua_pop(L, 1);
    return fixed;
}
