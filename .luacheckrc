std = "lua54"
max_line_length = 140
ignore = { "581" } -- not (x <= y) is no x > y where x may be NaN
-- The scenario kit (muslin test) gives these to *_test.lua and to an example's closing check.
files["**/*_test.lua"] = { read_globals = { "scenario", "property", "before", "expect", "skip" } }
files["examples/*.lua"] = { read_globals = { "scenario", "property", "before", "expect", "skip" } }
files["examples/tutorial/*.lua"] = { read_globals = { "scenario", "property", "before", "expect", "skip" } }
files["lua_api/muslin.d.lua"] = { ignore = { "111", "112", "113", "131", "211", "212", "221", "241", "631" } }
