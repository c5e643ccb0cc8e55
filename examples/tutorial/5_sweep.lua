-- Step 5: the displacement of the sheet over friction and material: eight cases, one table.
--   muslin sweep examples/tutorial/5_sweep.lua --out out/sweep
--   muslin collect out/sweep/runs
return {
  scene = "2_scene.lua",
  grid = { friction = {0, 0.1, 0.2, 0.4}, material = {"cotton", "silk"} },
  fixed = { nodes = 12 },
  audit = true,
  format = "none", -- no frames: manifest.json and log.csv suffice
}
