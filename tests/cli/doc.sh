#!/bin/bash
# `muslin doc`: the reference of Lua names, presets, stages and materials.
. "$(dirname "$0")/tap.bash"

run doc
exits 0 "the list of all there is"
for word in 'lua:' 'preset:' 'integrator:' 'response:' 'material:' 'cotton' 'box_tree' 'robust'; do
    says out "$word" "the list names $word"
done
run doc cotton
[ "$code" = 0 ] && [[ $out == "cotton (material)"* ]] && [[ $out == *"kg/m^2"* ]]
ok $? "a material with its figures and units" "$(state)"
run doc bridson
exits 0 "a stage"
says out 'bridson \(response\)' "with its kind"
run doc none
[ "$(grep -c '^none (' "$work/.out")" -ge 2 ]
ok $? "a name that several kinds share shows all of them" "$(state)"
run doc muslin.mesh.grid
exits 0 "a Lua name"
says out 'nodes' "with its fields"
run doc mesh.grid
says out 'nodes' "without the module's name too"
run doc world:step
exits 0 "a method"
run doc penetration_free
exits 0 "a check of expect, by its bare name"
says out 'expect\(world\):penetration_free' "with its signature"
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
refuses 2 "nothing is called 'coton' \(did you mean 'cotton'\?\)" "a misspelt name is told the nearest" doc coton
refuses 2 "nothing is called 'qqqqqqqqqq'; muslin doc lists" "a name that is near to none" doc qqqqqqqqqq
"$muslin" doc | head -1 >/dev/null
[ "${PIPESTATUS[0]}" = 0 ]
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
        if tag not in ("meta", "br"): open_tags.append(tag)
    def handle_endtag(self, tag):
        if not open_tags or open_tags.pop() != tag: wrong.append("ends: " + tag)
Page().feed(open(sys.argv[1], encoding="utf-8").read())
wrong += ["leads nowhere: " + l for l in links if not l.startswith("#") or l[1:] not in ids]
wrong += ["open: " + t for t in open_tags]
wrong += ["not linked: " + i for i in ids if "#" + i not in links]
print("\n".join(wrong[:20]) or "well")
P
    out=$(cat "$work/.out")
    [ "$out" = well ]
    ok $? "its tags match, its links lead somewhere, every entry is linked" "$out"
fi
grep -q 'world:on(event, f' "$work/book/deep/index.html" && grep -q '&lt;close&gt;' "$work/book/deep/index.html" && ! grep -q '<close>' "$work/book/deep/index.html"
ok $? "signatures are there, and what HTML would take for its own is escaped"
[ -z "$(sed -n '/^```/p' "$work/book/deep/reference.md" | awk 'NR % 2 == 0 && $0 != "```"')" ]
ok $? "every block of the Markdown ends"
run doc --out /proc/nowhere
exits 3 "a folder that cannot be made"
says err '/proc/nowhere: cannot be made' "is named"

tap_end
