-- checks.lua: what any response rule must do, as functions of a rule; each is a scenario by itself, and each broken rule must
-- fail at least one of them.
local muslin = require "muslin"

local checks = {}

local function add(world, rule)
  world:respond { rule = rule, trace = false }
end

--- A sheet that falls on a floor lies at half its thickness above it, at rest.
function checks.rests_at_its_thickness(rule)
  local world = muslin.world { dt = 1 / 120, air_density = 0 }
  local sheet = world:cloth {
    name = "sheet", mesh = muslin.mesh.grid { nodes = { 6, 6 }, size = { 0.3, 0.3 }, center = { 0, 0.03, 0 } },
    velocity = { 0, -1, 0 },
  }
  world:obstacle { name = "floor", shape = "plane", normal = { 0, 1, 0 } }
  add(world, rule)
  world:advance(0.3)
  muslin.expect(sheet):above(0.4e-3, 0):at_rest(0.01)
end

--- A slope of 20 degrees holds a sheet at friction 1.
function checks.friction_stops(rule)
  local world = muslin.world { dt = 1 / 120, air_density = 0 }
  local angle = math.rad(20)
  local normal = muslin.vec3(muslin.sin(angle), muslin.cos(angle), 0)
  local mesh = muslin.mesh.grid { nodes = { 5, 5 }, size = { 0.2, 0.2 } }
  mesh:transform { rotation = { muslin.cos(angle / 2), 0, 0, -muslin.sin(angle / 2) }, position = 1e-3 * normal }
  local sheet = world:cloth { name = "sheet", mesh = mesh, friction = 1 }
  world:obstacle { name = "slope", shape = "plane", normal = normal, friction = 1 }
  add(world, rule)
  local start = sheet:centroid()
  world:advance(0.3)
  muslin.expect(sheet:centroid():distance(start), "way down the slope, m"):at_most(5e-3)
end

--- Two strips cross where neither has a vertex. The rule alone keeps their edges apart: nothing has to be caught on its way,
--- nothing is gained, and the momentum stays.
function checks.edges_keep_apart(rule)
  local world = muslin.world { dt = 1 / 120, gravity = { 0, 0, 0 }, air_density = 0 }
  local still = world:cloth { name = "still", mesh = muslin.mesh.grid { nodes = { 2, 2 }, size = { 0.4, 0.06 } } }
  local moving = world:cloth {
    name = "moving", mesh = muslin.mesh.grid { nodes = { 2, 2 }, size = { 0.06, 0.4 }, center = { 0, 0.01, 0 } },
    velocity = { 0, -1, 0 },
  }
  add(world, rule)
  local function momentum()
    return still.v:copy():mul(still.m):sum() + moving.v:copy():mul(moving.m):sum()
  end
  local start, energy, contacts = momentum(), world:energy().total, 0
  for _ = 1, 12 do
    world:step()
    local stats = world:stats()
    contacts = contacts + stats.contacts
    muslin.expect(stats.ccd_hits, "edges that had to be caught"):equals(0)
  end
  muslin.expect(contacts, "contacts"):more_than(0)
  muslin.expect(world):penetration_free()
  muslin.expect(momentum()):near(start, 1e-9)
  muslin.expect(world:energy().total, "energy, J"):at_most(energy)
end

return checks
