-- usd.lua: stages of Universal Scene Description in text: cloths with their rest shapes, materials and seams, and obstacles.
--
-- The names are those of the proposal for deformable bodies in UsdPhysics. What muslin writes has its own constants besides
-- (muslin:material:NAME), which then count.
local support = require "muslin.support"

local usd = {}
local Stage = {}
Stage.__index = Stage

local function fail(text, ...) support.fail("usd: " .. text:format(...)) end

-- A table of constants for world:cloth; nil: nothing is given.
local function material_of(part)
  local material = {}
  for name, value in pairs(part.constants) do
    if name ~= "name" or value ~= "" then material[name] = value end
  end
  if next(material) then return material end
  local stretch = part.stretch_stiffness
  material.density, material.bending, material.stretch_shear = part.density, part.bend_stiffness, part.shear_stiffness
  if stretch then
    material.stretch_warp, material.stretch_weft = stretch, stretch
    material.stretch_poisson = part.poissons_ratio and part.poissons_ratio * stretch
  end
  if not next(material) then return nil end
  material.model = "stvk"
  return material
end

-- Of equal names each is replaced by its prim's path, without the first slash.
local function name_apart(parts)
  local count = {}
  for _, part in ipairs(parts) do count[part.name] = (count[part.name] or 0) + 1 end
  for _, part in ipairs(parts) do
    if count[part.name] > 1 then part.name = part.path:sub(2) end
  end
end

--- muslin.usd.load(path [, {scale, up}])
function usd.load(path, options)
  options = options or {}
  if type(path) ~= "string" then fail("load(path): a path (got %s)", tostring(path)) end
  support.check_keys(options, "usd.load", { "scale", "up" })
  local meshes, seams, fps = support.read_usd(path, "usd.load(path)", options.scale, options.up)
  local stage = { path = path, meshes = meshes, seams = seams, fps = fps, options = options }
  for _, part in ipairs(meshes) do
    part.material = part.cloth and material_of(part) or nil
    part.rest = part.rest or (part.flat_rest and { uv = part.flat_rest })
    for _, name in ipairs { "constants", "flat_rest", "density", "stretch_stiffness", "shear_stiffness", "bend_stiffness",
      "poissons_ratio" } do part[name] = nil end
  end
  name_apart(meshes)
  return setmetatable(stage, Stage)
end

local function add_cloth(world, part, options)
  local cloth = world:cloth { name = part.name, mesh = part.mesh, rest = part.rest,
    material = options.material or part.material, thickness = options.thickness or part.thickness,
    friction = options.friction or part.friction, restitution = options.restitution or part.restitution }
  if part.masses and not options.material then cloth.m:lerp(require "muslin".array(part.masses), 1) end
  for _, fold in ipairs(part.folds) do
    if fold[1] == 0 then fail("mesh '%s': a pair of restAdjTriPairs has no common edge", part.name) end
    cloth:crease({ fold[1], fold[2] }, fold[3])
  end
  return cloth
end

--- stage:add(world [, {material, thickness, friction, restitution}])
function Stage:add(world, options)
  options = options or {}
  support.check_keys(options, "stage:add", { "material", "thickness", "friction", "restitution" })
  local added, cloths = {}, {}
  for k, part in ipairs(self.meshes) do
    if part.cloth then
      cloths[k] = add_cloth(world, part, options)
      added[#added + 1] = cloths[k]
    end
  end
  for _, part in ipairs(self.meshes) do
    if part.collider and not part.cloth then
      local def = { name = part.name, mesh = part.mesh, friction = part.friction, restitution = part.restitution }
      if part.moves then
        def.cache, def.cache_animation, def.cache_fps = self.path, part.path, self.fps
        def.cache_scale, def.cache_up = self.options.scale, self.options.up
      end
      added[#added + 1] = world:obstacle(def)
    end
  end
  for _, seam in ipairs(self.seams) do
    local a, b = cloths[seam.a], cloths[seam.b]
    if a and b and #seam.vertices_a > 0 then
      world:stitch { a = { a, seam.vertices_a }, b = { b, seam.vertices_b }, stiffness = seam.stiffness }
    end
  end
  return added
end

return usd
