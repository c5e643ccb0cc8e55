-- once.lua: presets of the sources for tests to which the time between two collision detections does not matter: one
-- detection a step, and few steps of the integrator. once(name) is the pipeline; of other presets it is the name.
local pipelines = {
  provot = { preset = "provot", collision_step = "step" },
  bigliani = { preset = "bigliani", collision_step = "step" },
  aabb = { preset = "aabb", collision_step = "step" },
  bridson_source = { preset = "bridson_source", collision_step = "step" },
  jung = { preset = "jung", integrator = "implicit_euler", collision_step = "step" },
}
return function(name) return pipelines[name] or name end
