-- hashes.lua: the state's hash after every frame of a scene, in stock Lua: lua5.4 hashes.lua SCENE.lua FRAMES THREADS [PIPELINE]
local scene, frames, threads = arg[1], tonumber(arg[2]), tonumber(arg[3])
local pipeline = arg[4] and require "pipelines"[arg[4]]
if pipeline then pipeline.doc = nil end
debug.getregistry()["muslin.overrides"] = { threads = threads, pipeline = pipeline } -- what the host does for its options
local world = dofile(scene)
assert(world.threads == threads, "the number of threads was not taken")
for frame = 1, frames do
  for _ = 1, world.steps_per_frame do world:step() end
  print(frame, world:hash(), world:stats().contacts > 0 and "contacts" or "")
end
world:close()
