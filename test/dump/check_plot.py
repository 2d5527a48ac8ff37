#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what nc3dump --plot draws, on pipes and on pseudo terminals.

Pictures are compared with the lines below, and colours and sixels, decoded
here, with the values.  Terminals answer well, badly, late and not at all.

usage: check_plot.py --bin DIR TESTDATA
"""

import argparse
import contextlib
import fcntl
import math
import os
from pathlib import Path
import pty
import re
import resource
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

SECONDS_MAX = 60
# What a terminal that has sixels says of itself, and one that has not.
SIXEL_ANSWER = b"\x1b[?62;4;22c"
OTHER_ANSWER = b"\x1b[?64;14;42c"
QUESTION = b"\x1b[c"

NAN = math.nan
# Four rows from south to north; values grow with them but for one hole.
GRID = [[0., 1., 2., 3., 4., 5., 6., 7.], [10., 11., 12., NAN, 14., 15., 16.,
        17.], [20., 21., 22., 23., 24., 25., 26., 27.],
        [30., 31., 32., 33., 34., 35., 36., 37.]]

MAP = """\
Height of something (m)
grid, t 2000-01-02 (first of 2)
        30|%%%%%%@@@@@@@@@@
          |++********######
          |------  ======++
         0|..........::::::
          +-+-------------+
            0             7
across: x, down: lat (degrees_north)
0 .:-=+*#%@ 37; blank: missing
"""

LINE = """\
line
line
        19\u2524              \u2880\u2860\u2814\u280a\u2809\u2847              \
\u28c0\u2824\u2812\u2809\u2809
          \u2502         \u2880\u2860\u2814\u2812\u280a\u2801    \u2847         \
\u28c0\u2824\u2812\u2812\u2809
          \u2502    \u2880\u2860\u2824\u2814\u280a\u2801         \u28b8    \
\u28c0\u2824\u2824\u2812\u2809
         0\u2524\u28c0\u2860\u2814\u280a\u2801              \u28b8\u28c0\u2824\
\u2812\u2809
          \u2514\u252c\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\
\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u252c\u2500\u2500\u2500\
\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\
\u2500\u2500\u252c
           0                 20                 39
