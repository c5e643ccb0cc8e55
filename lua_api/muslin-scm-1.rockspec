rockspec_format = "3.0"
package = "muslin"
version = "scm-1"
source = { url = "git+file://." }
description = {
  summary = "Cloth simulation with robust collision handling",
  detailed = "Scenes of cloth and obstacles, simulated without one triangle passing through another.",
  license = "MIT",
}
dependencies = { "lua >= 5.4, < 5.5" }
external_dependencies = {
  XXHASH = { header = "xxhash.h" },
  CXSPARSE = { header = "suitesparse/cs.h" },
  MINIZIP = { header = "minizip/unzip.h" },
  TURBOJPEG = { header = "turbojpeg.h" },
  JANSSON = { header = "jansson.h" },
}
build = {
  type = "make",
  build_target = "lua-module",
  build_variables = { LUA_CFLAGS = "-I$(LUA_INCDIR)" },
  install_target = "install-lua",
  install_variables = { LUA_CDIR = "$(LIBDIR)", LUA_DIR = "$(LUADIR)", LUA_CFLAGS = "-I$(LUA_INCDIR)" },
}
