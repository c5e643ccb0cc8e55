-- elastica.lua: inextensible planar rods of length 1 that leave a clamp level, under loads across them (the elastica).
local muslin = require "muslin"

local elastica = {}

local PARTS, SHOTS = 2000, 400

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

-- Moment and place at the end of a rod whose clamp points along y, from the curvature there, the force along y that
-- compresses it and the one across it, times L^2 / D (Runge-Kutta).
local function shoot(curvature, along, across)
  local theta, kappa, x, y = 0, curvature, 0, 0
  local h = 1 / SHOTS
  for _ = 1, SHOTS do
    local sum = {0, 0, 0, 0}
    local t, k = theta, kappa
    for stage = 1, 4 do
      local rate = { k, -(across * muslin.cos(t) + along * muslin.sin(t)), muslin.sin(t), muslin.cos(t) }
      for i = 1, 4 do sum[i] = sum[i] + h / 6 * ((stage == 1 or stage == 4) and 1 or 2) * rate[i] end
      local part = stage == 3 and h or h / 2
      t, k = theta + part * rate[1], kappa + part * rate[2]
    end
    theta, kappa, x, y = theta + sum[1], kappa + sum[2], x + sum[3], y + sum[4]
  end
  return kappa, x, y
end

-- Solves three linear equations by Gauss's method with pivots; each row ends with its right side.
local function solve(rows)
  for i = 1, 3 do
    local best = i
    for r = i + 1, 3 do if math.abs(rows[r][i]) > math.abs(rows[best][i]) then best = r end end
    rows[i], rows[best] = rows[best], rows[i]
    for r = 1, 3 do
      local factor = r ~= i and rows[r][i] / rows[i][i] or 0
      for c = 1, 4 do rows[r][c] = rows[r][c] - factor * rows[i][c] end
    end
  end
  return rows[1][4] / rows[1][1], rows[2][4] / rows[2][2], rows[3][4] / rows[3][3]
end

--- How far an upright rod in a clamp can be pressed on a floor, in lengths, until its lower end slips (Sano, Yamaguchi &
--- Wada 2017): the end stays below the clamp, without moment, while the floor's force across is at most friction times that
--- along.
function elastica.pressed(friction)
  local curvature, along, across = 0.636, 20.2, 0.64 -- Euler's buckling at 0.005, for a start
  local last, ratio = 0, 0
  for compression = 0.005, 0.6, 0.005 do
    for _ = 1, 20 do
      local at = { shoot(curvature, along, across) }
      at[3] = at[3] - (1 - compression)
      if math.abs(at[1]) + math.abs(at[2]) + math.abs(at[3]) < 1e-10 then break end
      local rows, d = { {}, {}, {} }, 1e-6
      for c = 1, 3 do
        local moved = { shoot(curvature + (c == 1 and d or 0), along + (c == 2 and d or 0), across + (c == 3 and d or 0)) }
        moved[3] = moved[3] - (1 - compression)
        for r = 1, 3 do rows[r][c], rows[r][4] = (moved[r] - at[r]) / d, -at[r] end
      end
      local a, b, c = solve(rows)
      curvature, along, across = curvature + a, along + b, across + c
    end
    local now = across / along
    if now >= friction then return last + (compression - last) * (friction - ratio) / (now - ratio) end
    last, ratio = compression, now
  end
  error("an end with friction " .. friction .. " does not slip up to a compression of 0.6")
end

return elastica
