-- Pins by the names of a grid's edges and corners, and `where` that is true for nothing.
local muslin = require "muslin"

local function raises(pattern, f)
  expect(f):raises("pin_names_test%.lua:%d+: .*" .. pattern)
end

local function sheet(world, plane)
  return world:cloth { mesh = muslin.mesh.grid { nodes = { 4, 3 }, size = { 3, 2 }, plane = plane } }
end

local function list(cloth)
  return table.concat(cloth:pinned(), " ")
end

scenario("edges and corners", function()
  local edges = { bottom = "1 2 3 4", top = "9 10 11 12", left = "1 5 9", right = "4 8 12" }
  local corners = { bottom_left = "1", bottom_right = "4", top_left = "9", top_right = "12" }
  for _, ways in ipairs { { "edge", edges }, { "corners", corners } } do
    for name, wanted in pairs(ways[2]) do
      local world <close> = muslin.world()
      local cloth = sheet(world)
      expect(cloth:pin { [ways[1]] = name }):equals(select(2, wanted:gsub("%d+", "")))
      expect(list(cloth)):equals(wanted)
      cloth:unpin { [ways[1]] = name }
      expect(list(cloth)):equals ""
    end
  end
  local world <close> = muslin.world()
  local cloth = sheet(world)
  expect(cloth:pin { edge = { "top", "left" } }):equals(6)
  expect(list(cloth)):equals "1 5 9 10 11 12"
  cloth:unpin()
  expect(cloth:pin { corners = { "top_left", "bottom_right" } }):equals(2)
  expect(list(cloth)):equals "4 9"
  cloth:unpin()
  expect(cloth:pin { corners = true }):equals(4)
end)

scenario("top is where the plane's second axis is greatest, left where its first is least", function()
  for plane, axes in pairs { xy = { "x", "y" }, xz = { "x", "z" }, yz = { "y", "z" } } do
    local world <close> = muslin.world()
    local cloth = sheet(world, plane)
    cloth:pin { edge = "top" }
    for _, i in ipairs(cloth:pinned()) do expect(cloth.x[i][axes[2]]):equals(1) end
    cloth:unpin()
    cloth:pin { edge = "left" }
    for _, i in ipairs(cloth:pinned()) do expect(cloth.x[i][axes[1]]):equals(-1.5) end
  end
end)

scenario("words that are no edge, and meshes that are no grid", function()
  local world <close> = muslin.world()
  local cloth = sheet(world)
  local disc = world:cloth { mesh = muslin.mesh.disc { radius = 1, center = { 0, 5, 0 } } }
  raises("cloth:pin: field 'edge': no 'upper' %(did you mean 'top'%?%)", function() cloth:pin { edge = "upper" } end)
  raises("cloth:pin: field 'edge': no 'botom' %(did you mean 'bottom'%?%)", function() cloth:pin { edge = { "top", "botom" } } end)
  raises("cloth:pin: field 'edge': no 'hem_line' %(known: top, bottom, left, right%)", function() cloth:pin { edge = "hem_line" } end)
  raises("cloth:unpin: field 'corners': no 'topleft' %(did you mean 'top_left'%?%)", function() cloth:unpin { corners = "topleft" } end)
  raises("cloth:pin: field 'edge' must be 'top', .*%(got 3%)", function() cloth:pin { edge = 3 } end)
  raises("cloth:pin: field 'edge' is an empty list", function() cloth:pin { edge = {} } end)
  raises("cloth:pin: field 'corners' must be true, .*%(got false%)", function() cloth:pin { corners = false } end)
  raises("cloth:pin: field 'edge' needs a mesh that is a grid; name the vertices with 'vertices' or 'where'", function()
    disc:pin { edge = "top" }
  end)
  raises("cloth:pin: give only one of .*%(got 'edge' and 'where'%)", function()
    cloth:pin { edge = "top", where = function() return true end }
  end)
  raises("cloth:pin: unknown field 'edges' %(did you mean 'edge'%?%)", function() cloth:pin { edges = "top" } end)
end)

scenario("where that is true for nothing", function()
  local world <close> = muslin.world()
  local cloth = sheet(world)
  local function none(_, y) return y > 100 end
  raises("cloth:pin: field 'where' is true for none of the cloth's 12 vertices; give allow_none = true", function()
    cloth:pin { where = none }
  end)
  raises("cloth:unpin: field 'where' is true for none", function() cloth:unpin { where = none } end)
  expect(cloth:pin { where = none, allow_none = true }):equals(0)
  cloth:unpin { where = none, allow_none = true }
  raises("cloth:pin: field 'allow_none' is about 'where', which is not given", function()
    cloth:pin { edge = "top", allow_none = true }
  end)
  expect(list(cloth)):equals ""
end)
