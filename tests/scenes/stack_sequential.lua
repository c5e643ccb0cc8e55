-- The stack by the pipeline `sequential`.
return function(size, threads) return require "stack"(size, threads, "sequential") end
