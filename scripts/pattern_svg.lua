-- pattern_svg.lua: draws the panels of a pattern flat, side by side and at true size, as SVG: one unit is a millimeter.
local muslin = require "muslin"

local GAP, WIDEST = 40, 1600 -- mm: around panels; of a row of panels
local SAMPLES = 24 -- of a curve
local COLORS = { "#c0392b", "#2471a3", "#1e8449", "#b9770e", "#7d3c98", "#117a65", "#a04000", "#5b2c6f", "#1f618d", "#7e5109" }

local function escape(text)
  return (text:gsub("[<>&\"]", { ["<"] = "&lt;", [">"] = "&gt;", ["&"] = "&amp;", ['"'] = "&quot;" }))
end

-- The points of a panel's edges, mm, y down: {edge = {{x, y}, ...}}, and the box around them.
local function sample(panel)
  local lines, box = {}, { math.huge, math.huge, -math.huge, -math.huge }
  for k, edge in ipairs(panel.edges) do
    lines[k] = {}
    for i = 0, SAMPLES do
      local x, y = edge.curve(i / SAMPLES)
      x, y = 1000 * x, -1000 * y
      lines[k][i + 1] = { x, y }
      box = { muslin.min(box[1], x), muslin.min(box[2], y), muslin.max(box[3], x), muslin.max(box[4], y) }
    end
  end
  return lines, box
end

-- 1 if the loop has its inside to the right in a picture with y down, else -1.
local function turn_of(lines)
  local area, last = 0, nil
  for _, line in ipairs(lines) do
    for _, p in ipairs(line) do
      if last then area = area + last[1] * p[2] - p[1] * last[2] end
      last = p
    end
  end
  return area > 0 and 1 or -1
end

local function path(line, dx, dy, first)
  local words = {}
  for i, p in ipairs(line) do
    if i > 1 or first then words[#words + 1] = ("%s%.2f %.2f"):format(#words == 0 and first or "L", p[1] + dx, p[2] + dy) end
  end
  return table.concat(words, " ")
end

local function draw_panel(out, pattern, panel, lines, box, dx, dy)
  out[#out + 1] = ('<g class="panel" id="%s">'):format(escape(panel.name))
  local outline = {}
  for k, line in ipairs(lines) do outline[k] = path(line, dx, dy, k == 1 and "M") end
  out[#out + 1] = ('<path class="fill" d="%s Z"/>'):format(table.concat(outline, " "))
  local turn = turn_of(lines)
  for k, line in ipairs(lines) do
    local edge = panel.edges[k]
    local number = edge.stitch and pattern.stitches[edge.stitch].number
    local color = edge.stitch and COLORS[(edge.stitch - 1) % #COLORS + 1] or "#333333"
    out[#out + 1] = ('<path class="%s" stroke="%s" d="%s"><title>%.1f cm%s</title></path>'):format(number and "seam" or "edge", color,
      path(line, dx, dy, "M"), 100 * edge.length, number and ", stitch " .. number or "")
    if number then
      local a, b, p = line[SAMPLES // 2], line[SAMPLES // 2 + 2], line[SAMPLES // 2 + 1]
      local x, y = b[1] - a[1], b[2] - a[2]
      local length = muslin.max(1e-9, muslin.sqrt(x * x + y * y))
      out[#out + 1] = ('<text class="stitch" fill="%s" x="%.2f" y="%.2f">%d</text>'):format(color, p[1] - turn * 9 * y / length + dx,
        p[2] + turn * 9 * x / length + dy, number)
    end
  end
  for _, fold in ipairs(panel.folds) do
    local line = {}
    for i, p in ipairs(fold.points) do line[i] = { 1000 * p[1], -1000 * p[2] } end
    out[#out + 1] = ('<path class="fold" d="%s"><title>fold, %.0f degrees</title></path>'):format(path(line, dx, dy, "M"),
      math.deg(fold.angle))
  end
  out[#out + 1] = ('<text x="%.2f" y="%.2f">%s</text>'):format((box[1] + box[3]) / 2 + dx, (box[2] + box[4]) / 2 + dy, escape(panel.name))
  out[#out + 1] = "</g>"
end

--- The pattern as an SVG document.
return function(pattern)
  local out, x, y, row, widest = {}, GAP, GAP, 0, 0
  for _, panel in ipairs(pattern.panels) do
    local lines, box = sample(panel)
    local width, height = box[3] - box[1], box[4] - box[2]
    if x > GAP and x + width > WIDEST then x, y, row = GAP, y + row + GAP, 0 end
    draw_panel(out, pattern, panel, lines, box, x - box[1], y - box[2])
    x, row = x + width + GAP, muslin.max(row, height)
    widest = muslin.max(widest, x)
  end
  local height = y + row + GAP
  local head = '<svg xmlns="http://www.w3.org/2000/svg" width="%.1fmm" height="%.1fmm" viewBox="0 0 %.1f %.1f">'
  table.insert(out, 1, head:format(widest, height, widest, height))
  table.insert(out, 2, "<style>.fill{fill:#f4efe6;stroke:none}.edge,.seam,.fold{fill:none;stroke-width:.8}.seam{stroke-width:1.6}"
    .. ".fold{stroke:#333333;stroke-dasharray:4 3}"
    .. "text{font:10px sans-serif;text-anchor:middle;dominant-baseline:middle}.stitch{font-weight:bold}</style>")
  out[#out + 1] = "</svg>"
  return table.concat(out, "\n")
end
