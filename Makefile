# muslin: `make help` lists the targets. Variables: CC, CFLAGS, OPT, BUILD, PREFIX, DESTDIR, V=1 (show commands).

ifeq ($(origin CC),default)
CC := gcc
endif
BUILD ?= build
# One name for one folder: dependencies recorded under another name would not count.
override BUILD := $(patsubst $(CURDIR)/%,%,$(BUILD))
OPT ?= -O3
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share/muslin
LUA_CDIR ?= $(PREFIX)/lib/lua/5.4
LUA_DIR ?= $(PREFIX)/share/lua/5.4

comma := ,
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
say = $(if $(V),,@$(if $(silent),,echo "  $(1)";))

VERSION = $(shell sed -n 's/.define MUS_VERSION "\(.*\)"/\1/p' src/muslin/build.h)
# Before 1.0 every minor version may change the interface.
SONAME = libmuslin.so.$(basename $(VERSION))

# ---- Flags. No contraction and no fast-math: results are the same bits on every machine. -----------------------------

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
CONVERSIONS := -Wconversion -Wno-sign-conversion
FLAGS = -std=c11 -D_GNU_SOURCE -ffp-contract=off $(OPT) -g -fopenmp-simd -pthread -fPIC -fvisibility=hidden $(WARN) \
	$(SANITIZE) -Isrc -Ilua_api $(CFLAGS)
LINK = $(CC) $(SANITIZE) -pthread $(LDFLAGS)

# Evaluated when the first recipe needs it, and once: a machine without pkg-config must still get to `make deps`.
once = $(eval $(1) := $(shell $(2)))$($(1))
LUA_CFLAGS = $(call once,LUA_CFLAGS,pkg-config --cflags lua5.4)
LUA_LIBS = $(call once,LUA_LIBS,pkg-config --libs lua5.4)
APP_CFLAGS = $(call once,APP_CFLAGS,pkg-config --cflags sdl2 epoxy jansson libedit)
APP_LIBS = $(call once,APP_LIBS,pkg-config --libs sdl2 epoxy libedit)
TEST_CFLAGS = $(call once,TEST_CFLAGS,pkg-config --cflags cmocka gts)
# What the library itself links: CXSparse for factorizations, minizip for .npz, libjpeg-turbo for pictures, jansson for glTF.
CORE_LIBS := -lcxsparse -lminizip -lturbojpeg -ljansson -lm
TEST_LIBS = $(call once,TEST_LIBS,pkg-config --libs cmocka gts; echo -lgmp)

# ---- Sources: every .c of a folder of src is found. ------------------------------------------------------------------

