#!/bin/bash
# `muslin doc`: the reference of Lua names, presets, stages and materials.
. "$(dirname "$0")/tap.bash"

run doc
exits 0 "the list of all there is"
for word in 'lua:' 'preset:' 'integrator:' 'response:' 'material:' 'cotton' 'box_tree' 'robust'; do
    prints out "$word" "the list names $word"
done
run doc cotton
[ "$code" = 0 ] && [[ $out == "cotton (material)"* ]] && [[ $out == *"kg/m^2"* ]]
ok $? "a material with its figures and units" "$(state)"
run doc bridson
exits 0 "a stage"
prints out 'bridson \(response\)' "with its kind"
run doc none
[ "$(grep -c '^none (' "$work/.out")" -ge 2 ]
ok $? "a name that several kinds share shows all of them" "$(state)"
run doc muslin.mesh.grid
exits 0 "a Lua name"
prints out 'nodes' "with its fields"
run doc mesh.grid
prints out 'nodes' "without the module's name too"
run doc world:step
exits 0 "a method"
run doc penetration_free
exits 0 "a check of expect, by its bare name"
prints out 'expect\(world\):penetration_free' "with its signature"
"$muslin" doc | awk '/^  / {n = $1; sub(/.*[.:]/, "", n); print n}' | sort -u >"$work/bare"
mapfile -t bare <"$work/bare"
run doc "${bare[@]}"
[ "$code" = 0 ] && [ "${#bare[@]}" -gt 250 ]
ok $? "every name is found by its last word" "${#bare[@]} words; $(state)"
mapfile -t topics < <("$muslin" doc | awk '/^[a-z]+:$/ {kind = $1} kind == "topic:" && /^  / {print $1}')
short=
for topic in "${topics[@]}"; do [ "$("$muslin" doc "$topic" | wc -l)" -gt 5 ] || short+=" $topic"; done
[ "${#topics[@]}" -gt 8 ] && [ -z "$short" ]
ok $? "topics have their text" "of ${#topics[@]} not:$short"
run doc cotton silk
[ "$code" = 0 ] && [[ $out == *cotton* ]] && [[ $out == *silk* ]]
ok $? "several names" "$(state)"
refuses 2 "nothing is called 'coton' \(did you mean 'cotton'\?\)" "a misspelt name gets the nearest" doc coton
refuses 2 "nothing is called 'qqqqqqqqqq', and no text has the word; muslin doc lists" "a name that is near to none" doc qqqqqqqqqq
# What is no name is searched for in names, texts and the words of scripts/reference/words.lua.
for pair in gust=muslin.wind throw=obstacle:apply_impulse throwing=cloth.v barycentric=contact.weights 'rest shape=world:cloth' \
    GRAVITY=muslin.world; do
    run doc "${pair%=*}"
    [ "$code" = 0 ] && [ -z "$err" ] && grep -qE "^  ${pair#*=} +[^ ]" "$work/.out"
    ok $? "a search for '${pair%=*}' finds ${pair#*=}, with a line" "$(state)"
done
# Retired words (the table of docs/glossary.md) lead to the present names.
for pair in push=contact.impulse push=obstacle:apply_impulse grip=contact.friction hold=cloth:pin tie=world:stitch thread=world:stitch \
    lean=contact.load pace=world.dt_min kick=cloth.v meeting=world:contacts centre=obstacle.center colour=canvas:line; do
    run doc "${pair%=*}"
    [ "$code" = 0 ] && [ -z "$err" ] && grep -qE "^  ${pair#*=} +[^ ]" "$work/.out"
    ok $? "the retired word '${pair%=*}' finds ${pair#*=}" "$(state)"
done
run doc barycentric
grep -q '^  contact.weights  *Barycentric' "$work/.out" && grep -q 'muslin.distance.vertex_face .*barycentric' "$work/.out"
ok $? "the line is the one that has the word" "$(state)"
run doc velocity
[ "$(sed -n '2s/^  \([^ ]*\) .*/\1/p' "$work/.out")" = contact.velocity ] || [[ $(sed -n 1p "$work/.out") == *velocity*"(lua)" ]]
ok $? "a name is not searched for" "$(state)"
run doc positions
[ "$(wc -l <"$work/.out")" -le 17 ] && tail -1 "$work/.out" | grep -q 'and [0-9]* more'
ok $? "long lists are cut, with the number of what is left out" "$(state)"
run doc cotton gust
[ "$code" = 0 ] && [[ $out == *"cotton (material)"*muslin.wind* ]]
ok $? "names and words to search for may be mixed" "$(state)"
cat >"$work/words.lua" <<'L'
local there = {}
for _, entry in ipairs(require "muslin.reference") do there[entry.name] = true end
for word, names in pairs(require "muslin.reference.words") do
  for _, name in ipairs(names) do expect(there[name], word .. ": " .. name):is_true() end
