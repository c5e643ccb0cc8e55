-- at_rest.lua: a scene of any folder, which must end at rest or nearly, and keep its gaps. Cloth without friction slides on, and
-- may turn about the vertical: what moves otherwise is measured.
-- muslin run --trusted tests/scenes/kit/at_rest.lua -- SCENE.lua      (trusted: the scene is read from where it is)
local muslin = require "muslin"
local torture = require "torture"

local scene = ...
package.path = scene:match("^.*/") .. "?.lua;" .. package.path -- the modules beside it
local world = assert(loadfile(scene, "t"))(select(2, ...))

local function speed_of(cloth)
  if cloth.friction > 0 then return cloth.v:lengths():max() end
  local middle, mean, turn, inertia, speed = cloth:centroid(), cloth.v:mean(), 0, 0, 0
  for i = 1, #cloth.x do
    local r, v = cloth.x[i] - middle, cloth.v[i] - mean
    turn, inertia = turn + r.z * v.x - r.x * v.z, inertia + r.x ^ 2 + r.z ^ 2
  end
  local spin = muslin.vec3(0, turn / inertia, 0)
  for i = 1, #cloth.x do speed = math.max(speed, (cloth.v[i] - mean - spin:cross(cloth.x[i] - middle)):length()) end
  return speed
end

world:on("done", function()
  local speed = 0
  for _, cloth in ipairs(world.cloths) do speed = math.max(speed, speed_of(cloth)) end
  local shares = torture.gaps(world)
  local gap = shares[1 + #shares // 100]
  print(("at the end %.3f m/s, %d contacts, 1 %% of their gaps under %.2f of the thickness"):format(speed, #shares, gap or 0))
  muslin.expect(#shares, "contacts at the end"):more_than(50)
  muslin.expect(speed, "speed at the end, m/s"):at_most(0.3)
  muslin.expect(gap, "1st percentile of the gaps at the end, share of the thickness"):at_least(0.5)
end)
return world
