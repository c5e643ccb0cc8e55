-- at_rest.lua: a scene of any folder, which must end at rest or nearly (a tablecloth without friction slides on), and keep its gaps.
-- muslin run --trusted tests/scenes/kit/at_rest.lua -- SCENE.lua      (trusted: the scene is read from where it is)
local muslin = require "muslin"
local torture = require "torture"

local scene = ...
package.path = scene:match("^.*/") .. "?.lua;" .. package.path -- the modules beside it
local world = assert(loadfile(scene, "t"))(select(2, ...))

world:on("done", function()
  local speed = 0
  for _, cloth in ipairs(world.cloths) do speed = math.max(speed, cloth.v:lengths():max()) end
  local shares = torture.gaps(world)
  local gap = shares[1 + #shares // 100]
  print(("at the end %.3f m/s, %d contacts, 1 %% of their gaps under %.2f of the thickness"):format(speed, #shares, gap or 0))
  muslin.expect(#shares, "contacts at the end"):more_than(50)
  muslin.expect(speed, "speed at the end, m/s"):at_most(0.3)
  muslin.expect(gap, "1st percentile of the gaps at the end, share of the thickness"):at_least(0.5)
end)
return world
