-- Step 3: the scene of step 2 with a response rule between sheet and tray.
--   muslin view examples/tutorial/3_rule.lua
local world = require "2_scene"

world:respond { name = "sticky", rule = require "sticky", between = {"sheet", "tray"} }

world:on("done", function()
  local left = world:logged "left behind"
  expect(left[#left], "what the sheet is behind the tray, m"):at_most(0.02)
end)
return world
