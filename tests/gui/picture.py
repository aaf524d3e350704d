"""PNG files as tests look at them: 8 bits a channel, not interlaced, read by the standard library alone."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}


class Picture:
    """Width, height and the pixels of each row, a tuple of channels each."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        assert data.startswith(SIGNATURE), "{} is no PNG".format(path)
        packed = b""
        for kind, chunk in chunks(data):
            if kind == b"IHDR":
                self.width, self.height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
                assert depth == 8 and color in CHANNELS and not interlaced, (depth, color, interlaced)
                self._channels = CHANNELS[color]
            elif kind == b"IDAT":
                packed += chunk
        self._rows = unfiltered(zlib.decompress(packed), self.width * self._channels, self._channels)
        assert len(self._rows) == self.height

    def colors(self):
        """Each colour and how many pixels have it."""
        counts = {}
        for row in self._rows:
            for at in range(0, len(row), self._channels):
                pixel = bytes(row[at:at + self._channels])
                counts[pixel] = counts.get(pixel, 0) + 1
        return counts


def chunks(data):
    at = len(SIGNATURE)
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + size]
        checksum, = struct.unpack(">I", data[at + 8 + size:at + 12 + size])
        assert zlib.crc32(kind + chunk) == checksum, "the PNG is damaged"
        yield kind, chunk
        at += 12 + size


def unfiltered(raw, stride, channels):
    rows = []
    above = bytearray(stride)
    for at in range(0, len(raw), stride + 1):
        row = bytearray(raw[at + 1:at + 1 + stride])
        undo(raw[at], row, above, channels)
        rows.append(row)
        above = row
    return rows


def undo(kind, row, above, channels):
    for i in range(len(row)) if kind else ():
        left = row[i - channels] if i >= channels else 0
        corner = above[i - channels] if i >= channels else 0
        guess = (0, left, above[i], (left + above[i]) // 2, nearest(left, above[i], corner))[kind]
        row[i] = (row[i] + guess) & 255


def nearest(left, up, corner):
    estimate = left + up - corner
    return min((left, up, corner), key=lambda each: abs(estimate - each))
