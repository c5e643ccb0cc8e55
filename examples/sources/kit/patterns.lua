-- patterns.lua: flat patterns of garments. Units: m; y is up.
--
-- A pattern is a rectangle of cells with some removed, so that its outline runs along cells; `shape` then moves the outline
-- in or out. Panels are flat in a plane of constant z and are their own texture: `rest = "uv"` is their flat shape.
local muslin = require "muslin"

local patterns = {}

--- A panel. o: unit (m), columns and rows (of units), cells (a unit along both ways), at = {x, y, z} of its lower left
--- corner, keep(i, j) -> whether unit i, j (from 0) is part of it, shape(x, y) -> x, y.
--- Adds it to `cut`, a list of vertices, faces and texture vertices, and returns panel.line(i0, j0, i1, j1): the vertices
--- from one corner of units to another, along a row or a column.
function patterns.panel(cut, o)
  local n, numbers, step = o.cells, {}, o.unit / o.cells
  local function there(i, j) -- of cells
    if i < 0 or j < 0 or i >= n * o.columns or j >= n * o.rows then return false end
    return not o.keep or o.keep(i // n, j // n)
  end
  local wide = n * o.columns + 1
  for j = 0, n * o.rows do
    for i = 0, n * o.columns do
      if there(i, j) or there(i - 1, j) or there(i, j - 1) or there(i - 1, j - 1) then
        local x, y = o.at[1] + i * step, o.at[2] + j * step
        if o.shape then x, y = o.shape(x, y) end
        cut.vertices[#cut.vertices + 1] = {x, y, o.at[3]}
        cut.uv[#cut.uv + 1] = {x + cut.panels * 10, y} -- panels lie side by side in the texture
        numbers[i + wide * j] = #cut.vertices
      end
    end
  end
  for j = 0, n * o.rows - 1 do
    for i = 0, n * o.columns - 1 do
      if there(i, j) then
        local a, b = numbers[i + wide * j], numbers[i + 1 + wide * j]
        local c, d = numbers[i + 1 + wide * (j + 1)], numbers[i + wide * (j + 1)]
        if (i + j) % 2 == 0 then
          cut.faces[#cut.faces + 1] = {a, b, c}
          cut.faces[#cut.faces + 1] = {a, c, d}
        else
          cut.faces[#cut.faces + 1] = {a, b, d}
          cut.faces[#cut.faces + 1] = {b, c, d}
        end
      end
    end
  end
  cut.panels = cut.panels + 1
  return {
    line = function(i0, j0, i1, j1)
      local line, steps = {}, n * math.max(math.abs(i1 - i0), math.abs(j1 - j0))
      for k = 0, steps do
        local i = math.tointeger(n * i0 + (i1 - i0) * n * k // steps)
        local j = math.tointeger(n * j0 + (j1 - j0) * n * k // steps)
        line[k + 1] = numbers[i + wide * j]
      end
      return line
    end,
  }
end

function patterns.cut() return { vertices = {}, faces = {}, uv = {}, panels = 0 } end

local function mesh_of(cut) return muslin.mesh.new { vertices = cut.vertices, faces = cut.faces, uv = cut.uv } end

--- A shirt of two panels: a body, short sleeves, a neck. z: how far before and behind z = 0 they hang; front and back cells to a
--- unit of 4 cm. Returns mesh, seams: pairs of lines.
function patterns.shirt(front_cells, back_cells, z)
  local cut, sides = patterns.cut(), {}
  local function keep(i, j)
    if i < 2 or i >= 14 then return j >= 5 end      -- sleeves
    return j < 7 or i < 5 or i >= 11                -- neck
  end
  for k, cells in ipairs { front_cells, back_cells } do
    local p = patterns.panel(cut, { unit = 0.04, columns = 16, rows = 10, cells = cells, keep = keep,
      at = {-0.32, 1.06, k == 1 and z or -z} })
    sides[k] = { p.line(0, 10, 5, 10), p.line(16, 10, 11, 10), p.line(0, 5, 2, 5), p.line(16, 5, 14, 5), p.line(2, 5, 2, 0),
      p.line(14, 5, 14, 0) }
  end
  local seams = {}
  for k, line in ipairs(sides[1]) do seams[k] = {line, sides[2][k]} end
  return mesh_of(cut), seams
end

--- Trousers of four panels, two for each leg. Returns mesh, seams, and the vertices of the waist.
function patterns.trousers(front_cells, back_cells, z)
  local cut, lines, belt = patterns.cut(), {}, {}
  local crotch, waist = 0.70, 1.06
  local columns, rows, unit = 6, 22, 0.04
  local low = waist - rows * unit
  for side = -1, 1, 2 do
    for k, cells in ipairs { front_cells, back_cells } do
      -- the outer edge is moved inward at the waist, the inner one is a little off the middle
      local function shape(x, y)
        local up = muslin.clamp((y - crotch) / (waist - crotch), 0, 1)
        local wide = 0.265 - 0.04 * up * up
        return side * (0.012 + (wide - 0.012) * x / (columns * unit)), y
      end
      local p = patterns.panel(cut, { unit = unit, columns = columns, rows = rows, cells = cells, shape = shape,
        at = {0, low, k == 1 and z or -z} })
      lines[side * k] = { inner = p.line(0, 0, 0, 13), middle = p.line(0, 13, 0, rows), outer = p.line(6, 0, 6, rows) }
      for _, i in ipairs(p.line(0, rows, 6, rows)) do belt[#belt + 1] = i end
    end
  end
  local seams = {}
  for side = -1, 1, 2 do
    seams[#seams + 1] = {lines[side].inner, lines[2 * side].inner}
    seams[#seams + 1] = {lines[side].outer, lines[2 * side].outer}
  end
  seams[#seams + 1] = {lines[1].middle, lines[-1].middle}
  seams[#seams + 1] = {lines[2].middle, lines[-2].middle}
  return mesh_of(cut), seams, belt
end

return patterns
