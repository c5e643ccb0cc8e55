-- Sheets that start in exact touch by the pipeline `offset`, which solves cloth and contacts as one.
return function(size, threads) return require "flush"(size, threads, "offset") end
