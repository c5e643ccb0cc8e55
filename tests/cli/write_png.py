"""write_png.py: writes PNG files, and reads binary glTF, for the tests of pictures."""
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


def read_glb(path):
    """The JSON and the bytes of the buffer."""
    with open(path, "rb") as file:
        data = file.read()
    magic, version, total, length, kind = struct.unpack("<4sIII4s", data[:20])
    assert magic == b"glTF" and version == 2 and total == len(data) and kind == b"JSON"
    return json.loads(data[20:20 + length]), data[28 + length:]
