# SPDX-License-Identifier: MIT
"""Files as groups of Zarr, variables as arrays: their metadata.

Of both formats of Zarr, 2 and 3.  Names of dimensions are where xarray looks
for them.  A variable's _FillValue is the fill value of an array of format 2,
which xarray turns back into the attribute, with its type.  In format 3 it stays
an attribute, encoded as xarray decodes it.
"""

from __future__ import annotations

import base64
import math
import struct
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy

from . import _errors, _structs as c
from ._open import OpenFile
from ._values import Values

DIMENSIONS = "_ARRAY_DIMENSIONS"
FILL = "_FillValue"
_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def refuse(file: OpenFile, reason: str) -> _errors.UnsupportedError:
    """What to raise for a file that Zarr cannot express."""
    return _errors.UnsupportedError(file.shown_path, reason, c.EUNSUPPORTED)


def _check_variable(variable: Values) -> None:
    """Refuses what Zarr and its readers have no arrays for."""
    file, name = variable.file, variable.name
    if not name.strip(".") or "/" in name or "\\" in name or \
            name.startswith(".z") or name == "zarr.json":
        raise refuse(file, f"variable {name!r}: Zarr has no arrays of such "
                     "names; the parameter 'variables' can leave it out")
    if variable.ndim > c.CHUNK_DIMS_MAX:
        raise refuse(file, f"variable {name!r} has {variable.ndim} "
                     "dimensions; the parameter 'variables' can leave it out")


def chosen(file: OpenFile, names: Optional[Sequence[str]]) -> List[Values]:
    """The variables that were asked for, None being all, in the order of the
    file."""
    if isinstance(names, str):
        raise TypeError("'variables' is a list of names")
    wanted = file.variables if names is None else {
        name: file.variables[name] for name in names}
    found = [variable for name, variable in file.variables.items()
             if name in wanted]
    for variable in found:
        _check_variable(variable)
    return found


