#!/bin/bash
# The laws in examples/rules: each is a rule for `muslin compare`, all in one table; Provot's, Bridson's and Bigliani's
# give what the stages in C give.
. "$(dirname "$0")/tap.bash"
type python3 >/dev/null 2>&1 || { echo "1..0 # SKIP python3 reads the files of this test, and is missing"; exit 0; }

cp examples/rules/*.lua "$work" || exit 2

# ---- As the stages in C -----------------------------------------------------------------------------------------------
cat >"$work/laws_test.lua" <<'L'
local muslin = require "muslin"

-- The greatest difference of positions and velocities between two worlds, step by step; and how many contacts were met.
local function apart(make, rule, steps, what)
  local a, b = make(), make()
  b:respond(muslin.response { rule = rule })
  local most, met = 0, 0
  for _ = 1, steps do
    a:step()
    b:step()
    met = met + #b:contacts()
    for k, cloth in ipairs(a.cloths) do
      local other = b.cloths[k]
      for _, field in ipairs(what) do most = math.max(most, (cloth[field] - other[field]):norm() / (1 + cloth[field]:norm())) end
    end
  end
  return most, met
end

local function sheets(pipeline, options)
  return function()
    local world = muslin.world { dt = 1 / 240, pipeline = pipeline }
    local function sheet(name, y, v, nodes)
      return world:cloth { name = name, thickness = 5e-3, material = { bending = 9e-5 }, friction = 0.4, restitution = options.restitution,
        mesh = muslin.mesh.grid { nodes = nodes, size = { 0.3, 0.27 }, center = { 0.01, y, 0.02 } }, velocity = v }
    end
    if not options.one then sheet("low", 0.04, { 0, 0, 0 }, { 6, 7 }) end
    sheet("high", 0.06, { 0.8, -1, 0.3 }, { 9, 8 })
    world:obstacle { name = "floor", shape = "plane", normal = { 0.1, 1, 0 }, at = {0, 0, 0}, friction = 0.3 }
    return world
  end
end

scenario("Provot", function()
  local pipeline = { preset = "provot", broad = "brute", collision_step = "step" } -- many contacts in each step
  local make = sheets(pipeline, { restitution = 0.3 })
  local off, met = apart(make, require "provot", 24, { "x", "v" })
  assert(met > 100, met)
  expect(off):at_most(1e-9)
  local wrong = muslin.rule({ per = "node" }, function(c) return 0.9 * c.velocity end)
  assert(apart(make, wrong, 24, { "x" }) > 1e-4, "the test sees another law")
end)

scenario("Bridson", function()
  local rule = require "bridson"
  rule:set("k", muslin.material("cotton").stretch)
  local make = sheets({ preset = "bridson_source", collision_step = "step" }, { restitution = 0 })
  local off, met = apart(make, rule, 6, { "x", "v" })
  assert(met > 100, met)
  expect(off):at_most(1e-12)
  expect((apart(make, rule, 24, { "x", "v" }))):at_most(1e-6) -- the solver's tolerance widens what rounding began
  rule:set("k", 1e-3)
  assert(apart(make, rule, 24, { "x" }) > 1e-6, "the test sees another stiffness")
end)

scenario("Bigliani", function()
  -- the stage puts vertices back where they were, which no impulse does: velocities, up to the first contact
  local pipeline = { preset = "bigliani", integrator = "implicit_euler", broad = "brute" }
  local make = sheets(pipeline, { restitution = 0.5, one = true })
  local rule, seen = require "bigliani", 0
  for steps = 1, 60 do
    local off, met = apart(make, rule, steps, { "v" })
    if met > 0 then
      expect(off):at_most(1e-9)
      seen = met
      break
    end
  end
  assert(seen > 0, "they met")
end)

-- At rest the barrier carries the weight: the sum of -dE/dd at the distances found.
scenario("IPC", function()
  local world = muslin.world { dt = 1 / 120, air_density = 0 }
  local sheet = world:cloth { thickness = 8e-3,
    mesh = muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.2, 0.2 }, center = { 0, 4e-3, 0 } } }
  world:obstacle { shape = "plane", normal = { 0, 1, 0 } }
  world:respond(muslin.response { rule = require "ipc_barrier" })
  for _ = 1, 240 do world:step() end
  local thickness, carried, weight = 4e-3, 0, 0 -- of the sheet on a plane
  for i = 1, #sheet.x do
    local d = sheet.x[i].y
    carried = carried + 200 * (2 * (d - thickness) * math.log(d / thickness) + (d - thickness) ^ 2 / d)
    weight = weight + sheet.m[i] * 9.81
  end
  expect(carried / weight):near(1, 2e-3)
end)
L
run test "$work/laws_test.lua"
exits 0 "Provot's, Bridson's and Bigliani's laws as rules give what the stages give; the barrier carries a weight"
prints out '4 passed' "all were called"

# ---- In one table -----------------------------------------------------------------------------------------------------
cat >"$work/drop.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/240, fps = 60, duration = 0.2, threads = 1}
local sheet = world:cloth {name = "sheet", thickness = 5e-3,
    mesh = muslin.mesh.grid {nodes = {9, 9}, size = {0.3, 0.3}, center = {0.04, 0.115, 0}}}
world:obstacle {name = "ball", shape = "sphere", radius = 0.1}
return world
L
rules=() names=
for file in examples/rules/*.lua; do
    rules+=(--rule "$work/$(basename "$file")")
    names+="$(basename "$file" .lua) "
done
[ ${#rules[@]} = 14 ]
ok $? "there are seven laws"
run compare "$work/drop.lua" --pipelines robust "${rules[@]}" --out "$work/out" --fail-on-intersections
exits 0 "seven laws beside the default, and none lets anything through"
[ "$(awk 'NR > 2 && !/^ / {print $1}' "$work/.out" | tr '\n' ' ')" = "robust $names" ]
ok $? "the table has a row for each" "$(state)"
python3 - "$work/out/compare.json" <<'P'
import json, sys
rows = json.load(open(sys.argv[1]))["columns"]
assert len(rows) == 8 and all(r["outcome"] == "finished" and r["intersections_worst"] == 0 for r in rows), rows
assert len({r["kinetic_energy_J"] for r in rows}) > 6, rows
P
ok $? "each was played to the end, without crossings, and they differ" "$(head -c 1500 "$work/out/compare.json")"
for file in examples/rules/*.lua; do
    lines=$(grep -cvE '^ *(--.*)?$' "$file")
    [ "$lines" -ge 8 ] && [ "$lines" -le 20 ]
    ok $? "$(basename "$file") has $lines lines"
done
tap_end
