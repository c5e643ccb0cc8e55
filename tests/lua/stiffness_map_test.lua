-- stiffness_map_test.lua: maps of stiffness and bending over a cloth.
local muslin = require "muslin"
local motion = require "falling_sheet"
local shuffled = require "shuffled"

-- Constants of a material that resistance to stretching and to bending is proportional to, by model.
local MEMBRANE = { { "stretch_warp", "stretch_weft", "stretch_poisson", "stretch_shear" }, { "bending" } }
local CONSTANTS = { springs = { { "stretch", "shear" }, { "bending" } }, mass_spring = { { "stretch", "shear" }, { "bending" } },
  choi_ko = { { "stretch", "shear" }, { "bending", "buckling" } }, stvk = MEMBRANE, neo_hookean = MEMBRANE }

-- A material whose resistance is 4 times that of another: a power of two, so that products round alike.
local function four_times(material, which)
  local copy = {}
  for _, name in ipairs(CONSTANTS[material.model][which]) do copy[name] = 4 * muslin.material(material)[name] end
  for name, value in pairs(material) do copy[name] = copy[name] or value end
  return copy
end

local function expect_same(what, mesh, material, pipeline)
  local plain = motion(mesh, material, nil, pipeline)
  local stiff = motion(mesh, four_times(material, 1), nil, pipeline)
  local firm = motion(mesh, four_times(material, 2), nil, pipeline)
  expect(motion(mesh, material, { stiffness = 1, bending = 1 }, pipeline) == plain, what .. ", factor 1"):is_true()
  expect(motion(mesh, material, { stiffness = 4 }, pipeline) == stiff, what .. ", 4 times the stiffness"):is_true()
  expect(motion(mesh, material, { bending = 4 }, pipeline) == firm, what .. ", 4 times the bending"):is_true()
  expect(stiff ~= plain and firm ~= plain and stiff ~= firm, what .. ": the maps matter"):is_true()
end

for _, model in ipairs { "springs", "mass_spring", "choi_ko", "stvk", "neo_hookean" } do
  scenario("a uniform factor is another material, to the bit: " .. model, function()
    local material = { preset = "cotton", model = model }
    if model == "choi_ko" then material.buckling = 100 end
    expect_same(model, muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.6, 0.6 } }, material)
  end)
end
for _, preset in ipairs { "offset", "newton", "sequential", "position_based", "provot" } do
  scenario("and in other pipelines: " .. preset, function()
    local pipeline = preset == "position_based" and { preset = "sequential", integrator = preset } or preset
    expect_same(preset, muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.6, 0.6 } }, { preset = "cotton", model = "springs" }, pipeline)
  end)
end
scenario("and in a mesh that is solved in another order", function()
  local mesh = shuffled(muslin.mesh.grid { nodes = { 33, 33 }, size = { 0.6, 0.6 } })
  expect_same("shuffled", mesh, { preset = "cotton", model = "springs" })
  expect_same("shuffled membrane", mesh, { preset = "cotton", model = "stvk" })
end)

scenario("each element has the factor of its own vertices in a mesh that is solved in another order", function()
  for _, model in ipairs { "springs", "stvk" } do
    local world <close> = muslin.world { air_density = 0, dt = 1 / 60 }
    local mesh = shuffled(muslin.mesh.grid { nodes = { 33, 33 }, size = { 0.4, 0.4 }, plane = "xy" })
    local cloth = world:cloth { mesh = mesh, self_collision = false,
      material = { preset = "cotton", model = model, strain_limit = 0, viscous_damping = 10 },
      maps = { stiffness = function(_, y) return y < 0 and 0.02 or 1 end, density = function(_, y) return y < -0.19 and 5 or 0.1 end } }
    cloth:pin { where = function(_, y) return y > 0.2 - 1e-9 end }
    local rows = mesh:polyline { { 0, 0.2, 0 }, { 0, -0.2, 0 } } -- 33 vertices from top to bottom
    world:advance(1.5)
    local top, middle, bottom = cloth.x[rows[1]].y, cloth.x[rows[17]].y, cloth.x[rows[31]].y
    local upper, lower = (top - middle) / 0.2 - 1, (middle - bottom) / 0.175 - 1
    expect(lower, model .. ": strain of the lower half"):more_than(0.005)
    expect(lower / upper, model .. ": lower over upper half"):between(15, 60) -- 50, less the share of the weight in between
  end
end)

