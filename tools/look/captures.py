# SPDX-License-Identifier: MIT
"""Captures made by hand, for tests of tools: packets and structures by the names of packets.toml, programs as assembly.

    capture = Captured(asm)                  # asm: path of clipfree-asm
    color = capture.surface('r8g8b8a8_unorm', 8, 8)
    capture.frame(color)
    capture.packet('draw', prim='triangles', count=3, instances=1)
    capture.submit()
    capture.write(path)
"""
import struct
import subprocess
import sys
from pathlib import Path

INTERFACE = Path(__file__).resolve().parents[2] / "src/clipfree/interface"
sys.path.insert(0, str(INTERFACE))
import gen_packets  # noqa: E402

MAGIC_PLAIN = b"clipfree capture 4\n"
MAGIC = b"clipfree capture 5\n"
MEMORY, SUBMIT, FRAME, NOTE, END = 1, 2, 3, 4, 5
# fields of notes (interface/cf_note.h), and their scalars
CALL, GROUP, LABEL, SOURCE, INPUT, OUTPUT, UNIFORM, LINES, LOCAL, NIR, NIR_LINES = 1, 2, 4, 6, 8, 9, 10, 11, 12, 13, 14
FLOAT, INT, UINT, BOOL, SAMPLER = range(5)
PAGE_B = 4096
BLOCK_B = 128 << 10        # most bytes of a block of zstd
ENUMS, CHECKED, RECORDS = gen_packets.load(INTERFACE / "packets.toml", INTERFACE / "formats.toml")
RECORD = {record.name: record for record in RECORDS}
POSITIONS = """sys v4, vertex_id
ldf v0, 0[v4]
ldf v5, 1[v4]
out 0, v0
out 1, v1
out 2, v2
out 3, v3
out 8, v5
out 9, v6
out 10, v7
out 11, v8
end
"""
COLORS = "".join(f"ldvar v{i}, {i}, smooth\n"
                 for i in range(4)) + "".join(f"out {i}, v{i}\n" for i in range(4)) + "end\n"


