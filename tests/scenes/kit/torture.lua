-- torture.lua: what the scenes of this folder share: a world whose frames are its steps, so that every step is audited,
-- and a watch that fails with what was seen when, and ends in one line of figures.
local muslin = require "muslin"

local torture = {}

--- A world of the default pipeline, or of options.pipeline. `size` is the scene's first argument: nothing for the size of
--- `make test`, "full" for that of `make soak`; `threads` its second.
function torture.world(size, threads, options)
  if size ~= nil and size ~= "full" then error(("the scene's size is 'full' or left out (got '%s')"):format(size), 3) end
  local rate = options.rate or 120
  return muslin.world {
    dt = 1 / rate, fps = rate, duration = size and options.full or options.short, air_density = options.air_density or 0,
    gravity = options.gravity, threads = tonumber(threads), pipeline = options.pipeline,
  }
end

--- A grid of nu x nv vertices, the one at (u, v), 0..1 each, placed by f(u, v).
function torture.sheet(nu, nv, f)
  local mesh = muslin.mesh.grid { nodes = { nu, nv }, size = { 1, 1 } }
  for j = 0, nv - 1 do
    for i = 0, nu - 1 do mesh.x[1 + i + j * nu] = f(i / (nu - 1), j / (nv - 1)) end
  end
  return mesh
end

--- 0 before t0, 1 after t1, smooth between.
function torture.ramp(t, t0, t1)
  local s = muslin.clamp((t - t0) / (t1 - t0), 0, 1)
  return s * s * (3 - 2 * s)
end

local function worst_finding(report)
  local f = report.findings[1]
  local sides = {}
  for k = 1, 2 do sides[k] = f.objects[k] .. (f.faces[k] and " face " .. f.faces[k] or "") end
  return ("%d crossings, %d places inside; first: %s %s, %s%s"):format(report.intersections, report.inside, sides[1],
    f.kind == "inside" and "inside of" or "meets", sides[2], f.depth and (", %.3g m deep"):format(f.depth) or "")
end

--- Gaps, m, between surfaces a thickness apart, of what is in contact, as shares of that thickness, in rising order.
function torture.gaps(world)
  local contacts = world:contacts()
  local distance, gap, toi = contacts:array "distance", contacts:array "gap", contacts:array "toi"
  local shares = {}
  for k = 1, #distance do
    if gap[k] <= 0 and toi[k] == 0 then shares[#shares + 1] = distance[k] / (distance[k] - gap[k]) end
  end
  table.sort(shares)
  return shares
end

--- Watches every step of a world: nothing crosses, nothing is inside, no gap is 0. limits: fastest (m/s, of any vertex at
--- any time), stretch, zones (vertices in them; both at any time) and, of the last state, rest (m/s), rest_stretch, gap (the
--- 1st percentile of the gaps of contacts, as a share of the thickness: 0.5; where nothing is in contact there is none).
--- What else is left out is reported alone.
function torture.watch(world, limits)
  local seen = { steps = 0, fastest = 0, stretch = 0, zones = 0, parts = 0, ms = 0, slowest = 0, gap = math.huge }
  world:on("frame", function(_, t)
    if world.step_index == 0 then return end
    local report = world:audit()
    if not report.clean then error(("at %.4f s: %s"):format(t, worst_finding(report)), 0) end
    if report.touches > 0 then error(("at %.4f s: %d pairs of faces touch"):format(t, report.touches), 0) end
    muslin.expect(world):finite()
    local stats = world:stats()
    seen.steps = seen.steps + 1
    seen.ms, seen.slowest = seen.ms + stats.step_ms, math.max(seen.slowest, stats.step_ms)
    seen.zones, seen.parts = math.max(seen.zones, stats.zone_vertices), math.max(seen.parts, stats.substeps)
    if stats.max_strain > seen.stretch then seen.stretch, seen.stretch_at = stats.max_strain, t end
    for _, cloth in ipairs(world.cloths) do
      local speed = cloth.v:lengths():max()
      if speed > seen.fastest then seen.fastest, seen.fastest_at = speed, t end
    end
    local shares = torture.gaps(world)
    if shares[1] and seen.steps > 1 then -- they tell of the state before the step; a start may lie flush on a plane
      seen.gap = math.min(seen.gap, shares[1])
      muslin.expect(shares[1], "least gap, share of the thickness"):more_than(0)
    end
  end)
  world:on("done", function()
    local speed, stretch = 0, 0
    for _, cloth in ipairs(world.cloths) do
      speed, stretch = math.max(speed, cloth.v:lengths():max()), math.max(stretch, cloth:strain().max)
    end
    local shares = torture.gaps(world)
    local gap = shares[1 + #shares // 100]
    print(("%d steps, %.2f ms each (slowest %.0f); fastest %.2f m/s (at %.2f s), stretch %.0f %% (at %.2f s), least gap %s of the "
      .. "thickness, zones of %d at most, %d parts at most; at the end %.3f m/s, stretch %.1f %%, 1 %% of %d gaps under %s")
      :format(seen.steps, seen.ms / seen.steps, seen.slowest, seen.fastest, seen.fastest_at or 0, 100 * seen.stretch,
        seen.stretch_at or 0, seen.gap < math.huge and ("%.2f"):format(seen.gap) or "(none)", seen.zones, seen.parts, speed,
        100 * stretch, #shares, gap and ("%.2f"):format(gap) or "(none)"))
    if limits.fastest then muslin.expect(seen.fastest, "fastest vertex, m/s"):at_most(limits.fastest) end
    if limits.stretch then muslin.expect(seen.stretch, "largest stretch"):at_most(limits.stretch) end
    if limits.zones then muslin.expect(seen.zones, "vertices in zones"):at_most(limits.zones) end
    if limits.rest then muslin.expect(speed, "speed at the end, m/s"):at_most(limits.rest) end
    if limits.rest_stretch then muslin.expect(stretch, "stretch at the end"):at_most(limits.rest_stretch) end
    if gap then muslin.expect(gap, "1st percentile of the gaps at the end"):at_least(limits.gap or 0.5) end
  end)
  return world
end

return torture
