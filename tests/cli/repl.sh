#!/bin/bash
# `muslin repl`, through a pipe, and in a terminal where `script` gives one.
. "$(dirname "$0")/tap.bash"

type_in() { # type_in ARG...: standard input into the repl
    "$muslin" repl "$@" >"$work/.out" 2>"$work/.err"
    code=$?
    out=$(cat "$work/.out")
    err=$(cat "$work/.err")
}

type_in < <(printf '1 + 1\nx = 20\nreturn x * 2\nx, "two"\n')
exits 0 "lines from a pipe"
[ "$out" = $'2\n40\n20\ttwo' ]
ok $? "expressions print their values, statements nothing" "$(state)"
type_in < <(printf 'for i = 1, 2 do\n  print(i)\nend\nlocal function f(\n  a)\n  return a end print(f(3))\n')
[ "$code" = 0 ] && [ "$out" = $'1\n2\n3' ]
ok $? "unfinished lines continue" "$(state)"
type_in < <(printf 'muslin.mesh.grid {\nnodes = {3, 3}, size = {1, 1}}\nmuslin.vec3(1, 2, 3)\n')
exits 0 "muslin is there"
type_in < <(printf 'local x = = 1\nprint("after")\nerror("oops")\nnil + 1\nprint("end")\n')
exits 3 "an error in a pipe is the exit code"
prints out $'after\nend' "but the session goes on"
prints err 'stdin:1: .*unexpected symbol' "a syntax error"
prints err 'oops' "an error"
type_in < <(printf 'for i = 1, 2 do\n')
exits 3 "an unfinished line at the end"
prints err '<eof>' "is reported"
type_in < <(printf 'print(1)\nexit\nprint(2)\n')
[ "$code" = 0 ] && [ "$out" = 1 ]
ok $? "exit leaves" "$(state)"
cat >"$work/scene.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {duration = 1}
world:cloth {name = "sheet", mesh = muslin.mesh.grid {nodes = {3, 3}, size = {1, 1}}}
return world
L
type_in "$work/scene.lua" < <(printf 'world:run_frame()\nworld.time > 0.016\n')
[ "$code" = 0 ] && [[ $out == *true ]]
ok $? "world is the scene's, started" "$(state)"
cat >"$work/names.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {}
local held = world:cloth {name = "sheet", mesh = muslin.mesh.grid {nodes = {3, 3}, size = {1, 1}}}
for _, name in ipairs {"ball", "end", "two words", "print", "a = 1 --"} do
  world:obstacle {name = name, shape = "sphere", radius = 0.1, at = {0, 2, 0}}
