-- The knot pulled tight by the pipeline `offset`, which solves cloth and contacts as one.
return function(size, threads) return require "knot"(size, threads, "offset") end
