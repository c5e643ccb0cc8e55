-- mannequin.lua: a standing body with its arms out, 1.72 m tall, as one closed mesh of about 15,000 triangles: the surface of
-- rounded shapes that blend into each other, extracted as a surface net (Gibson 1998) from their distances on a grid.
-- Units: m; y is up, the body looks along z.
local muslin = require "muslin"

local mannequin = {}

local BLEND = 0.025 -- m: shapes nearer to each other than this are rounded where they meet

--- The half widths of the trunk, {y, along x, along z}.
local trunk = { {0.80, 0.08, 0.06}, {0.85, 0.155, 0.10}, {0.90, 0.170, 0.115}, {0.97, 0.160, 0.11}, {1.06, 0.130, 0.09},
  {1.14, 0.135, 0.09}, {1.24, 0.150, 0.09}, {1.32, 0.145, 0.075}, {1.38, 0.115, 0.052}, {1.42, 0.06, 0.04} }

--- Shapes of the right side (x > 0) and of the middle: {from, to, radius at `from`, radius at `to`}; both: mirrored too; goes_on: it
--- continues the shape before it.
local limbs = {
  { {0, 1.36, 0}, {0, 1.52, 0.01}, 0.052, 0.050 },                        -- neck
  { {0, 1.58, 0.015}, {0, 1.635, 0.01}, 0.078, 0.085 },                   -- head
  { {0.10, 1.365, 0}, {0.36, 1.365, 0}, 0.047, 0.041, both = true },      -- upper arm
  { {0.36, 1.365, 0}, {0.60, 1.365, 0}, 0.041, 0.030, both = true, goes_on = true },  -- forearm
  { {0.62, 1.365, 0}, {0.69, 1.362, 0.005}, 0.034, 0.026, both = true },  -- hand
  { {0.088, 0.82, 0}, {0.088, 0.47, 0}, 0.072, 0.054, both = true },      -- thigh
  { {0.088, 0.47, 0}, {0.088, 0.34, -0.01}, 0.054, 0.055, both = true, goes_on = true }, -- calf
  { {0.088, 0.34, -0.01}, {0.088, 0.09, -0.01}, 0.055, 0.037, both = true, goes_on = true },
  { {0.088, 0.045, -0.02}, {0.10, 0.035, 0.13}, 0.043, 0.032, both = true }, -- foot
}

-- Distances, negative inside; good to first order near the surface, which is all that the net needs.
local function to_limb(l, x, y, z)
  local a, b = l[1], l[2]
  local ux, uy, uz = b[1] - a[1], b[2] - a[2], b[3] - a[3]
  local t = ((x - a[1]) * ux + (y - a[2]) * uy + (z - a[3]) * uz) / (ux * ux + uy * uy + uz * uz)
  t = t < 0 and 0 or t > 1 and 1 or t
  local dx, dy, dz = x - a[1] - t * ux, y - a[2] - t * uy, z - a[3] - t * uz
  return math.sqrt(dx * dx + dy * dy + dz * dz) - (l[3] + t * (l[4] - l[3]))
end