across: i
0 to 19
"""

failed = []


def expect(condition, what):
    """Notes what is not so."""
    if not condition:
        failed.append(what)
        print(f"not so: {what}")


def make_files(place, classic):
    """Files with maps, lines and odd values."""
    flat = [v for row in GRID for v in row]
    text, double, floats = classic.CHAR, classic.DOUBLE, classic.FLOAT
    missing = ("missing_value", floats, [-999.])
    values = [-999. if math.isnan(v) else v for v in flat]
    evil = b"a\x1b[31mb\x07\xc2\x9b2J\xff" + b"long " * 400
    make = classic.Var
    (place / "a.nc").write_bytes(classic.ClassicWriter(
        dims=(("t", 0), ("lat", 4), ("x", 8), ("i", 40), ("one", 1),
              ("z", 3)),
        variables=(
            make("t", double, "t", [1., 2.],
                (("units", text, "days since 2000-01-01"),)),
            make("lat", floats, "lat", [0., 10., 20., 30.],
                (("units", text, "degrees_north"),)),
            make("grid", floats, "t lat x", values + [-v for v in values],
                (("long_name", text, "Height of something"),
                 ("units", text, "m"), missing)),
            make("line", double, "i", [float(i % 20) for i in range(40)]),
            make("gaps", double, "i", [NAN if 10 <= i < 30 else 1.
                                      for i in range(40)]),
            make("packed", classic.SHORT, "i", list(range(40)),
                (("scale_factor", double, [.5]),
                 ("add_offset", double, [100.]))),
            make("huge", double, "i", [1e308 * (-1) ** i for i in range(40)]),
            make("odd", double, "i", [math.inf, -math.inf, NAN, 5e-324] * 10),
            make("all", double, "i", [NAN] * 40),
            make("same", double, "lat x", [7.] * 32),
            make("scalar", double, "", [6.5]),
            make("single", double, "one one", [2.]),
            make("text", text, "i", b"x" * 40),
            make("evil", floats, "i", None, (("long_name", text, evil),
                                            ("units", text, evil))),
            make("depth", floats, "z", [0., 5., 10.],
                (("positive", text, "down"),)),
            make("z", floats, "z", [0., 5., 10.],
                (("positive", text, "down"),)),
            make("sea", floats, "z x", [float(i) for i in range(24)]),
        ), records=2).build())
    (place / "empty.nc").write_bytes(classic.ClassicWriter(
        dims=(("t", 0), ("x", 4)),
        variables=(make("v", floats, "t x", []),), records=0).build())


def run(program, *arguments, columns="80", lines="24", locale="C", **more):
    """Status, output, messages on pipes."""
    done = subprocess.run(
        [program, *arguments], capture_output=True, check=False,
        stdin=subprocess.DEVNULL, timeout=SECONDS_MAX,
        env={**os.environ, "COLUMNS": columns, "LINES": lines, "LC_ALL":
             locale, "TERM": "xterm-256color"}, **more)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Terminal:
    """A pseudo terminal in which a program has run."""

    # pylint: disable=too-few-public-methods
    def __init__(self, arguments, answer=None, size=(24, 80, 800, 480),
                 typed=b"", **environment):
        start = time.monotonic()
        pid, self.fd = pty.fork()
        if pid == 0:
            with contextlib.suppress(Exception):
                fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", *size))
                # The parent may type now.
                os.write(1, b"!")
                os.read(0, 1)
                for name in ("COLUMNS", "LINES", "NO_COLOR"):
                    os.environ.pop(name, None)
                os.environ.update({"LC_ALL": "C.UTF-8",
                                   "TERM": "xterm-256color", **environment})
                os.execv(arguments[0], arguments)
            os._exit(127)
        while b"!" not in os.read(self.fd, 100):
            pass
        self.before = termios.tcgetattr(self.fd)
        os.write(self.fd, b"\n" + typed)
        self.output, self.left = self.converse(answer)
        self.after = termios.tcgetattr(self.fd)
        self.status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        self.seconds = time.monotonic() - start
        os.close(self.fd)

    def converse(self, answer):
        """All output; the question is answered once."""
        data = b""
        asked = False
        while select.select([self.fd], [], [], SECONDS_MAX)[0]:
            try:
                got = os.read(self.fd, 1 << 16)
            except OSError:
                break
            if not got:
                break
            data += got
            if QUESTION in data and not asked:
                asked = True
                if answer is not None:
                    os.write(self.fd, answer)
        return data.replace(b"\r\n", b"\n"), asked


def check_text(program, place):
    """Lines and maps as text, letter for letter."""
    file = place / "a.nc"
    expect(run(program, "--plot", file) == run(program, "--plot", "grid", file),
           "the largest variable")
    out = run(program, "--plot", "grid", file, columns="36", lines="12")
    expect(out == (0, MAP, ""), f"a map: {out}")
    status, out, _ = run(program, "--plot", "grid[1]", file)
    expect(status == 0 and "grid, t 2000-01-03\n" in out and "-37 .:" in out,
           "the record that is named")
    status, out, _ = run(program, "--plot", "grid[:,2,3]", file)
    expect("grid, lat 20, x 3\n" in out and "-23 to 23" in out and
           "across: t (days since 2000-01-01)" in out, "a line along a time")
    status, out, _ = run(program, "--plot", "line", file, locale="C.UTF-8",
                         columns="50", lines="12")
    expect(out == LINE, f"a line in Braille: {out}")
    status, out, _ = run(program, "--plot", "gaps", file)
    rows = [line[11:] for line in out.splitlines() if "*" in line]
    expect(len(rows) == 1 and re.fullmatch(r" *\*+ {30,}\*+ *", rows[0]) and
           "; gaps: missing" in out, "a gap")
    status, out, _ = run(program, "--plot", "packed[3:5],scalar,single", file)
    expect("101.5 to 102\n" in out and "\nscalar\nscalar\n6.5\n" in out and
           "single, one 0, one 0\n2\n" in out, f"unpacked, scalars: {out}")
    status, out, _ = run(program, "--plot", "sea", file)
    rows = [line for line in out.splitlines() if "|" in line]
    expect(rows[0].endswith("-") and rows[-1].endswith("@") and
           out.index(" 0|") < out.index(" 10|"), "depths go down")
    for name, words in (("huge", "-1e+308 to 1e+308"), ("same", "7 .:"),
                        ("odd", "4.941e-324 to 4.941e-324; gaps"),
                        ("all", "all values are missing")):
        status, out, err = run(program, "--plot", name, file)
        expect(status == 0 and words in out and not err, f"{name}: {out}")


def colour_levels(line):
    """The places in COLOURS of the halves of each cell of a row."""
    upper, lower = [], []
    front = back = None
    for codes, character in re.findall("\x1b\\[([0-9;]*)m|(.)", line):
        if not character:
            front = re.search(r"38;5;(\d+)", codes)
            back = re.search(r"48;5;(\d+)", codes)
            continue
        one = COLOURS.index(int(front[1])) if front else None
        two = COLOURS.index(int(back[1])) if back else None
        upper.append({" ": two, "\u2580": one, "\u2584": two}[character])
        lower.append({" ": two, "\u2580": two, "\u2584": one}[character])
    return upper, lower


# From low to high, as in plot_colour.c.
COLOURS = [53, 54, 55, 24, 25, 30, 31, 36, 71, 77, 113, 149, 185, 227]


def expected_level(value, number):
    """The level of a value of GRID."""
    if math.isnan(value):
        return None
    return min(int(value / 37 * number), number - 1)


def check_picture(rows, number, what):
    """Rows of levels of all of GRID, south below, each cell as large."""
    height, width = len(rows), len(rows[0])
    wrong = 0
    for y, row in enumerate(rows):
        values = GRID[3 - int((y + .5) * 4 / height)]
        for x, level in enumerate(row):
            value = values[int((x + .5) * 8 / width)]
            wrong += level != expected_level(value, number)
    expect(height >= 4 and width >= 8 and wrong == 0,
           f"{what}: {wrong} of {width} x {height} differ")


def sixel_rows(data):
    """Decodes a picture: rows of colours."""
    picture = re.search(r'\x1bP0;1q"1;1;(\d+);(\d+)(.*?)\x1b\\', data, re.S)
    width, height = int(picture[1]), int(picture[2])
    rows = [[None] * width for _ in range(height)]
    x = top = colour = 0
    tokens = r"#(\d+)(;[\d;]+)?|!(\d+)([?-~])|([?-~])|(\$)|(-)"
    for c, palette, n, run_of, one, back, down in re.findall(tokens,
                                                             picture[3]):
        if c:
            colour = colour if palette else int(c)
        elif back or down:
            x, top = 0, top + (6 if down else 0)
        else:
            for _ in range(int(n or 1)):
                for i in range(6):
                    if ord(run_of or one) - 63 >> i & 1:
                        rows[top + i][x] = colour
                x += 1
    return rows


def check_terminals(program, place):
    """Colours, sixels, and terminals of all kinds."""
    file = str(place / "a.nc")
    plot = [str(program), "--plot", "grid", file]
    what = {}
    for name, answer in (("silent", None), ("other", OTHER_ANSWER),
                         ("junk", b"\x1b[?" + b"9;" * 400),
                         ("huge", b"\x1b[?99999999999999999999;;4x;c"),
                         ("no answer", b"c")):
        t = what[name] = Terminal(plot, answer)
        rows = [line.split("\u2524")[-1].split("\u2502")[-1]
                for line in t.output.decode().replace("\x1b[c", "")
                .split("\n") if "\u2502" in line or "\u2524" in line]
        levels = [half for row in rows for half in colour_levels(row)]
        expect(t.status == 0 and t.left and t.before == t.after,
               f"{name}: asked, ended with {t.status}, left as it was")
        check_picture(levels, len(COLOURS), f"colours, {name}")
    expect(what["silent"].seconds > 1 > what["other"].seconds - 2,
           "waits for an answer, and no longer")
    t = Terminal(plot, SIXEL_ANSWER)
    rows = sixel_rows(t.output.decode())
    expect(t.status == 0 and t.before == t.after, "sixels")
    expect(len(rows) % 20 == 0 and len(rows[0]) % 10 == 0,
           "sixels fill whole characters")
    check_picture(rows, 64, "sixels")
    for environment in ({"TERM": "dumb"}, {"TERM": ""}, {"NO_COLOR": "1"}):
        t = Terminal(plot, SIXEL_ANSWER, **environment)
        expect(t.status == 0 and not t.left and b"\x1b" not in t.output,
               f"text: {environment}")
    t = Terminal(plot, SIXEL_ANSWER, (24, 80, 0, 0))
    expect(not t.left and b"48;5;227m" in t.output,
           "who says nothing of pixels is not asked")
    t = Terminal(plot, SIXEL_ANSWER, typed=b"ls\n")
    expect(t.status == 0 and not t.left, "who types ahead is not asked")
    t = Terminal(plot + ["--plot-as=text"], SIXEL_ANSWER)
    expect(not t.left and b"\x1b" not in t.output, "--plot-as=text")
    t = Terminal(plot, None, TERM="xterm", LC_ALL="C")
    expect(t.output.isascii() and b"48;5;227m" in t.output,
           "colours without Unicode")


def without_codes(text):
    """What is seen of an output."""
    text = re.sub("\x1bP.*?\x1b\\\\", "", text, flags=re.S)
    return re.sub("\x1b(\\[[0-9;]*[A-Za-z]|[78])", "", text)


def check_sizes(program, place):
    """Whatever a terminal or the environment says of the size."""
    file = str(place / "a.nc")
    numbers = ("0", "1", "-7", "23", "31", "80", "100000",
               "99999999999999999999",
               "8x", "")
    for columns, lines in ([(n, "24") for n in numbers] +
                           [("80", n) for n in numbers] + [("1", "1")]):
        for form in ("text", "colour", "sixel"):
            for name in ("grid", "line", "evil"):
                status, out, err = run(
                    program, "--plot", name, "--plot-as", form, file,
                    columns=columns, lines=lines, locale="C.UTF-8")
                seen = without_codes(out).splitlines()
                limit = 80 if columns in ("0", "-7", "8x", "") or \
                    len(columns) > 6 else min(max(int(columns), 24), 400)
                expect(status == 0 and not err and
                       all(len(line) <= max(limit, 80) if "blank" in line
                           else len(line) <= limit for line in seen) and
                       len(seen) < 220, f"{columns} x {lines}: {name} {form}")
                expect(form != "text" or "\x1b" not in out, "no codes")
    for size in ((0, 0, 0, 0), (1, 1, 1, 1), (65535,) * 4, (24, 80, 1, 1)):
        t = Terminal([str(program), "--plot", "grid", "--plot-as=sixel",
                      file], SIXEL_ANSWER, size)
        rows = sixel_rows(t.output.decode())
        expect(t.status == 0 and len(rows) <= 1000 and len(rows[0]) <= 1000,
               f"a terminal of {size}")


def check_hostile(program, place):
    """Names that command terminals, what is no map, damage."""
    for form in ("text", "colour"):
        for locale in ("C", "C.UTF-8"):
            _, out, _ = run(program, "--plot", "evil", "--plot-as", form,
                            place / "a.nc", locale=locale)
            expect("a?[31mb??2J?long long" in out and "\x1b[31m" not in out
                   and "\x9b" not in out, "names are text")
    for arguments, code, words in (
            (("--plot", "text"), 1, "variable text: text cannot be drawn"),
            (("--plot", "nothing"), 1, "no such variable"),
            (("--plot", "line[50]"), 1, "is beyond its length 40"),
            (("--plot", ","), 1, "no variable is named"),
            (("--plot", "line", "-v", "line"), 2, "leave out -v"),
            (("--plot", "line", "--json"), 2, "other forms"),
            (("--plot-as", "text"), 2, "needs --plot"),
            (("--plot", "line", "--plot-as", "gif"), 2, "sixel, not: gif")):
        status, out, err = run(program, *arguments, place / "a.nc")
        expect((status, out) == (code, "") and words in err, str(arguments))
    status, _, err = run(program, "--plot", "v", place / "empty.nc")
    expect(status == 1 and "it has no values" in err, "no records")
    archive = place / "a.nc.nc3z"
    subprocess.run([program.parent / "nc3compress", "-qkf", "--codec=store",
                    place / "a.nc"], check=True)
    data = bytearray(archive.read_bytes())
    want = run(program, "--plot", "line", place / "a.nc")
    expect(run(program, "--plot", "line", archive) == want, "an archive")
    at = data.index(struct.pack(">3d", 1., 2., 3.)) if \
        struct.pack(">3d", 1., 2., 3.) in data else len(data) // 2
    for i in range(max(at - 200, 64), at + 200):
        data[i] ^= 0x55
    archive.write_bytes(data)
    status, _, err = run(program, "--plot", "line,grid,packed", archive)
    expect(status == 4 and err, "damage is said")


def check_large(program, place, classic):
    """3.6 GB, nearly all of it holes: thinned, in little memory."""
    file = place / "large.nc"
    side = 30000
    writer = classic.ClassicWriter(
        2, dims=(("y", side), ("x", side)),
        variables=(classic.Var("v", classic.FLOAT, "y x"),))
    header = writer.header([1 << 20])
    file.write_bytes(header)
    with open(file, "r+b") as f:
        f.truncate((1 << 20) + 4 * side * side)
    # No threads run.  pylint: disable-next=W1509
    with subprocess.Popen(
            [program, "--plot", "v,v[0]", file], stdout=subprocess.PIPE,
            env={**os.environ, "COLUMNS": "80", "LINES": "24"},
            preexec_fn=None if os.environ.get("NC3Z_SANITIZE") else
            lambda: resource.setrlimit(resource.RLIMIT_AS,
                                       (256 << 20, 256 << 20))) as process:
        out = process.stdout.read().decode()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        read = re.search(r"rchar: (\d+)", Path(
            f"/proc/{process.pid}/io").read_text(encoding="ascii"))
    # 434 of 32 rows, 30000 values each, at most, would be all of them
    expect(process.returncode == 0 and "values read" in out, "a large one")
    expect(int(read[1]) < 64 << 20, f"{read[1]} bytes of 3600000000")
    file.unlink()


def main():
    """Runs all checks in a directory of their own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("testdata", type=Path)
    args = parser.parse_args()
    sys.path.insert(0, str(args.testdata))
    classic = __import__("classic_writer")
    program = args.bin / "nc3dump"
    with tempfile.TemporaryDirectory(prefix="nc3z-plot-") as name:
        place = Path(name)
        make_files(place, classic)
        check_text(program, place)
        check_terminals(program, place)
        check_sizes(program, place)
        check_hostile(program, place)
        check_large(program, place, classic)
    print(f"{len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
