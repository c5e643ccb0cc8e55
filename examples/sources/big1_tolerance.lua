-- BIG-1, the experiment: which tolerance of the sum of angles keeps a falling node inside an icosahedron (Bigliani & Eischen,
-- 3.1 and figure 6, which found 2 pi/100).
--
--   muslin run examples/sources/big1_tolerance.lua --out out/big1 --format png [-- short] [hits=5000] [single=true]
--
-- Each frame tests a tolerance, from 1e-8 to 1 rad, and the source's. A node falls and bounces without loss inside the icosahedron;
-- its path over each step is tested against every face. A hit is missed where the node crosses a face, but the angles about the point of
-- crossing do not sum to 2 pi within the tolerance; it is false where they do, but the point is outside the face. Without a
-- correction for a miss, the node would be out. single: the angles in single precision, as on the machines of the time.
-- out/big1/log.csv has the columns tolerance, missed and false_hits, shares of all crossings; the last picture plots them.
local muslin = require "muslin"
local scene = require "kit.scene"

local tolerances = { 2 * math.pi / 100 }
for k = 0, 32 do tolerances[#tolerances + 1] = 10 ^ (-8 + k / 4) end
table.sort(tolerances)

return function(...)
  local o = scene.options({...}, { dt = 1 / 60, duration = (#tolerances - 1) / 60, hits = 5000, single = true }, { hits = 1000 })
  local world = scene.world(o)
  world:obstacle { name = "icosahedron", mesh = muslin.mesh.icosahedron { radius = 0.1 } }
  local faces, mesh = {}, muslin.mesh.icosahedron { radius = 0.1 }
  for _, face in ipairs(mesh:faces()) do
    local a, b, c = mesh.x[face[1]], mesh.x[face[2]], mesh.x[face[3]]
    local n = (b - a):cross(c - a):normalized()
    if n:dot(a) < 0 then a, b, n = b, a, -n end
    faces[#faces + 1] = { a, b, c, normal = n, offset = n:dot(a) }
  end

  local function rounded(value) return o.single and string.unpack("f", string.pack("f", value)) or value end
  local function difference(p, q) return { rounded(p.x - q.x), rounded(p.y - q.y), rounded(p.z - q.z) } end
  local function dot(p, q) return rounded(rounded(rounded(p[1] * q[1]) + rounded(p[2] * q[2])) + rounded(p[3] * q[3])) end
  local function angle(p, q)
    local cosine = rounded(dot(p, q) / rounded(math.sqrt(rounded(dot(p, p) * dot(q, q)))))
    return rounded(muslin.acos(muslin.clamp(cosine, -1, 1)))
  end
  -- How far the angles about q are from 2 pi (eq. 9).
  local function deficit(face, q)
    local a, b, c = difference(face[1], q), difference(face[2], q), difference(face[3], q)
    return math.abs(rounded(rounded(angle(a, b) + angle(b, c)) + angle(c, a)) - rounded(2 * math.pi))
  end
  local function is_inside(face, q)
    for k = 1, 3 do
      local p, r = face[k], face[k % 3 + 1]
      if (r - p):cross(q - p):dot(face.normal) < 0 then return false end
    end
    return true
  end

  local results, step, gravity = {}, 1 / 240, muslin.vec3(0, -9.81, 0)
  local function experiment(tolerance)
    local p, v = muslin.vec3(0.011, 0.007, -0.004), muslin.vec3(1.2, 0.5, 0.7)
    local crossings, missed, wrong = 0, 0, 0
    while crossings < o.hits do
      local ahead = p + step * v + 0.5 * step * step * gravity
      local first, time = nil, 1
      for _, face in ipairs(faces) do
        local from, to = face.normal:dot(p) - face.offset, face.normal:dot(ahead) - face.offset
        if from < 0 and to > 0 then
          local s = from / (from - to)
          local q = p + s * (ahead - p)
          local inside, hit = is_inside(face, q), deficit(face, q) <= tolerance
          crossings = crossings + 1
          if inside and not hit then missed = missed + 1 end
          if hit and not inside then wrong = wrong + 1 end
          if inside and s < time then first, time = face, s end
        end
      end
      if first then v = v - 2 * v:dot(first.normal) * first.normal else p, v = ahead, v + step * gravity end
    end
    return missed / crossings, wrong / crossings
  end

  world:on("frame", function()
    local tolerance = tolerances[world.frame + 1]
    local missed, wrong = experiment(tolerance)
    results[#results + 1] = { tolerance = tolerance, missed = missed, wrong = wrong }
    world:log("tolerance", tolerance)
    world:log("missed", missed)
    world:log("false_hits", wrong)
    if o.is_short then return end
    print(("%8.1e rad: %8.4f %% of the hits missed, %8.4f %% false"):format(tolerance, 100 * missed, 100 * wrong))
  end)
  world:on("draw", function(canvas)
    local function at(tolerance, share) -- in a plane before the solid that faces the default view
      local across = 0.02 * (muslin.log(tolerance) / muslin.log(10) + 4)
      return { 0.1 + 0.77 * across, 0.2 * share - 0.04, 0.1 - 0.64 * across }
    end
    for k = -8, 0, 2 do
      canvas:line(at(10 ^ k, 0), at(10 ^ k, 0.7), { color = { 0.7, 0.7, 0.7 } })
      canvas:text(at(10 ^ k, -0.05), ("1e%d rad"):format(k))
    end
    canvas:text(at(tolerances[1], 0.7), "share of hits missed (red), false (blue)")
    for k = 2, #results do
      local a, b = results[k - 1], results[k]
      canvas:line(at(a.tolerance, a.missed), at(b.tolerance, b.missed), { color = { 0.8, 0.1, 0.1 }, width = 3 })
      canvas:line(at(a.tolerance, a.wrong), at(b.tolerance, b.wrong), { color = { 0.1, 0.2, 0.8 }, width = 3 })
    end
  end)

  return scene.ends(world, function()
    local function at(tolerance)
      for _, result in ipairs(results) do
        if math.abs(result.tolerance / tolerance - 1) < 0.1 then return result end
      end
    end
    if o.single then muslin.expect(at(1e-8).missed, "share of hits missed at 1e-8 rad"):at_least(0.3) end
    muslin.expect(at(2 * math.pi / 100).missed, "share of hits missed at 2 pi/100"):equals(0)
    muslin.expect(at(2 * math.pi / 100).wrong, "share of false hits at 2 pi/100"):at_most(0.1)
    muslin.expect(at(1).wrong, "share of false hits at 1 rad"):at_least(at(1e-3).wrong + 0.01)
    return "shares are in the log"
  end)
end
