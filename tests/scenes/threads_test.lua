-- threads_test.lua: scenes of this folder give the same bits on one thread and on three.
for _, name in ipairs { "ribbon", "twist", "mixed", "hit50" } do
  scenario(name .. " on 1 and 3 threads", function()
    local make = require(name)
    local one, three = make(nil, 1), make(nil, 3)
    local contacts = 0
    for _ = 1, 8 do
      for _ = 1, 8 do
        one:step()
        three:step()
        contacts = contacts + one:stats().contacts
      end
      expect(one:hash()):equals(three:hash())
    end
    expect(contacts):at_least(1)
  end)
end
