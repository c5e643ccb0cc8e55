#!/bin/bash
# The rules that a compiler does not check: levels, call cycles, what the library may call and exports.
# From the repository root, after a build (BUILD).
set -u
build=${BUILD:-build}
count=0
report() { # what was wrong (nothing is good), name
    count=$((count + 1))
    if [ -z "$1" ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        printf '%s\n' "$1" | sed 's/^/#   /'
    fi
}

shopt -s nullglob
declare -A levels=([base]=0 [mesh]=1 [linear]=1 [model]=2 [trace]=2 [dynamics]=3 [broad]=4 [narrow]=5 [response]=6 [solve]=7
    [world]=8 [io]=8)

# ---- A file includes only from its own level or below. ----------------------------------------------------------------
wrong=
for part in "${!levels[@]}"; do
    for file in src/"$part"/*.[ch] src/"$part"/*/*.[ch]; do
        [ -e "$file" ] || continue
        while IFS= read -r included; do
            case $included in
            muslin/*.h | stages.inc) continue ;;
            muslin.h)
                wrong+="$file includes muslin.h: the core includes the chapters that it needs"$'\n'
                continue
                ;;
            */*) from=${included%%/*} ;;
            *) from= ;;
            esac
            if [ -z "$from" ] || [ -z "${levels[$from]:-}" ]; then
                wrong+="$file includes \"$included\", which is no folder's header"$'\n'
            elif [ "${levels[$from]}" -gt "${levels[$part]}" ]; then
                wrong+="$file (level ${levels[$part]}) includes \"$included\" (level ${levels[$from]})"$'\n'
            elif [ "$part" = io ] && [ "$from" != io ] && [ "$from" != base ]; then
                wrong+="$file includes \"$included\": io knows only the public header and base"$'\n'
            elif [ "$part" != io ] && [ "$from" = io ]; then
                wrong+="$file includes \"$included\": nothing of the core reads or writes files but io"$'\n'
            fi
        done < <(sed -nE 's/^ *# *include *"([^"]*)".*/\1/p' "$file")
    done
done
report "${wrong%$'\n'}" "folders include only from their own level or below"

wrong=$(for folder in src/*/; do
    part=$(basename "$folder")
    [ "$part" = app ] || [ "$part" = muslin ] || [ -n "${levels[$part]:-}" ] || echo "src/$part has no level"
done)
report "$wrong" "every folder has a level"

wrong=$(grep -nE '^ *# *include *"' src/muslin.h src/muslin/*.h | while IFS=: read -r file line text; do
    name=$(sed -E 's/.*"([^"]*)".*/\1/' <<<"$text")
    case $file:$name in
    src/muslin.h:muslin/host.h | src/muslin.h:muslin/math.h) echo "$file:$line: includes \"$name\", which applications include by name" ;;
    src/muslin.h:muslin/*.h) ;;
    src/muslin/*:*/*) echo "$file:$line: includes \"$name\"" ;;
    *) [ -e "src/muslin/$name" ] || echo "$file:$line: includes \"$name\"" ;;
    esac
done
for file in src/muslin/*.h; do
    name=muslin/$(basename "$file")
    [ "$name" = muslin/host.h ] || [ "$name" = muslin/math.h ] || grep -qF "\"$name\"" src/muslin.h || echo "muslin.h does not include $name"
done)
report "$wrong" "muslin.h includes its chapters, and they only each other"

wrong=$(grep -nE '^ *# *include *"' lua_api/*.[ch] lua_api/*/*.[ch] /dev/null | while IFS=: read -r file line text; do
    name=$(sed -E 's/.*"([^"]*)".*/\1/' <<<"$text")
    case $name in
    muslin.h | muslin/host.h | muslin/math.h) continue ;;
    esac
    [ -e "lua_api/$name" ] || echo "$file:$line: includes \"$name\""
done)
report "$wrong" "the binding includes only muslin.h, host.h, math.h, its own headers and Lua"

