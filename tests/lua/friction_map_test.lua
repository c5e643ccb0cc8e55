-- friction_map_test.lua: friction that varies over a cloth.
local muslin = require "muslin"
local shuffled = require "shuffled"

-- A sheet on a plane that rises toward +x by 25 degrees: tan is 0.47. How far each vertex has moved after a second, m.
local SLOPE = math.rad(25)
local function slide(options)
  local world <close> = muslin.world { pipeline = options.pipeline, air_density = 0, dt = options.dt }
  world:obstacle { name = "plane", shape = "plane", normal = { -muslin.sin(SLOPE), muslin.cos(SLOPE), 0 }, friction = options.plane or 1 }
  local mesh = options.mesh or muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.2, 0.2 } }
  mesh:transform { rotation = { axis = { 0, 0, 1 }, angle = SLOPE },
    position = { -0.0012 * muslin.sin(SLOPE), 0.0012 * muslin.cos(SLOPE), 0 } }
  local cloth = world:cloth { name = "sheet", mesh = mesh, friction = options.friction, maps = { friction = options.map } }
  if options.between then world:between({ "sheet", "plane" }, { friction = options.between }) end
  local before = cloth.x:copy()
  if options.snapshot then
    world:advance(0.1)
    world:save ".friction_map_test.muslin"
    local again <close> = muslin.load ".friction_map_test.muslin"
    world:advance(0.2)
    again:advance(0.2)
    expect(again:hash()):equals(world:hash())
  end
  world:advance(options.time or 1)
  expect(world):penetration_free()
  return cloth.x:sub(before):lengths():totable(), cloth.x:totable()
end

for _, preset in ipairs { "default", "newton", "bridson_source", "sequential", "jung" } do
  scenario("a uniform map is the friction of the cloth, to the bit: " .. preset, function()
    local pipeline = preset ~= "default" and preset or nil
    local _, by_number = slide { friction = 0.2, pipeline = pipeline, time = 0.3 }
    local _, by_map = slide { friction = 0.7, map = 0.2, pipeline = pipeline, time = 0.3 }
    local _, other = slide { friction = 0.7, pipeline = pipeline, time = 0.3 }
    expect(by_map):equals(by_number)
    expect(by_map[1][1] ~= other[1][1], "friction matters"):is_true()
  end)
end

scenario("a rough map holds where a smooth one slides", function()
  local rough, smooth = slide { map = 0.5 }, slide { map = 0.04 } -- the mean with 1: 0.71 and 0.2
  for i = 1, #rough do
    expect(rough[i]):less_than(0.002)
    -- g (sin - mu cos) t^2 / 2
    expect(smooth[i]):near(0.5 * 9.81 * (muslin.sin(SLOPE) - 0.2 * muslin.cos(SLOPE)), 0.06)
  end
end)

scenario("a sheet that is smooth on one side turns", function()
  local mesh = shuffled(muslin.mesh.grid { nodes = { 33, 33 }, size = { 0.2, 0.2 } })
  local map = function(_, _, z) return z < 0 and 0 or 0.25 end -- with 1: 0 and 0.5
  local left, right, most = 0, 0, 0
  local z = {}
  for i = 1, mesh.vertex_count do z[i] = mesh.x[i].z end
  for i, moved in ipairs((slide { mesh = mesh, map = map, time = 0.4 })) do
    if z[i] < -0.099 then left = muslin.max(left, moved) end
    if z[i] > 0.099 then right = muslin.max(right, moved) end
    most = muslin.max(most, moved)
  end
  expect(left, "m, of the smooth side"):more_than(0.05)
  expect(left / right, "smooth over rough side"):more_than(1.3)
end)

scenario("a pair's own friction comes before maps, and maps are in snapshots", function()
  expect(slide { map = 0.5, between = 0, time = 0.3 }[1]):more_than(0.1)
  slide { map = function(x) return 0.05 + x ^ 2 end, snapshot = true, time = 0.1 }
end)

scenario("what is no friction is refused", function()
  local world <close> = muslin.world {}
  local function refuses(map, pattern)
    expect(function() world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } }, maps = { friction = map } } end):raises(pattern)
    expect(#world.cloths):equals(0)
  end
  refuses(-0.1, "map of friction at vertex 1")
  refuses(function(_, _, _, i) return i == 9 and 0 / 0 or 0 end, "map of friction at vertex 9")
end)
