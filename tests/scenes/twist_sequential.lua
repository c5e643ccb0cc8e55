-- The twist by the pipeline `sequential`, which keeps half of the thickness of 99 in 100 contacts.
return function(size, threads) return require "twist"(size, threads, "sequential") end