local function to_trunk(x, y, z)
  local low, high = trunk[1][1], trunk[#trunk][1]
  local at = muslin.clamp(y, low, high)
  local k = 2
  while k < #trunk and trunk[k][1] < at do k = k + 1 end
  local p, q = trunk[k - 1], trunk[k]
  local before, after = trunk[muslin.max(1, k - 2)], trunk[muslin.min(#trunk, k + 1)]
  local span = q[1] - p[1]
  local t = (at - p[1]) / span
  local function width(c) -- a cubic with the slopes of Catmull & Rom
    local m0, m1 = span * (q[c] - before[c]) / (q[1] - before[1]), span * (after[c] - p[c]) / (after[1] - p[1])
    local d = q[c] - p[c]
    return p[c] + t * (m0 + t * (3 * d - 2 * m0 - m1 + t * (m0 + m1 - 2 * d)))
  end
  local wide, deep = width(2), width(3)
  local around = (math.sqrt((x / wide) ^ 2 + (z / deep) ^ 2) - 1) * muslin.min(wide, deep)
  return muslin.max(around, low - y, y - high)
end

--- Blends two distances where they differ by less than BLEND.
local function blend(a, b)
  local h = muslin.max(0, BLEND - math.abs(a - b)) / BLEND
  return muslin.min(a, b) - 0.25 * BLEND * h * h
end

--- The body's mesh with `edge` m between the points of the grid.
function mannequin.mesh(edge)
  edge = edge or 0.0163
  local low, count = {-0.75, -0.03, -0.16}, {}
  for axis, size in ipairs { 1.5, 1.79, 0.36 } do count[axis] = math.ceil(size / edge) + 1 end
  local nx, nxy, distance = count[1], count[1] * count[2], {}
  for k = 1, nxy * count[3] do distance[k] = 1 end

  -- each shape changes the grid only near itself
  local function add(from, to, radius, goes_on, f)
    local first, last = {}, {}
    for axis = 1, 3 do
      first[axis] = muslin.max(0, math.floor((muslin.min(from[axis], to[axis]) - radius - 2 * BLEND - low[axis]) / edge))
      last[axis] = muslin.min(count[axis] - 1, math.ceil((muslin.max(from[axis], to[axis]) + radius + 2 * BLEND - low[axis]) / edge))
    end
    for k = first[3], last[3] do
      for j = first[2], last[2] do
        for i = first[1], last[1] do
          local n = 1 + i + nx * j + nxy * k
          local d = f(low[1] + i * edge, low[2] + j * edge, low[3] + k * edge)
          distance[n] = goes_on and muslin.min(distance[n], d) or blend(distance[n], d)
        end
      end
    end
  end
  add({0, trunk[1][1], 0}, {0, trunk[#trunk][1], 0}, 0.18, false, to_trunk)
  for _, l in ipairs(limbs) do
    local radius = muslin.max(l[3], l[4])
    add(l[1], l[2], radius, l.goes_on, function(x, y, z) return to_limb(l, x, y, z) end)
    if l.both then
      local mirrored = { {-l[1][1], l[1][2], l[1][3]}, {-l[2][1], l[2][2], l[2][3]}, l[3], l[4] }
      add(mirrored[1], mirrored[2], radius, l.goes_on, function(x, y, z) return to_limb(mirrored, x, y, z) end)
    end
  end

  -- a vertex in each cell that the surface passes, at the mean of the crossings of its edges
  local steps = {1, nx, nxy}
  local corners = {}
  for c = 0, 7 do corners[c] = (c & 1) * steps[1] + (c >> 1 & 1) * steps[2] + (c >> 2 & 1) * steps[3] end
  local vertices, of_cell, faces = {}, {}, {}
  for k = 0, count[3] - 2 do
    for j = 0, count[2] - 2 do
      for i = 0, nx - 2 do
        local n, sum, crossings = 1 + i + nx * j + nxy * k, {0, 0, 0}, 0
        for c = 0, 7 do
          for axis = 1, 3 do
            if c >> (axis - 1) & 1 == 0 then
              local a, b = distance[n + corners[c]], distance[n + corners[c] + steps[axis]]
              if (a < 0) ~= (b < 0) then
                local at = {c & 1, c >> 1 & 1, c >> 2 & 1}
                at[axis] = a / (a - b)
                for m = 1, 3 do sum[m] = sum[m] + at[m] end
                crossings = crossings + 1
              end
            end
          end
        end
        if crossings > 0 then
          vertices[#vertices + 1] = { low[1] + edge * (i + sum[1] / crossings), low[2] + edge * (j + sum[2] / crossings),
            low[3] + edge * (k + sum[3] / crossings) }
          of_cell[n] = #vertices
        end
      end
    end
  end

  -- a quad, in two triangles, for each edge of the grid that the surface crosses
  local function add_quad(a, b, c, d)
    local p, q = muslin.vec3(vertices[a]) - muslin.vec3(vertices[c]), muslin.vec3(vertices[b]) - muslin.vec3(vertices[d])
    if p:length() <= q:length() then
      faces[#faces + 1], faces[#faces + 2] = {a, b, c}, {a, c, d}
    else
      faces[#faces + 1], faces[#faces + 2] = {a, b, d}, {b, c, d}
    end
  end
  for n, d in ipairs(distance) do
    for axis = 1, 3 do
      local other = distance[n + steps[axis]]
      local s, t = steps[axis % 3 + 1], steps[(axis + 1) % 3 + 1]
      if other and (d < 0) ~= (other < 0) and of_cell[n - s - t] and of_cell[n] then
        local a, b, c, e = of_cell[n - s - t], of_cell[n - t], of_cell[n], of_cell[n - s]
        if d < 0 then add_quad(a, b, c, e) else add_quad(a, e, c, b) end
      end
    end
  end
  return muslin.mesh.new { vertices = vertices, faces = faces }
end

return mannequin
