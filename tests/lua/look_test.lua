-- Camera, title, background, light, colors and textures: what a script can state, and that a run is the same with them.
local muslin = require "muslin"

local function sheet_of(world, options)
  options = options or {}
  options.mesh = muslin.mesh.grid { nodes = {6, 6}, size = {0.5, 0.5}, center = {0, 1, 0} }
  return world:cloth(options)
end

local function fails(pattern, f, ...)
  local ok, message = pcall(f, ...)
  expect(ok, "it raises"):equals(false)
  expect(message):matches(pattern)
end

scenario("colors are a table, hexadecimal or a name, and are read as they were given", function()
  local world <close> = muslin.world()
  local sheet = sheet_of(world, { color = "#ff8000", back_color = {0.1, 0.2, 0.3}, texture = "checker" })
  local ball = world:obstacle { shape = "sphere", radius = 0.1, color = "white" }
  expect(sheet.color[1]):equals(1)
  expect(sheet.color[2]):near(128 / 255, 1e-6)
  expect(sheet.back_color[2]):equals(0.2)
  expect(ball.color[1]):more_than(0.9)
  sheet.color, ball.color = nil, {0, 0.5, 1}
  expect(sheet.color):equals(nil)
  expect(ball.color[2]):equals(0.5)
  expect(sheet_of(world).color):equals(nil)
  fails("cloth.color: no color 'bleu' %(did you mean 'blue'%?%)", function() sheet.color = "bleu" end)
  fails("obstacle.color must be {red, green, blue} from 0 to 1, \"#rrggbb\", or one of white", function() ball.color = {0, 0, 2} end)
  for _, wrong in ipairs { {}, {1, 1}, {1, 1, 1, 1}, {0 / 0, 0, 0}, {"1", 0, 0}, 3, true, "#12345", "#12345g", "" } do
    fails("cloth: field 'color' must be", sheet_of, world, { color = wrong })
  end
  fails("cloth: field 'texture' must be one of none, weave, checker, stripes, or {picture = path} %(got 'plaid'%)",
    sheet_of, world, { texture = "plaid" })
  fails("give its 'texture' too", sheet_of, world, { texture_size = 0.1 })
  fails("obstacle: field 'texture' needs a 'mesh' with texture coordinates", world.obstacle, world,
    { shape = "sphere", radius = 0.1, texture = "checker" })
  local bare = muslin.mesh.new { vertices = { {0, 0, 0}, {1, 0, 0}, {0, 1, 0} }, faces = { {1, 2, 3} } }
  fails("obstacle: field 'texture' needs a 'mesh' with texture coordinates", world.obstacle, world,
    { mesh = bare, texture = "stripes" })
  world:obstacle { mesh = muslin.mesh.grid { nodes = {3, 3} }, texture = "stripes", texture_size = 0.2, back_color = "red" }
  fails("cloth: field 'texture_size' must be > 0 m", sheet_of, world, { texture = "weave", texture_size = -1 })
end)

scenario("cameras that cannot be are refused with the field", function()
  local world <close> = muslin.world()
  local other <close> = muslin.world()
  local stranger = sheet_of(other)
  local eye, middle = {0, 1, 2}, {0, 1, 0}
  fails("world:camera: field 'to' is missing", world.camera, world, { from = eye })
  fails("'from' and 'to' must be different places", world.camera, world, { from = eye, to = eye })
  fails("field 'from' must lie within %+%-1e9 m %(got {1e%+300, 0.0, 0.0}%)", world.camera, world, { from = { 1e300, 0, 0 }, to = eye })
  fails("vertical angle in rad, from 0.01 to 3 %(got 35.0%); 35.0 degrees are 0.61", world.camera, world,
    { from = eye, to = middle, fov = 35 })
  fails("unknown field 'form' %(did you mean 'from'%?%)", world.camera, world, { form = eye, to = middle })
  fails("'follow' must be a cloth or an obstacle of this world", world.camera, world, { from = eye, to = middle, follow = stranger })
  fails("'path' must be a list of at least two", world.camera, world, { path = { { t = 0, from = eye, to = middle } } })
  fails("entry 2 of 'path': field 't' must be later than 1.0 s", world.camera, world,
    { path = { { t = 1, from = eye, to = middle }, { t = 1, from = eye, to = middle } } })
  fails("field 'from' goes into the entries of 'path'", world.camera, world, { from = eye, path = {} })
  fails("'toward' must be a direction", world.light, world, { toward = {0, 0, 0} })
  fails("both fields 'top' and 'bottom'", world.background, world, { top = "red" })
  fails("world:title: it must be a text", world.title, world, 3)
  world:camera(nil)
end)

scenario("looks change nothing in a run", function()
  local function hash(looks)
    local world <close> = muslin.world { duration = 0.2 }
    local sheet = sheet_of(world, looks and { color = "red", texture = "weave" } or nil)
    world:obstacle { shape = "sphere", radius = 0.2, at = {0, 0.75, 0}, color = looks and "blue" or nil }
    if looks then
      world:camera { from = {1, 1, 2}, to = {0, 0.8, 0}, follow = sheet }
      world:title "a sheet"
      world:background "black"
      world:light { color = "#ffe0c0" }
      world:on("frame", function() sheet.color = {0, math.min(1, world.time), 0} end)
    end
    world:run()
    return world:hash()
  end
  expect(hash(true)):equals(hash(false))
end)