end
L
run run "$work/words.lua"
exits 0 "every name of the words to search for is there"
closed=0 # the pipe is closed before the last output, or after it
for _ in 1 2 3 4 5 6 7 8 9 10; do
    "$muslin" doc | head -1 >/dev/null
    [ "${PIPESTATUS[0]}" = 0 ] || closed=1
done
[ "$closed" = 0 ]
ok $? "a closed pipe is no mistake"
# All of it as pages.
run doc --out "$work/book/deep"
exits 0 "the reference is written as pages"
[ "$(ls "$work/book/deep" | xargs)" = "index.html reference.md" ] && [[ $out == *"deep/index.html"*"deep/reference.md"* ]]
ok $? "HTML and Markdown" "$(state)"
"$muslin" doc | awk '/^  / {n++} END {print n}' >"$work/entries"
[ "$(grep -c '<section id=' "$work/book/deep/index.html")" = "$(cat "$work/entries")" ] &&
    [ "$(grep -c '^### ' "$work/book/deep/reference.md")" = "$(cat "$work/entries")" ]
ok $? "with every entry" "$(cat "$work/entries")"
if command -v python3 >/dev/null; then
    python3 - "$work/book/deep/index.html" >"$work/.out" 2>&1 <<'P'
import html.parser, sys
open_tags, ids, links, wrong = [], set(), set(), []
class Page(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if "id" in a:
            if a["id"] in ids: wrong.append("twice: " + a["id"])
            ids.add(a["id"])
        if "href" in a: links.add(a["href"])
        if tag not in ("meta", "br", "input"): open_tags.append(tag)
    def handle_endtag(self, tag):
        if not open_tags or open_tags.pop() != tag: wrong.append("ends: " + tag)
Page().feed(open(sys.argv[1], encoding="utf-8").read())
wrong += ["has no target: " + l for l in links if not l.startswith("#") or l[1:] not in ids]
wrong += ["open: " + t for t in open_tags]
wrong += ["not linked: " + i for i in ids if "#" + i not in links and i not in ("search", "found", "contents")]
print("\n".join(wrong[:20]) or "well")
P
    out=$(cat "$work/.out")
    [ "$out" = well ]
    ok $? "its tags match, its links have targets, every entry is linked" "$out"
fi
# Chapters: each name where its kind and its first word say, and none left over.
if command -v python3 >/dev/null; then
    python3 - "$work/book/deep/index.html" "$work/book/deep/reference.md" >"$work/.out" 2>&1 <<'P'
import html, re, sys
wrong, seen = [], {}
page = open(sys.argv[1], encoding="utf-8").read()
chapter = None
for title, kind, name in re.findall(r'<h2 id="[^"]*">([^<]*)</h2>|<section id="([^"]*)"[^>]*><h3>([^<]*)', page):
    if title: chapter = title
    else: seen.setdefault(chapter, []).append((kind, name.strip()))
first = {"world": "World", "cloth": "Cloth", "obstacle": "Obstacles", "mesh": "Meshes", "material": "Materials", "seam": "Seams", "pattern": "Sewing patterns", "garment": "Sewing patterns", "stage": "Stages of USD",
         "response": "Response rules", "rule": "Response rules", "param": "Response rules", "expression": "Numbers in rules",
         "contact": "Contacts", "contacts": "Contacts", "array": "Arrays", "vec3": "Vectors", "stream": "Random numbers",
         "canvas": "Drawing", "expectation": "Checks"}
module = {"mesh": "Meshes", "material": "Materials", "ccd": "Collision queries", "distance": "Collision queries",
          "scenario": "Scenarios", "property": "Scenarios", "world": "World", "max": "Numbers in rules", "pow": "Numbers in rules",
          "array": "Arrays", "vec3": "Vectors", "rule": "Response rules", "expect": "Checks", "random": "Random numbers",
          "wind": "Forces and wind", "type": "About muslin", "dress": "Sewing patterns", "usd": "Stages of USD"}
kinds = {"topic": "Topics", "preset": "Presets of pipelines", "material": "Materials by name"}
count = 0
for chapter, entries in seen.items():
    for kind, name in entries:
        kind = kind.split("-")[0]
        words = re.split("[.:]", html.unescape(name))
        wanted = kinds.get(kind, "Stages")
        if kind == "lua":
            count += 1
            wanted = first.get(words[0]) if words[0] != "muslin" else module.get(words[1], chapter)
        if wanted != chapter: wrong.append(f"{name} ({kind}) stands in {chapter}, not in {wanted}")
        if kind == "lua" and len(entries) > 70: wrong.append(f"{chapter} has {len(entries)} names")
if count < 300: wrong.append(f"only {count} Lua names")
titles = re.findall(r"^## (.*)$", open(sys.argv[2], encoding="utf-8").read(), re.M)
if titles != list(seen): wrong.append(f"the Markdown has other chapters: {titles}")
print("\n".join(wrong[:20]) or "well")
P
    out=$(cat "$work/.out")
    [ "$out" = well ]
    ok $? "every name stands in its chapter, and no chapter takes what is left over" "$out"
fi
page=$work/book/deep/index.html
# Texts are wrapped by hand for terminals; on the page paragraphs and definitions wrap by themselves, tables do not.
! grep -q 'pre {[^}]*white-space: pre-wrap' "$page" && grep -q '<dt>dt</dt><dd>longest step' "$page" &&
    grep -q '^<pre>sweeps  *1  *5' "$page" && grep -q '^<p>Makes a world' "$page"
ok $? "paragraphs, definitions and tables are distinguished"
[ "$(grep -c '<pre>' "$page")" -lt 30 ]
ok $? "few texts are left as they were broken by hand" "$(grep -c '<pre>' "$page") are"
grep -q 'see <a href="#lua-world-start-report">world:start_report</a>' "$page" && grep -q '<a href="#preset-robust">robust</a>' "$page" &&
    grep -q '<a href="#lua-muslin-mesh-load">muslin.mesh.load</a>' "$page"
ok $? "names in texts lead to their entries"
[ "$(grep -c '<figure><svg' "$page")" -ge 8 ]
ok $? "meshes have pictures"
! grep -qE '(src|href)="?(https?:)?//' "$page" && ! grep -qE '@import|fetch\(|XMLHttpRequest' "$page"
ok $? "the page requests nothing from a network"
if command -v node >/dev/null; then
    cat >"$work/search.js" <<'J'
const { rank } = require(process.argv[2]);
const entries = [{ name: "world:step", line: "One step.", text: "one step of step_size" },
  { name: "muslin.wind", line: "A wind.", text: "air", words: "gust breeze" },
  { name: "cloth.v", line: "Velocities.", text: "they are staggered by half a step" }];
const names = (query) => rank(entries, query).map((e) => e.name).join(" ");
const wrong = [["step", "world:step cloth.v"], ["STEPS half", "cloth.v"], ["gusts", "muslin.wind"], ["tep", "world:step"],
  ["nothing", ""], ["", ""]].filter(([query, wanted]) => names(query) !== wanted);
console.log(wrong.length ? wrong.map(([q, w]) => `${q}: wanted ${w}, got ${names(q)}`).join("; ") : "well");
J
    out=$(node "$work/search.js" "$PWD/scripts/reference/search.js" 2>&1)
    [ "$out" = well ]
    ok $? "the page's search ranks names before texts" "$out"
else
    skip "the page's search ranks names before texts" "node is not installed"
fi
grep -q 'id="search"' "$page" && grep -q 'function rank' "$page"
ok $? "and is in the page"
grep -q 'world:on(event, f' "$work/book/deep/index.html" && grep -q '&lt;close&gt;' "$work/book/deep/index.html" && ! grep -q '<close>' "$work/book/deep/index.html"
ok $? "signatures are there, and what HTML would read as markup is quoted"
[ -z "$(sed -n '/^```/p' "$work/book/deep/reference.md" | awk 'NR % 2 == 0 && $0 != "```"')" ]
ok $? "every block of the Markdown ends"
run doc --out /proc/nowhere
exits 3 "a folder that cannot be made"
prints err '/proc/nowhere: cannot be made' "is named"

tap_end
