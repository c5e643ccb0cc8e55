-- frames.lua: how long the frames of a scene take, by phase.
-- muslin run --trusted --quiet --threads 1 tests/bench/frames.lua -- SCENE.lua [FRAMES] [FILE.csv]
-- Prints a row (see `head` in tests/bench/run) and appends every frame to the CSV file. Files and hooks of frames are
-- left out: it is the steps that are timed.
local scene, frames, csv = ...
assert(scene, "usage: frames.lua SCENE.lua [FRAMES] [FILE.csv]")

local phases = { "validate", "obstacles", "hooks", "dynamics", "contacts", "broad", "narrow", "failsafe", "commit" }

package.path = (scene:match("^.*/") or "./") .. "?.lua;" .. package.path -- what the scene requires lies beside it
local world = assert(loadfile(scene, "t"))()
if type(world) == "function" then world = world() end
frames = tonumber(frames) or math.floor(world.duration * world.fps + 0.5)

local vertices = 0
for _, cloth in ipairs(world.cloths) do vertices = vertices + #cloth.x end

local function median(values, share)
  local sorted = table.move(values, 1, #values, 1, {})
  table.sort(sorted)
  return sorted[math.max(1, math.ceil(#sorted * (share or 0.5)))]
end

local total, of_phase, most_contacts = {}, {}, 0
for _, name in ipairs(phases) do of_phase[name] = {} end
for frame = 1, frames do
  local sum = 0
  local sums = {}
  for _ = 1, world.steps_per_frame do
    world:step()
    local stats = world:stats()
    sum = sum + stats.step_ms
    for name, ms in pairs(stats.phase_ms) do sums[name] = (sums[name] or 0) + ms end
    most_contacts = math.max(most_contacts, stats.contacts)
  end
  total[frame] = sum
  for _, name in ipairs(phases) do of_phase[name][frame] = assert(sums[name], "no phase " .. name) end
end

local memory = 0 -- MB, the process' peak
local status = io.open("/proc/self/status")
if status then
  memory = tonumber(status:read("a"):match("VmHWM:%s*(%d+)")) / 1024
  status:close()
end

local name = scene:match("([^/]+)%.lua$")
local row = { ("%-14s %8d %6d %8.2f %8.2f %8.2f %6.1f %7d %6.0f "):format(name, vertices, frames, median(total),
  median(total, 0.9), median(total, 1), 1000 / world.fps / median(total), most_contacts, memory) }
for _, phase in ipairs(phases) do row[#row + 1] = ("%9.2f"):format(median(of_phase[phase])) end
print(table.concat(row, " "))

if csv then
  local file = assert(io.open(csv, "a"))
  for frame = 1, frames do
    local cells = { name, frame, ("%.4f"):format(total[frame]) }
    for _, phase in ipairs(phases) do cells[#cells + 1] = ("%.4f"):format(of_phase[phase][frame]) end
    file:write(table.concat(cells, ","), "\n")
  end
  file:close()
end
world:close()
