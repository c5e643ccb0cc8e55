import math, re
text = open("out/frame_000001.usda").read()
def prim(kind, name):
    at = text.index('def %s "%s"' % (kind, name))
    depth, end = 0, text.index("{", text.index(")\n", at) if "(" in text[at:text.index("{", at)] else at)
    for k in range(end, len(text)):
        depth += {"{": 1, "}": -1}.get(text[k], 0)
        if depth == 0: return text[at:k]
def value(body, name):
    return re.search(r"^ *[\w\[\] ]* %s = (.*)$" % re.escape(name), body, re.M).group(1)
def numbers(body, name): return [float(x) for x in re.findall(r"[-+.\de]+", value(body, name))]
left = prim("Mesh", "part_1_cloth_left")
assert '"PhysicsDeformableBodyAPI", "PhysicsSurfaceDeformableSimAPI", "PhysicsCollisionAPI"' in left
rest, faces = numbers(left, "physics:restShapePoints"), [int(x) for x in numbers(left, "physics:restTriVtxIndices")]
assert faces == [int(x) for x in numbers(left, "faceVertexIndices")] and len(rest) == 3 * 35
def length(a, b): return math.dist(rest[3 * a:3 * a + 3], rest[3 * b:3 * b + 3])
for f in range(0, len(faces), 3):
    sides = sorted(length(faces[f + k], faces[f + (k + 1) % 3]) for k in range(3))
    assert all(abs(a - b) < 1e-12 for a, b in zip(sides, (0.03, 0.03, 0.03 * math.sqrt(2)))), sides
pairs, angles = numbers(left, "physics:restAdjTriPairs"), numbers(left, "physics:restBendAngles")
assert len(pairs) == 2 * len(angles) == 12 and all(abs(a - math.degrees(0.4)) < 1e-9 for a in angles)
assert value(left, "material:binding:physics") == "</frame/materials/cloth_1_cloth_left>"
material = prim("Material", "cloth_1_cloth_left")
assert abs(numbers(material, "physics:density")[0] - 0.2 / 2e-3) < 1e-9 and numbers(material, "physics:surfaceThickness") == [2e-3]
assert numbers(material, "muslin:material:bending_warp") == [3e-5] and value(material, "muslin:material:model") == '"stvk"'
assert "muslin:material:stretch " not in material  # a constant of springs
tube = prim("Mesh", "part_4_cloth_tube")  # not flat: each face has points of its own
assert [int(x) for x in numbers(tube, "physics:restTriVtxIndices")] == list(range(len(numbers(tube, "faceVertexIndices"))))
seam = prim("PhysicsAttachment", "seam_1")
assert value(seam, "physics:src0") == "</frame/part_1_cloth_left>" and value(seam, "physics:src1") == "</frame/part_2_cloth_right>"
assert numbers(seam, "physics:indices0") == [5 * k + 4 for k in range(7)] and numbers(seam, "physics:stiffness") == [900]
post = prim("Mesh", "part_5_obstacle_post")
assert "PhysicsCollisionAPI" in post and "Deformable" not in post
