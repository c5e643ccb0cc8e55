-- PRO-1: garments sewn together around a mannequin (Provot 1997, figure 4).
--
--   muslin run examples/sources/pro1_garment.lua --out out/pro1 --format png [-- short] [cells=2] [closing=0.5] [friction=0.3]
--   muslin run examples/sources/pro1_garment.lua -- pattern=garment_panels.obj body=mannequin.obj cache=mannequin_kick.pc2
--
-- Mesh: a shirt of two panels and trousers of four, in squares of 20 mm (front) and 13 mm (back); the seams' lines have
-- unequal numbers of vertices. A belt fixes the trousers. The body is a mesh of 15,000 triangles (kit/mannequin.lua).
-- closing: s in which stitches shorten; sewn: s without gravity, at the start; weight: s in which gravity increases. strength:
-- N, of a stitch. With full gravity at once, in steps of 1/120 s, the seams open: contacts and the strain
-- limit outweigh stitches of any stiffness.
-- pattern, body, cache: a pattern with `stitch` lines and its flat shape as texture, z up and 0.75 m too low, the body it was
-- placed around, and frames of that body 0.04 s apart, which start when the garment has draped. play: s of them.
-- Panels are basted first, without gravity, by weak stitches, then sewn permanently. The patterns made here are
-- rectangles and do not fit well: seams stay open by up to 1.3 mm, at the shoulders (thickness: 1 mm).
-- Source: 6,000 + 3,000 polygons, a mannequin of 26,000, 1.5 to 2 h per garment, SGI Indigo 2.
local muslin = require "muslin"
local mannequin = require "kit.mannequin"
local patterns = require "kit.patterns"
local scene = require "kit.scene"

return function(...)
  local o = scene.options({...}, { dt = 1 / 240, duration = 2.5, cells = 2, closing = 0.5, sewn = 0.8, weight = 1.5, friction = 0.3,
    strength = 1, pattern = "", body = "", cache = "", play = 1 },
    { duration = 1.3, cells = 1, closing = 0.3, sewn = 0.5, weight = 0.7 })
  local real = o.pattern ~= ""
  local drape = o.duration
  if real and o.cache ~= "" then o.duration = o.duration + o.play end
  local world = scene.world(o)
  local garments, seams, fasten = {}, {}, {} -- fasten: calls after basting

  local function stitch(cloth, mesh, lines, strength)
    local sewing = { closing_time = o.closing, strength = strength }
    if not lines then
      sewing.cloth, sewing.stitches = cloth, mesh
      seams[#seams + 1] = world:stitch(sewing)
    end
    for _, pair in ipairs(lines or {}) do
      sewing.a, sewing.b, sewing.match = {cloth, pair[1]}, {cloth, pair[2]}, "length"
      seams[#seams + 1] = world:stitch(sewing)
    end
  end
  -- Basted first, with weak stitches, then sewn permanently.
  local function sew(name, mesh, lines)
    local cloth = world:cloth { name = name, mesh = mesh, rest = "uv", material = scene.material(world, "cotton"), friction = o.friction }
    garments[#garments + 1] = cloth
    stitch(cloth, mesh, lines, o.strength)
    fasten[#fasten + 1] = function() stitch(cloth, mesh, lines) end
  end

  if real then
    local mesh = muslin.mesh.load(o.pattern, { up = "z" })
    sew("dress", mesh:transform { position = {0, 0.75, 0} })
    local body = muslin.mesh.load(o.body)
    world:obstacle { name = "mannequin", mesh = body, friction = o.friction, cache = o.cache ~= "" and o.cache or nil,
      cache_fps = o.cache ~= "" and 25 or nil, cache_start = o.cache ~= "" and drape or nil }
    if o.cache ~= "" then world:between({"mannequin", "dress"}, {pinch = "release"}) end -- between arm and trunk
  else
    local n = math.tointeger(o.cells)
    sew("shirt", patterns.shirt(n, n + 1, 0.17))
    local mesh, lines, belt = patterns.trousers(n, n + 1, 0.15)
    sew("trousers", mesh, lines)
    world:camera { from = {1.35, 1.4, 2.75}, to = {0, 0.86, 0} }
    local body = world:obstacle { name = "body", mesh = mannequin.mesh(), friction = o.friction }
    fasten[#fasten + 1] = function() garments[2]:pin { vertices = belt, to = body } end
  end

  local function widest()
    local gap = 0
    for _, seam in ipairs(seams) do gap = math.max(gap, seam.gap) end
    return gap
  end
  -- Panels are pinned until they are sewn.
  world.gravity = {0, 0, 0}
  world:on("frame", function()
    world:log("gap", widest())
    if world.time < o.sewn - 1e-6 or #fasten == 0 then return end
    for _, seam in ipairs(seams) do world:remove(seam) end
    seams = {}
    for _, what in ipairs(fasten) do what() end
    fasten = {}
  end)
  world:on("before_step", function(_, t) world.gravity = {0, -9.81 * scene.ramp(t, o.sewn, o.sewn + o.weight), 0} end)
  return scene.ends(world, function()
    local open, stitches = widest(), 0
    for _, seam in ipairs(seams) do stitches = stitches + seam.count end
    muslin.expect(open, "the widest gap of a seam, m"):at_most(real and 0.02 or o.is_short and 0.008 or 0.005)
    for _, cloth in ipairs(garments) do
      muslin.expect(cloth:strain().median, "the median stretch of the " .. cloth.name):at_most(0.05)
      muslin.expect(cloth:centroid().y, "the height of the " .. cloth.name .. ", m"):at_least(real and 0.7 or 0.5)
    end
    return ("%d stitches, the widest open by %.1f mm"):format(stitches, 1000 * open)
  end)
end
