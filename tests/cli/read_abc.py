"""An independent reader of Alembic files (Ogawa): meshes(path) returns {name: {...}} and the sampling's step in s."""
import struct


def meshes(path):
    data = open(path, "rb").read()
    assert data[:8] == b"Ogawa\xff\x00\x01", data[:8]
    number = lambda place: struct.unpack_from("<Q", data, place)[0]

    def block(node):
        assert node >> 63, "a block"
        place = node & ~(1 << 63)
        return data[place + 8:place + 8 + number(place)] if place else b""

    def group(node):
        assert not node >> 63, "a group"
        return [number(node + 8 + 8 * k) for k in range(number(node))] if node else []

    root = group(number(8))
    assert len(root) == 6 and block(root[0]) == bytes(4)
    times, samplings = block(root[4]), []
    while times:
        most, step, count = struct.unpack_from("<IdI", times)
        samplings.append((most, step, struct.unpack_from("<%dd" % count, times, 16)))
        times = times[16 + 8 * count:]
    assert samplings[0] == (1, 1.0, (0.0,)) and samplings[1][2] == (0.0,)

    kinds = {0: "b", 2: "b", 5: "I", 6: "i", 10: "f", 11: "d"}

    def values(nodes, kind, header):
        info, count, first, last, timed = header
        stride = 2 if kind == 2 else 1
        code = kinds[info >> 4 & 15]
        assert len(nodes) == stride * (last - first + 2 if last else 1), (len(nodes), header)
        assert count == (samplings[1][0] if timed else 1), header
        samples, keys = [], {}
        for k in range(0, len(nodes), stride):
            bytes_ = block(nodes[k])
            assert keys.setdefault(bytes_[:16], bytes_[16:]) == bytes_[16:], "equal keys of different values"
            samples.append(list(struct.unpack("<%d%s" % ((len(bytes_) - 16) // struct.calcsize("<" + code), code), bytes_[16:])))
            if kind == 2: assert block(nodes[k + 1]) == b""
        return [samples[0 if k < first or not last else min(k, last) - first + 1] for k in range(count)]

    def properties(node):
        nodes = group(node)
        if not nodes: return {}
        text, found = block(nodes.pop()), {}

        def take(count):
            nonlocal text
            taken, text = text[:count], text[count:]
            assert len(taken) == count
            return taken
        whole = lambda: struct.unpack("<I", take(4))[0]
        while text:
            info = whole()
            kind = info & 3
            assert info >> 2 & 3 == 2 and info >> 20 & 255 == 255
            header = None
            if kind:
                count = whole()
                first, last = (whole(), whole()) if info & 0x200 else (0, 0) if info & 0x800 else (1, count - 1)
                header = (info, count, first, last, whole() if info & 0x100 else 0)
            name, metadata = take(whole()).decode(), take(whole()).decode()
            node = nodes.pop(0)
            found[name] = (metadata, properties(node) if kind == 0 else values(group(node), kind, header))
        assert not nodes
        return found

    def objects(node):
        nodes = group(node)
        own, text = properties(nodes.pop(0)), block(nodes.pop())
        text, children = text[:-32], []
        while text:
            size, = struct.unpack_from("<I", text)
            name, mark = text[4:4 + size].decode(), text[4 + size]
            assert mark == 255
            length, = struct.unpack_from("<I", text, 5 + size)
            children.append((name, text[9 + size:9 + size + length].decode()) + objects(nodes.pop(0)))
            text = text[9 + size + length:]
        assert not nodes
        return own, children

    found = {}
    own, children = objects(root[2])
    assert not own
    for name, metadata, placing, (mesh,) in children:
        assert metadata.startswith("schema=AbcGeom_Xform_v3;") and placing[".xform"][1][".inherits"][1] == [[1]]
        assert mesh[0] == name and mesh[1].startswith("schema=AbcGeom_PolyMesh_v1;") and name not in found
        geometry = mesh[2][".geom"][1]
        corners, (counts,) = geometry[".faceIndices"][1][0], geometry[".faceCounts"][1]
        assert set(counts) == {3} and len(corners) == 3 * len(counts)
        faces = lambda c: [c[k:k + 3][::-1] for k in range(0, len(c), 3)]  # Alembic's are clockwise
        part = {"positions": geometry["P"][1], "bounds": geometry[".selfBnds"][1], "faces": faces(corners),
                "visible": [v[0] for v in placing["visible"][1]] if "visible" in placing else None, "uvs": None,
                "groups": [(group[0], group[2][".faceset"][1][".faces"][1][0]) for group in mesh[3]]}
        if "uv" in geometry:
            assert "geoScope=fvr" in geometry["uv"][0]
            uv = geometry["uv"][1]
            part["uvs"] = uv[".vals"][1][0]
            part["uv_faces"] = faces(uv[".indices"][1][0])
        found[name] = part
    return found, samplings[1][1]
