-- passive_test.lua: sheets on which nothing does work end no step with more energy than they had at the start: sheets that
-- spin by up to a radian in a step, sheets of measured fabrics, whose stiffness depends on the strain, that fly about
-- their pins, and sheets that are parted.
local muslin = require "muslin"
scenario.together()

local gravity = 9.81

-- A sheet that moves as a rigid body: translation (m/s), and rotation about its center (rad/s).
local function flying(world, options)
  local sheet = world:cloth { material = options.material, thickness = options.thickness or 1e-3, mesh = muslin.mesh.grid {
    nodes = options.nodes or {12, 12}, size = options.size or {0.5, 0.5}, plane = options.plane or "xz",
    center = options.center or {0, 0, 0} } }
  local center, turn, velocity = sheet:centroid(), options.turn, options.velocity or {0, 0, 0}
  for i = 1, sheet.vertex_count do
    local x, y, z = sheet.x[i].x - center.x, sheet.x[i].y - center.y, sheet.x[i].z - center.z
    sheet.v[i] = { velocity[1] + turn[2] * z - turn[3] * y, velocity[2] + turn[3] * x - turn[1] * z,
      velocity[3] + turn[1] * y - turn[2] * x }
  end
  if options.pins then sheet:pin { vertices = options.pins } end
  return sheet
end

local function world_of(pipeline, dt)
  return muslin.world { pipeline = pipeline, dt = dt or 1 / 60, air_density = 0, gravity = {0, -gravity, 0}, threads = 1 }
end

-- The most energy after a step, J over that of the start.
local function most_gained(world, steps)
  local start, most = world:energy().total, -math.huge
  for _ = 1, steps do
    world:step()
    most = math.max(most, world:energy().total - start)
  end
  return most
end

for _, pipeline in ipairs { "robust", "lively" } do
  scenario("a free sheet that spins gains no energy, " .. pipeline, function()
    for _, spin in ipairs { 5, 20, 60 } do
      for _, material in ipairs { "cotton", "jersey", "denim" } do
        local world <close> = world_of(pipeline)
        flying(world, { material = material, turn = {0, spin, 0} })
        expect(most_gained(world, 30), ("J gained by %s at %d rad/s"):format(material, spin)):at_most(0)
      end
    end
  end)
end

for _, pipeline in ipairs { "robust", "lively", "offset" } do
  scenario("measured fabrics that fly about their pins gain no energy, " .. pipeline, function()
    for _, material in ipairs { "navy-sparkle-sweat", "camel-ponte-roma", "tango-red-jet-set" } do
      for _, pins in ipairs { {}, {1}, {1, 144} } do
        local world <close> = world_of(pipeline)
        flying(world, { material = material, turn = {0, 20, 0}, velocity = {3, 3, 0}, pins = #pins > 0 and pins or nil })
        expect(most_gained(world, 45), ("J gained by %s with %d pins"):format(material, #pins)):at_most(0)
      end
    end
  end)
end

-- Six linearizations do not end what a step of 1/60 s begins beside the pin.
scenario("a sheet that turns about a pinned corner gains no energy", function()
  local world <close> = world_of "robust"
  flying(world, { material = "tango-red-jet-set", nodes = {9, 12}, size = {0.3, 0.2}, plane = "xy", turn = {1.5, 18.4, -9.7},
    velocity = {-3, -1.3, -2.3}, pins = {1} })
  expect(most_gained(world, 40), "J gained"):at_most(0)
end)

-- They overlap in one plane, and are parted as they turn: single impulses that keep 36 pairs apart after the solve of the
-- contacts would stretch the upper sheet to 2.4 times its length.
scenario("sheets that turn out of one plane gain no energy", function()
  local world <close> = world_of "robust"
  flying(world, { material = "wool", nodes = {6, 13}, size = {0.412, 0.339}, plane = "xy", center = {0, 0.95, 0},
    turn = {13.5, 10.5, 19.9}, velocity = {1.8, -5.2, 0.85}, thickness = 1.57e-3 })
  flying(world, { material = "navy-sparkle-sweat", nodes = {11, 8}, size = {0.453, 0.392}, plane = "xy", center = {0, 1.3, 0},
    turn = {5.3, -3.6, 5.7}, velocity = {-0.2, -0.1, -0.8}, thickness = 1.64e-3, pins = {1, 11} })
  expect(most_gained(world, 40), "J gained"):at_most(0)
end)