wrong=$(grep -nE '^ *# *include *"' src/app/*.[ch] src/app/*/*.[ch] /dev/null | while IFS=: read -r file line text; do
    name=$(sed -E 's/.*"([^"]*)".*/\1/' <<<"$text")
    case $name in
    muslin.h | muslin/host.h | muslin/math.h | api.h) ;;
    *) [ -e "src/app/$name" ] || echo "$file:$line: includes \"$name\"" ;;
    esac
done)
report "$wrong" "the application includes only muslin.h, host.h, math.h, api.h and its own headers"

wrong=$(for part in "${!levels[@]}"; do grep -nE 'lua_State|lua\.h|lauxlib' src/"$part"/*.[ch] src/"$part"/*/*.[ch] /dev/null 2>/dev/null; done)
wrong+=$(grep -nE 'lua_State|lua\.h' src/muslin.h src/muslin/*.h)
report "$wrong" "the core knows no Lua"

# ---- What the library may call, by its objects: that is what the compiler left of it. --------------------------------
undefined() { # folders...: "folder/object.o symbol" of everything that objects need from outside themselves
    find "${@/#/$build/obj/}" -name '*.o' -print0 2>/dev/null | sort -z | xargs -0 -r nm -A -u |
        sed -E "s|^$build/obj/(src/)?([^:]*): *[Uwv] ([^@ ]*).*|\\2 \\3|"
}
wanted=$(undefined src/base src/mesh src/linear src/model src/trace src/dynamics src/broad src/narrow src/response src/solve src/world src/io)
report "$([ -n "$wanted" ] && [ -s "$build/libmuslin.a" ] || echo "$build/libmuslin.a or its objects are missing")" \
    "the library is built"

calls() { # regular expression of symbols, objects that may
    grep -E " ($1)\$" <<<"$wanted" | grep -vE "^($2)\\.o " | sort -u
}
report "$(calls 'exit|_exit|_Exit|quick_exit|abort|__assert_fail|raise|kill|signal|sigaction|system|longjmp|__longjmp_chk' -)" \
    "the library never exits, aborts, asserts or jumps"
report "$(calls 'printf|__printf_chk|vprintf|puts|putchar|perror|stdout|stderr|stdin|getenv|setlocale' -)" \
    "the library prints nothing and reads no environment"
report "$(calls 'malloc|calloc|realloc|free|strdup|strndup|asprintf|vasprintf|getline|aligned_alloc|posix_memalign|qsort|qsort_r|alloca' base/memory)" \
    "all memory comes from base/memory.c"
report "$(calls 'a?(sin|cos|tan)h?f?|sincos|exp2?f?|expm1|log2?f?|log10|log1p|powf?|cbrtf?|hypotf?|atan2f?|fmaf?|erf|tgamma|lgamma|fesetround|rand|srand|random|drand48' -)" \
    "the library uses its own elementary functions and random streams"
report "$(calls 'GOMP_.*|omp_.*|pthread_.*|thrd_.*' base/parallel)" "threads are known only to base/parallel.c"
report "$(calls 'time|gettimeofday|clock_gettime|clock|times' base/timer)" "clocks are read only by base/timer.c"
report "$(calls 'fopen|fopen64|open|open64|creat|rename|unlink|remove|mkdir|stat|stat64|fdopen|tmpfile' 'io/[a-z0-9_]+')" \
    "files are opened only by io"
# GCC writes vector reductions of its own only under -ffast-math; fused operations only if allowed to contract.
report "$(objdump -d --no-show-raw-insn "$build/libmuslin.a" | grep -E '\svf(n?m)(add|sub)[0-9]' | head -n 5)" \
    "no fused multiply-add is in the library"

# ---- Call cycles: files of a folder that reach each other through calls. ------------------------------------------------
largest_cycle() { # folder of src: "count files..." of its largest cycle; nothing without one
    find "$build/obj/src/$1" -name '*.o' ! -name '*.avx*' -print0 | sort -z | xargs -0 -r nm -A | awk '
        { split($1, at, ":"); file = at[1]; sub(/.*\/obj\/src\//, "", file); name = $NF; kind = $(NF - 1)
          if (kind == "U") uses[file, name] = 1
          else if (kind ~ /^[TDRBVW]$/) home[name] = file
          files[file] = 1 }
        END {
            for (key in uses) { split(key, pair, SUBSEP); to = home[pair[2]]; if (to != "" && to != pair[1]) reach[pair[1], to] = 1 }
            for (k in files) for (i in files) if ((i, k) in reach) for (j in files) if ((k, j) in reach) reach[i, j] = 1
            most = 1
            for (i in files) {
                count = 1; list = i
                for (j in files) if (j != i && ((i, j) in reach) && ((j, i) in reach)) { count++; list = list " " j }
                if (count > most) { most = count; found = count " " list }
            }
            print found
        }'
}
wrong=
for part in base mesh linear model trace dynamics broad narrow response world io; do
    found=$(largest_cycle "$part")
    [ -z "$found" ] || wrong+="src/$part: $found"$'\n'
done
for part in solve app; do
    found=$(largest_cycle "$part")
    [ "${found%% *}" -le 6 ] 2>/dev/null || [ -z "$found" ] || wrong+="src/$part: $found"$'\n'
done
report "${wrong%$'\n'}" "no call cycles in a folder, of at most 6 files in solve and app"

# ---- Exports ----------------------------------------------------------------------------------------------------------
declared=$(cat src/muslin/*.h | grep -v '^#' | tr '\n' ' ' | grep -oE 'MUS_API [^(;]*\(' | sed -E 's/.*[ *](mus_[a-z0-9_]+)\($/\1/' | sort -u)
exported=$(nm -D --defined-only "$build/libmuslin.so" | awk '{print $3}' | grep -vE '^(_init|_fini|_edata|_end|__bss_start)$' | sort -u)
report "$(comm -13 <(echo "$declared") <(echo "$exported"))" "libmuslin.so exports nothing beyond the public header"
report "$(comm -23 <(echo "$declared") <(echo "$exported"))" "all of the public header is in libmuslin.so"
report "$(nm -D --defined-only "$build/muslin.so" | awk '{print $3}' | grep -vE '^(luaopen_muslin|mus_.*|_init|_fini|_edata|_end|__bss_start)$')" \
    "muslin.so exports luaopen_muslin and mus_ names only"

# ---- Files ------------------------------------------------------------------------------------------------------------
sources=$(ls src/*.[ch] src/*/*.[ch] src/*/*/*.[ch] lua_api/*.[ch] lua_api/*/*.[ch])
report "$(for file in $sources; do
    lines=$(wc -l <"$file")
    [ "$lines" -le 600 ] || echo "$file has $lines lines"
