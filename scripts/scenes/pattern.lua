-- pattern.lua: what `muslin pattern` prints: the panels and stitches of a pattern, or its drawing as SVG.
local muslin = require "muslin"

local pattern = muslin.pattern.load(arg[1], { edge_length = 0.1 })
if arg[2] == "svg" then
  print(pattern:svg())
  return
end
print("panel                     edges   area cm2   edge: length cm (stitch)")
for _, panel in ipairs(pattern.panels) do
  local edges = {}
  for k, edge in ipairs(panel.edges) do
    local stitch = edge.stitch and (" (%d)"):format(pattern.stitches[edge.stitch].number) or ""
    edges[k] = ("%d: %.1f%s"):format(k - 1, 100 * edge.length, stitch)
  end
  print(("%-24s %6d %10.0f   %s"):format(panel.name, #panel.edges, 1e4 * panel.mesh:area(), table.concat(edges, ", ")))
end
for _, s in ipairs(pattern.stitches) do
  local a, b = s.a.edge.length, s.b.edge.length
  if muslin.abs(a - b) > 0.05 * muslin.max(a, b) then
    print(("stitch %d gathers %.1f cm of '%s' into %.1f cm of '%s'"):format(s.number, 100 * muslin.max(a, b),
      (a > b and s.a or s.b).panel.name, 100 * muslin.min(a, b), (a > b and s.b or s.a).panel.name))
  end
end
