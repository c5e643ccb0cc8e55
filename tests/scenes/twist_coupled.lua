-- The twist by the pipeline `coupled`: strain limit and contacts cannot both hold, and must leave nothing to impact zones.
return function(size, threads) return require "twist"(size, threads, "coupled", 0.05) end
