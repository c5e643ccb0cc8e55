-- reference_examples.lua: plays every example of the reference in a small world. tests/cli/examples.sh copies it to a folder
-- with the files that examples read, as examples_test.lua, and runs it there.
--
-- A line `expression  --> value`, or `print(expression)  --> value`, is evaluated and compared: numbers to the digits
-- written after "about", else as text.
local muslin = require "muslin"
local expect, scenario = muslin.expect, muslin.scenario

-- Examples that define scenarios become scenarios of this file; those that draw are played by examples.sh with pictures.
local function is_of_file(text) return text:find "%f[%w]scenario[.( ]" or text:find "%f[%w]property[.( ]" or text:find "%f[%w]before%(" end
local function draws(text) return text:find('on("draw"', 1, true) end

-- The names that examples may use without making them.
local function fixture()
  local grid = muslin.mesh.grid
  local w = muslin.world { dt = 1/120 }
  local env = { world = w, dt = 1/120, mesh = grid { nodes = {4, 4}, size = {0.2, 0.2} } }
  env.sheet = w:cloth { name = "sheet", mesh = grid { nodes = {8, 8}, size = {0.5, 0.5}, center = {0, 0.8, 0} } }
  env.cloth = env.sheet
  local panel = { nodes = {4, 4}, size = {0.2, 0.2}, plane = "xy" }
  for k, name in ipairs { "front", "back", "coat", "lining" } do
    env[name] = w:cloth { name = name, mesh = grid(panel):transform { position = {2, 0.5, 0.01 * k} } }
  end
  env.ball = w:obstacle { name = "ball", shape = "sphere", radius = 0.2, at = {0, 0.5, 0} }
  env.floor = w:obstacle { name = "floor", shape = "plane", normal = {0, 1, 0} }
  env.tray = w:obstacle { name = "tray", shape = "box", size = {0.4, 0.02, 0.4}, at = {-2, 0.5, 0} }
  env.body = w:obstacle { name = "body", mesh = muslin.mesh.load "body.obj", at = {4, 0.5, 0} }
  env.pattern = muslin.pattern.load("shirt_specification.json", { edge_length = 0.1 })
  env.motion = function() return {0, 0.25, 0} end -- of the ball in half.muslin
  return env
end

-- The example as Lua whose results lines are calls of `result`.
local function with_results(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local expression, wanted = line:match "^(.-)%s*%-%->%s*(.-)%s*$"
    if expression then
      expression = expression:match "^print(%b())$" or expression
      line = ("result(%q, %s)"):format(wanted, expression)
    end
    lines[#lines + 1] = line
  end
  return table.concat(lines, "\n")
end

local function result(wanted, value)
  local about = wanted:match "^about (.*)$"
  if about then
    local digits = #(about:match "%.(%d+)" or "")
    expect(value):near(tonumber(about), 0.6 * 10 ^ -digits)
  else
    expect(tostring(value)):equals(wanted)
  end
end

local function play(name, text, env)
  local source = with_results(text)
  local chunk = load(source, "=" .. name, "t", env)
  if not chunk then chunk = assert(load("local unused = " .. source, "=" .. name, "t", env)) end
  chunk()
end

local function environment(values)
  values.result, values.print = result, function() end
  return setmetatable(values, { __index = function(_, name) return rawget(_G, name) end })
end

local count = 0
for _, entry in ipairs(require "muslin.reference") do
  local name, text = entry.name, entry.example
  if text and not draws(text) then
    count = count + 1
    if is_of_file(text) then
      play(name, text, environment { muslin = muslin })
    else
      scenario(name, function()
        local env = fixture()
        env.muslin = muslin
        play(name, text, environment(env))
        -- What it set up, hooks and rules and motions, is used for a few frames.
        if not env.world.closed and env.world.cloths[1] then
          for _ = 1, 3 do env.world:run_frame() end
        end
      end)
    end
  end
end
if count < 200 then error("only " .. count .. " examples") end
