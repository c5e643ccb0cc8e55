#!/bin/bash
# --report: the page of run, test, compare and sweep, read back by parsers of HTML and XML, and compared with the other files.
. "$(dirname "$0")/tap.bash"
type python3 >/dev/null 2>&1 || { echo "1..0 # SKIP python3 reads the pages of this test, and is missing"; exit 0; }

# page.py PAGE EXPRESSION: reads the page, which must be well formed and refer to nothing outside itself, then evaluates the
# expression with `p`, the page, and `m`, the manifest.json beside it.
cat >"$work/page.py" <<'P'
import base64, json, math, os, re, struct, sys
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

VOID = {"meta", "img", "input", "br", "hr", "link"}
LINKS = {"src", "href", "srcset", "data", "action", "poster", "background", "formaction", "xlink:href"}

class Page(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.errors, self.tags, self.texts, self.images, self.tables = [], [], [], [], [], []
        self.text, self.svgs, self.pieces, self.outcome = "", [], None, ""
        self.feed(text)
        self.close()
        if self.open: self.errors.append("not closed: %s" % self.open)

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.tags.append((tag, a))
        if len(a) != len(attributes): self.errors.append("an attribute twice: %s" % tag)
        for name, value in attributes:
            if name in LINKS and not (value or "").startswith("data:"): self.errors.append("%s %s=%s" % (tag, name, value))
            if name.startswith("on"): self.errors.append("%s has %s" % (tag, name))
            if name == "style": self.errors.append("%s has a style" % tag)
        if tag == "img":
            if not a.get("alt") and a.get("id") != "picture": self.errors.append("img without alt")
            if a.get("src"): self.images.append((a["src"].split(",", 1)[0], base64.b64decode(a["src"].split(",", 1)[1], validate=True), a["alt"]))
        if tag == "table": self.tables.append({"caption": "", "rows": []})
        if tag == "tr": self.tables[-1]["rows"].append([])
        if tag in ("td", "th"):
            self.tables[-1]["rows"][-1].append("")
            if tag == "th" and a.get("scope") not in ("row", "col"): self.errors.append("th without scope")
        if tag not in VOID: self.open.append((tag, a))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID: self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.errors.append("</%s> within %s" % (tag, self.open[-1:]))
        else:
            self.open.pop()

    def handle_data(self, data):
        inside = [tag for tag, _ in self.open]
        if "script" in inside or "style" in inside:
            self.pieces = data
            return
        self.text += data
        if self.open and "outcome" in self.open[-1][1].get("class", ""): self.outcome += data
        if inside and self.tables:
            if inside[-1] in ("td", "th"): self.tables[-1]["rows"][-1][-1] += data
            if inside[-1] == "caption": self.tables[-1]["caption"] += data

    def table(self, caption): # as a list of dictionaries by the heads of columns
        t = [t for t in self.tables if t["caption"].startswith(caption)]
        if len(t) != 1: raise Exception("%d tables '%s': %s" % (len(t), caption, [t["caption"] for t in self.tables]))
        return [dict(zip(t[0]["rows"][0], row)) for row in t[0]["rows"][1:]]

    def pairs(self, caption):
        t = [t for t in self.tables if t["caption"].startswith(caption)]
        return dict((row[0], row[1]) for row in t[0]["rows"])

def near(text, value, digits=5):
    if value is None or (isinstance(value, float) and math.isnan(value)): return text == "\u2013"
    return abs(float(text) - value) <= 10 ** -digits * abs(value)

def size(image): # of a PNG or JPEG, by its own header
    kind, bytes, _ = image
    if bytes[:8] == b"\x89PNG\r\n\x1a\n": return struct.unpack(">II", bytes[16:24])
    at = 2
    while bytes[at + 1] not in (0xC0, 0xC1, 0xC2): at += 2 + struct.unpack(">H", bytes[at + 2:at + 4])[0]
    height, width = struct.unpack(">HH", bytes[at + 5:at + 9])
    return width, height

raw = open(sys.argv[1], encoding="utf-8").read() # no other bytes
p = Page(raw)
p.raw, p.bytes = raw, len(raw.encode())
for svg in re.findall(r"<svg.*?</svg>", raw, re.S):
    root = xml.fromstring(svg)
    p.svgs.append(root)
    if not (root.get("aria-label") or root.get("aria-hidden")): p.errors.append("svg without a label")
    for e in root.iter():
        for value in [e.get("d", ""), e.get("cx", ""), e.get("x", "")]:
            if "nan" in value or "inf" in value: p.errors.append("svg: %s" % value[:80])
p.plots = [s.get("aria-label") for s in p.svgs if s.get("role") == "img"]
p.html = dict(p.tags[0][1])
if p.html.get("lang") != "en": p.errors.append("no language")
if not any(t == "title" for t, _ in p.tags): p.errors.append("no title")
if [t for t, _ in p.tags].count("h1") != 1: p.errors.append("headings")
if re.search(r"url\(|@import|https?:", re.sub(r"<(td|p|pre|h1|th|caption|figcaption|title)\b.*?</\1>", "", raw, flags=re.S)):
    p.errors.append("refers to another file")
if p.errors: sys.exit("%s: %s" % (sys.argv[1], p.errors[:5]))
beside = os.path.join(os.path.dirname(sys.argv[1]), "manifest.json")
m = json.load(open(beside)) if os.path.exists(beside) else None
if not eval(sys.argv[2]): sys.exit("false: %s\noutcome: %s\nplots: %s" % (sys.argv[2], p.outcome, p.plots))
P
page() { # page PAGE EXPRESSION NAME
    local message
    message=$(python3 "$work/page.py" "$1" "$2" 2>&1)
    ok $? "$3" "$message"
}
pictures= # whether there is OpenGL here

# ---- A run that finishes ---------------------------------------------------------------------------------------------------
cat >"$work/scene.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {fps = 60, duration = 0.5, threads = 1}
local sheet = world:cloth {name = "sheet", mesh = muslin.mesh.grid {nodes = {9, 9}, size = {0.3, 0.3}, center = {0.04, 0.115, 0}}}
world:obstacle {name = "ball", shape = "sphere", radius = 0.1}
world:title "A sheet on a ball"
local drawn = 0
world:on("draw", function() drawn = drawn + 1 end)
world:on("frame", function(w) w:log("height", sheet.x[1].y) end)
world:on("done", function() print("drawn " .. drawn) end)
return world
L
run run "$work/scene.lua" --out "$work/a" --format none --audit --report
exits 0 "a run with --report"
prints out 'manifest.json, report.html' "the summary names the page"
[ "$(cd "$work/a" && ls -A | tr '\n' ' ')" = "log.csv manifest.json report.html " ]
ok $? "the page is the only file that is added" "$(ls -A "$work/a")"
a=$work/a/report.html
grep -q 'data:image/jpeg' "$a" && pictures=1
page "$a" 'p.outcome.startswith("Finished: frames 0 to 30, 0.5 s of motion.") and "no intersections and no features inside obstacles in 31 frames" in p.outcome' \
    "a page that is well formed, needs no other file, and states the outcome"
page "$a" 'p.text.count("A sheet on a ball") == 2 and p.text.count("scene.lua") >= 2' "the scene's title and file"
page "$a" 'len(p.table("Values by frame")) == len(m["frames"]) == 31 and all(near(row["frame"], f["frame"]) and near(row["time [s]"], f["time"]) and near(row["step [ms]"], f["step_ms"] if f["frame"] else None) and near(row["contacts"], f["contacts"]) and near(row["iterations"], f["iterations"]) and near(row["intersections"], f["intersections"]) and near(row["inside"], f["inside"]) for row, f in zip(p.table("Values by frame"), m["frames"]))' \
    "the table of frames has the numbers of the manifest"
page "$a" 'all(abs(float(r["total energy [J]"]) - sum(float(r[k]) for k in ("kinetic [J]", "elastic [J]", "gravitational [J]", "contact [J]"))) < 1e-5 for r in p.table("Values by frame"))' \
    "energies add up to their total"
page "$a" 'near(p.pairs("Figures")["time of a frame, mean"].split()[0], sum(f["step_ms"] for f in m["frames"]) / 30, 3) and near(p.pairs("Figures")["contacts, most"], max(f["contacts"] for f in m["frames"]))' \
    "the summary is that of the manifest"
page "$a" '[x.split(":")[0] for x in p.plots] == ["Time of a frame", "Time by phase", "Contacts", "Solver iterations", "Energy", "Largest strain", "Smallest gap", "height"]' \
    "the plots, each with a label"
page "$a" '("Contacts: Contacts from %g to %g" % (min(f["contacts"] for f in m["frames"]), max(f["contacts"] for f in m["frames"]))) in p.plots' "a plot's label states its range"
page "$a" 'len(p.table("height")) == 31 and all(near(r["value"], v[2]) for r, v in zip(p.table("height"), m["log"]["height"]))' "logged values"
page "$a" '(lambda w, r: w["seed"] == str(m["seed"]) and w["pipeline: integrator"] == m["pipeline"]["integrator"] and r["muslin"] == m["muslin"] and r["compiler"] == m["compiler"] and r["processor"] == m["cpu"] and r["threads"] == "1" and r["state after the last frame (hash)"] == m["frames"][-1]["hash"] and r["option --audit"] == "yes")(p.pairs("World"), p.pairs("Program"))' \
    "what ran, as in the manifest"
page "$a" '[[r["file"], r["hash"]] for r in p.table("The script")] == [[f["path"], f["hash"]] for f in m["files"]] and len(m["files"]) > 0' "files with their hashes"
page "$a" '[[r["hook"], r["event"], int(r["calls"])] for r in p.table("Hooks")] == [[h["name"], h["event"], h["calls"]] for h in m["hooks"]] and len(m["hooks"]) > 0' "hooks and their calls"
page "$a" '[r["name"] for r in p.table("Cloths")] == ["sheet"] and p.table("Cloths")[0]["faces"] == "128" and [r["shape"] for r in p.table("Obstacles")] == ["sphere"]' "objects"
if [ -n "$pictures" ]; then
    page "$a" 'len(p.images) == 31 and all(size(i) == (480, 270) for i in p.images) and p.images[0][2] == "Frame 0, 0 s" and p.images[-1][2] == "Frame 30, 0.5 s" and len(set(i[1] for i in p.images)) > 20' \
        "a picture of each frame, of its own"
    page "$a" 'sum(1 for t, a in p.tags if t == "figure" and "data-frame" in a and "hidden" not in a) == 8' "eight of them are shown without JavaScript"
else
    skip "a picture of each frame, of its own" "no OpenGL"
    skip "eight of them are shown without JavaScript" "no OpenGL"
fi
run run "$work/scene.lua" --out "$work/plain" --format none --quiet
[ "$(python3 -c 'import json, sys
print(*(json.load(open(f))["frames"][-1]["hash"] for f in sys.argv[1:]), sep="\n")' "$work/a/manifest.json" "$work/plain/manifest.json" | sort -u | wc -l)" = 1 ]
ok $? "the report changes no result"

# ---- Its options -------------------------------------------------------------------------------------------------------------
refuses 2 "option '--report' needs '--out DIR'" "without a folder" run "$work/scene.lua" --report
refuses 2 "option '--report' is none of muslin view" "a command without a report" view "$work/scene.lua" --report
if [ -n "$pictures" ]; then
    run run "$work/scene.lua" --out "$work/png" --format png --report --frames 3
    [ "$code" = 0 ] && [[ $out == *"drawn 4"* ]]
    ok $? "draw hooks are called once for the pictures of both" "$(state)"
    run run "$work/scene.lua" --out "$work/long" --format none --report --frames 100
    page "$work/long/report.html" '[i[2].split(",")[0] for i in p.images] == ["Frame %d" % k for k in range(0, 101, 4)] and "26 pictures of 101 frames: one every 4 frames" in p.text' \
        "pictures of a longer run are thinned, and the page states it"
    run run "$work/scene.lua" --out "$work/heat" --format none --report --frames 2 --show stretch
    exits 0 "--show applies to the pictures"
else
    skip "draw hooks are called once for the pictures of both" "no OpenGL"
    skip "pictures of a longer run are thinned, and the page states it" "no OpenGL"
    skip "--show applies to the pictures" "no OpenGL"
fi
LIBGL_DRIVERS_PATH=/nowhere __EGL_VENDOR_LIBRARY_FILENAMES=/nowhere run run "$work/scene.lua" --out "$work/nogl" --format none --report --frames 3
exits 0 "without OpenGL the run goes on"
page "$work/nogl/report.html" 'not p.images and "There are no pictures from frame 0 on: " in p.text and len(p.plots) > 6' "and the page states why there are no pictures"
MUSLIN_SCRIPTS=$work/none refuses 3 'cannot be read|scripts' "without muslin's own files" run "$work/scene.lua" --out "$work/none" --report

# ---- Runs that do not finish -------------------------------------------------------------------------------------------------
sed 's|world:on("frame".*|world:on("frame", function(w) if w.frame == 12 then error("no <further> than \& \\"12\\"") end end)|' "$work/scene.lua" >"$work/fails.lua"
run run "$work/fails.lua" --out "$work/failed" --format none --report
exits 3 "a script that fails"
page "$work/failed/report.html" 'p.outcome.startswith("Ended by an error: frames 0 to 11") and "no <further> than & \"12\"" in p.outcome and len(p.table("Values by frame")) == 12 and "not audited" in p.outcome' \
    "has a page with the error and the frames before"
echo 'error("at once")' >"$work/atonce.lua"
run run "$work/atonce.lua" --out "$work/atonce" --report
page "$work/atonce/report.html" 'p.outcome.startswith("Ended by an error before the first frame.") and "at once" in p.outcome and p.table("The script")' "a script that fails before its world"
sed 's|world:on("frame".*|world:on("frame", function(w) local n = 0; while w.frame == 5 do n = n + 1 end end)|' "$work/scene.lua" >"$work/hangs.lua"
run run "$work/hangs.lua" --out "$work/limit" --format none --report --time-limit 3
exits 124 "a script that reaches its time limit"
page "$work/limit/report.html" 'p.outcome.startswith("Stopped at its time limit: frames 0 to 4")' "has a page of the frames before"
cat >"$work/stuck.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {fps = 60, duration = 0.5, threads = 1}
world:cloth {mesh = muslin.mesh.grid {nodes = {5, 5}, size = {0.3, 0.3}}}
world:on("frame", function(w) if w.frame == 4 then ("x"):rep(100):find(("x?"):rep(100) .. ("x"):rep(100) .. "y") end end)
return world
L
run run "$work/stuck.lua" --out "$work/stuck" --format none --report --time-limit 2
exits 124 "a script that does not return from C code"
page "$work/stuck/report.html" 'p.outcome.startswith("Stopped at its time limit: frames 0 to 3") and "did not end by itself" in p.outcome' "has a page too"
"$muslin" run "$work/scene.lua" --out "$work/stopped" --format none --report --seconds 1000 --quiet >/dev/null 2>&1 &
process=$!
for _ in $(seq 100); do
    [ -e "$work/stopped/manifest.json" ] && break
    sleep 0.1
done
sleep 2
kill -INT $process
wait $process
ok "$([ $? = 130 ]; echo $?)" "an interrupted run"
page "$work/stopped/report.html" 'p.outcome.startswith("Interrupted by the user: frames 0 to") and len(p.table("Values by frame")) > 1' "has a page"
run run "$work/scene.lua" --out "$work/stopped" --format none --frames 2 --quiet
[ ! -e "$work/stopped/report.html" ]
ok $? "a later run in the folder without --report leaves no page of the earlier one"

# ---- Notes: what happened beside the frames ------------------------------------------------------------------------------------
cat >"$work/hooked.lua" <<'L'
local world = require "muslin".world {dt = 1/60, fps = 60, duration = 0.1, threads = 1}
world:on("frame", function(w) if w.frame == 2 then w:on("frame", function() end) end end)
return world
L
run run "$work/hooked.lua" --out "$work/hooked" --format none --report --checkpoint-every 1 --quiet
exits 0 "a run whose checkpoints end"
json "$work/hooked/manifest.json" "len(m['notes']) == 1 and m['notes'][0].startswith('no checkpoints from frame 2 on: hooks')"
ok $? "the manifest has a note of it" "$(state)"
page "$work/hooked/report.html" '"Notes" in p.text and m["notes"][0] in p.text' "so has the page"
run run "$work/hooked.lua" --out "$work/hooked" --format ply --report --quiet
json "$work/hooked/manifest.json" "'notes' not in m"
ok $? "a run without anything of note has none" "$(state)"
page "$work/hooked/report.html" '"Notes" not in p.text' "nor has its page"
run run "$work/hooked.lua" --out "$work/hooked" --format obj --report --quiet
json "$work/hooked/manifest.json" "len(m['notes']) == 1 and 'files of an earlier run in other formats (ply), which stay' in m['notes'][0]"
ok $? "files of an earlier run are noted, though a quiet run does not print it" "$(state)"

# ---- A start that overlaps -----------------------------------------------------------------------------------------------------
cat >"$work/overlaps.lua" <<'L'
local muslin = require "muslin"
local world = muslin.world {dt = 1/60, fps = 60, duration = 0.05, threads = 1, overlap = "untangle"}
world:cloth {name = "table <top>", mesh = muslin.mesh.grid {nodes = {12, 12}, size = {0.4, 0.4}, center = {0, 1, 0}}}
world:cloth {name = "blade", mesh = muslin.mesh.grid {nodes = {12, 12}, size = {0.2, 0.2}, plane = "xy", center = {0, 1.09, 0.01}}}
world:on("done", function()
  local r = world:start_report()
  print(("report: %d %d %.17g %d"):format(r.crossings, r.moved, r.largest, #r.pairs))
end)
return world
L
run run "$work/overlaps.lua" --out "$work/overlaps" --format none --report
exits 0 "a start that overlaps is separated"
[[ $out =~ report:\ ([0-9]+)\ ([0-9]+)\ ([^$'\n']+)\ 1$'\n' ]]
json "$work/overlaps/manifest.json" "(lambda s: [s['crossings'], s['moved'], s['largest'], len(s['pairs'])] == [${BASH_REMATCH[1]:-0}, ${BASH_REMATCH[2]:-0}, ${BASH_REMATCH[3]:-0}, 1] and s['crossings'] > 0 and s['moved'] > 0 and s['pairs'][0]['a'] == 'table <top>' and s['pairs'][0]['b'] == 'blade' and 0 < s['pairs'][0]['largest'] <= s['largest'])(m['start'])"
ok $? "the manifest has the report of the start" "$(state)"
page "$work/overlaps/report.html" '(lambda t, q: len(t) == 1 and t[0]["object"] == q["a"] and t[0]["and"] == q["b"] and int(t[0]["pairs that crossed"]) == q["crossings"] and int(t[0]["moved"]) == q["moved"] and near(t[0]["largest way [m]"], q["largest"]))(p.table("Separated before the first step"), m["start"]["pairs"][0])' \
    "and so has the page"
run run "$work/overlaps.lua" --json
grep -v "^report" "$work/.out" | tail -n 1 >"$work/summary.json"
json "$work/summary.json" "m['start']['crossings'] > 0 and len(m['start']['pairs']) == 1"
ok $? "and so has the summary of --json" "$(state)"
page "$a" 'm["start"]["crossings"] == m["start"]["moved"] == 0 and m["start"]["pairs"] == [] and "Separated before" not in p.text' "nothing is listed where nothing overlapped"

# ---- Names that look like HTML -------------------------------------------------------------------------------------------------
name='<script>alert(1)<&"'"'"'>.lua'
sed 's|name = "sheet"|name = "<b>\&\\"sheet\\"</td>"|; s|A sheet on a ball|</title><script>alert(2)</script>\\xff|; s|"height"|"<svg onload=\\"alert(3)\\">\&amp;"|' "$work/scene.lua" >"$work/$name"
run run "$work/$name" --out "$work/names" --format none --report --frames 5 -- '<img src="http://example.org/a.png" onerror=1>'
exits 0 "a scene with hostile names"
page "$work/names/report.html" 'sum(t == "script" for t, _ in p.tags) <= 1 and p.pieces is not None and not any(t in ("b",) for t, _ in p.tags)' "its names make no elements"
page "$work/names/report.html" '"</title><script>alert(2)</script>\ufffd" in p.text and [r["name"] for r in p.table("Cloths")] == ["<b>&\"sheet\"</td>"] and any(r["file"].endswith("<script>alert(1)<&\"'"'"'>.lua") for r in p.table("The script")) and p.pairs("Program")["arguments"].startswith("<img src=") and any("<svg onload=\"alert(3)\">&amp;" in x for x in p.plots)' \
    "and stand as they are in text, tables and plots"

# ---- Resuming ------------------------------------------------------------------------------------------------------------------
run run "$work/scene.lua" --out "$work/resumed" --format none --report --checkpoint-every 5 --frames 10
run run "$work/scene.lua" --out "$work/resumed" --format none --report --checkpoint-every 5 --frames 20 --resume
exits 0 "a run that continues"
page "$work/resumed/report.html" 'len(p.table("Values by frame")) == 21 and p.table("Values by frame")[10]["kinetic [J]"] == "\u2013" and p.table("Values by frame")[11]["kinetic [J]"] != "\u2013" and p.pairs("Program")["resumed after frame"] == "10" and "resumed have none" in p.text' \
    "has a page of all frames, and states what was not measured"

# ---- Tests ---------------------------------------------------------------------------------------------------------------------
mkdir "$work/tests"
cat >"$work/tests/one_test.lua" <<'L'
local muslin = require "muslin"
local function fall()
    local world = muslin.world {threads = 1}
    local sheet = world:cloth {mesh = muslin.mesh.grid {nodes = {5, 5}, size = {0.3, 0.3}}}
    world:advance(0.1)
    return sheet
end
scenario("falls & passes", function() expect(fall().x[1].y):less_than(0) end)
scenario("<fails> \"here\"", function() print("<i>printed</i>") expect(fall().x[1].y):more_than(1) end)
scenario("is left out", function() skip("no <time>") end)
L
cat >"$work/tests/two_test.lua" <<'L'
scenario("counts", function() expect(1 + 1):equals(2) end)
L
run test "$work/tests" --out "$work/t" --report --jobs 2 --junit "$work/t.xml"
exits 1 "tests with --report, one of which fails"
t=$work/t/report.html
page "$t" 'p.outcome == "2 passed, 1 failed, 1 skipped, in 2 files."' "the page states the counts"
page "$t" '[(r["scenario"], r["outcome"], r["message"]) for r in p.table("'"$work/tests/one_test.lua"'") if r["outcome"] != "failed"] == [("falls & passes", "passed", ""), ("is left out", "skipped", "no <time>")] and [r["scenario"] for r in p.table("'"$work/tests/two_test.lua"'")] == ["counts"]' \
    "a table of each file"
python3 - "$work/t.xml" "$t" "$work/page.py" <<'P'
import re, sys, xml.etree.ElementTree as xml
source = open(sys.argv[3]).read().split("raw = open")[0]
exec(source)
p = Page(open(sys.argv[2], encoding="utf-8").read())
cases = [c for c in xml.parse(sys.argv[1]).getroot().iter("testcase")]
rows = [r for t in p.tables if t["rows"][0][0] == "scenario" for r in t["rows"][1:]]
assert [r[0] for r in rows] == [c.get("name") for c in cases], rows
assert all(abs(float(r[2]) - float(c.get("time"))) < 2e-6 for r, c in zip(rows, cases)), rows
failure = [c for c in cases if c.find("failure") is not None][0].find("failure")
assert [r for r in rows if r[1] == "failed"][0][3] == failure.get("message"), rows
assert failure.text in p.text
P
ok $? "names, times and messages are those of JUnit"
page "$t" '"<i>printed</i>" in p.text and not any(t == "i" for t, _ in p.tags)' "what scripts printed"
if [ -n "$pictures" ]; then
    page "$t" 'len(p.images) == 1 and size(p.images[0]) == (960, 720) and "<fails> \"here\"" in p.images[0][2] and p.images[0][1] == open("'"$work/t/one_test-fails-here.png"'", "rb").read()' \
        "the picture of the failed scenario"
else
    skip "the picture of the failed scenario" "no OpenGL"
fi
run test "$work/tests/two_test.lua" --out "$work/t" --report --quiet
page "$t" 'p.outcome == "1 passed, 0 failed, 0 skipped, in 1 file." and not p.images and "Failures" not in p.text' "a later call writes the page again"
refuses 2 "option '--report' needs '--out DIR'" "without a folder" test "$work/tests" --report

# ---- Comparisons ---------------------------------------------------------------------------------------------------------------
cat >"$work/<weak>.lua" <<'L'
local muslin = require "muslin"
return muslin.rule(function(c) return 0.5 * muslin.max(0, -c.normal:dot(c.velocity)) * c.mass * c.normal end)
L
cat >"$work/five.lua" <<'L'
return 5
L
run compare "$work/scene.lua" --pipelines robust,sequential --rule "$work/<weak>.lua" --rule "$work/five.lua" --frames 12 --out "$work/c" --report
exits 0 "a comparison with --report"
c=$work/c/report.html
page "$c" 'p.outcome == "3 of 4 runs finished; the audit found intersections or features inside obstacles in 0."' "the page states how many finished"
cat >"$work/beside.py" <<'P'
import json, sys
exec(open(sys.argv[1]).read().split("raw = open")[0])
p = Page(open(sys.argv[2], encoding="utf-8").read())
columns = json.load(open(sys.argv[3]))["columns"]
rows = p.table("One run a row")
assert [r["pipeline"] for r in rows] == [c["name"] for c in columns] == ["robust", "sequential", "<weak>", "five"], rows
for r, c in zip(rows, columns):
    assert r["outcome"] == c["outcome"]
    if not c["frames"]: continue
    assert float(r["frames"]) == c["frames"] == 13
    assert abs(float(r["step [ms] median"]) - c["step_median_ms"]) < 0.0051, r
    assert abs(float(r["stretch max [%]"]) - 100 * c["stretch_max"]) < 0.0051, r
    assert abs(float(r["deepest [mm]"]) - 1e3 * c["depth_max_m"]) < 0.00051, r
assert columns[3]["reason"].split("\n")[0] in p.text
energy = p.table("Total energy")
kinetic = p.table("Kinetic energy")
assert len(energy) == len(kinetic) == 13
for c in columns[:3]: # the last values are those of the table
    assert near(energy[-1][c["name"]], c["energy_J"]) and near(kinetic[-1][c["name"]], c["kinetic_energy_J"]), (energy[-1], c)
    assert near(p.table("Largest strain")[-1][c["name"]], 100 * c["stretch"])
P
python3 "$work/beside.py" "$work/page.py" "$c" "$work/c/compare.json" 2>"$work/.err"
ok $? "table and values are those of compare.json" "$(cat "$work/.err")"
page "$c" '[x.split(":")[0] for x in p.plots] == ["Time of a frame", "Contacts", "Kinetic energy", "Total energy", "Largest strain"] and all(n in p.plots[0] for n in ("robust", "sequential", "<weak>")) and sum(1 for s in p.svgs if s.get("role") == "img" and len([e for e in s if "line s" in e.get("class", "")]) == 4) == 5' \
    "plots with a line for each row"
if [ -n "$pictures" ]; then
    page "$c" 'len(p.images) == 4 and all(size(i) == (480, 360) for i in p.images) and p.images[2][2] == "<weak>: frame 12"' "a picture of each row"
else
    page "$c" '"There are no pictures: " in p.text' "without OpenGL the page states the reason"
fi

# ---- Sweeps --------------------------------------------------------------------------------------------------------------------
cat >"$work/swept.lua" <<'L'
local muslin = require "muslin"
local options = muslin.arguments {friction = 0.3, kind = "<soft>", nodes = 4}
local world = muslin.world {fps = 60, duration = 0.1}
local sheet = world:cloth {mesh = muslin.mesh.grid {nodes = {options.nodes, options.nodes}, size = {0.4, 0.4}, center = {0, 0.21, 0}}}
world:obstacle {shape = "sphere", radius = 0.2, friction = options.friction}
world:on("frame", function(w)
    w:log("height & more", sheet:centroid().y)
    if options.friction > 0.6 and w.frame == 3 then error("broken") end
end)
return world
L
cat >"$work/plan.lua" <<'L'
return {scene = "swept.lua", format = "none", audit = true, grid = {friction = {0.01, 0.5, 0.7}, kind = {"<soft>", "hard"}}}
L
run sweep "$work/plan.lua" --out "$work/s" --report --quiet --jobs 2
exits 3 "a sweep with --report, of which two cases fail"
s=$work/s/report.html
page "$s" 'p.outcome == "6 cases: 4 finished, 0 checks failed, 2 not complete."' "the page counts the cases"
"$muslin" collect "$work/s/runs" --json >"$work/rows.jsonl"
cat >"$work/beside.py" <<'P'
import json, sys
exec(open(sys.argv[1]).read().split("raw = open")[0])
p = Page(open(sys.argv[2], encoding="utf-8").read())
rows = [json.loads(line) for line in open(sys.argv[3])]
table = p.table("Parameters, outcome")
assert len(table) == len(rows) == 6
for t, r in zip(table, rows):
    assert t["case"] == r["run"] and t["outcome"] == r["status"] and t["kind"] == r["parameters"]["kind"], (t, r)
    assert near(t["friction"], r["parameters"]["friction"]) and near(t["frame [ms]"], r["mean_ms"]) and near(t["crossings"], r["intersections"]), (t, r)
    assert near(t["height & more"], r["log"]["height & more"]["final"]), (t, r)
P
python3 "$work/beside.py" "$work/page.py" "$s" "$work/rows.jsonl" 2>"$work/.err"
ok $? "the table is that of muslin collect" "$(cat "$work/.err")"
page "$s" '[x.split(":")[0] for x in p.plots] == ["Mean time of a frame over friction", "height & more over friction"] and all("<soft>" in x and "hard" in x for x in p.plots) and all(len([e for e in s if "mark" in e.get("class", "")]) == 6 for s in p.svgs if s.get("role") == "img")' \
    "results over the parameter, a mark for each run, and a legend of the other one"
refuses 2 "'--engine none' runs nothing" "an engine that runs nothing" sweep "$work/plan.lua" --out "$work/s2" --report --engine none
refuses 2 "option '--report' needs '--out DIR'" "a sweep without a folder" sweep "$work/plan.lua" --report

# ---- The player, in a browser ----
if [ -n "$pictures" ] && type chromium >/dev/null 2>&1; then
    python3 - "$a" "$work/player.html" <<'P'
import sys
page = open(sys.argv[1], encoding="utf-8").read()
steps = """<script>
var log = [], note = function () {
  log.push([document.getElementById("play").textContent, document.getElementById("slider").value,
            document.getElementById("picture").alt, document.getElementById("shown").textContent].join(";"));
};
note();
document.getElementById("play").click();
setTimeout(function () {
  document.getElementById("play").click(); // pause
  note();
  setTimeout(function () {
    note();
    var slider = document.getElementById("slider");
    slider.value = 20;
    slider.dispatchEvent(new Event("input"));
    note();
    document.getElementById("play").click();
    setTimeout(function () {
      note();
      var out = document.createElement("pre");
      out.id = "log";
      out.textContent = log.join("|");
      document.body.appendChild(out);
    }, 2000);
  }, 400);
}, 350);
</script></body>"""
assert page.count("</body>") == 1
open(sys.argv[2], "w", encoding="utf-8").write(page.replace("</body>", steps))
P
    seen=$(chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update \
        --disable-sync --user-data-dir="$work/browser" --virtual-time-budget=8000 --dump-dom "file://$work/player.html" 2>/dev/null |
        sed -n 's/.*<pre id="log">\(.*\)<\/pre>.*/\1/p')
    IFS='|' read -r first paused still moved ended <<<"$seen"
    [ "$first" = "Play;0;Frame 0, 0 s;Frame 0, 0 s" ] && [ "$paused" = "$still" ]
    ok $? "the player shows the first picture, and stands when it is paused" "$seen"
    at=$(cut -d ';' -f 2 <<<"$paused")
    [[ $paused == "Play;"* ]] && [ "$at" -gt 3 ] && [ "$at" -lt 29 ] && [[ $paused == *";Frame $at, "* ]]
    ok $? "Play plays, Pause pauses" "$seen"
    [[ $moved == "Play;20;Frame 20, "* ]] && [ "$ended" = "Play;30;Frame 30, 0.5 s;Frame 30, 0.5 s" ]
    ok $? "the slider moves it, and Play goes on from there to the end" "$seen"
else
    skip "the player in a browser" "chromium is not installed, or no OpenGL"
fi

tap_end
