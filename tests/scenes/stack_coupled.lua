-- The stack by the pipeline `coupled`, whose solve must leave nothing to impact zones.
return function(size, threads) return require "stack"(size, threads, "coupled") end
