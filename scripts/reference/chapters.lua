-- chapters.lua: the chapters of the reference, in order: { title, what it is about, { pattern, ... } }. A Lua name stands in
-- the first chapter of which a pattern fits the whole name. Topics, presets, stages and materials follow in chapters of
-- their own (src/app/doc/doc.c).
local chapters = {
  { "World", "The world owns everything, steps, and calls hooks.",
    { "muslin%.world", "muslin%.load", "muslin%.arguments", "world[.:].*" } },
  { "Cloth", "Made by world:cloth. Its state is arrays: cloth.x, .v, .f and others.", { "cloth[.:].*" } },
  { "Obstacles", "Made by world:obstacle: fixed, moved by a function or a point cache, or rigid bodies.",
    { "obstacle[.:].*", "muslin%.motion", "muslin%.rotat.*", "muslin%.quaternion.*" } },
  { "Meshes", "Generators and readers of triangle meshes, and what a mesh can do.", { "muslin%.mesh", "muslin%.mesh%..*", "mesh[.:].*" } },
  { "Materials", "Constants of cloth; the presets by name stand in a chapter of their own.",
    { "muslin%.material", "muslin%.material%..*", "material[.:].*", "muslin%.spring_law" } },
  { "Seams", "Made by world:stitch.", { "seam[.:].*" } },
  { "Sewing patterns", "Flat panels and stitches, from a file or a table.",
    { "muslin%.pattern", "muslin%.pattern%..*", "pattern[.:].*", "muslin%.dress", "garment[.:].*" } },
  { "Stages of USD", "Cloths, seams and obstacles of a .usda.", { "muslin%.usd", "muslin%.usd%..*", "stage[.:].*" } },
  { "Forces and wind", "For world:force.", { "muslin%.node_force", "muslin%.wind" } },
  { "Response rules", "What happens at contacts: rules, energies and coefficients, traced once and run without Lua.",
    { "muslin%.response", "muslin%.rule", "muslin%.potential", "muslin%.coefficient", "muslin%.param", "response[.:].*", "rule[.:].*",
      "param[.:].*" } },
  { "Numbers in rules", "Functions of plain and of traced numbers. What a traced function computes with must come from here.",
    { "muslin%.max", "muslin%.min", "muslin%.clamp", "muslin%.select", "muslin%.[lg][te]", "muslin%.eq", "muslin%.ne",
      "muslin%.step", "muslin%.smoothstep", "muslin%.noise", "muslin%.floor", "muslin%.abs", "muslin%.sqrt", "muslin%.sin",
      "muslin%.cos", "muslin%.tan", "muslin%.asin", "muslin%.acos", "muslin%.atan2", "muslin%.exp", "muslin%.log", "muslin%.pow",
      "expression[.:].*" } },
  { "Contacts", "One contact, as rules get it, and the contacts of a step as arrays.", { "contacts[.:].*", "contact[.:].*" } },
  { "Vectors", "Places and directions.", { "muslin%.vec3", "vec3[.:].*" } },
  { "Arrays", "Whole arrays of numbers or vectors: views of the state, or copies.", { "muslin%.array", "array[.:].*" } },
  { "Random numbers", "Streams by name, the same in every run.", { "muslin%.random", "stream[.:].*" } },
  { "Drawing", "The canvas of world:on(\"draw\").", { "canvas[.:].*" } },
  { "Scenarios", "Tests in *_test.lua, for muslin test.",
    { "muslin%.scenario", "muslin%.scenario%..*", "muslin%.before", "muslin%.property", "muslin%.property%..*", "muslin%.skip" } },
  { "Checks", "What expect can judge.", { "muslin%.expect", "expectation[.:].*" } },
  { "Collision queries", "Continuous detection, distances and intersections of single pairs, and the audit of files.",
    { "muslin%.ccd", "muslin%.ccd%..*", "muslin%.distance", "muslin%.distance%..*", "muslin%.intersects", "muslin%.audit" } },
  { "Measures of shape", "Folds, turns and layers of cloth, for checks of what a scene should show.",
    { "muslin%.measure", "muslin%.measure%..*" } },
  { "About muslin", "Stages, presets, build and types.",
    { "muslin%.stages", "muslin%.pipelines", "muslin%.build", "muslin%.version", "muslin%.type" } },
}

local M = {}

--- The titles and what they are about, in order: {{title =, about =}, ...}.
M.list = {}
for k, chapter in ipairs(chapters) do M.list[k] = { title = chapter[1], about = chapter[2] } end

--- The title of the chapter of a Lua name. Raises for a name that has none: give it a pattern above.
function M.of(name)
  for _, chapter in ipairs(chapters) do
    for _, pattern in ipairs(chapter[3]) do
      if name:find("^" .. pattern .. "$") then return chapter[1] end
    end
  end
  error("reference: '" .. name .. "' is in no chapter; scripts/reference/chapters.lua lists their patterns")
end

return M
