-- capstan_test.lua: a strip drawn over a fixed bar: the tensions of its two ends, half a turn apart, are as e^(mu pi).
local muslin = require "muslin"
local plot = require("kit.curves").plot("capstan", "friction", "ratio of tensions", "log")

local RADIUS, THICKNESS, TAIL, WIDTH, STIFFNESS = 0.05, 1e-3, 0.08, 0.02, 2000 -- m; N/m
local COLUMNS, ROWS = 91, 3
local LOAD, SPEED = 10, 0.02 -- N/m, pulls the free end; m/s, of the other end
local AROUND = RADIUS + THICKNESS / 2
local ARC = math.pi * AROUND
local LENGTH = ARC + 2 * TAIL

-- Tension of a St. Venant-Kirchhoff strip, N/m, from the mean length of its columns from `first` to `last`.
local function tension_between(strip, first, last)
  local length = 0
  for row = 0, ROWS - 1 do
    for column = first, last - 1 do
      local i = row * COLUMNS + column
      length = length + (strip.x[i + 1] - strip.x[i]):length() / ROWS
    end
  end
  local strain = length / ((last - first) * LENGTH / (COLUMNS - 1)) - 1
  return STIFFNESS * (strain + strain ^ 2 / 2) * (1 + strain)
end

local function ratio_of_tensions(friction)
  local world = muslin.world { dt = 1/240, pipeline = "robust", air_density = 0, gravity = {0, 0, 0}, threads = 1 }
  local rest = muslin.mesh.grid { nodes = {COLUMNS, ROWS}, size = {LENGTH, WIDTH} }
  local mesh, out = rest:copy(), 1.0005 * AROUND
  for i = 1, mesh.vertex_count do
    local x, _, z = rest.x:get(i)
    local on_bar = math.abs(x) <= ARC / 2
    local side = x > 0 and 1 or -1
    mesh.x:set(i, on_bar and out * muslin.sin(x / AROUND) or side * out,
      on_bar and out * muslin.cos(x / AROUND) or ARC / 2 - math.abs(x), z)
  end
  local strip = world:cloth { mesh = mesh, rest = rest, thickness = THICKNESS, friction = friction, self_collision = false,
    material = { preset = "cotton", model = "stvk", stretch_warp = STIFFNESS, stretch_weft = STIFFNESS, stretch_poisson = 0,
      strain_limit = 0, bending = 1e-6, viscous_damping = 0.5 } }
  world:obstacle { shape = "cylinder", radius = RADIUS, length = 0.2, friction = friction,
    rotation = { axis = {1, 0, 0}, angle = math.pi / 2 } }
  world:force(function(cloth)
    for row = 0, ROWS - 1 do
      local i = row * COLUMNS + 1
      local share = (row == 0 or row == ROWS - 1) and 0.5 / (ROWS - 1) or 1 / (ROWS - 1)
      cloth.f[i] = cloth.f[i] - muslin.vec3(0, share * LOAD * WIDTH, 0)
    end
  end)
  local pulled = {}
  for row = 1, ROWS do pulled[row] = row * COLUMNS end
  strip:pin { vertices = pulled, path = function(t, i)
    local from = mesh.x[i]
    return { from.x, from.y - SPEED * t, from.z }
  end }
  local columns = math.floor(TAIL / LENGTH * (COLUMNS - 1)) - 3 -- of each tail, that stay off the bar
  local sum, count = 0, 0
  repeat
    world:step()
    if world.time > 0.4 then
      local pull = tension_between(strip, COLUMNS - columns, COLUMNS)
      sum, count = sum + pull / tension_between(strip, 1, 1 + columns), count + 1
    end
  until world.time > 0.8
  expect(strip.v[COLUMNS + 1]:length() / SPEED, "speed of the free end, of the other's"):between(0.9, 1.1)
  expect(world):penetration_free()
  return sum / count
end

scenario.each { 0.1, 0.3, 0.5 } ("tensions over a bar are as the capstan equation has them, at friction {}", function(friction)
  local wanted = muslin.exp(friction * math.pi)
  local got = ratio_of_tensions(friction)
  plot.add("theory", friction, wanted)
  plot.add("robust", friction, got)
  expect(got / wanted, "ratio of tensions, of the capstan equation's"):between(0.97, 1.03)
end)
