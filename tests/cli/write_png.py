"""write_png.py: writes and reads PNG files, and reads binary glTF, for the tests of pictures."""
import json
import struct
import zlib


def chunk(tag, data):
    return struct.pack(">I", len(data)) + tag + data + struct.pack(">I", zlib.crc32(tag + data))


def write_png(path, width, height, depth, kind, rows, palette=None):
    """`kind`: 0 gray, 2 colors, 3 palette. `rows`: bytes of each row, from the top."""
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    colors = chunk(b"PLTE", palette) if palette else b""
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + colors + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def read_png(path):
    """Width, height and rows of (red, green, blue), from the top, of a file with 8 bits a color and no palette."""
    with open(path, "rb") as file:
        data = file.read()
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and depth == 8 and kind == 2
    packed, at = b"", 8
    while at < len(data):
        size, tag = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + size] if tag == b"IDAT" else b""
        at += size + 12
    raw, rows, before = zlib.decompress(packed), [], bytes(3 * width)
    for y in range(height):
        start = y * (3 * width + 1)
        row = bytearray(raw[start + 1:start + 1 + 3 * width])
        for x in range(3 * width): # filters of the PNG specification, 9.2
            a, b, c = row[x - 3] if x >= 3 else 0, before[x], before[x - 3] if x >= 3 else 0
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[x] = (row[x] + (0, a, b, (a + b) // 2, nearest)[raw[start]]) % 256
        rows.append([tuple(row[3 * x:3 * x + 3]) for x in range(width)])
        before = row
    return width, height, rows


def read_glb(path):
    """The JSON and the bytes of the buffer."""
    with open(path, "rb") as file:
        data = file.read()
    magic, version, total, length, kind = struct.unpack("<4sIII4s", data[:20])
    assert magic == b"glTF" and version == 2 and total == len(data) and kind == b"JSON"
    return json.loads(data[20:20 + length]), data[28 + length:]