def bits_of_float(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def bits_of(field, value):
    if field.is_enum:
        return CHECKED[field.type][value] if isinstance(value, str) else value
    if field.type == "float":
        return bits_of_float(value)
    return int(value) & (2**64 - 1 if field.type == "address" else 2**32 - 1)


def packed(name, **values):
    """The dwords of a packet or structure as bytes; fields that are not given are 0."""
    record = RECORD[name]
    words = [0] * record.dwords
    if record.is_packet:
        words[0] = record.opcode | record.dwords << 16
    fields = {field.name: field for field in record.fields}
    for key, value in values.items():
        field = fields[key]
        for i, element in enumerate(value if field.is_array else [value]):
            bits = bits_of(field, element)
            at = field.first_dw + i * field.dw_each
            words[at] |= (bits & 0xffffffff) << field.low if field.type != "address" else bits & 0xffffffff
            if field.type == "address":
                words[at + 1] = bits >> 32
    return struct.pack(f"<{len(words)}I", *words)


def packed_variable(place, rows=1, columns=1, elements=1, stride_dw=0, scalar=FLOAT):
    """A struct cf_note_variable."""
    return struct.pack("<IIIHBB", place, stride_dw or rows, elements, scalar, rows, columns)


def packed_lines(*entries):
    """Lines of a program: (instruction, text line), and further (line, string, object) where they differ."""
    return b"".join(struct.pack("<IHHII", instr, *(more[2:3] or (0,)), *(more[1:2] or (0,)),
                                *(more[:1] or (text_line,)), text_line)
                    for instr, text_line, *more in entries)


def zstd_frame(*pieces):
    """A zstd frame (RFC 8878) of bytes as they are, and of (byte, count): of one byte repeated."""
    blocks = []  # (type, size, content)
    for piece in pieces:
        if isinstance(piece, tuple):
            byte, count = piece
            blocks += [(1, min(BLOCK_B, count - at), bytes([byte])) for at in range(0, count, BLOCK_B)]
        else:
            blocks += [(0, len(piece[at:at + BLOCK_B]), piece[at:at + BLOCK_B]) for at in range(0, len(piece), BLOCK_B)]
    frame = bytearray(struct.pack("<IBB", 0xfd2fb528, 0, 7 << 3))  # a window of 128 KiB
    for i, (kind, size, content) in enumerate(blocks):
        frame += struct.pack("<I", (i + 1 == len(blocks)) | kind << 1 | size << 3)[:3] + content
    return bytes(frame)


class Captured:
    """Memory that grows from its first page on, and command buffers in it."""

    def __init__(self, asm):
        self.asm = asm
        self.memory = bytearray()
        self.submissions = []   # (memory, address, size)
        self.notes = []         # (address, data)
        self.frames = []        # (submissions before it, descriptor)
        self.commands = b""
        self.places = []        # (name, offset) of the packets of the command buffer so far

    def put(self, data, align=64):
        """The address of a copy of data."""
        self.memory += bytes(-len(self.memory) % align)
        address = PAGE_B + len(self.memory)
        self.memory += data
        return address

    def surface(self, form, width_px, height_px, samples=1):
        """The address of the descriptor of an image in blocks, and that of its pixels."""
        pixel_B = {"r8g8b8a8_unorm": 4, "z24_unorm_s8_uint": 4}[form]
        pitch_B = 4 * width_px * pixel_B * samples
        size_B = pitch_B * (height_px // 4)
        pixels = self.put(bytes(size_B))
        return self.put(packed("surface", address=pixels, width_px=width_px, height_px=height_px, row_pitch_B=pitch_B,
                               format=form, layout="blocks", samples=samples, size_B=size_B)), pixels

    def program(self, stage, text, **values):
        words = subprocess.run([self.asm], input=text.encode(), capture_output=True, check=True).stdout
        code = self.put(words)
        return self.put(packed("program", stage=stage, code=code, code_instrs=len(words) // 8, **values))

    def packet(self, name, **values):
        self.places.append((name, len(self.commands)))
        self.commands += packed(name, **values)

    def frame(self, color, zs=None, width_px=8, height_px=8, samples=1):
        """A frame buffer with all writes on and no tests; programs that pass positions and colours of vertices
        through."""
        self.packet("framebuffer", width_px=width_px, height_px=height_px, color_count=1, samples=samples,
                    depth_stencil=zs[0] if zs else 0, color=[color[0]])
        self.packet("viewport", scale_x=width_px / 2, scale_y=height_px / 2, scale_z=0.5, translate_x=width_px / 2,
                    translate_y=height_px / 2, translate_z=0.5)
        self.packet("scissor", max_x_px=width_px, max_y_px=height_px)
        self.raster()
        self.packet("blend", write_mask=0xf)
        self.packet("sample_mask", mask=0xffff)
        vertex = self.program("vertex", POSITIONS, vector_regs=9, outputs=12, sysvals=1 << 0)
        fragment = self.program("fragment", COLORS, vector_regs=4, outputs=4, inputs=4, color_outputs=1)
        self.packet("shader", stage="vertex", program=vertex)
        self.packet("shader", stage="fragment", program=fragment)
        self.packet("varyings", count=1, address=self.put(packed("link", slot=0, present=True)))

    def second_color(self, **factors):
        """Blend with a second colour: the vertices' alpha, blue and green, and a uniform, which is 0."""
        text = COLORS.replace("end\n", "out 4, v3\nout 5, v2\nout 6, v1\nout 7, u0\nend\n")
        program = self.program("fragment", text, vector_regs=4, outputs=8, inputs=4, color_outputs=3)
        self.packet("shader", stage="fragment", program=program)
        self.packet("blend", **({"write_mask": 15, "enable": True} | factors))

    def raster(self, **values):
        """Front faces are counter-clockwise in clip space."""
        defaults = {"half_pixel_center": True, "depth_clip_near": True, "depth_clip_far": True,
                    "line_width_px": 1.0, "point_size_px": 1.0}
        self.packet("raster", **(defaults | values))

    def vertices(self, positions, colors):
        """Bind positions (x, y, z, w) and colours (r, g, b, a)."""
        elements = b""
        for rows in positions, colors:
            data = b"".join(struct.pack("<4f", *row) for row in rows)
            elements += packed("vertex_element", address=self.put(data), size_B=len(data), stride_B=16,
                               format="r32g32b32a32_float")
        self.packet("vertex_elements", count=2, address=self.put(elements))

    def feedback(self, outputs, buffers, restart=True):
        """Bind transform feedback: outputs (first, dwords, buffer, offset_dw), buffers (address, bytes, dwords of an
        element, address of the count)."""
        table = b"".join(packed("feedback_output", first=first, dwords=dwords, buffer=buffer, offset_dw=offset)
                         for first, dwords, buffer, offset in outputs)
        rest = [(0, 0, 0, 0)] * (4 - len(buffers))
        address, size_B, stride_dw, filled = zip(*buffers, *rest)
        self.packet("feedback", outputs=len(outputs), restart=(1 << len(buffers)) - 1 if restart else 0,
                    output_address=self.put(table), address=address, size_B=size_B, stride_dw=stride_dw,
                    filled=filled)

    def draw(self, **values):
        self.packet("draw", **({"prim": "triangles", "count": 3, "instances": 1} | values))

    def note(self, address, *fields):
        """What a person knows of the thing at an address: (field, text), (field, variable of packed_variable, text), or
        (field, lines of packed_lines)."""
        data = b""
        for field, *variable, text in fields:
            payload = b"".join(variable) + (text if isinstance(text, bytes) else text.encode() + b"\0")
            data += struct.pack("<II", field, len(payload)) + payload
        self.notes.append((address, data))

    def submit(self):
        """End the command buffer. Returns the addresses of its packets: [(name, address)]."""
        self.packet("end")
        address = self.put(self.commands)
        places = [(name, address + offset) for name, offset in self.places]
        self.submissions.append((bytes(self.memory), address, len(self.commands)))
        self.commands, self.places = b"", []
        return places

    def present(self, surface):
        """A frame that shows the image of this descriptor."""
        at = surface - PAGE_B
        self.frames.append((len(self.submissions), bytes(self.memory[at:at + 4 * RECORD["surface"].dwords])))

    def records(self):
        """(kind, number, address, size, payload)"""
        shown = 0
        for number, (memory, address, size_B) in enumerate(self.submissions):
            memory += bytes(-len(memory) % PAGE_B)
            yield MEMORY, 0, PAGE_B, len(memory), memory
            yield from ((NOTE, 0, place, len(data), data) for place, data in self.notes)
            yield SUBMIT, 0, address, size_B, b""
            for after, data in self.frames:
                if after == number + 1:
                    yield FRAME, shown, struct.unpack_from("<Q", data)[0], len(data), data
                    shown += 1

    def write(self, path):
        """A file that is not compressed."""
        with open(path, "wb") as file:
            file.write(MAGIC_PLAIN)
            for *record, payload in self.records():
                file.write(struct.pack("<IIQQ", *record) + payload)

    def write_compressed(self, path, filled=(), ends=True):
        """A compressed file. filled: (address, byte, size) of memory that is full of a byte. ends: its process was
        not killed."""
        with open(path, "wb") as file:
            file.write(MAGIC)
            for address, byte, size_B in filled:
                file.write(zstd_frame(struct.pack("<IIQQ", MEMORY, 0, address, size_B), (byte, size_B)))
            for *record, payload in self.records():
                file.write(zstd_frame(struct.pack("<IIQQ", *record), payload))
            if ends:
                file.write(zstd_frame(struct.pack("<IIQQ", END, 0, 0, 0)))
