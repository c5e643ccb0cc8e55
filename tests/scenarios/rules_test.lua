-- rules_test.lua: a sound response rule passes every check of a rule, and each of three broken ones is caught.
local checks = require "kit.checks"
local rules = require "kit.rules"

local names = { "rests_at_its_thickness", "friction_stops", "edges_keep_apart" }

scenario.each(names) ("a sound rule: {}", function(name) checks[name](rules.sound) end)

-- The prefix of the message separates a failed check from an error in the rule itself.
scenario.each {
  { rule = "wrong_sign", caught = { "rests_at_its_thickness", "edges_keep_apart" } },
  { rule = "no_friction", caught = { "friction_stops" } },
  { rule = "no_edge_edge", caught = { "edges_keep_apart" } },
} ("the broken rule {rule} is caught", function(p)
  local caught = {}
  for _, name in ipairs(names) do
    local ok, message = pcall(checks[name], rules[p.rule])
    if not ok then
      expect(message):contains("check failed: ")
      caught[#caught + 1] = name
    end
  end
  expect(caught):equals(p.caught)
end)