-- A strip that hangs from its upper edge, with a load at the lower one that is far above its weight: the strain of each half.
local function strains(material, stiffness, load)
  local world <close> = muslin.world { air_density = 0 }
  local mesh = muslin.mesh.grid { nodes = { 3, 41 }, size = { 0.02, 0.4 }, plane = "xy" }
  local maps = { stiffness = stiffness, density = function(_, y) return y < -0.19 and load or load / 1000 end }
  local strip = world:cloth { mesh = mesh, material = material, maps = maps, self_collision = false }
  strip:pin { where = function(_, y) return y > 0.2 - 1e-9 end }
  world:advance(3)
  local top, middle, bottom = strip.x[3 * 40 + 2].y, strip.x[3 * 20 + 2].y, strip.x[3 * 3 + 2].y
  if top < bottom then top, bottom = bottom, top end
  return (top - middle) / 0.2 - 1, (middle - bottom) / 0.17 - 1
end

scenario("where cloth is half as stiff it stretches twice as much", function()
  for _, model in ipairs { "springs", "stvk" } do
    local upper, lower = strains({ preset = "cotton", model = model, strain_limit = 0, viscous_damping = 10, damping = 0 },
      function(_, y) return y < 0 and 0.5 or 1 end, 200)
    expect(upper, model .. ": strain of the upper half"):more_than(0.002)
    expect(lower / upper, model .. ": lower over upper half"):near(2, 0.15)
  end
end)

scenario("a measured fabric that is 4 times as stiff carries 4 times the load at its strain", function()
  local material = { preset = "gray-interlock", strain_limit = 0, viscous_damping = 10, damping = 0 }
  local once, four = strains(material, 1, 10), strains(material, 4, 40)
  expect(once, "strain"):more_than(0.002)
  expect(four / once):near(1, 0.02)
  expect(strains(material, 4, 10) / once):less_than(0.6)
end)

scenario("factors are in snapshots", function()
  local world <close> = muslin.world {}
  local cloth = world:cloth { mesh = muslin.mesh.grid { nodes = { 9, 9 }, size = { 0.6, 0.6 } }, material = "cotton",
    maps = { stiffness = function(x) return 2 + 3 * x end, bending = function(_, _, z) return 1 + z end } }
  cloth:pin { corners = { "top_left" } }
  world:advance(0.05)
  world:save ".stiffness_map_test.muslin"
  local again <close> = muslin.load ".stiffness_map_test.muslin"
  world:advance(0.1)
  again:advance(0.1)
  expect(again:hash()):equals(world:hash())
end)

scenario("a number for every group of faces", function()
  local world <close> = muslin.world {}
  local mesh = muslin.mesh.new {
    vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 }, { 2, 0, 0 }, { 2, 1, 0 } },
    faces = { { 1, 2, 3 }, { 1, 3, 4 }, { 2, 5, 6 }, { 2, 6, 3 } }, groups = { { "left", 2 }, { "right", 2 } } }
  local function masses(map) return world:cloth({ mesh = mesh, maps = { density = map } }).m:totable() end
  -- Vertex 2: one face of the left group and two of the right one.
  local middle2, middle3 = (1 + 4 + 4) / 3, (1 + 1 + 4) / 3
  local expected = masses { 1, middle2, middle3, 1, 4, 4 }
  expect(masses { left = 1, right = 4 }):equals(expected)
  expect(masses { others = 1, right = 4 }):equals(expected)
  for pattern, map in pairs {
    ["the mesh has no group 'middle'"] = { left = 1, middle = 4 },
    ["map of density has no number for group 'right'; name it, or 'others'"] = { left = 1 },
    ["group 'left' must have a number %(got 'a'%)"] = { left = "a", others = 1 },
  } do
    expect(function() masses(map) end):raises(pattern)
  end
  local function plain() world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } }, maps = { density = { left = 1 } } } end
  expect(plain):raises("has no group 'left'; it has no groups at all")
  expect(world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } }, maps = { bending = { others = 1 } } }.alive):is_true()
end)

scenario("factors out of range are refused", function()
  local world <close> = muslin.world {}
  local function refuses(maps, pattern, material)
    expect(function() world:cloth { mesh = muslin.mesh.grid { nodes = { 3, 3 } }, maps = maps, material = material } end):raises(pattern)
    expect(#world.cloths):equals(0)
  end
  refuses({ stiffness = 0 }, "map of stiffness at vertex 1 must be within 0.001..1000 %(got 0%)")
  refuses({ bending = -1 }, "map of bending at vertex 1 must be within 0..1000 %(got %-1%)")
  refuses({ stiffness = function(_, _, _, i) return i == 9 and 1001 or 1 end }, "at vertex 9")
  refuses({ stiffness = 2 }, "a map of stiffness needs another material model than \"square_network\"", { model = "square_network" })
end)
