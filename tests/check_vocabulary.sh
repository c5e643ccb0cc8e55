#!/bin/bash
# Retired words stay retired: no identifier in src, lua_api and tests has a word of tests/vocabulary.txt between its underscores, and
# no comment, string or document has a word of tests/vocabulary_texts.txt; in tests these are also names of scenarios and messages.
# From the repository root.
set -u
count=0
report() { # what was wrong (nothing is good), name
    count=$((count + 1))
    if [ -z "$1" ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        printf '%s\n' "$1" | head -n 40 | sed 's/^/#   /'
    fi
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# file:line:identifier of all code, without comments, strings and includes: C, and of tests also Lua and shell.
{
    find src lua_api tests -name '*.[ch]' -print0
    find tests -type f ! -path '*/out/*' ! -name '*.[ch]' ! -name '*.txt' ! -name '*.md' -print0
} | sort -z | xargs -0 awk -v code=1 -f tests/texts_of.awk >"$work/identifiers"

wrong=$(awk -F ' *[|] *' '
    FNR == NR {
        if ($0 ~ /^#/ || NF < 3) next
        write[$1] = $2
        if ($3 ~ /^files: /) files[$1] = substr($3, 8)
        else if ($3 != "none") allowed[$1] = $3
        next
    }
    {
        split($0, at, ":"); name = at[3]
        if (name in seen_good) next
        n = split(tolower(name), part, "_"); good = 1
        for (k = 1; k <= n; k++) {
            w = part[k]
            if (!(w in write)) continue
            good = 0; ok = 0
            if (w in files) { m = split(files[w], f, " "); for (j = 1; j <= m; j++) if (index(at[1], f[j]) == 1) ok = 1 }
            if (w in allowed) { m = split(allowed[w], a, " "); for (j = 1; j <= m; j++) if (name ~ ("^(" a[j] ")$")) ok = 1 }
            if (!ok) print at[1] ":" at[2] ": " name ": write " write[w] " for " w
        }
        if (good) seen_good[name] = 1
    }' tests/vocabulary.txt "$work/identifiers")
report "$wrong" "identifiers use the words of docs/glossary.md"
report "$([ "$(wc -l <"$work/identifiers")" -gt 430000 ] || echo "only $(wc -l <"$work/identifiers") identifiers were read")" "all code is read"

# Names of files: no word that no identifier may have.
report "$(find src lua_api -name '*.[ch]' | awk -F ' *[|] *' '
    FNR == NR { if ($3 == "none") never[$1] = 1; next }
    { base = $0; sub(/.*\//, "", base); sub(/\.[ch]$/, "", base); n = split(base, part, "_")
      for (k = 1; k <= n; k++) if (part[k] in never || part[k] ~ /^(levers|parts|adopt|halve|contour)$/) print $0 }
    ' tests/vocabulary.txt -)" "files of src and lua_api have none of these words in their names"

# Texts: comments, string literals and documents, a record each; without the table of retired words.
{
    find src lua_api scripts examples docs .ci .github -type f \( -name '*.[ch]' -o -name '*.inc' -o -name '*.lua' -o -name '*.md' -o -path '.ci/*' \) -print0 |
        sort -z | xargs -0 awk -f tests/texts_of.awk README.md CONTRIBUTING.md CHANGELOG.md Makefile |
        awk -F : '$1 == "docs/glossary.md" && /## Retired words/ { retired = $2 } $1 != "docs/glossary.md" || !retired'
    find tests -type f ! -path '*/out/*' ! -name '*.txt' -print0 | sort -z | xargs -0 awk -f tests/texts_of.awk
} >"$work/texts"
for part in "src lua_api scripts examples docs .ci .github 8000" "tests 9000"; do
    folders=${part% *} least=${part##* }
    read_count=$(grep -cE "^(${folders// /|})/" "$work/texts")
    report "$([ "$read_count" -gt "$least" ] || echo "only $read_count texts were read")" "all texts of $folders are read"
done

while IFS=$'\t' read -r pattern write phrases places; do
    case $pattern in '#'* | '') continue ;; esac
    pick=cat
    case $places in
    all) ;;
    'but '*) pick="grep -vE ^($(tr ' ' '|' <<<"${places#but }"))" ;;
    *) pick="grep -E ^($(tr ' ' '|' <<<"$places"))" ;;
    esac
    # shellcheck disable=SC2086 # a command and its words
    found=$($pick "$work/texts" | grep -wiE "($pattern)" | if [ "$phrases" = none ]; then cat; else sed -E "s~\\b($phrases)\\b~...~gI"; fi |
        sed -E 's/^([^:]*:[0-9]+):[a-z]+: /\1: /' | grep -iE "^[^:]*:[0-9]+: (.*[^A-Za-z0-9_])?($pattern)([^A-Za-z0-9_]|$)" |
        sed -E "s~^([^:]*:[0-9]+: ).*(.{40}\\b($pattern)\\b)~\\1...\\2~I" | cut -c 1-200)
    report "$found" "no text has \"$pattern\" ($write)"
done <tests/vocabulary_texts.txt
echo "1..$count"
