# SPDX-License-Identifier: MIT
"""Checks files and variables as their users know them; see checks.py."""

import base64
import html.parser
import pickle
import re
import struct
import subprocess
import sys
import zlib

import numpy

import nc3z
from common import GRID, TESTDATA, SAMPLE, damaged, expect, pack, raises
from nc3z import _picture


def check_mapping():
    """A file is a mapping, a variable an array, both have attributes."""
    file = nc3z.File(pack("cdf1-packed-short.nc"))
    names = list(file.variables)
    expect(list(file) == list(file.keys()) == names and len(file) ==
           len(names) and "no such" not in file and names[0] in file)
    expect([name for name, _ in file.items()] == names)
    for get in file.__getitem__, file.variables.__getitem__:
        expect(f"'no such'; there are {', '.join(names)}" in
               str(raises(KeyError, get, "no such")))
    expect(file.get("no such") is None and dict(file) == file.variables)
    expect(file._ipython_key_completions_() == names)
    expect(file in [file] and file != nc3z.File(file.path) and hash(file))
    variable = next(v for v in file.values() if "scale_factor" in v.attrs)
    expect(variable is file[variable.name] and variable.file is file)
    expect(variable.ndim == len(variable.dims) == len(variable.shape)
           and variable.size == numpy.prod(variable.shape) and
           variable.nbytes == variable.size * 2 and variable.dims ==
           variable.dimensions and len(variable) == variable.shape[0])
    expect(variable.scale_factor == variable.attrs["scale_factor"]
           and "scale_factor" in dir(variable) and
           "scale_factor" in variable.ncattrs())
    raises(AttributeError, getattr, variable, "no_such")
    rows = list(variable)
    expect(numpy.array_equal(rows, variable[...]))
    expect(numpy.array_equal(numpy.asarray(variable), variable[...])
           and numpy.asarray(variable, "f8").dtype == "f8")
    expect(file.dims == file.dimensions and file.attrs == file.attributes)
    expect(str(file.keys()) == str(file.variables.keys()))
    expect(variable.getncattr("scale_factor") == variable.scale_factor)
    for each in file, variable:
        raises(AttributeError, each.getncattr, "no_such")
        for name in "scale_factor", "units_of_mine":
            expect("reading" in str(raises(AttributeError, setattr, each,
                                           name, 1)), name)
    expect({"netcdf4", "zarr", "File", "pack"} <= set(dir(nc3z)))
    with file:
        expect(bool(file))
    expect(not file and "closed" in repr(file) and
           "closed" in repr(variable) and file._repr_html_()
           and variable._repr_html_())
    raises(ValueError, pickle.dumps, file)


def check_dimensions():
    """Lengths, with what netCDF4 has of dimensions; and modes."""
    file = nc3z.File(pack(GRID), "r")
    for name, found in file.dimensions.items():
        for each in found, pickle.loads(pickle.dumps(found)):
            expect(each == len(each) == each.size == file.dims[name]
                   and each.name == name
                   and each.isunlimited() == (name == file.unlimited), name)
    expect(len(file.dimensions["time"]) == 24 and file.unlimited == "time")
    for mode in "w", "a", "r+":
        error = raises(ValueError, nc3z.File, file.path, mode)
        expect("nc3z.pack()" in str(error), error)


def check_unpacked():
    """Files whose variables are all unpacked travel; types are small."""
    file = nc3z.File(pack(GRID))
    expect(file["sst"].dtype == "f4" == file["sst"].unpacked().dtype)
    packed = nc3z.File(pack("cdf1-packed-short.nc"), unpacked=True)
    again = pickle.loads(pickle.dumps(packed))
    for name, variable in packed.items():
        expect(variable.dtype == variable[...].dtype, name)
        expect(numpy.array_equal(variable[...], again[name][...],
                                 equal_nan=variable.dtype.kind == "f"), name)


def check_info():
    """How it is stored, as nc3compress -lv says it."""
    found = nc3z.info(pack(GRID, "--chunks", "time/5,lat/7,lon/11"))
    storage = found.variables["sst"]
    expect(storage.chunks == (5, 7, 11) and storage.ratio > 1
           and storage.nbytes == 24 * 30 * 60 * 4 and storage.coding
           and not storage.is_shared, storage)
    expect(found.variables["time"].ratio is None)
    lines = str(found).splitlines()
    expect(found.ratio == found.summary.ratio and
           len(lines) == 1 + len(found.variables) and "ratio" in lines[0] and
           any("chunks (5, 7, 11)" in line and storage.coding in line
               for line in lines), lines)
    expect(found.summary == nc3z.verify(pack(
        GRID, "--chunks", "time/5,lat/7,lon/11"), quick=True))
    raises(nc3z.NotArchiveError, nc3z.info, TESTDATA / GRID)
    plain = nc3z.File(TESTDATA / GRID)
    expect(not plain.is_archive and plain["sst"].chunks is None
           and "plain CDF-2" in repr(plain) and plain._repr_html_())


