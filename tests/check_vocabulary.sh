#!/bin/bash
# Retired words stay retired: no identifier in src, lua_api and tests has a word of tests/vocabulary.txt between its underscores, and
# no comment, string or document has a word of tests/vocabulary_texts.txt. Strings of tests are not checked: they are names of
# scenarios and texts of messages that a test expects. From the repository root.
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

# file:line:identifier of all code, without comments, strings and includes.
find src lua_api tests -name '*.[ch]' -print0 | sort -z | xargs -0 awk '
    FNR == 1 { inside = 0 }
    /^ *# *include/ { next }
    {
        line = $0; out = ""
        while (line != "") {
            if (inside) {
                end = index(line, "*/")
                if (!end) { line = ""; break }
                line = substr(line, end + 2); inside = 0; continue
            }
            if (match(line, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|\/\*|\/\//) == 0) { out = out line; break }
            found = substr(line, RSTART, RLENGTH); out = out substr(line, 1, RSTART - 1) " "; line = substr(line, RSTART + RLENGTH)
            if (found == "/*") inside = 1
            if (found == "//") line = ""
        }
        n = split(out, word, /[^A-Za-z0-9_]+/)
        for (k = 1; k <= n; k++) if (word[k] ~ /^[A-Za-z_]/) print FILENAME ":" FNR ":" word[k]
    }' >"$work/identifiers"

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
report "$([ "$(wc -l <"$work/identifiers")" -gt 100000 ] || echo "only $(wc -l <"$work/identifiers") identifiers were read")" "all code is read"

# Names of files: no word that no identifier may have.
report "$(find src lua_api -name '*.[ch]' | awk -F ' *[|] *' '
    FNR == NR { if ($3 == "none") never[$1] = 1; next }
    { base = $0; sub(/.*\//, "", base); sub(/\.[ch]$/, "", base); n = split(base, part, "_")
      for (k = 1; k <= n; k++) if (part[k] in never || part[k] ~ /^(levers|parts|adopt|halve|contour)$/) print $0 }
    ' tests/vocabulary.txt -)" "files of src and lua_api have none of these words in their names"

# Texts: comments, string literals and documents, a record each; without the table of retired words. Of tests only comments.
{
    find src lua_api scripts examples docs .ci .github -type f \( -name '*.[ch]' -o -name '*.inc' -o -name '*.lua' -o -name '*.md' -o -path '.ci/*' \) -print0 |
        sort -z | xargs -0 awk -f tests/texts_of.awk README.md CONTRIBUTING.md CHANGELOG.md Makefile |
        awk -F : '$1 == "docs/glossary.md" && /## Retired words/ { retired = $2 } $1 != "docs/glossary.md" || !retired'
    find tests -type f ! -name '*.txt' -print0 | sort -z | xargs -0 awk -f tests/texts_of.awk | grep -E '^[^:]*:[0-9]+:comment:'
} >"$work/texts"
for part in "src lua_api scripts examples docs .ci .github 8000" "tests 1800"; do
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
        sed -E 's/^([^:]*:[0-9]+):[a-z]+: /\1: /' | grep -iE ": .*(^|[^A-Za-z0-9_])($pattern)([^A-Za-z0-9_]|$)" |
        sed -E "s~^([^:]*:[0-9]+: ).*(.{40}\\b($pattern)\\b)~\\1...\\2~I" | cut -c 1-200)
    report "$found" "no text has \"$pattern\" ($write)"
done <tests/vocabulary_texts.txt
echo "1..$count"
