#!/bin/bash
# Every example of the reference is run as it stands, in a small world (reference_examples.lua), and every function has one.
. "$(dirname "$0")/tap.bash"

root=$PWD
cp tests/cli/reference_examples.lua "$work/examples_test.lua"
cd "$work" || exit 2

# The files that examples read.
cat >files.lua <<'L'
local muslin = require "muslin"
muslin.mesh.icosahedron { radius = 0.1 }:save("bunny.obj")
muslin.mesh.icosahedron { radius = 0.1 }:save("body.obj")
muslin.mesh.grid { nodes = {4, 4}, size = {0.2, 0.2}, center = {6, 0.5, 0} }:save("shirt.obj")
local world = muslin.world { dt = 1/120 }
world:cloth { name = "body", mesh = muslin.mesh.icosahedron { radius = 0.1 } }
world:obstacle { name = "ball", shape = "sphere", radius = 0.2, at = {3, 0.25, 0} }
world:find("ball"):move(function() return {3, 0.25, 0} end)
return world
L
cat >half.lua <<'L'
local muslin = require "muslin"
local world = muslin.world { dt = 1/120 }
world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = {4, 4}, center = {0, 0.6, 0} } }
world:obstacle { name = "ball", shape = "sphere", radius = 0.2, at = {0, 0.25, 0} }:move(function() return {0, 0.25, 0} end)
world:save("half.muslin")
L
run run files.lua --frames 3 --out . --format pc2 --quiet
mv cloth_body.pc2 walk.pc2
python3 "$root/tests/cli/make_gltf.py" . && mv limb.glb dancer.glb && rm -f limb* *.gltf bend.lua wave.lua pose.lua
echo 'stitch 0 1 2 0.5' >>shirt.obj
cat >shirt_specification.json <<'J'
{"pattern": {"panels": {"front": {"vertices": [[0, 0], [20, 0], [0, 30]], "translation": [0, 50, 800], "rotation": [0, 0, 0],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 0]}]}}, "stitches": []},
 "properties": {"units_in_meter": 100}}
J
cat >shirt.usda <<'U'
#usda 1.0
(
    metersPerUnit = 1
)
def Mesh "yoke" (
    prepend apiSchemas = ["PhysicsDeformableBodyAPI", "PhysicsSurfaceDeformableSimAPI"]
)
{
    int[] faceVertexCounts = [4]
    int[] faceVertexIndices = [0, 1, 2, 3]
    point3f[] points = [(9, 0.5, 0), (9, 0.5, 0.2), (9.2, 0.5, 0.2), (9.2, 0.5, 0)]
}
U
sed 's/yoke/collar/; s/0\.5, /0.8, /g' shirt.usda >frame_000010.usda
run run half.lua --quiet
[ "$code" = 0 ] && [ -s walk.pc2 ] && [ -s half.muslin ]
ok $? "the files that examples read are made" "$(state)"

run test --update-golden --filter "hangs as it did" examples_test.lua
run test examples_test.lua
[ "$code" = 0 ] && [ "$(grep -c '^ok' .out)" -gt 200 ]
ok $? "every example runs as it stands" "$(grep -A8 '^not ok' .out | head -80; echo "$err")"

# A result that differs, or a name that is not there, is found.
sed 's/if text and not draws/text = text and text:gsub("muslin.clamp%(7, 0, 5%)  %-%-> 5", "muslin.clamp(7, 0, 5)  --> 6")\n  if text and not draws/' \
    examples_test.lua >wrong_test.lua
run test --filter "muslin.clamp" wrong_test.lua
exits 1 "a value that differs from what an example states is found"

# Those that draw, all in one picture.
cat >drawn.lua <<'L'
local muslin = require "muslin"
local world = muslin.world {}
local sheet = world:cloth { name = "sheet", mesh = muslin.mesh.grid { nodes = {8, 8}, center = {0, 0.6, 0} } }
local count = 0
for _, entry in ipairs(require "muslin.reference") do
  if entry.example and entry.example:find('on("draw"', 1, true) then
    count = count + 1
    local env = setmetatable({ world = world, sheet = sheet }, { __index = function(_, name) return rawget(_G, name) end })
    assert(load(entry.example, "=" .. entry.name, "t", env))()
  end
end
expect(count):at_least(3)
return world
L
run run drawn.lua --frames 0 --out drawn --format png --quiet
[ "$code" = 0 ] && [ -s drawn/frame_000000.png ]
ok $? "examples that draw are drawn" "$(state)"

# Every function has an example: what is called, or takes a table of options.
cat >lacking.lua <<'L'
local lacking = {}
for _, entry in ipairs(require "muslin.reference") do
  local called = entry.kind == "lua" and (entry.name:find ":" or entry.signature:find "^[%w_.]+%s*[({]")
  if called and not entry.example then lacking[#lacking + 1] = entry.name end
end
expect(table.concat(lacking, " ")):equals("")
L
run run lacking.lua
exits 0 "every function of the reference has an example"

cd "$root" || exit 2
tap_end