def plain(value: Any) -> Any:
    """An attribute as JSON has it."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value.tolist()
    return value


def _number(value: Any) -> Any:
    """A fill value of numbers as both formats write it."""
    if isinstance(value, float) and not math.isfinite(value):
        return _NOT_FINITE[str(value)]
    return value


def _fill_value(variable: Values) -> Any:
    """What an array of format 2 has as such, or None."""
    fill = variable.attrs.get(FILL)
    if variable.dtype.kind == "S":
        if isinstance(fill, bytes) and len(fill) == 1:
            return base64.b64encode(fill).decode()
    elif isinstance(fill, numpy.generic) and fill.dtype == variable.dtype:
        return _number(fill.item())
    return None


def _fill_attribute(variable: Values) -> Any:
    """The attribute _FillValue of an array of format 3, as xarray decodes it.

    None if there is no such attribute, or if no value can equal it, as xarray
    fails on NaN for integers.  Of several numbers the first counts, as in
    _masks."""
    fill, dtype = variable.attrs.get(FILL), variable.dtype
    if dtype.kind == "S" or isinstance(fill, bytes):
        return base64.b64encode(fill).decode() \
            if dtype.kind == "S" and isinstance(fill, bytes) else None
    for number in numpy.ravel([] if fill is None else fill)[:1].tolist():
        if dtype.kind == "f":
            return base64.b64encode(struct.pack("<d", number)).decode()
        if math.isfinite(number) and number == int(number):
            return int(number)
    return None


def _attributes(variable: Values, without: Sequence[str] = ()
                ) -> Dict[str, Any]:
    """Those of a variable, as JSON."""
    return {name: plain(value) for name, value in variable.attrs.items()
            if name not in without}


class Array:
    """A variable as an array: how its values are cut into chunks.

    chunks: lengths of a chunk, in values; at least 1 each.  codec: parameters
    of the codec of block records; None: chunks are values.  order: their byte
    order, "<" or ">".  shape: of the array, without it that of the variable.
    """

    def __init__(self, variable: Values, chunks: Sequence[int], order: str,
                 codec: Optional[Dict[str, Any]] = None,
                 shape: Optional[Sequence[int]] = None) -> None:
        self.variable, self.codec = variable, codec
        self.shape = variable.shape if shape is None else tuple(shape)
        self.chunks = tuple(max(1, n) for n in chunks)
        self.dtype: numpy.dtype[Any] = numpy.dtype(
            order + variable._external.str[1:])
        self.counts: Tuple[int, ...] = tuple(
            -(-n // chunk) for n, chunk in zip(self.shape, self.chunks))

    @property
    def nchunks(self) -> int:
        """How many there are."""
        return math.prod(self.counts)

    def place_of(self, number: int) -> List[int]:
        """Of a chunk, by its number in row-major order: that in the grid."""
        return [int(i) for i in numpy.unravel_index(number, self.counts)]

    def key_of(self, place: Sequence[int], zarr_format: int) -> str:
        """The key of a chunk below that of the array."""
        if zarr_format == 3:
            return "/".join(["c", *map(str, place)])
        return ".".join(map(str, place)) or "0"

    def metadata2(self) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """Contents of .zarray and .zattrs."""
        fill = _fill_value(self.variable)
        attributes = _attributes(self.variable,
                                 () if fill is None else (FILL,))
        attributes[DIMENSIONS] = list(self.variable.dims)
        compressor = None if self.codec is None else \
            dict(self.codec, id="nc3z")
        return {"zarr_format": 2, "shape": list(self.shape),
                "chunks": list(self.chunks), "dtype": self.dtype.str,
                "compressor": compressor, "filters": None, "order": "C",
                "fill_value": fill}, attributes

    def metadata3(self) -> Dict[str, Any]:
        """Contents of zarr.json."""
        codecs: List[Dict[str, Any]] = [{"name": "bytes"}]
        # What numpy calls a type, too; byte order is the codec's here.
        data_type: Any = self.dtype.name
        fill: Any = 0
        if self.dtype.kind == "S":
            data_type = {"name": "null_terminated_bytes",
                         "configuration": {"length_bytes": 1}}
            fill = ""
        elif self.dtype.itemsize > 1:
            endian = "big" if self.dtype.str[0] == ">" else "little"
            codecs[0]["configuration"] = {"endian": endian}
        if self.codec is not None:
            codecs.append({"name": "nc3z", "configuration": self.codec})
        attributes = _attributes(self.variable, (FILL,))
        missing = _fill_attribute(self.variable)
        if missing is not None:
            attributes[FILL] = missing
        return {"zarr_format": 3, "node_type": "array",
                "shape": list(self.shape), "data_type": data_type,
                "chunk_grid": {"name": "regular", "configuration": {
                    "chunk_shape": list(self.chunks)}},
                "chunk_key_encoding": {"name": "default", "configuration": {
                    "separator": "/"}},
                "fill_value": fill, "codecs": codecs,
                "attributes": attributes,
                "dimension_names": list(self.variable.dims)}


def documents(file: OpenFile, arrays: Dict[str, Array], zarr_format: int = 2
              ) -> Dict[str, Dict[str, Any]]:
    """All metadata of a file, by key, those of the group first."""
    attributes = {name: plain(value) for name, value in file.attrs.items()}
    if zarr_format == 3:
        found = {"zarr.json": {"zarr_format": 3, "node_type": "group",
                               "attributes": attributes}}
        found.update((f"{name}/zarr.json", array.metadata3())
                     for name, array in arrays.items())
        return found
    found = {".zgroup": {"zarr_format": 2}, ".zattrs": attributes}
    for name, array in arrays.items():
        found[f"{name}/.zarray"], found[f"{name}/.zattrs"] = array.metadata2()
    found[".zmetadata"] = {"zarr_consolidated_format": 1,
                           "metadata": dict(found)}
    return found
