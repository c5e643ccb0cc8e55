#!/bin/bash
# Sewing patterns from files: what is read, what is refused, and garments that close around a body.
. "$(dirname "$0")/tap.bash"

cat >"$work/bag.json" <<'J'
{"pattern": {"panels": {
   "front": {"vertices": [[0, 0], [20, 0], [20, 30], [0, 30]], "translation": [0, 0, 3], "rotation": [0, 0, 0], "label": "body",
             "edges": [{"endpoints": [0, 1], "label": "hem"}, {"endpoints": [1, 2]}, {"endpoints": [2, 3], "curvature": [0.5, 0.1]}, {"endpoints": [3, 0], "curvature": null}]},
   "back": {"vertices": [[0, 0], [0, 30], [20, 30], [20, 0]], "translation": [0, 0, -3], "rotation": [0, 0, 0],
            "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2], "curvature": {"type": "circle", "params": [20, 0, 0]}}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]}},
  "stitches": [[{"panel": "front", "edge": 1}, {"panel": "back", "edge": 2}], [{"panel": "front", "edge": 3}, {"panel": "back", "edge": 0}],
               [{"panel": "front", "edge": 0}, {"panel": "back", "edge": 3}]],
  "panel_order": ["front", "back"]},
 "properties": {"units_in_meter": 100, "curvature_coords": "relative", "normalize_panel_translation": false, "normalized_edge_loops": true}}
J
cat >"$work/bag.lua" <<'L'
local muslin = require "muslin"
local here = arg[1]:match "^(.*/)"
local pattern = muslin.pattern.load(here .. (arg[2] or "bag.json"), { edge_length = 0.02, units = tonumber(arg[3]) })
local world = muslin.world { dt = 1/120, fps = 60, duration = 0.8, gravity = {0, 0, 0}, threads = 1 }
local bag = pattern:add(world, { name = "bag", cloth = { material = "cotton" }, stitch = { closing_time = 0.4 } })
for _, panel in ipairs(pattern.panels) do print(panel.name, panel.label, #panel.edges, ("%.4f"):format(panel.edges[3].length)) end
world:on("done", function()
  for k, seam in ipairs(bag.seams) do print("seam", k, seam.count, seam.gap < 0.003) end
end)
return world
L
run run "$work/bag.lua" --audit --out "$work/out" --format obj -- "$work/bag.lua"
[ "$code" = 0 ] && [[ $out == *$'front\tbody\t4\t0.2013'*$'back\tnil\t4\t0.3000'* ]]
ok $? "panels in the file's order and unit, with labels and curved edges" "$(state)"
[[ $out == *$'seam\t1\t16\ttrue'*$'seam\t2\t16\ttrue'*$'seam\t3\t11\ttrue'* ]] && [[ $out == *"no intersections in 49 frames"* ]]
ok $? "the seams close, and nothing intersects" "$(state)"
[ "$(grep -h '^o ' "$work/out/frame_000048.obj" | tr '\n' ';')" = "o cloth:bag.front;o cloth:bag.back;" ]
ok $? "frames have the names of the panels" "$(grep -h '^o ' "$work/out/frame_000048.obj")"

wrong() { # wrong REGEX NAME SED-EXPRESSION
    sed "$3" "$work/bag.json" >"$work/wrong.json"
    refuses 3 "$1" "$2" run "$work/bag.lua" -- "$work/bag.lua" wrong.json
}
wrong "wrong.json: stitch 0 names panel 'frnt', which there is not .did you mean 'front'" "an unknown panel" 's/{"panel": "front", "edge": 1}/{"panel": "frnt", "edge": 1}/'
wrong "stitch 1: panel 'back' has edges 0 to 3 .got 4" "an unknown edge" 's/{"panel": "back", "edge": 0}/{"panel": "back", "edge": 4}/'
wrong "panel 'front', edge 0: its endpoints must be vertices 0 to 3 .got 0 and 9" "an unknown vertex" 's/{"endpoints": \[0, 1\], "label": "hem"}/{"endpoints": [0, 9]}/'
wrong "panel 'front', edge 0: its ends are at one place" "an edge without length" 's/\[20, 0\], \[20, 30\], \[0, 30\]\], "translation": \[0, 0, 3\]/[0, 0], [20, 30], [0, 30]], "translation": [0, 0, 3]/'
wrong "panel 'front': .*cross" "a loop that crosses itself" 's/\[\[0, 0\], \[20, 0\], \[20, 30\], \[0, 30\]\], "translation": \[0, 0, 3\]/[[0, 0], [20, 30], [20, 0], [0, 30]], "translation": [0, 0, 3]/'
wrong "wrong.json: properties.units_in_meter must be > 0 .got nil.; or give the unit in meters" "no unit" 's/"units_in_meter": 100, //'
run run "$work/bag.lua" --frames 0 -- "$work/bag.lua" wrong.json 0.01
[ "$code" = 0 ] && [[ $out == *$'back\tnil\t4\t0.3000'* ]]
ok $? "which may be given by the scene" "$(state)"
wrong "wrong.json: line 1, column [0-9]+: " "what is no JSON" '1s/{/[/'
wrong "wrong.json: it has no pattern.panels" "another file" 's/"panels"/"pieces"/'
refuses 3 "none.json: cannot be read: No such file" "a file that is not there" run "$work/bag.lua" -- "$work/bag.lua" none.json
printf 'return require("muslin").pattern.load("/etc/passwd")\n' >"$work/reads.lua"
refuses 3 "pattern.load.path.: '/etc/passwd' is outside of what a scene may read" "a file outside of the scene's folder" run "$work/reads.lua"

# The command: what the pattern has, and its drawing.
run pattern "$work/bag.json"
[ "$code" = 0 ] && [[ $out =~ front\ +4\ +[0-9]+\ +"0: 20.0 (2), 1: 30.0 (0), 2: 20.1, 3: 30.0 (1)" ]] &&
    [[ $out != *gathers* ]]
ok $? "muslin pattern lists panels, edges and stitches by the file's numbers" "$(state)"
sed 's/"vertices": \[\[0, 0\], \[20, 0\], \[20, 30\]/"vertices": [[0, 0], [14, 0], [20, 30]/' "$work/bag.json" >"$work/gathers.json"
run pattern "$work/gathers.json"
[ "$code" = 0 ] && [[ $out == *"stitch 2 gathers 20.0 cm of 'back' into 14.0 cm of 'front'"* ]]
ok $? "and the stitches that gather" "$(state)"
if command -v python3 >/dev/null; then
    run pattern "$work/bag.json" --svg
    printf '%s' "$out" >"$work/bag.svg"
    python3 - "$work/bag.svg" >"$work/.out" 2>&1 <<'P'
import re, sys
import xml.etree.ElementTree as tree
space = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
width, height = (float(root.get(k)[:-2]) for k in ("width", "height"))
assert root.get("width").endswith("mm") and root.get("viewBox") == "0 0 %.1f %.1f" % (width, height)
panels = root.findall(space + "g")
assert [p.get("id") for p in panels] == ["front", "back"]
boxes, numbers = [], []
for p in panels:
    points = [tuple(map(float, xy)) for path in p.findall(space + "path") for xy in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", path.get("d"))]
    x, y = zip(*points)
    boxes.append((min(x), min(y), max(x), max(y)))
    assert min(x) >= 0 and min(y) >= 0 and max(x) <= width and max(y) <= height
    numbers += [t.text for t in p.findall(space + "text") if t.get("class") == "stitch"]
    for t in p.findall(space + "text"):  # labels are inside of the outline's box
        assert boxes[-1][0] < float(t.get("x")) < boxes[-1][2] and boxes[-1][1] < float(t.get("y")) < boxes[-1][3], t.text
assert sorted(numbers) == ["0", "0", "1", "1", "2", "2"], numbers
assert abs(boxes[0][2] - boxes[0][0] - 200) < 0.1          # front: 20 cm at true size
assert boxes[0][2] < boxes[1][0] or boxes[0][3] < boxes[1][1]  # side by side
P
    ok $? "--svg draws every panel inside the page, at true size, with each stitch on both of its edges" "$(cat "$work/.out")"
fi
refuses 2 "pattern needs a PATTERN.json" "no pattern" pattern
refuses 2 "pattern takes one PATTERN.json" "two patterns" pattern "$work/bag.json" "$work/bag.json"
refuses 2 "pattern '.*none.json': not found" "a pattern that is not there" pattern "$work/none.json"
refuses 2 "pattern '.*' is a folder; give a JSON file in it" "a folder" pattern "$work"
refuses 2 "option '--svg' is none of muslin run but of: pattern" "--svg of another command" run "$work/bag.lua" --svg

patterns=$PWD/../shared/data/patterns
if [ ! -e "$patterns/shirt_mean_specification.json" ]; then
    skip "garments on a body" "../shared/data/patterns is not here"
    tap_end
fi
cat >"$work/dress.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world { dt = 1/120, fps = 30, duration = 2, gravity = {0, 0, 0} }
local pattern = muslin.pattern.load(arg[1] .. "/" .. arg[2] .. "_specification.json", { edge_length = 0.03 })
local garment = pattern:add(world, { cloth = { material = "cotton" }, stitch = { closing_time = 1.5 } })
world:obstacle { name = "body", mesh = muslin.mesh.load(arg[1] .. "/f_smpl_average_A40.obj") }
local points = 0
for _, s in ipairs(pattern.stitches) do
  assert(#s.a.edge.vertices == #s.b.edge.vertices)
  points = points + #s.a.edge.vertices
end
print(#pattern.panels, #pattern.stitches, points)
world:on("done", function(w)
  local widest = 0
  for _, seam in ipairs(garment.seams) do widest = muslin.max(widest, seam.gap) end
  if w.frame > 0 then muslin.expect(widest):less_than(tonumber(arg[3])) end
end)
return world
L
# The widest open stitch, m: the pencil dress is narrower than this body's hips, and cotton hardly stretches.
for name in shirt_mean:8:18:0.004 dress_pencil:6:23:0.03; do
    IFS=: read -r name panels stitches widest <<<"$name"
    run run "$work/dress.lua" --audit -- "$patterns" "$name" "$widest"
    [ "$code" = 0 ] && [[ $out == "$panels"$'\t'"$stitches"$'\t'* ]] && [[ $out == *"no intersections in 61 frames"* ]]
    ok $? "$name is sewn around a body, and nothing intersects in any frame" "$(state)"
done
run run "$work/dress.lua" --frames 0 -- "$patterns" js_mean_all
[ "$code" = 0 ] && [[ $out == 12$'\t'57$'\t'* ]]
ok $? "js_mean_all, with circles and cubic curves, becomes twelve meshes" "$(state)"
tap_end