end
return world
L
type_in "$work/names.lua" < <(printf 'sheet.vertex_count, ball.radius\nprint(7)\nrawget(_G, "two words"), rawget(_G, "a")\n')
[ "$code" = 0 ] && [ "$out" = $'9\t0.1\n7\nnil\tnil' ]
ok $? "objects have their names, but for what is no name or one in use" "$(state)"
type_in "$work/scene.lua" < <(printf '{1, "two", {z = 3}, n = 4}\nworld.cloths\nworld:stats()\nsetmetatable({}, {__tostring = function() return "mine" end})\n')
[ "$code" = 0 ] && [[ $out == "{1, 'two', {z = 3}, n = 4}"$'\n'"{cloth 'sheet'}"$'\n{\n'*$'\n  contacts = 0,\n'*$'\n}\nmine' ]]
ok $? "tables tell what is in them" "$(state)"
type_in "$work/scene.lua" < <(printf ':doc cloth:pin\nhelp\n:doc stepp\nhelp = 3\nhelp\n')
prints out '^cloth:pin \(lua\)' ":doc is the reference"
prints out $'\n:doc \\[NAME\\] ' "help lists the commands"
prints out $'\n3$' "unless it is a variable"
prints err "nothing is called 'stepp' \(did you mean 'step'\?\)" "a name that it does not have"
exits 3 "is a mistake"
# Commands that begin with a colon.
printf ':step 3\n:pick sheet\nit.name, it.vertex_count\n:pick 0.5 0 -0.5\nat\n:objects\nworld.frame\n:help\n::label:: print(7)\n' >"$work/commands"
type_in "$work/scene.lua" <"$work/commands"
exits 0 "commands of the repl"
prints out 'frame 3, 0.05 s, 0 contacts, [0-9.]+ ms a step, state [0-9a-f]{16}' ":step makes frames"
prints out $'sheet: cloth, 9 vertices, 8 faces, 0 pinned, center .*\nsheet\t9' ":pick chooses an object"
prints out $'sheet, vertex 3, [0-9.]+ m away: x \\(0.5, -[0-9.]+, -0.5\\) m, v .*\n3' "or a vertex"
prints out $'\n3\n.*:pick X Y Z ' "and what it made is there afterwards"
prints out $'\n7$' "a label of Lua is none"
type_in "$work/scene.lua" < <(printf ':pick shet\n:stp\n:step x\n:pick\n')
exits 3 "mistakes in them"
prints err "no object 'shet' \(there are: sheet\)" "name what there is"
prints err "no command ':stp' \(known: :doc, :help, :objects, :pause, :pick, :play, :step\)" "and commands"
prints err "N must be a whole number of frames >= 1 \(got 'x'\)" "and values"
type_in "$work/scene.lua" < <(printf ':pause\n')
prints err ":pause is for muslin view SCENE.lua --repl" "commands of a window say where they belong"
type_in < <(printf ':step\n:objects\nworld = muslin.world {}\n:step 2\n')
prints err "there is no world: start with muslin repl SCENE.lua" "without a world they say so"
prints out 'frame 2' "and take the one that is made"
echo 'nonsense(' >"$work/bad.lua"
type_in "$work/bad.lua" < <(printf 'print(1)\n')
exits 3 "a scene that does not load"
type_in < <(printf 'io.open("/etc/passwd")\n')
exits 3 "the sandbox holds"
type_in --trusted < <(printf 'os.getenv ~= nil\n')
[ "$out" = true ]
ok $? "--trusted opens it" "$(state)"

if type python3 >/dev/null 2>&1; then
    MUSLIN_HISTORY=$work/history python3 - "$muslin" >"$work/.out" 2>&1 <<'P'
import os, pty, select, signal, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    signal.alarm(120)  # whatever happens, it ends
    os.execv(sys.argv[1], ["muslin", "repl"])
got = b""
def read_until(text, seconds=20):  # and no further: what follows is for the next call
    global got
    end = time.time() + seconds
    while text not in got:
        if time.time() > end: raise SystemExit("waited for %r, got %r" % (text, got))
        if select.select([fd], [], [], 0.1)[0]: got += os.read(fd, 4096)
    got = got.split(text, 1)[1]
read_until(b"muslin> ")
os.write(fd, b"6 * 7\n"); read_until(b"42")
os.write(fd, b"muslin.mesh.ic\t {radius = 1}\n"); read_until(b"mesh (12 vertices")
os.write(fd, b"world = muslin.world {}\n:st\t 2\n"); read_until(b"frame 2, ")
os.write(fd, b"world:cloth {name = 'curtain', mesh = muslin.mesh.grid {nodes = {2, 2}}}\n"); read_until(b"muslin> ")
os.write(fd, b":pick cur\t\n"); read_until(b"curtain: cloth, 4 vertices")
os.write(fd, b"w = muslin.world {}\nw.steps_per_f\t + 1000\n"); read_until(b"1004")
os.write(fd, b"\x10" * 8); read_until(b"6 * 7")                                # history: eight up
os.write(fd, b" + 1\n"); read_until(b"43")
os.write(fd, b"while true do end\n"); time.sleep(0.7)
os.write(fd, b"\x03"); read_until(b"interrupted"); read_until(b"muslin> ")
os.write(fd, b"half a line"); time.sleep(0.3); os.write(fd, b"\x03"); read_until(b"muslin> ")
os.write(fd, b"print('alive')\n"); read_until(b"alive\r\n"); read_until(b"muslin> "); time.sleep(0.1)
os.write(fd, b"\x04")
print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
P
    out=$(cat "$work/.out")
    [ "$out" = "status 0" ]
    ok $? "in a terminal: editing, completion, history, Ctrl-C while running and while typing, Ctrl-D" "$out"
    grep -q '6' "$work/history"
    ok $? "history is kept" "$(cat "$work/history")"
fi
tap_end