class Tags(html.parser.HTMLParser):
    """Whether tags are closed, and what is asked for elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.open, self.images, self.names = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        if tag == "img":
            self.images.append(dict(attrs)["src"])
        else:
            self.open.append(tag)

    def handle_endtag(self, tag):
        expect(self.open and self.open.pop() == tag, tag)


def decode_png(data):
    """Width, height and palette numbers of a PNG."""
    expect(data[:8] == b"\x89PNG\r\n\x1a\n")
    at, chunks = 8, {}
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + length]
        expect(struct.unpack_from(">I", data, at + 8 + length)[0] ==
               zlib.crc32(kind + body))
        chunks[kind] = body
        at += 12 + length
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    rows = numpy.frombuffer(zlib.decompress(chunks[b"IDAT"]), "u1")
    return rows.reshape(height, width + 1)[:, 1:], len(chunks[b"PLTE"])


def check_html():
    """Tags are closed, text is escaped, nothing is loaded; a map is seen."""
    for name in SAMPLE:
        file = nc3z.File(pack(name))
        for text in [file._repr_html_()] + [variable._repr_html_() for
                                            variable in file.values()]:
            tags = Tags(text)
            expect(not tags.open and "script" not in tags.names and
                   "link" not in tags.names, name, tags.open)
            expect(all(url.startswith("data:") for url in tags.images))
            expect("url(" not in text and "@import" not in text)
        expect(repr(file) and all(map(repr, file.values())))
    file = nc3z.File(pack("cdf1-float-grid-with-holes.nc"))
    variable = max(file.values(), key=lambda v: v.size)
    image = Tags(variable._repr_html_()).images[0]
    pixels, palette = decode_png(base64.b64decode(image.split(",")[1]))
    wanted = variable.unpacked()[(0,) * (variable.ndim - 2)]
    if _picture._is_upside_down(variable):
        wanted = wanted[::-1]
    expect(palette == 768 and pixels.shape == wanted.shape)
    expect(((pixels == 0) == numpy.isnan(wanted)).all())
    order = numpy.argsort(wanted[~numpy.isnan(wanted)])
    expect((numpy.diff(pixels[~numpy.isnan(wanted)][order].astype(int))
            >= 0).all())


def check_html_is_escaped():
    """Names and texts of a file cannot become tags."""
    from nc3z import _classic
    import io
    evil = "<img src=x>"
    target = io.BytesIO()
    nc3z.pack(_classic.ClassicBytes(
        {evil: 8, "y": 8},
        [_classic.Array(evil, [evil, "y"], (8, 8), "f4",
                        lambda key: numpy.eye(8, dtype="f4")[key],
                        {"units": evil, evil: evil})],
        {"title": evil}), target)
    file = nc3z.File(target.getvalue())
    for text in file._repr_html_(), file[evil]._repr_html_():
        expect(evil not in text and
               all(url.startswith("data:") for url in Tags(text).images))


def check_damaged_html():
    """A damaged file is shown all the same, and says so."""
    archive = pack(GRID, "-b", "16K")
    with nc3z.File(damaged(archive.read_bytes(), 600)) as file:
        raises(nc3z.DamagedError, file["sst"].__getitem__, ...)
        expect("damaged" in file["sst"]._repr_html_())


def check_module():
    """python3 -m nc3z says where all is, and that it works."""
    done = subprocess.run([sys.executable, "-m", "nc3z"], check=False,
                          capture_output=True, text=True)
    expect(done.returncode == 0 and nc3z.library_path() in done.stdout
           and "FAILED" not in done.stdout, done.stdout, done.stderr)
    expect(re.search(r"check nc3z: +packed, read", done.stdout),
           done.stdout)
    done = subprocess.run([sys.executable, "-m", "nc3z", "--help"],
                          check=True, capture_output=True, text=True)
    expect("usage: python3 -m nc3z" in done.stdout)
