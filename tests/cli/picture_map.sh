#!/bin/bash
# Maps by picture: what a cloth takes from a PNG is what an independent program computes from the same pixels; and
# what is wrong is named.
. "$(dirname "$0")/tap.bash"

PYTHONPATH=tests/cli PYTHONDONTWRITEBYTECODE=1 python3 - "$work" <<'P'
import struct, sys
from write_png import write_png
work = sys.argv[1] + "/"
W, H = 5, 4
gray = [[(7919 * (r * W + c) + 1234) % 65536 for c in range(W)] for r in range(H)]
write_png(work + "deep.png", W, H, 16, 0, [struct.pack(">%dH" % W, *row) for row in gray])
write_png(work + "flat.png", 3, 3, 8, 2, [b"\x80\x80\x80" * 3] * 3)
write_png(work + "halves.png", 2, 1, 8, 3, [b"\0\1"], bytes([0, 0, 0, 255, 255, 255]))
open(work + "broken.png", "wb").write(open(work + "deep.png", "rb").read()[:60])
open(work + "text.png", "w").write("no picture")

def clamp(t, n):
    at = min(max(t * n - 0.5, 0.0), n - 1.0)
    low = int(at)
    return low, min(low + 1, n - 1), at - low
def sample(u, v):
    c0, c1, s = clamp(u, W)
    r0, r1, t = clamp(1 - v, H)
    mix = lambda r: gray[r][c0] * (1 - s) + gray[r][c1] * s
    return (mix(r0) * (1 - t) + mix(r1) * t) / 65535
# On a grid of 7 by 5 nodes, 0.6 m by 0.4 m: the whole picture, and one of 0.25 m by 0.15 m from (0.052 m, 0.103 m) off the middle, repeated.
def list_of(name, at):
    values = [at(0.6 * i / 6, 0.4 * j / 4) for j in range(5) for i in range(7)]
    open(work + name, "w").write("return {" + ",".join("%.17g" % x for x in values) + "}")
list_of("whole.lua", lambda u, v: 0.1 + 0.4 * sample(u / 0.6, v / 0.4))
list_of("tiles.lua", lambda u, v: 0.5 - 0.3 * sample((u - 0.3 - 0.052) / 0.25 % 1, (v - 0.2 - 0.103) / 0.15 % 1))
P
ok $? "the pictures are written"

cat >"$work/map_test.lua" <<'L'
local muslin = require "muslin"
local mesh = muslin.mesh.grid { nodes = {7, 5}, size = {0.6, 0.4}, plane = "xy" }

local function cloth(world, maps, material, of)
  return world:cloth { mesh = of or mesh, material = material or "cotton", maps = maps }
end

-- The masses of a map of density by the picture are those of the list.
local function same_as_list(picture, name)
  local world <close> = muslin.world {}
  local by_picture, by_list = cloth(world, { density = picture }), cloth(world, { density = require(name) })
  local worst = 0
  for i = 1, by_list.vertex_count do worst = math.max(worst, math.abs(by_picture.m[i] / by_list.m[i] - 1)) end
  expect(worst):less_than(1e-12)
end

scenario("a picture covers the texture coordinates, 16 bits deep", function()
  same_as_list({ picture = "deep.png", low = 0.1, high = 0.5 }, "whole")
end)

scenario("a smaller picture is repeated, and may be a negative", function()
  same_as_list({ picture = "deep.png", low = 0.5, high = 0.2, origin = {0.052, 0.103}, size = {0.25, 0.15} }, "tiles")
end)

scenario("a picture of one gray gives the bits of its number, in every map", function()
  local gray = 128 / 255
  local hashes = {}
  for k, value in ipairs { { picture = "flat.png" }, gray } do
    local world <close> = muslin.world {}
    local maps = { density = value, shrinkage = value, stiffness = value, bending = value, friction = value, strain_limit = value }
    cloth(world, maps):pin { corners = { "top_left", "bottom_right" } }
    world:advance(0.1)
    hashes[k] = world:hash()
  end
  expect(hashes[1]):equals(hashes[2])
end)

scenario("the black half of a flag is the heavy one", function()
  local world <close> = muslin.world {}
  local flag = cloth(world, { density = { picture = "halves.png", low = 0.9, high = 0.1, origin = {-0.3, -0.2}, size = {0.6, 0.4} } })
  local halves = { 0, 0 }
  for i = 1, flag.vertex_count do
    local side = flag.x[i].x < -1e-9 and 1 or flag.x[i].x > 1e-9 and 2
    if side then halves[side] = halves[side] + flag.m[i] end
  end
  expect(halves[1]):more_than(3 * halves[2])
end)

scenario("a vertex on a seam of the texture coordinates has the mean of its sides", function()
  local world <close> = muslin.world {}
  local tube = muslin.mesh.tube { radius = 0.1, length = 0.2, segments = 16 }
  local made = cloth(world, { density = { picture = "halves.png", low = 0.1, high = 0.9 } }, nil, tube)
  local least, most = math.huge, 0
  for i = 1, made.vertex_count do least, most = math.min(least, made.m[i]), math.max(most, made.m[i]) end
  expect(least):more_than(0)
  expect(most / least):more_than(4)
end)

scenario("what is wrong with a picture is named, and no cloth is made", function()
  local world <close> = muslin.world {}
  local function refuses(value, pattern, of)
    expect(function() cloth(world, { density = value }, nil, of) end):raises(pattern)
    expect(#world.cloths):equals(0)
  end
  refuses({ picture = "none.png" }, "none.png")
  refuses({ picture = "text.png" }, "text.png: it is neither a PNG nor a JPEG")
  refuses({ picture = "broken.png" }, "broken.png: the picture is damaged")
  refuses({ picture = true }, "'picture' must be the path of a PNG or JPEG %(got true%)")
  refuses({ picture = "flat.png", hihg = 2 }, "did you mean 'high'")
  refuses({ picture = "flat.png", size = 0 }, "'size' must be a number or two, > 0 %(got 0%)")
  refuses({ picture = "flat.png", size = {1, 2, 3} }, "'size' must be a number or two")
  refuses({ picture = "flat.png", origin = {1, "x"} }, "'origin' must be a number or two")
  refuses({ picture = "flat.png", low = -1, high = -2 }, "map of density at vertex 1")
  refuses({ picture = "flat.png" }, "no texture coordinates", muslin.mesh.new { vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, faces = {{1, 2, 3}} })
  refuses({ picture = "/etc/hostname" }, "hostname")
end)
L
(cd "$work" && exec "$muslin" test map_test.lua) >"$work/.out" 2>&1
ok $? "maps by picture" "$(cat "$work/.out")"
grep -q "^1..6" "$work/.out"
ok $? "all six scenarios ran" "$(cat "$work/.out")"
tap_end
