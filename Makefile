# A first Makefile: every .c of a room is found by itself.
CC ?= gcc
BUILD ?= build
OPT ?= -O2
WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
CFLAGS_ALL = -std=c11 -D_GNU_SOURCE -ffp-contract=off $(OPT) -g -fopenmp -fPIC -fvisibility=hidden $(WARN) -Isrc -Ilua_api $(CFLAGS)
LUA_CFLAGS := $(shell pkg-config --cflags lua5.4)
LUA_LIBS := $(shell pkg-config --libs lua5.4)
APP_CFLAGS := $(shell pkg-config --cflags sdl2 epoxy jansson libedit)
APP_LIBS := $(shell pkg-config --libs sdl2 epoxy jansson libedit)
CORE_LIBS = -fopenmp -lm

CORE_SRC := $(wildcard src/base/*.c src/mesh/*.c src/model/*.c src/trace/*.c src/dynamics/*.c src/broad/*.c src/narrow/*.c src/response/*.c src/solve/*.c src/world/*.c src/io/*.c)
LUA_SRC := $(wildcard lua_api/*.c)
APP_SRC := $(wildcard src/app/*.c)
CORE_OBJ := $(CORE_SRC:%.c=$(BUILD)/obj/%.o)
LUA_OBJ := $(LUA_SRC:%.c=$(BUILD)/obj/%.o)
APP_OBJ := $(APP_SRC:%.c=$(BUILD)/obj/%.o)
TEST_SRC := $(wildcard tests/*/test_*.c)
TEST_BIN := $(TEST_SRC:%.c=$(BUILD)/%)

all: $(BUILD)/muslin $(BUILD)/libmuslin.a $(BUILD)/libmuslin.so $(BUILD)/muslin.so

$(BUILD)/obj/lua_api/%.o: CFLAGS_ALL += $(LUA_CFLAGS)
$(BUILD)/obj/src/app/%.o: CFLAGS_ALL += $(LUA_CFLAGS) $(APP_CFLAGS)

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

$(BUILD)/libmuslin.a: $(CORE_OBJ)
	rm -f $@ && ar rcs $@ $^
$(BUILD)/libmuslin.so: $(CORE_OBJ)
	$(CC) -shared -o $@ $^ $(CORE_LIBS)
$(BUILD)/muslin.so: $(CORE_OBJ) $(LUA_OBJ)
	$(CC) -shared -o $@ $^ $(CORE_LIBS)
$(BUILD)/muslin: $(APP_OBJ) $(LUA_OBJ) $(BUILD)/libmuslin.a
	$(CC) -o $@ $^ $(LUA_LIBS) $(APP_LIBS) $(CORE_LIBS)
$(BUILD)/tests/%: tests/%.c $(BUILD)/libmuslin.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -MMD -MP $< -o $@ $(BUILD)/libmuslin.a -lcmocka $(TEST_LIBS) $(CORE_LIBS)

tests-c: $(TEST_BIN)
clean:
	rm -rf $(BUILD)
.PHONY: all clean tests-c
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
