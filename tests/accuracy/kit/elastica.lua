-- elastica.lua: inextensible planar rods of length 1 that leave a clamp level, under loads across them (the elastica).
local muslin = require "muslin"

local elastica = {}

local PARTS = 2000

-- Place of the free end from the slopes (Simpson's rule): along the clamp's direction, and down.
local function end_of(theta)
  local x, y = 0, 0
  for k = 0, PARTS do
    local weight = (k == 0 or k == PARTS) and 1 or k % 2 == 1 and 4 or 2
    x = x + weight / 3 / PARTS * muslin.cos(theta[k])
    y = y + weight / 3 / PARTS * muslin.sin(theta[k])
  end
  return x, y
end

-- Solves theta'' + load(s) cos(theta) = 0, theta(0) = 0, theta'(1) = 0 by Newton's method on central differences. theta is
-- the slope downward; load(s) the force beyond s, times L^2 / D.
local function solve_slopes(load)
  local theta, h2 = {}, 1 / PARTS ^ 2
  for k = 0, PARTS do theta[k] = 0 end
  for _ = 1, 100 do
    local upper, right, largest = {}, {}, 0
    for k = 1, PARTS do
      local last = k == PARTS
      local here = load(k / PARTS) * h2
      local residual = theta[k - 1] - 2 * theta[k] + (last and theta[k - 1] or theta[k + 1]) + here * muslin.cos(theta[k])
      local lower, diagonal = k == 1 and 0 or last and -2 or -1, 2 + here * muslin.sin(theta[k])
      local pivot = diagonal - lower * (upper[k - 1] or 0)
      upper[k] = -1 / pivot
      right[k] = (residual - lower * (right[k - 1] or 0)) / pivot
    end
    for k = PARTS, 1, -1 do
      if k < PARTS then right[k] = right[k] - upper[k] * right[k + 1] end
      local new = muslin.clamp(theta[k] + right[k], 0, math.pi / 2)
      largest = math.max(largest, math.abs(new - theta[k]))
      theta[k] = new
    end
    if largest < 1e-12 then return theta end
  end
  error("the slopes of the elastica did not converge")
end

--- The end of a rod that hangs by its weight w per length, at the gravito-bending number gamma = w L^3 / D.
function elastica.hanging(gamma)
  return end_of(solve_slopes(function(s) return gamma * (1 - s) end))
end

--- The end of a rod without weight under a vertical force P at its end, by load = P L^2 / D (Bisshopp & Drucker 1945).
function elastica.loaded(load)
  return end_of(solve_slopes(function() return load end))
end

return elastica
