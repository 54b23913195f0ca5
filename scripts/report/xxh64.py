"""XXH64 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md), of which the report's packages have none."""

import struct

P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
MASK = (1 << 64) - 1


def rotate(value: int, by: int) -> int:
    return (value << by | value >> 64 - by) & MASK


def xxh64(data: bytes) -> str:
    """With the seed 0, in hexadecimal."""
    def mixed(lane: int, word: int) -> int:
        return rotate(lane + word * P2 & MASK, 31) * P1 & MASK

    whole = len(data) // 32 * 32
    total = P5
    if whole:
        a, b, c, d = (P1 + P2) & MASK, P2, 0, -P1 & MASK
        for one, two, three, four in struct.iter_unpack("<4Q", data[:whole]):
            a, b, c, d = mixed(a, one), mixed(b, two), mixed(c, three), mixed(d, four)
        total = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18) & MASK
        for lane in (a, b, c, d):
            total = ((total ^ mixed(0, lane)) * P1 + P4) & MASK
    total = total + len(data) & MASK
    rest = data[whole:]
    for (word,) in struct.iter_unpack("<Q", rest[:len(rest) // 8 * 8]):
        total = (rotate(total ^ mixed(0, word), 27) * P1 + P4) & MASK
    rest = rest[len(rest) // 8 * 8:]
    if len(rest) >= 4:
        total = (rotate(total ^ int.from_bytes(rest[:4], "little") * P1 & MASK, 23) * P2 + P3) & MASK
        rest = rest[4:]
    for byte in rest:
        total = rotate(total ^ byte * P5 & MASK, 11) * P1 & MASK
    total = (total ^ total >> 33) * P2 & MASK
    total = (total ^ total >> 29) * P3 & MASK
    return f"{total ^ total >> 32:016x}"
