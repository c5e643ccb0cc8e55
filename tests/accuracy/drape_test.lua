-- drape_test.lua: Cusick's drape test of the presets, against published ranges; of one fabric by mesh and by model.
-- docs/accuracy.md has the figures.
local drape = require "kit.drape"
local plot = require("kit.curves").plot("drape", "bending by weight, 1e-5 m^3", "drape coefficient, %", "linear")

local published = { cotton = {60, 76}, silk = {20, 40}, wool = {40, 70}, denim = {70, 90}, leather = {47, 70} }
local names = { "cotton", "silk", "wool", "denim", "leather" }
local most_folds = { silk = 11 } -- 8 are published: the softest has 9 or 10

scenario.each(names) ("{} drapes as published", function(name)
  local percent, folds = drape.measure { material = { preset = name }, rings = 30 }
  print(("%s: drape coefficient %.1f %%, %d folds"):format(name, percent, folds))
  local material = require("muslin").material(name)
  local by_weight = 1e5 * material.bending / (9.81 * material.density)
  plot.add(name, by_weight, percent)
  plot.add("published, least", by_weight, published[name][1])
  plot.add("published, most", by_weight, published[name][2])
  expect(percent, "drape coefficient, %"):between(published[name][1], published[name][2])
  expect(folds, "folds"):between(3, most_folds[name] or 8)
end)

scenario("cotton drapes as much by another mesh, and by plates", function()
  local fine = drape.measure { material = { preset = "cotton" }, rings = 30 }
  for _, other in ipairs { { rings = 20, model = "springs" }, { rings = 20, model = "stvk" } } do
    local percent = drape.measure { material = { preset = "cotton", model = other.model }, rings = other.rings }
    print(("%s, %d rings: %.1f %%, finer %.1f %%"):format(other.model, other.rings, percent, fine))
    expect(percent, other.model .. ": drape coefficient, %"):near(fine, 4)
  end
end)
