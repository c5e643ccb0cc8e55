-- scene.lua: common code of the scenes of this folder: arguments, world, the check at the end, and folds of
-- grids. Units: m, kg, s; y is up.
local muslin = require "muslin"

local scene = {}

local function value_of(key, word, default)
  if type(default) == "number" then
    local number = tonumber(word)
    if not number then error(("argument '%s' must be a number (got '%s')"):format(key, word), 0) end
    return number
  elseif type(default) == "boolean" then
    if word ~= "true" and word ~= "false" then
      error(("argument '%s' must be true or false (got '%s')"):format(key, word), 0)
    end
    return word == "true"
  end
  return word
end

--- The options of a scene: `defaults`, overridden by the values of `short` if the first argument is "short"
--- (the version of `make test`), then by the arguments key=value. A key that is not in `defaults` is an error.
function scene.options(words, defaults, short)
  local options, first = {}, 1
  for key, default in pairs(defaults) do options[key] = default end
  if words[1] == "short" then
    first = 2
    for key, value in pairs(short) do options[key] = value end
  end
  for k = first, #words do
    local key, word = tostring(words[k]):match "^([%w_]+)=(.*)$"
    if not key or defaults[key] == nil then
      local keys = {}
      for name in pairs(defaults) do keys[#keys + 1] = name end
      error(("arguments are 'short' as the first word and key=value with the keys %s (got '%s')")
        :format(table.concat(keys, ", "), words[k]), 0)
    end
    options[key] = value_of(key, word, defaults[key])
  end
  options.is_short = words[1] == "short"
  return options
end

--- A world of the options dt, duration, air (its density, kg/m^3; none by default) and wind (m/s along x).
function scene.world(options)
  return muslin.world { dt = options.dt, fps = 60, duration = options.duration, air_density = options.air or 0,
    wind = { options.wind or 0, 0, 0 } }
end

local explicit = { rk4 = true, verlet = true, semi_implicit_euler = true, explicit_euler = true }

--- A cloth's material (a preset's name, a table, or nil for the default) for the world's integrator. Damping in
--- proportion to the stiffness makes the stable step of explicit integrators twenty times shorter; the sources that have
--- such integrators damp velocities instead (Provot 1995; AAB, eq. 3), here by 1/s. grid: whether the
--- cloth is a grid of squares, which is a network of square elements under the pipeline of Bigliani & Eischen.
function scene.material(world, material, grid)
  local fields = {}
  for key, value in pairs(type(material) == "table" and material or { preset = material }) do fields[key] = value end
  if explicit[world.pipeline.integrator] then
    fields.damping, fields.bending_damping, fields.viscous_damping = 0, 0, 1
  end
  if grid and world.pipeline.response == "bigliani" then fields.model = "square_network" end
  return fields
end

--- How the mass of a cloth is distributed: under the pipeline of the report that implements Bridson et al. 2002 as there, by equal
--- masses of all vertices (2.1).
function scene.mass(world) return world.pipeline.response == "bridson_source" and "equal" or "area" end

--- The thickness of a cloth that is a grid of squares, m. Under the spherical test it is the radius of the spheres about
--- a face, 2/3 of the distance from its centroid to the farthest corner: the source tests faces whole (level 0) and
--- keeps them this far apart, where the mesh is fine enough (Jung 2005, 3.2).
function scene.thickness(world, square, otherwise)
  return world.pipeline.narrow == "spherical" and 2 / 3 * math.sqrt(5) / 3 * square or otherwise
end

--- The end of a scene: no intersections, and after the world's whole duration the check at_end().
--- Prints a line with the number of steps, their wall-clock time, and the result of at_end.
function scene.ends(world, at_end)
  local ms, strain = 0, 0
  world:on("frame", function()
    if world.step_index == 0 then return end
    local stats = world:stats()
    ms, strain = ms + stats.step_ms, muslin.max(strain, stats.max_strain)
  end)
  world:on("done", function(_, t)
    muslin.expect(world):penetration_free():finite()
    if t < world.duration - 1e-6 then return end
    local text = at_end(ms / muslin.max(1, world.frame))
    print(("%d steps, %.2f ms each by the clock; largest strain %.2f%s"):format(world.step_index,
      ms / muslin.max(1, world.frame), strain, text and "; " .. text or ""))
  end)
  return world
end

--- The lines of a grid of `nodes` by `nodes` vertices, along both directions.
function scene.lines(nodes)
  local lines = {}
  for k = 1, nodes do
    local across, along = {}, {}
    for i = 1, nodes do across[i], along[i] = (k - 1) * nodes + i, (i - 1) * nodes + k end
    lines[#lines + 1], lines[#lines + 2] = across, along
  end
  return lines
end

--- Folds per line: the mean over `lines` (muslin.measure.folds, over two edges).
function scene.mean_folds(cloth, lines)
  local sum = 0
  for _, line in ipairs(lines) do sum = sum + muslin.measure.folds(cloth, line) end
  return sum / #lines
end

--- 0 before t0, 1 after t1, smooth between.
function scene.ramp(t, t0, t1)
  local s = muslin.clamp((t - t0) / (t1 - t0), 0, 1)
  return s * s * (3 - 2 * s)
end

return scene