done)" "no file is longer than 600 lines"
report "$(for file in $sources; do
    head -n 1 "$file" | grep -qF "/* $(basename "$file"): " || echo "$file does not open with its name and what it is"
done)" "every file begins with what it is"
report "$(for file in src/muslin.h src/muslin/*.h; do
    gcc -std=c11 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c "$file" 2>&1 | head -n 5
done)" "muslin.h and every chapter alone are pedantic C11"
if command -v g++ >/dev/null || command -v clang++ >/dev/null; then
    cpp=$(command -v g++ || command -v clang++)
    report "$(for file in src/muslin.h src/muslin/*.h; do
        "$cpp" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -x c++ "$file" 2>&1 | head -n 5
    done)" "muslin.h and every chapter alone are C++ too"
else
    count=$((count + 1))
    echo "ok $count - muslin.h and every chapter alone are C++ too # SKIP no C++ compiler"
fi

if command -v doxygen >/dev/null; then
    work=$(mktemp -d)
    report "$( (cat docs/Doxyfile && echo "OUTPUT_DIRECTORY = $work") | doxygen - 2>&1 | head -n 5)" \
        "every function, type and field of the public header is documented"
    rm -r "$work"
else
    count=$((count + 1))
    echo "ok $count - every function, type and field of the public header is documented # SKIP no doxygen"
fi

echo "1..$count"
