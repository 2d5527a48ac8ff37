# SPDX-License-Identifier: MIT
"""Random datasets of xarray: what to_netcdf() writes, pack() packs, to the
byte; what it refuses, pack() refuses.  See checks.py.

NC3Z_DATASETS=N takes N of them."""

import io
import os
import warnings

import numpy

from checks_dataset import written
from common import expect

COUNT = int(os.environ.get("NC3Z_DATASETS", "150"))

NAMES = ("x", "y", "time", "string1", "string4", "a", "v 1", "x-1", "9", "_u",
         "\u00e9", "temp@2m", "b.c")
# libnetcdf takes another form of the one, and refuses the others.
ODD_NAMES = ("e\u0301", "a/b", " a", "a ", "", "a\tb", "v" * 300, "-a", 5)
KINDS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "f4", "f8", ">f4", ">i2",
         "?", "U", "S", "M8[ns]", "m8[ns]", "cftime")
ODD_KINDS = ("f2", "c8", "large")
FORMATS = ("NETCDF3_CLASSIC", "NETCDF3_64BIT")
# netCDF4 repeats one value along a longer dimension, and writes one attribute
# over another.
STRICTER = ("elements, and", "another one has this name")


class Maker:
    """Makes a dataset of a number."""

    def __init__(self, seed, xarray, cftime):
        self.rng = numpy.random.default_rng(seed)
        self.xarray, self.cftime = xarray, cftime
        self.is_odd = self.chance(0.15)

    def chance(self, p):
        """True once in a while."""
        return bool(self.rng.random() < p)

    def pick(self, usual, odd=()):
        """One of them; in an odd dataset, sometimes an odd one."""
        choices = odd if odd and self.is_odd and self.chance(0.15) else usual
        return choices[self.rng.integers(len(choices))]

    def text(self):
        """A word."""
        return self.pick(("", "a", "bc", "\u00e4\u00f6", "word", "eight888"))

    def attribute(self):
        """A value."""
        return self.pick(
            (3, 2.5, "text", "", "\u00e4", [1, 2, 3], [0.5, 1.5], (7,),
             numpy.float32(1.5), numpy.int16(-3), numpy.arange(3, dtype="u1"),
             numpy.arange(2.0), ["a", "bc"], [], numpy.array("word")),
            (None, {"a": 1}, 2 ** 40, [[1, 2], [3, 4]], [1, 2 ** 33], 1j,
             numpy.bool_(True), numpy.datetime64("2001-01-01")))

    def attributes(self):
        """Some."""
        return {self.pick(NAMES, ODD_NAMES): self.attribute()
                for _ in range(self.rng.integers(3))}

    def times(self, shape):
        """Of a calendar that numpy does not have."""
        days = self.rng.integers(1, 29, shape)
        return numpy.vectorize(lambda day: self.cftime.DatetimeNoLeap(
            2001, 2, day), otypes=[object])(days)

    def values(self, kind, shape):
        """An array."""
        if kind == "cftime":
            return self.times(shape)
        if kind in "US":
            words = [self.text() for _ in range(int(numpy.prod(shape)))]
            if kind == "S":
                words = [word.encode() for word in words]
            return numpy.array(words, dtype=kind + "9").reshape(shape)
        if kind == "large":
            return self.rng.integers(2 ** 40, size=shape)
        if kind == "?":
            return self.rng.random(shape) < 0.5
        array = self.rng.integers(0, 100, shape)
        if kind[0] in "Mm":
            return array.astype("m8[h]").astype("m8[ns]") + \
                numpy.array(0, kind)
        array = array.astype(kind)
        if array.dtype.kind == "f" and array.size and self.chance(0.3):
            array.flat[0] = numpy.nan
        return array

    def encoding(self, kind):
        """How a variable is to be written."""
        found = {}
        if kind in ("f4", "f8") and self.chance(0.3):
            found = {"dtype": self.pick(("i2", "i4", "f4", "i1")),
                     "scale_factor": 0.5, "_FillValue": -99}
        if kind in "US" and self.chance(0.4):
            found["char_dim_name"] = self.pick(NAMES)
        return found

    def variable(self, sizes):
        """One with some of these dimensions."""
        dims = [name for name in sizes if self.chance(0.5)]
        if self.chance(0.2):
            dims = dims[::-1]
        kind = self.pick(KINDS, ODD_KINDS)
        return self.xarray.Variable(
            dims, self.values(kind, [sizes[name] for name in dims]),
            self.attributes(), self.encoding(kind))

    def dataset(self):
        """A dataset, and options of to_netcdf()."""
        # netCDF4 does not find a dimension by its name's other form.
        sizes = {self.pick(NAMES, ODD_NAMES[1:]):
                 int(self.pick((1, 2, 3, 5), (0,))) for _ in range(3)}
        variables = {}
        for _ in range(self.rng.integers(1, 5)):
            name = self.pick(NAMES, ODD_NAMES)
            if name not in sizes:
                variables[name] = self.variable(sizes)
        dataset = self.xarray.Dataset(variables, attrs=self.attributes())
        options = {"format": self.pick(FORMATS)}
        left = list(dataset.sizes)
        if left and self.chance(0.4):
            options["unlimited_dims"] = [self.pick(left)]
        return dataset, options


def outcome(function, *args, **options):
    """Its result, or the exception."""
    try:
        return function(*args, **options), None
    except Exception as error:  # pylint: disable=W0718
        return None, error


def compare(seed, xarray, cftime):
    """Whether both took it; what is wrong, or None."""
    dataset, options = Maker(seed, xarray, cftime).dataset()
    packed = io.BytesIO()
    wanted, refused = outcome(written, dataset, **options)
    got, refused_too = outcome(dataset.nc3z.to_archive, packed, **options)
    what = f"{seed}: {dataset!r} {options}: to_netcdf(): {refused!r}, " \
           f"pack(): {refused_too!r}"
    if refused is None and any(text in str(refused_too) for text in STRICTER):
        return False, None
    if (refused is None) != (refused_too is None):
        return False, what
    if refused is None and refused_too is None:
        pieces = dataset.chunk(2)
        in_pieces, failed = outcome(pieces.nc3z.to_archive, io.BytesIO(),
                                    **options)
        if failed and outcome(pieces.to_netcdf, "written.nc", **options)[1]:
            pass
        elif failed or in_pieces.sha256 != got.sha256:
            return True, what + f", from dask {failed!r} or other bytes"
    # libnetcdf gives a file without values a length of its own.
    if refused is None and got.sha256 not in wanted and \
            any(v.size for v in dataset.variables.values()):
        return True, what + ", other bytes"
    return refused is None, None


def check_random_datasets(xarray, netCDF4, dask, cftime):
    """As many as asked for."""
    import nc3z.xarray_backend  # noqa: F401  # pylint: disable=W0611
    del netCDF4, dask
    warnings.simplefilter("ignore")
    found = [compare(seed, xarray, cftime) for seed in range(COUNT)]
    wrong = [text for _, text in found if text]
    expect(not wrong, f"{len(wrong)} of {COUNT}:", *wrong[:3])
    ntaken = sum(is_taken for is_taken, _ in found)
    expect(COUNT // 4 < ntaken < COUNT, ntaken, "were taken")