FOLDERS := base mesh linear model trace dynamics broad narrow response solve world io
CORE_SRC := $(foreach folder,$(FOLDERS),$(wildcard src/$(folder)/*.c src/$(folder)/*/*.c))
LUA_SRC := $(wildcard lua_api/*.c lua_api/*/*.c)
APP_SRC := $(wildcard src/app/*.c src/app/*/*.c)
TEST_SRC := $(wildcard tests/*/test_*.c)

object = $(1:%.c=$(BUILD)/obj/%.o)
# A kernel is compiled once more for every wider instruction set; the processor decides at run time (src/base/simd.c).
KERNEL_SRC := $(filter %_kernel.c,$(CORE_SRC))
LEVELS := avx2 avx512
LEVEL_avx2 := -mavx2 -DMUS_SIMD_TARGET=1
LEVEL_avx512 := -mavx512f -mavx512dq -mavx512vl -DMUS_SIMD_TARGET=2
CORE_OBJ := $(call object,$(CORE_SRC)) $(foreach level,$(LEVELS),$(KERNEL_SRC:%.c=$(BUILD)/obj/%.$(level).o))
LUA_OBJ := $(call object,$(LUA_SRC))
APP_OBJ := $(call object,$(APP_SRC))
TEST_OBJ := $(call object,$(TEST_SRC))
TEST_BIN := $(TEST_SRC:%.c=$(BUILD)/%)

# A plain `make` builds on all processors too.
.DEFAULT_GOAL := default
default:
	+@$(again) all

all: $(BUILD)/muslin $(BUILD)/libmuslin.a $(BUILD)/libmuslin.so $(BUILD)/muslin.so

# ---- Building ---------------------------------------------------------------------------------------------------------

# Written anew only when its text changes: other flags, or a source come or gone, rebuild what they must.
changed = @mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(1))' > $@
$(BUILD)/.flags: FORCE
	$(call changed,$(CC) $(FLAGS))
$(BUILD)/.sources: FORCE
	$(call changed,$(CORE_SRC) $(LUA_SRC) $(APP_SRC) $(LDFLAGS))

# Missing packages are named before the compiler fails for them.
$(BUILD)/.deps: .ci/deps
	@mkdir -p $(@D); .ci/deps --check build && touch $@
$(BUILD)/.deps-test: .ci/deps
	@mkdir -p $(@D); .ci/deps --check build test && touch $@

$(CORE_OBJ): PRIVATE_CFLAGS = $(CONVERSIONS)
$(LUA_OBJ): PRIVATE_CFLAGS = $(CONVERSIONS) $(LUA_CFLAGS)
$(APP_OBJ): PRIVATE_CFLAGS = $(CONVERSIONS) -Isrc/app $(LUA_CFLAGS) $(APP_CFLAGS)
$(TEST_OBJ): PRIVATE_CFLAGS = $(LUA_CFLAGS) $(TEST_CFLAGS)
$(filter $(BUILD)/obj/tests/app/%,$(TEST_OBJ)): PRIVATE_CFLAGS += -Isrc/app
$(TEST_OBJ): | $(BUILD)/.deps-test

$(BUILD)/obj/%.o: %.c $(BUILD)/.flags | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC $<)$(CC) $(FLAGS) $(PRIVATE_CFLAGS) -MMD -MP -c $< -o $@

define kernel_rule
$(BUILD)/obj/%.$(1).o: %.c $(BUILD)/.flags | $(BUILD)/.deps
	@mkdir -p $$(@D)
	$$(call say,CC $$< ($(1)))$$(CC) $$(FLAGS) $$(LEVEL_$(1)) -MMD -MP -c $$< -o $$@
endef
$(foreach level,$(LEVELS),$(eval $(call kernel_rule,$(level))))

$(BUILD)/libmuslin.a: $(CORE_OBJ) $(BUILD)/.sources
	$(call say,AR $@)rm -f $@ && ar rcs $@ $(CORE_OBJ)
$(BUILD)/libmuslin.so: $(CORE_OBJ) $(BUILD)/.sources
	$(call say,LD $@)$(LINK) -shared -Wl,-soname,$(SONAME) -Wl,-Bsymbolic -Wl,-z,nodelete$(if $(SANITIZE),,$(comma)-z$(comma)defs) -o $@ $(CORE_OBJ) $(CORE_LIBS)
# A Lua module leaves Lua's own functions to the interpreter that loads it. Lua unloads modules when it closes, but the
# library's threads still wait for work then: nodelete keeps their code in the process to its end.
$(BUILD)/muslin.so: $(CORE_OBJ) $(LUA_OBJ) $(BUILD)/.sources
	$(call say,LD $@)$(LINK) -shared -Wl,-Bsymbolic -Wl,-z,nodelete -o $@ $(CORE_OBJ) $(LUA_OBJ) $(CORE_LIBS)
$(BUILD)/muslin: $(APP_OBJ) $(LUA_OBJ) $(BUILD)/libmuslin.a
	$(call say,LD $@)$(LINK) -o $@ $(APP_OBJ) $(LUA_OBJ) $(BUILD)/libmuslin.a $(LUA_LIBS) $(APP_LIBS) $(CORE_LIBS)

# Tests of the binding and of the host get their objects too, the host's without its main.
$(BUILD)/tests/lua_api/%: EXTRA = $(LUA_OBJ)
$(BUILD)/tests/lua_api/%: EXTRA_LIBS = $(LUA_LIBS)
$(BUILD)/tests/app/%: EXTRA = $(filter-out %/main.o,$(APP_OBJ)) $(LUA_OBJ)
$(BUILD)/tests/app/%: EXTRA_LIBS = $(LUA_LIBS) $(APP_LIBS)
$(filter $(BUILD)/tests/lua_api/%,$(TEST_BIN)): $(LUA_OBJ)
$(filter $(BUILD)/tests/app/%,$(TEST_BIN)): $(LUA_OBJ) $(APP_OBJ)
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(BUILD)/libmuslin.a
	@mkdir -p $(@D)
	$(call say,LD $@)$(LINK) -o $@ $< $(EXTRA) $(BUILD)/libmuslin.a -Wl,--as-needed $(EXTRA_LIBS) $(TEST_LIBS) $(CORE_LIBS)

tests-c: $(TEST_BIN)
tests-threads: $(foreach test,$(TEST_BIN),$(if $(findstring parallel,$(test))$(findstring thread,$(test)),$(test)))

# What times: the example scenes in C, and single phases on recorded data.
BENCH := $(patsubst tests/bench/%.c,$(BUILD)/%,$(wildcard tests/bench/bench*.c))
BENCH_OBJ := $(BENCH:$(BUILD)/%=$(BUILD)/obj/tests/bench/%.o)
EMBREE := $(if $(wildcard /usr/include/embree3/rtcore.h),yes)
$(BUILD)/obj/tests/bench/bench_broad.o: PRIVATE_CFLAGS = $(if $(EMBREE),-DMUSLIN_EMBREE)
$(BUILD)/obj/tests/bench/bench_picture.o: PRIVATE_CFLAGS = -Isrc/app $(LUA_CFLAGS) $(APP_CFLAGS)
$(BUILD)/bench_picture: EXTRA = $(filter-out %/main.o,$(APP_OBJ)) $(LUA_OBJ)
$(BUILD)/bench_picture: EXTRA_LIBS = $(LUA_LIBS) $(APP_LIBS)
$(BUILD)/bench_picture: $(LUA_OBJ) $(APP_OBJ)
$(BENCH): $(BUILD)/%: $(BUILD)/obj/tests/bench/%.o $(BUILD)/libmuslin.a
	$(call say,LD $@)$(LINK) -o $@ $< $(EXTRA) $(BUILD)/libmuslin.a -Wl,--as-needed $(if $(EMBREE),-lembree3) $(EXTRA_LIBS) $(CORE_LIBS)

-include $(CORE_OBJ:.o=.d) $(LUA_OBJ:.o=.d) $(APP_OBJ:.o=.d) $(TEST_OBJ:.o=.d) $(BENCH_OBJ:.o=.d)

# ---- Trying and testing -----------------------------------------------------------------------------------------------

deps:
	@.ci/deps build test

# Without a number of jobs make uses all processors. nproc obeys the variables of OpenMP, which do not apply to compilers.
processors = $(shell env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
again = $(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(processors))

# A window where there is a display, else frames and a picture under out/.
demo:
	@.ci/deps build
	+@$(again) all
	@BUILD=$(BUILD) .ci/demo

test:
	@.ci/deps build test
	@echo "make test: all tests but those that tests/long names (make test-long); about 18 min of processor time, so 9 min on"
	@echo "two idle cores, after the build; make check takes less than 1 min"
	+@$(again) all tests-c $(BUILD)/bench
	@BUILD=$(BUILD) tests/run

# The longest tests, which `make test` leaves out.
test-long:
	@.ci/deps build test
	+@$(again) all tests-c
	@BUILD=$(BUILD) tests/run --long

# A quick part of the tests of every folder: tests/quick names them.
check:
	@.ci/deps build test
	@echo "make check: the quick part of the tests that tests/quick names, of every folder and kind; less than 1 min on two idle cores"
	@echo "after the build; make test runs all of them"
	+@$(again) all $(addprefix $(BUILD)/,$(shell grep '^tests/[a-z_]*/test_[a-z_]*$$' tests/quick))
	@BUILD=$(BUILD) tests/run --quick

bench:
	@.ci/deps build
	+@$(again) all $(BENCH)
	@BUILD=$(BUILD) tests/bench/run

# The physics against closed forms and papers (docs/accuracy.md), a plot each.
accuracy: all
	@mkdir -p out/accuracy
	@$(BUILD)/muslin test --jobs 1 tests/accuracy >out/accuracy/results.txt 2>&1; status=$$?; \
		grep -E 'check failed|half-life|^# [0-9]+ passed' out/accuracy/results.txt; \
		awk -v folder=out/accuracy -f tests/accuracy/draw.awk out/accuracy/results.txt && exit $$status

# The reference of Lua as a page and as Markdown; that of C where Doxygen is installed (.ci/deps docs).
reference: all
	$(BUILD)/muslin doc --out out/reference
	@if .ci/deps --check docs 2>/dev/null; then mkdir -p out/reference/c && doxygen docs/Doxyfile && \
		echo "out/reference/c/html: written"; \
	else echo "doxygen is missing, so the reference of C is not written; .ci/deps docs installs it"; fi

# The sentences of lua_api/muslin.d.lua from the reference, for editors.
annotations: all
	$(BUILD)/muslin run --quiet --trusted lua_api/annotate.lua -- lua_api/muslin.d.lua lua_api/muslin.d.lua

# The pictures of README.md and examples/README.md: name, example, frame, size, argument. The moving one needs ffmpeg.
GALLERY := sphere:02_sphere:22:640x400 pile:03_pile:20:640x400 hit:04_sphere_hit:15:640x400 tablecloth:05_tablecloth:26:800x500 \
	layers:12_layers:90:720x450 creases:13_creases:100:720x450 petticoats:14_petticoats:70:720x450 \
	pleats:15_pleats:75:720x450 parachute:16_parachute:28:720x450 \
	knee:17_knee:150:720x450 gathers:18_gathers:160:720x450 flag:06_wind:100:720x450
# Those of docs/sources.
SOURCE_PICTURES := big1:sources/big1_tolerance:33:560x350 big2:sources/big2_strip:120:560x350 big3:sources/big3_tablecloth:120:560x350 \
	pro1:sources/pro1_garment:150:560x350 pro2_rumpled:sources/pro2_ribbon:30:560x350 pro2_unfolded:sources/pro2_ribbon:100:560x350 \
	jun1:sources/jun1_pile:80:560x350 jun2:sources/jun2_sphere:405:560x350 jun3:sources/jun3_hit:30:560x350:speed=5 \
	aab1:sources/aab1_model:120:560x350 bri1:sources/bri1_folding:180:560x350 bri2:sources/bri2_spheres:180:560x350 \
	bri3:sources/bri3_pointed:180:560x350 bri4:sources/bri4_wringing:300:560x350
picture = $(word $(1),$(subst :, ,$(2)))
draw = $(foreach p,$(1),$(BUILD)/muslin run examples/$(call picture,2,$(p)).lua --quiet --size $(call picture,4,$(p)) \
	--out out/pictures/$(call picture,1,$(p)) --format png --frames $(call picture,3,$(p)) \
	--frames-only $(call picture,3,$(p)) $(addprefix -- ,$(call picture,5,$(p))) && \
	cp out/pictures/$(call picture,1,$(p))/frame_$$(printf %06d $(call picture,3,$(p))).png \
	examples/pictures/$(call picture,1,$(p)).png &&) true
BUNNY ?= ../shared/data/meshes/bunny3K.obj
DRESS ?= ../shared/data/meshes
pictures: gallery
	$(call draw,$(SOURCE_PICTURES))
gallery: all
	$(call draw,$(GALLERY))
	$(BUILD)/muslin run examples/11_drape.lua --quiet --size 448x280 --out out/pictures/drape --format png --frames 70 \
		--frames-only 0:70:2
	ffmpeg -v error -y -framerate 15 -pattern_type glob -i 'out/pictures/drape/frame_*.png' -vf \
		"tpad=stop_mode=clone:stop_duration=1,split[a][b];[a]palettegen=max_colors=40:stats_mode=diff[p];[b][p]paletteuse=dither=none:diff_mode=rectangle" \
		-loop 0 examples/pictures/drape.gif
	$(BUILD)/muslin compare examples/04_sphere_hit.lua --quiet --pipelines robust --rule examples/rules/bridson.lua \
		--rule examples/rules/provot.lua --frames 20 --size 300x250 --out out/pictures/rules --png
	cp out/pictures/rules/compare.png examples/pictures/rules.png
	if [ -e "$(BUNNY)" ]; then $(BUILD)/muslin run examples/07_mesh.lua --trusted --quiet --size 720x450 --out out/pictures/bunny \
		--format png --frames 30 --frames-only 30 -- "$(abspath $(BUNNY))" y 100 && \
		cp out/pictures/bunny/frame_000030.png examples/pictures/bunny.png; \
	else echo "no $(BUNNY) here: the picture of the bunny stays; give its file by BUNNY="; fi
	$(BUILD)/muslin run examples/19_dance.lua --quiet --size 400x560 --out out/pictures/dance --format png --frames 200 \
		--frames-only 36:200:4
	cd out/pictures/dance && ffmpeg -v error -y -i frame_000048.png -i frame_000084.png -i frame_000160.png -i frame_000200.png \
		-filter_complex "hstack=4,scale=1000:350" ../../../examples/pictures/dance.png
	if [ -e "$(DRESS)/garment_panels.obj" ]; then $(BUILD)/muslin run examples/sources/pro1_garment.lua --trusted --quiet \
		--size 640x640 --out out/pictures/dress --format png --frames 240 --frames-only 150:240:6 -- \
		pattern=$(abspath $(DRESS))/garment_panels.obj body=$(abspath $(DRESS))/mannequin.obj \
		cache=$(abspath $(DRESS))/mannequin_kick.pc2 play=3.3 dt=0.0083333333 && cd out/pictures/dress && \
		ffmpeg -v error -y -i frame_000150.png -i frame_000204.png -i frame_000240.png -filter_complex \
		"[0]crop=420:600:60:40[a];[1]crop=420:600:60:40[b];[2]crop=420:600:60:40[c];[a][b][c]hstack=3,scale=882:420" \
		../../../examples/pictures/dress.png; \
	else echo "no $(DRESS) here: the picture of the dress stays; give the folder of its meshes by DRESS="; fi

ASAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
TSAN := -fsanitize=thread
asan:
	@.ci/deps build test
	+@$(again) BUILD=build-asan OPT=-O1 SANITIZE="$(ASAN)" all tests-c
	@TIMEOUT=$${TIMEOUT:-2700} BUILD=build-asan tests/run --fast
# What tests/long names of them; `make soak` plays it.
asan-long:
	@.ci/deps build test
	+@$(again) BUILD=build-asan OPT=-O1 SANITIZE="$(ASAN)" all tests-c
	@TIMEOUT=$${TIMEOUT:-2700} BUILD=build-asan tests/run --fast-long
# What takes hours (tests/soak): PARTS chooses; what has passed with this build is not played again.
SCENES ?= 1:1000
STEPS ?= 60
soak: $(BUILD)/tests/world/test_random_scenes $(BUILD)/muslin
	@BUILD=$(BUILD) SCENES=$(SCENES) STEPS=$(STEPS) tests/soak $(PARTS)
# Edits lines of the source in a copy (tests/*/mutations.txt): the named test must then fail. PATTERN chooses lines.
mutations:
	@.ci/deps build test
	@CC="$(CC)" tests/mutations.sh "$(PATTERN)"
tsan:
	@.ci/deps build test lint
	+@$(again) BUILD=build-tsan OPT=-O1 CC=clang SANITIZE="$(TSAN)" tests-threads
	@BUILD=build-tsan tests/run --threads

C_FILES = $(wildcard src/*.h src/*/*.[ch] src/*/*/*.[ch] lua_api/*.[ch] lua_api/*/*.[ch] tests/*/*.[ch] examples/c/*.c)
format:
	clang-format -i $(C_FILES)
format-check:
	clang-format --dry-run -Werror $(C_FILES)
lint: luacheck tidy
luacheck:
	find $(wildcard scripts examples tests lua_api) -name '*.lua' -print0 | xargs -0 -r luacheck --quiet
tidy:
	printf '%s\n' $(CORE_SRC) $(LUA_SRC) $(APP_SRC) | xargs -P $(shell nproc) -I{} \
		sh -c 'clang-tidy --quiet {} -- $(FLAGS) -Isrc/app $(LUA_CFLAGS) $(APP_CFLAGS) 2>/dev/null'

# ---- Installing -------------------------------------------------------------------------------------------------------

D = $(DESTDIR)
install: all
	install -d $(D)$(BINDIR) $(D)$(LIBDIR)/pkgconfig $(D)$(INCLUDEDIR)/muslin $(D)$(DATADIR)/scripts $(D)$(LUA_CDIR) $(D)$(LUA_DIR)
	install -m 755 $(BUILD)/muslin $(D)$(BINDIR)/muslin
	install -m 644 $(BUILD)/libmuslin.a $(D)$(LIBDIR)/libmuslin.a
	install -m 755 $(BUILD)/libmuslin.so $(D)$(LIBDIR)/libmuslin.so.$(VERSION)
	ln -sf libmuslin.so.$(VERSION) $(D)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(D)$(LIBDIR)/libmuslin.so
	install -m 644 src/muslin.h $(D)$(INCLUDEDIR)/muslin.h
	install -m 644 src/muslin/*.h $(D)$(INCLUDEDIR)/muslin
	install -m 755 $(BUILD)/muslin.so $(D)$(LUA_CDIR)/muslin.so
	cp -R scripts/. $(D)$(DATADIR)/scripts
	ln -sfnr $(D)$(DATADIR)/scripts $(D)$(LUA_DIR)/muslin
	$(if $(wildcard lua_api/muslin.d.lua),install -m 644 lua_api/muslin.d.lua $(D)$(DATADIR)/muslin.d.lua)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR:$(PREFIX)/%=$${prefix}/%)|' \
		-e 's|@VERSION@|$(VERSION)|' src/muslin.pc.in > $(D)$(LIBDIR)/pkgconfig/muslin.pc

# For luarocks: the module alone.
lua-module: $(BUILD)/muslin.so
install-lua: $(BUILD)/muslin.so
	install -d $(D)$(LUA_CDIR) $(D)$(LUA_DIR)/muslin
	install -m 755 $(BUILD)/muslin.so $(D)$(LUA_CDIR)/muslin.so
	cp -R scripts/. $(D)$(LUA_DIR)/muslin

uninstall:
	rm -f $(D)$(BINDIR)/muslin $(D)$(LIBDIR)/libmuslin.a $(D)$(LIBDIR)/libmuslin.so $(D)$(LIBDIR)/$(SONAME)*
	rm -f $(D)$(INCLUDEDIR)/muslin.h $(D)$(LUA_CDIR)/muslin.so $(D)$(LUA_DIR)/muslin $(D)$(LIBDIR)/pkgconfig/muslin.pc
	rm -rf $(D)$(DATADIR) $(D)$(INCLUDEDIR)/muslin

clean:
	rm -rf build build-*

help:
	@echo "make             build/muslin, libmuslin.a, libmuslin.so and muslin.so (for stock lua5.4)"
	@echo "make demo        a sheet falls over a ball: in a window, or as a picture under out/"
	@echo "make check       a quick part of the tests of every folder: less than 1 min on two idle cores, after the build"
	@echo "make test        all tests, about 10 min on two idle cores, after the build; the last line counts them"
	@echo "make bench       times of the example scenes, by phase"
	@echo "make accuracy    the physics against closed forms and papers: docs/accuracy.md; plots in out/accuracy"
	@echo "make gallery     the pictures of README.md and examples/README.md (needs ffmpeg); make pictures: also of docs/sources"
	@echo "make reference   the reference of Lua as HTML and Markdown, of C as HTML (needs doxygen), in out/reference"
	@echo "make annotations brings the sentences of lua_api/muslin.d.lua up to date with the reference"
	@echo "make deps        installs missing packages (apt, as root or through sudo)"
	@echo "make install     to PREFIX (/usr/local), under DESTDIR; make uninstall takes it away"
	@echo "make soak        random scenes, audited at every step (SCENES=FIRST:COUNT STEPS=N), tests/scenes and examples/sources in full"
	@echo "                 size, killed runs: hours; PARTS=... some of them, PARTS=--list names them; what has passed is not played again"
	@echo "make asan        fast tests under address and undefined-behavior sanitizers; make tsan: under the thread's"
	@echo "make mutations   breaks the source line by line in a copy, and checks that the test of each line fails; PATTERN=... some"
	@echo "make format      clang-format; make format-check, make lint: luacheck and clang-tidy"
	@echo "make clean       removes build folders"

FORCE:
.PHONY: default all tests-c tests-threads deps demo check reference annotations pictures gallery test bench accuracy soak asan asan-long tsan mutations format format-check lint luacheck tidy install uninstall lua-module install-lua clean help FORCE
.SECONDARY:
