-- A ball of 50 m/s flies into a sheet that hangs by two corners: it may throw it about, it may not pass through it.
return require "kit.hit" (50)
