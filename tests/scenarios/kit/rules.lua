-- rules.lua: one sound response rule, and three that are broken on purpose, each in one way.
local muslin = require "muslin"

local rules = {}

-- Inelastic along the normal, Coulomb's friction across it.
local function impulse(c)
  local vn = c.normal:dot(c.velocity)
  local vt = c.velocity - vn * c.normal
  local jn = muslin.max(-vn, 0) * c.mass
  return jn * c.normal, -muslin.min(c.friction * jn, c.mass * vt:length()) * vt:normalized()
end

function rules.sound(c)
  local normal, friction = impulse(c)
  return normal + friction
end

function rules.wrong_sign(c)
  local normal, friction = impulse(c)
  return friction - normal
end

function rules.no_friction(c)
  return (impulse(c))
end

function rules.no_edge_edge(c)
  if c.kind == "edge_edge" then return { 0, 0, 0 } end
  return rules.sound(c)
end

return rules
