# SPDX-License-Identifier: MIT
"""A Dataset of xarray as the classic file that to_netcdf() would write."""

from __future__ import annotations

import itertools
from numbers import Number
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

import numpy
from xarray import DataArray
from xarray.backends.common import WritableCFDataStore
from xarray.coding import strings

from . import _names
from ._classic import LARGEST_2, NUMBERS, Array, ClassicBytes
from ._encodings import DIGIT, Encodings, suggestion

VERSIONS = {"NETCDF3_CLASSIC": 1, "NETCDF3_64BIT": 2,
            "NETCDF3_64BIT_OFFSET": 2, "NETCDF3_64BIT_DATA": 5}

# As xarray and libnetcdf do it where the format has no such type.
COERCED = {"int64": "int32", "uint64": "int32", "uint32": "int32",
           "uint16": "int16", "uint8": "int8", "bool": "int8"}


def _type(dtype: Any, version: int) -> Any:
    """The type in the file."""
    name = numpy.dtype(dtype).newbyteorder("=").name
    if version == 5:
        return numpy.dtype("int8" if name == "bool" else dtype)
    return numpy.dtype(COERCED.get(name, dtype))


def _attribute(what: str, value: Any, version: int) -> Any:
    """The value of an attribute, of a type that the format has."""
    if isinstance(value, (str, bytes)):
        # netCDF4 writes no text without characters.
        return value or "\0"
    if not isinstance(value, (Number, numpy.ndarray, list, tuple)):
        raise TypeError(f"{what}: netCDF has no type for {value!r}")
    values: Any = numpy.atleast_1d(numpy.asarray(value))
    if values.dtype.kind in "US" and values.size == 1:
        return values.item() or "\0"
    if values.dtype.kind in "USO":
        raise TypeError(f"{what}: netCDF classic has no type for "
                        f"several texts or objects, {value!r}: join them")
    kind = _type(values.dtype, version)
    if kind.newbyteorder("=") not in NUMBERS or values.ndim != 1:
        raise TypeError(f"{what}: netCDF classic has no type for {kind} in "
                        f"{values.ndim} dimensions")
    return _converted(what, values, kind)


def _converted(what: str, values: Any, kind: Any) -> Any:
    """Values of another type, which they fit."""
    converted = values.astype(kind)
    if values.dtype.kind in "iub" and not (converted == values).all():
        raise ValueError(f"{what}: {values.tolist()} does not fit {kind}")
    return converted


class _Store(WritableCFDataStore):  # type: ignore[misc]
    """Takes what xarray would write, without the values."""

    __slots__ = ("version", "dims", "record", "attrs", "arrays", "encodings")

    def __init__(self, version: int) -> None:
        self.version = version
        self.dims: Dict[str, int] = {}
        self.record: Optional[str] = None
        self.attrs: Dict[str, Any] = {}
        self.arrays: List[Array] = []
        self.encodings = Encodings()

    def get_dimensions(self) -> Mapping[str, int]:
        """Those set so far."""
        return self.dims

    def encode_variable(self, v: Any) -> Any:
        """Text as characters; numbers are converted when they are read."""
        for coder in (strings.EncodedStringCoder(allows_unicode=False),
                      strings.CharacterArrayCoder()):
            v = coder.encode(v)
        return v

    def set_attribute(self, k: str, v: Any) -> None:
        """Of the file."""
        name = _names.normal(k, "attribute", self.attrs)
        self.attrs[name] = _attribute(f"attribute {k!r}", v, self.version)

    def set_dimension(self, dim: str, length: int,
                      is_unlimited: bool = False) -> None:
        """One that is new.  A length of 0 is how netCDF says: unlimited."""
        dim = _names.normal(dim, "dimension", self.dims)
        if is_unlimited or length == 0:
            if self.record is not None:
                raise ValueError(
                    "netCDF classic has one unlimited dimension, not "
                    f"{self.record} and {dim}; one without elements counts "
                    "as unlimited")
            self.record = dim
        self.dims[dim] = length or 0

    def prepare_variable(self, name: str, variable: Any,
                         check_encoding: bool = False, **_: Any
                         ) -> Tuple[None, None]:
        """Notes where values come from."""
        name = _names.normal(name, "variable",
                             [array.name for array in self.arrays])
        own = f"{name}: attribute"
        attrs = {key: _attribute(f"{own} {key!r}", value, self.version)
                 for key, value in
                 _names.normal_keys(variable.attrs, own).items()}
        dims = [_names.normal(dim, "dimension") for dim in variable.dims]
        kind = _type(variable.dtype, self.version)
        fill = attrs.pop("_FillValue", None)
        if isinstance(fill, numpy.ndarray):
            fill = _converted(f"{name}: _FillValue", fill, kind)
        digit = self.encodings.take(name, variable, check_encoding)
        if digit is not None:
            attrs = {DIGIT: _attribute(own, digit, self.version), **attrs}
        if fill is not None:
            attrs = {"_FillValue": fill, **attrs}
        chunks = getattr(variable, "chunks", None)
        edges = list(itertools.accumulate(chunks[0][:-1], initial=0)) \
            if chunks else None
        if self.record in dims[1:]:
            raise ValueError(f"{name}: the unlimited dimension {self.record} "
                             "must be its first")
        self.arrays.append(Array(
            name, dims, variable.shape, kind,
            lambda key: variable[key].values, attrs, edges, digit))
        return None, None


class _Writer:
    """In place of xarray's, which would write here."""

    def add(self, *_: Any, **__: Any) -> None:
        """Nothing is written yet."""


def _unlimited(dataset: Any, asked: Any) -> List[str]:
    """The unlimited dimensions: those asked for, or those of the file that the
    dataset comes from, also one that no variable has."""
    found = dataset.encoding.get("unlimited_dims") or () if asked is None \
        else asked
    names = [found] if isinstance(found, str) else list(found)
    for name in names if asked is not None else ():
        if name not in dataset.sizes:
            raise ValueError("unlimited_dims: the dataset has no dimension "
                             f"{name!r}")
    return names


def as_bytes(dataset: Any, format: Optional[str] = None,
             encoding: Optional[Mapping[str, Any]] = None,
             unlimited_dims: Optional[Iterable[str]] = None) -> ClassicBytes:
    """The bytes of to_netcdf(format=..., engine="netcdf4"), of a Dataset or a
    DataArray.

    format: "NETCDF3_64BIT" (CDF-2), "NETCDF3_CLASSIC" (CDF-1) or
        "NETCDF3_64BIT_DATA" (CDF-5); without it CDF-2 or, if a variable is
        larger than 4 GiB, CDF-5.
    """
    if isinstance(dataset, DataArray):
        dataset = dataset.to_dataset(name=dataset.name or
                                     "__xarray_dataarray_variable__")
    if format is None:
        largest = max((variable.nbytes for variable in
                       dataset.variables.values()), default=0)
        format = "NETCDF3_64BIT" if largest <= LARGEST_2 else \
            "NETCDF3_64BIT_DATA"
    if format not in VERSIONS:
        raise ValueError(f"{format} is not a format of netCDF classic: " +
                         ", ".join(VERSIONS))
    for name in encoding or ():
        if name not in dataset.variables:
            raise ValueError(f"encoding: the dataset has no variable {name!r}"
                             + suggestion(name, list(dataset.variables)))
    store = _Store(VERSIONS[format])
    dataset.dump_to_store(store, writer=_Writer(), encoding=encoding,
                          unlimited_dims=_unlimited(dataset, unlimited_dims))
    store.encodings.warn()
    return ClassicBytes(store.dims, store.arrays, store.attrs, store.record,
                        store.version)
