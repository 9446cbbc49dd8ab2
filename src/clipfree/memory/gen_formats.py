#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generate the format table from formats.toml, and the tables of channels' formulas (cf_channel.h).

Usage: gen_formats.py FORMATS.toml... --source OUT.c

Rejected with a message and exit status 1: names and codes used twice, unknown types, uses and channels, odd sizes.
"""
import argparse
import bisect
import math
import re
import struct
import sys
import tomllib

TYPES = ["none", "unorm", "snorm", "uint", "sint", "float", "uscaled", "sscaled", "fixed", "srgb", "shared"]
USES = {"t": "TEXTURE", "f": "FILTER", "c": "COLOR", "b": "BLEND", "z": "DEPTH_STENCIL", "v": "VERTEX"}
COMPRESSIONS = {"none": 0, "dxt1_rgb": 8, "dxt1_rgba": 8, "dxt3": 16, "dxt5": 16}  # bytes of a block
VIEW = {"0": "CF_VIEW_ZERO", "1": "CF_VIEW_ONE"}


def channels_of(name, text):
    """[(letter, bit offset, bits)] without the unused ones, and the pixel's size in bytes. Channels that share the
    exponent e reach to its end."""
    offset, result = 0, []
    for part in text.split():
        match = re.fullmatch(r"([rgbazsxe])(\d+)", part)
        if not match:
            raise ValueError(f"{name}: unknown channel '{part}'")
        letter, bits = match.group(1), int(match.group(2))
        if letter not in "xe":
            result.append((letter, offset, bits))
        offset += bits
    if offset % 8:
        raise ValueError(f"{name}: {offset} bits are not whole bytes")
    if "e" in text:
        result = [(letter, start, offset - start) for letter, start, _ in result]
    return result, offset // 8


def view_of(name, channels, view):
    """For r, g, b, a: the index of the channel it reads, or a constant."""
    letters = [c[0] for c in channels]
    if view is None:
        view = "".join(c if c in letters else d for c, d in zip("rgba", "0001"))
    result = []
    for letter in view:
        if letter in VIEW:
            result.append(VIEW[letter])
        elif letter in letters:
            result.append(str(letters.index(letter)))
        else:
            raise ValueError(f"{name}: view names channel '{letter}', which it does not have")
    return result


def row(name, f):
    channels, size_B = channels_of(name, f.get("channels", ""))
    kind = f.get("type", "none")
    if kind not in TYPES:
        raise ValueError(f"{name}: unknown type '{kind}'")
    uses = []
    for letter in f.get("uses", ""):
        if letter not in USES:
            raise ValueError(f"{name}: unknown use '{letter}'")
        uses.append(f"CF_USE_{USES[letter]}")
    entries = []
    for letter, offset, bits in channels:
        channel_kind = "unorm" if kind == "srgb" and letter == "a" else "uint" if letter == "s" else kind
        entries.append(f"{{'{letter}', CF_CHANNEL_{channel_kind.upper()}, {offset}, {bits}}}")
    compression = f.get("compression", "none")
    if compression not in COMPRESSIONS:
        raise ValueError(f"{name}: unknown compression '{compression}'")
    block_B = COMPRESSIONS[compression] or 16 * size_B
    view = view_of(name, channels, f.get("view")) if channels else ["CF_VIEW_ZERO"] * 4
    return (f'   [{f["code"]}] = {{"{name}", {f["code"]}, {size_B}, {len(channels)}, {{{", ".join(entries) or "{0}"}}}, '
            f'{{{", ".join(view)}}}, {" | ".join(uses) or "0"}, CF_COMPRESSION_{compression.upper()}, {block_B}}},')


def srgb_to_linear(c):
    return c / 12.92 if c <= 0.04045 else math.pow((c + 0.055) / 1.055, 2.4)


def bits_of(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def float_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def f32_up(x):
    """The smallest f32 not below x."""
    value = float_of(bits_of(x))
    return value if value >= x else float_of(bits_of(x) + 1)


def array(declaration, values, a_line):
    lines = ["   " + " ".join(f"{value}," for value in values[i:i + a_line]) for i in range(0, len(values), a_line)]
    return f"const {declaration} = {{\n" + "\n".join(lines) + "\n};\n"


def tables():
    """Decoding of the 256 sRGB codes, for code n > 0 the smallest f32 that encodes to n or more, and the rest of cf_channel.h."""
    decode = [srgb_to_linear(n / 255) for n in range(256)]
    encode = [0.0] + [f32_up(srgb_to_linear((n - 0.5) / 255)) for n in range(1, 256)]
    text = array("float cf_srgb_to_linear[256]", [f"{value:.9e}f" for value in decode], 6)
    text += array("float cf_srgb_threshold[256]", [f"{value:.9e}f" for value in encode], 6)
    return text + bucket_table(encode) + estimate_table() + reciprocal_table()


def bucket_table(threshold):
    """The code of the smallest value of each bucket, and the distance of the next: an octave has 128, from 2^-13 on, which no other
    code than 0 reaches. The last, of 1 alone, says 254, so that every code has one above it. No bucket has more than one threshold.
    Nobody looks at what follows: with it an index has 11 bits."""
    starts = [math.ldexp(1 + i % 128 / 128, i // 128 - 13) for i in range(13 * 128 + 1)]
    codes = [min(bisect.bisect_right(threshold, start) - 1, 254) for start in starts]
    assert all(after - before <= 1 for before, after in zip(codes, codes[1:]))
    distances = [min(max(bits_of(threshold[code + 1]) - bits_of(start), 0), 1 << 16) for code, start in zip(codes, starts)]
    assert len(codes) <= 2048
    return array("uint32_t cf_linear_to_srgb[2048]", [f"{c:#x}u << CF_SRGB_CODE_SHIFT | {d:#x}" for c, d in zip(codes, distances)], 4)


def linear_to_srgb(x):
    return 12.92 * x if x <= 0.0031308 else 1.055 * math.pow(x, 1 / 2.4) - 0.055


def estimate_table():
    """The coefficients of c0 + c1 x + c2 x^2, a row of 32 for each: a parabola for each half of an octave from 2^-13 to
    1.5, through 255 srgb(x) + 0.75 at three points (Chebyshev nodes). Its place in a row: bits 22 to 26 of its floats,
    the upper bit of the mantissa and the lower four of the exponent."""
    rows = [[0.0] * 32 for _ in range(3)]
    for half in range(2 * -13, 1):
        first = math.ldexp(1 + half % 2 / 2, half // 2)
        share = 0.25 if half % 2 == 0 else 1 / 6  # of half a step, by where it begins: to 1.5, or from 1.5 to 2
        middle, reach = first * (1 + share), first * share * math.sqrt(3) / 2
        below, at, above = (255 * linear_to_srgb(middle + n * reach) + 0.75 for n in (-1, 0, 1))
        slope, bend = (above - below) / (2 * reach), (above - 2 * at + below) / (2 * reach * reach)
        exact = at - slope * middle + bend * middle * middle, slope - 2 * bend * middle, bend
        for row, value in zip(rows, exact):
            row[bits_of(first) >> 22 & 31] = value
    lines = ["{" + ", ".join(f"{value:.9e}f" for value in row) + "}" for row in rows]
    return array("float cf_srgb_estimate[3][32]", lines, 1)


def reciprocal_table():
    rows = ["{0.0f, 0.0f}"]
    for bits in range(1, 17):
        exact = 1 / ((1 << bits) - 1)
        high = float_of(bits_of(exact) & ~((1 << bits) - 1))
        rows.append(f"{{{high.hex()}f, {float_of(bits_of(exact - high)).hex()}f}}")
    return array("float cf_unorm_reciprocal[17][2]", rows, 2)


def read(path):
    """{name: what formats.toml says of it}"""
    with open(path, "rb") as file:
        return tomllib.load(file)["format"]


def main():
    parser = argparse.ArgumentParser(description="Generate format tables from formats.toml.")
    parser.add_argument("formats", nargs="+", metavar="FORMATS.toml")
    parser.add_argument("--source", required=True)
    args = parser.parse_args()
    formats = [named for path in args.formats for named in read(path).items()]
    try:
        for what, used in ("name", [name for name, _ in formats]), ("code", [f["code"] for _, f in formats]):
            if len(set(used)) != len(used):
                raise ValueError(f"a {what} is used twice")
        rows = "\n".join(row(name, f) for name, f in formats)
    except ValueError as error:
        sys.exit(f"gen_formats.py: {error}")
    head = "/* SPDX-License-Identifier: MIT */\n/* Generated from formats.toml by gen_formats.py; do not edit. */\n"
    with open(args.source, "w", encoding="utf-8") as file:
        file.write(f'{head}#include "clipfree/memory/cf_format.h"\n\n'
                   f"const struct cf_format_info cf_format_table[CF_FORMAT_COUNT] = {{\n{rows}\n}};\n\n{tables()}")


if __name__ == "__main__":
    main()
