"""Writes a skinned, morphed and animated model as glTF in three containers, and the triangles that it must show, computed
here from the same numbers: python3 make_gltf.py FOLDER. Reference: Khronos Group, "glTF 2.0 Specification"."""
import base64, json, math, os, struct, sys

folder = sys.argv[1]
FPS = 24
blob = bytearray()
doc = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": [], "materials": [{"name": "skin"}, {"name": "cap"}]}
FORMATS = {5121: "B", 5123: "H", 5125: "I", 5126: "f", 5122: "h"}
WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}

def view(data, spacing=None):
    while len(blob) % 4: blob.append(0)
    doc["bufferViews"].append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)})
    if spacing: doc["bufferViews"][-1]["byteStride"] = spacing
    blob.extend(data)
    return len(doc["bufferViews"]) - 1

def accessor(rows, kind, component=5126, normalized=False, pad=0):
    flat = [x for row in rows for x in (row if isinstance(row, (list, tuple)) else [row])]
    width = WIDTH[kind]
    size = struct.calcsize("<" + FORMATS[component]) * width + pad
    data = b"".join(struct.pack("<%d%s" % (width, FORMATS[component]), *flat[i:i + width]) + b"\x55" * pad
                    for i in range(0, len(flat), width))
    a = {"bufferView": view(data, size if pad else None), "componentType": component, "count": len(flat) // width, "type": kind}
    if normalized: a["normalized"] = True
    doc["accessors"].append(a)
    return len(doc["accessors"]) - 1

def f32(x): return struct.unpack("<f", struct.pack("<f", x))[0]

# ---- A tube of two joints, with a seam of texture coordinates, and a cap of another material.
AROUND, RINGS = 8, 9
tube, uv, weights = [], [], []
for r in range(RINGS):
    for a in range(AROUND + 1): # the last column is the first one again
        angle = 2 * math.pi * (a % AROUND) / AROUND
        tube.append([f32(0.1 * math.cos(angle)), f32(0.1 * r), f32(0.1 * math.sin(angle))])
        uv.append([a / AROUND, r / (RINGS - 1)])
        high = round(255 * min(max((0.1 * r - 0.2) / 0.4, 0), 1))
        weights.append([255 - high, high, 0, 0])
faces = []
for r in range(RINGS - 1):
    for a in range(AROUND):
        i, j = r * (AROUND + 1) + a, (r + 1) * (AROUND + 1) + a
        faces += [(i, j, j + 1), (i, j + 1, i + 1)]
top = [tube[(RINGS - 1) * (AROUND + 1) + a] for a in range(AROUND)]
fan = [[0, f32(0.1 * (RINGS - 1)), 0]] + top + [top[0]]
# A joint that has no weight may be any number: it must not matter.
joints = [[0, 1, 9, 9]] * len(tube)
skinned = {"attributes": {"POSITION": accessor(tube, "VEC3", pad=4), "TEXCOORD_0": accessor(uv, "VEC2"),
                          "JOINTS_0": accessor(joints, "VEC4", 5121),
                          "WEIGHTS_0": accessor(weights, "VEC4", 5121, normalized=True)},
           "indices": accessor([i for f in faces for i in f], "SCALAR", 5123), "material": 0}
cap = {"attributes": {"POSITION": accessor(fan, "VEC3"), "TEXCOORD_0": accessor([[0.5, 0.5]] * len(fan), "VEC2"),
                      "JOINTS_0": accessor([[1, 0, 0, 0]] * len(fan), "VEC4", 5123),
                      "WEIGHTS_0": accessor([[1, 0, 0, 0]] * len(fan), "VEC4")},
       "mode": 6, "material": 1}

# ---- A strip that hangs on a node of a mirrored, turned parent, with a morph target that is sparse.
strip = [[f32(0.05 * (k // 2)), f32(0.04 * (k % 2)), 0.0] for k in range(8)]
dent = {3: [0.0, 0.0, f32(0.07)], 6: [0.0, f32(0.02), f32(-0.05)]}
index = view(struct.pack("<2B", *dent)) # two bytes
value = view(b"".join(struct.pack("<3f", *dent[k]) for k in dent))
doc["accessors"].append({"componentType": 5126, "count": len(strip), "type": "VEC3",
                         "sparse": {"count": 2, "indices": {"bufferView": index, "componentType": 5121},
                                    "values": {"bufferView": value}}})
banner = {"attributes": {"POSITION": accessor(strip, "VEC3"), "TEXCOORD_0": accessor([[0, 0]] * 8, "VEC2")}, "mode": 5,
          "targets": [{"POSITION": len(doc["accessors"]) - 3}, {}]}

inverse = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, f32(-0.4), 0, 1]]
doc["meshes"] = [{"name": "tube", "primitives": [skinned, cap]}, {"name": "strip", "primitives": [banner], "weights": [0.25, 0]}]
doc["skins"] = [{"joints": [2, 3], "inverseBindMatrices": accessor(inverse, "MAT4")}]
doc["nodes"] = [
    {"name": "limb", "mesh": 0, "skin": 0, "translation": [9, 9, 9]}, # of a skinned mesh: has no effect
    {"name": "rig", "children": [2], "translation": [0, 0.5, 0]},
    {"name": "shoulder", "children": [3]},
    {"name": "elbow", "translation": [0, 0.4, 0]},
    {"name": "mirror", "children": [5], "matrix": [-1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0.5, 0.2, 0, 1]},
    {"name": "banner", "mesh": 1, "scale": [1, 2, 1]},
    {"name": "elsewhere", "mesh": 1},
]
doc["scenes"] = [{"nodes": [6]}, {"nodes": [0, 1, 4]}]
doc["scene"] = 1

# ---- Animations: a bend in three curves, and a wave of the morph target.
half = math.sqrt(0.5)
turn_times, turns = [0.0, 0.5, 1.25], [[0, 0, 0, 1], [0, 0, f32(half), f32(half)], [0, 0, -f32(half), -f32(half)]]
turns[2] = [f32(math.sin(0.3)), 0, 0, f32(math.cos(0.3))]
lift_times = [0.25, 1.0] # tangent in, value, tangent out of each key
lifts = [[[0, 0, 0], [0, 0, 0], [0.2, 0, 0]], [[0, 0, 0.4], [0.1, 0.05, 0], [0, 0, 0]]]
size_times, sizes = [0.0, 0.625], [[1, 2, 1], [2, 1, 1]]
wave_times, waves = [0.0, 1.0], [0.0, 0.0, 1.0, 0.5]
lifts = [[[f32(x) for x in row] for row in key] for key in lifts]
doc["animations"] = [
    {"name": "bend", "samplers": [
        {"input": accessor(turn_times, "SCALAR"), "output": accessor(turns, "VEC4")},
        {"input": accessor(lift_times, "SCALAR"), "output": accessor([row for key in lifts for row in key], "VEC3"),
         "interpolation": "CUBICSPLINE"},
        {"input": accessor(size_times, "SCALAR"), "output": accessor(sizes, "VEC3"), "interpolation": "STEP"}],
     "channels": [{"sampler": 0, "target": {"node": 3, "path": "rotation"}},
                  {"sampler": 1, "target": {"node": 2, "path": "translation"}},
                  {"sampler": 2, "target": {"node": 5, "path": "scale"}},
                  {"sampler": 0, "target": {"path": "rotation"}}]}, # of no node
    {"name": "wave", "samplers": [{"input": accessor(wave_times, "SCALAR"), "output": accessor(waves, "SCALAR")}],
     "channels": [{"sampler": 0, "target": {"node": 5, "path": "weights"}}]}]
doc["buffers"] = [{"byteLength": len(blob)}]

# ---- The same, computed here with 4 x 4 matrices as lists of rows.
def product(a, b): return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]
def columns(c): return [[c[4 * j + i] for j in range(4)] for i in range(4)]
def place(m, p): return [sum(m[i][k] * p[k] for k in range(3)) + m[i][3] for i in range(3)]
def moved(t): return [[1, 0, 0, t[0]], [0, 1, 0, t[1]], [0, 0, 1, t[2]], [0, 0, 0, 1]]
def scaled(s): return [[s[0], 0, 0, 0], [0, s[1], 0, 0], [0, 0, s[2], 0], [0, 0, 0, 1]]
def turned(q): # columns are the images of the axes: q v q*
    def times(a, b):
        ax, ay, az, aw = a; bx, by, bz, bw = b
        return [aw * bx + ax * bw + ay * bz - az * by, aw * by + ay * bw + az * bx - ax * bz,
                aw * bz + az * bw + ax * by - ay * bx, aw * bw - ax * bx - ay * by - az * bz]
    images = [times(times(q, axis + [0]), [-q[0], -q[1], -q[2], q[3]]) for axis in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
    return [[images[j][i] for j in range(3)] + [0] for i in range(3)] + [[0, 0, 0, 1]]
def normal(q):
    n = math.sqrt(sum(x * x for x in q))
    return [x / n for x in q]
def between(times, t):
    if t <= times[0]: return 0, 0, 0
    if t >= times[-1]: return len(times) - 1, len(times) - 1, 0
    k = max(i for i in range(len(times)) if times[i] <= t)
    return k, k + 1, (t - times[k]) / (times[k + 1] - times[k])
def slerp(a, b, u):
    a, b = normal(a), normal(b)
    d = sum(x * y for x, y in zip(a, b))
    if d < 0: b, d = [-x for x in b], -d
    angle = math.acos(min(d, 1))
    if angle < 1e-9: return a
    return [(math.sin((1 - u) * angle) * x + math.sin(u * angle) * y) / math.sin(angle) for x, y in zip(a, b)]

def triangles(animation, t):
    turn, lift, size, wave = [0, 0, 0, 1], [0, 0, 0], [1, 2, 1], [0.25, 0]
    if animation == "bend":
        a, b, u = between(turn_times, t); turn = slerp(turns[a], turns[b], u)
        a, b, u = between(lift_times, t)
        if a == b: lift = lifts[a][1]
        else: # the Hermite spline of the specification
            d = lift_times[b] - lift_times[a]
            lift = [(2 * u**3 - 3 * u**2 + 1) * lifts[a][1][i] + d * (u**3 - 2 * u**2 + u) * lifts[a][2][i] +
                    (-2 * u**3 + 3 * u**2) * lifts[b][1][i] + d * (u**3 - u**2) * lifts[b][0][i] for i in range(3)]
        size = sizes[0] if t < size_times[1] else sizes[1]
    elif animation == "wave":
        a, b, u = between(wave_times, t); wave = [(1 - u) * waves[2 * a + i] + u * waves[2 * b + i] for i in range(2)]
    shoulder = product(moved([0, 0.5, 0]), moved(lift))
    elbow = product(shoulder, product(moved([0, 0.4, 0]), turned(turn)))
    bones = [shoulder, product(elbow, columns(inverse[1]))]
    skin = []
    for p, w in zip(tube, weights):
        m = [[sum(w[k] / 255 * bones[k][i][j] for k in range(2)) for j in range(4)] for i in range(4)]
        skin.append(place(m, p))
    out = [[skin[i] for i in f] for f in faces]
    lid = [place(bones[1], p) for p in fan]
    out += [[lid[k], lid[k + 1], lid[0]] for k in range(1, len(fan) - 1)]
    m = product(columns(doc["nodes"][4]["matrix"]), scaled(size))
    flag = [place(m, [x + wave[0] * dent.get(k, [0, 0, 0])[i] for i, x in enumerate(p)]) for k, p in enumerate(strip)]
    for k in range(len(strip) - 2): # every second triangle of a strip is the other way around, and the node mirrors
        out.append([flag[k], flag[k + 1], flag[k + 2]] if k % 2 else [flag[k], flag[k + 2], flag[k + 1]])
    return out

def lua(frames):
    return "return {" + ",\n".join("{" + ",".join("%.17g" % x for tri in f for p in tri for x in p) + "}" for f in frames) + "}\n"
def expected(animation, end):
    steps = round(end * FPS)
    return lua([triangles(animation, end * k / steps) for k in range(steps + 1)])

def write(name, data):
    with open(os.path.join(folder, name), "wb") as file: file.write(data)
write("pose.lua", lua([triangles(None, 0)]).encode())
write("bend.lua", expected("bend", 1.25).encode())
write("wave.lua", expected("wave", 1.0).encode())
text = json.dumps(doc).encode()
text += b" " * (-len(text) % 4)
blob += b"\0" * (-len(blob) % 4)
write("limb.glb", struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(blob)) + struct.pack("<I4s", len(text), b"JSON") + text +
      struct.pack("<I4s", len(blob), b"BIN\0") + bytes(blob))
doc["buffers"][0]["uri"] = "limb%20bytes.bin"
write("limb bytes.bin", bytes(blob))
write("limb.gltf", json.dumps(doc).encode())
doc["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(bytes(blob)).decode()
write("whole.gltf", json.dumps(doc).encode())

# ---- Files with one fault each.
def broken(name, change):
    copy = json.loads(json.dumps(doc))
    change(copy)
    write(name, json.dumps(copy).encode())
broken("cycle.gltf", lambda d: d["nodes"][1].pop("children") and d["nodes"][3].update(children=[2]))
broken("twice.gltf", lambda d: d["nodes"][6].update(children=[2]))
broken("joint.gltf", lambda d: d["skins"][0].update(joints=[2]) or d["skins"][0].pop("inverseBindMatrices"))
broken("view.gltf", lambda d: d["bufferViews"][0].update(byteLength=40))
broken("beyond.gltf", lambda d: d["bufferViews"][0].update(byteOffset=10**6))
broken("draco.gltf", lambda d: d.update(extensionsRequired=["KHR_draco_mesh_compression"]))
broken("old.gltf", lambda d: d.update(asset={"version": "1.0"}))
broken("folder.gltf", lambda d: d["buffers"][0].update(uri="../secret.bin"))
broken("link.gltf", lambda d: d["buffers"][0].update(uri="link.bin"))
broken("gone.gltf", lambda d: d["buffers"][0].update(uri="gone.bin"))
broken("base64.gltf", lambda d: d["buffers"][0].update(uri="data:;base64,AA?A"))
broken("short.gltf", lambda d: d["buffers"][0].update(byteLength=10**6))
broken("index.gltf", lambda d: d["accessors"][d["meshes"][0]["primitives"][0]["indices"]].update(componentType=5121, count=1200))
broken("type.gltf", lambda d: d["accessors"][0].update(type="VEC2"))
broken("text.gltf", lambda d: d["nodes"][5].update(mesh="strip"))
broken("keys.gltf", lambda d: d["animations"][0]["samplers"][0].update(input=d["animations"][1]["samplers"][0]["input"]))
broken("order.gltf", lambda d: d["animations"][1]["samplers"][0].update(
    input=d["meshes"][1]["primitives"][0]["targets"][0]["POSITION"]))
broken("nothing.gltf", lambda d: d.update(scene=1, scenes=[{}, {"nodes": [1]}]))
broken("spacing.gltf", lambda d: d["bufferViews"][1].update(byteStride=0))
broken("root.gltf", lambda d: d["scenes"][1]["nodes"].append(None))
broken("list.gltf", lambda d: d["meshes"][1]["primitives"][0].update(targets="x"))
broken("target.gltf", lambda d: d["meshes"][1]["primitives"][0]["targets"].append(99))
broken("scenes.gltf", lambda d: d.update(scenes=3))
broken("node.gltf", lambda d: d["nodes"].append(None))
broken("pipe.gltf", lambda d: d["buffers"][0].update(uri="pipe.bin"))
broken("two.gltf", lambda d: d["animations"][1]["channels"].append(d["animations"][1]["channels"][0]))
broken("far.gltf", lambda d: d["nodes"][4].update(matrix=[1e9, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]) or
       d["nodes"][5].update(scale=[9, 1, 1]))
write("mark.gltf", b"\xef\xbb\xbf" + json.dumps(doc).encode())
broken("long.gltf", lambda d: d["animations"][0].update(name="\u00fc" * 200))
# Many nodes with one mesh, whose vertices are at the same places in the mesh.
many = json.loads(json.dumps(doc))
many["nodes"] += [{"mesh": 1, "translation": [k, 0, 0]} for k in range(20000)]
many["scenes"] = [{"nodes": list(range(7, 20007))}]
many["scene"] = 0
write("many.gltf", json.dumps(many).encode())
broken("still.gltf", lambda d: d.pop("animations"))
