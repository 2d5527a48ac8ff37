# SPDX-License-Identifier: MIT
"""What references say of one archive, or of several that are joined.

Variables whose first dimension is the one that archives are joined along follow
each other: their blocks are those of one array if all have the same form, and
if each archive but the last ends with a whole one.  Otherwise their values are
in the table, if there are few.  All other variables must be the same.  Numbers
must mean the same, too: nothing is converted.
"""

from __future__ import annotations

import hashlib
import math
from typing import Any, Callable, Dict, List, NamedTuple, Optional, \
    Sequence, Tuple

import numpy

from . import _sources
from ._blocks import Blocks, Found, Unfit, inline, values_of
from ._file import File
from ._plain import Plain
from ._values import PACKING, Values
from ._zarr_metadata import Array, chosen, plain, refuse

# Attributes that say what numbers mean.
MEANING = PACKING + ("units", "calendar")
COMPARED_NBYTES = 32 << 20
# Smaller chunks are rather in the table.
FINE_NBYTES = 1024


class Limits(NamedTuple):
    """How many bytes of a variable are in the table: of all, and of those
    whose blocks are no chunks."""

    always: int
    most: int


class Piece:
    """What one archive has of a variable, which is joined or not."""

    def __init__(self, variable: Values, find: Callable[[Values], Found],
                 limits: Limits, is_joined: bool) -> None:
        self.variable, self.attrs = variable, variable.attrs
        self.is_joined = is_joined
        self.nbytes = variable.size * int(variable._external.itemsize)
        self.found: Optional[Found] = None
        self.why = "it has no records"
        if self.nbytes > limits.always or is_joined and self.nbytes:
            try:
                self.found = find(variable)
            except Unfit as error:
                self.why = str(error)
        self.sha256 = b""
        self.values: Optional[bytes] = None
        if self.nbytes <= (limits.always if self.found else limits.most):
            self.values = values_of(variable)

    @property
    def is_fine(self) -> bool:
        """Whether its chunks are too small to be read one by one."""
        if self.found is None:
            return False
        array = self.found[0]
        return math.prod(array.chunks) * int(array.dtype.itemsize) < \
            FINE_NBYTES

    def set_sha256(self) -> None:
        """Of all values, read a part at a time; while the file is open."""
        found = hashlib.sha256(self.values or b"")
        if self.values is None:
            length = self.variable.shape[0]
            rows = max(1, COMPARED_NBYTES * length // self.nbytes)
            for begin in range(0, length, rows):
                found.update(values_of(self.variable,
                                       slice(begin, begin + rows)))
        self.sha256 = found.digest()


class Archive:
    """One archive, or classic file: closed again, and its variables.

    dim: the dimension that it is joined along with others; "": its record
    dimension; None: there are no others."""

    def __init__(self, source: _sources.Source, url: str, dim: Optional[str],
                 wanted: Tuple[Limits, Optional[Sequence[str]]],
                 options: Dict[str, Any]) -> None:
        self._source, self._options = source, options
        limits, names = wanted
        self.ends: Optional[Tuple[Any, Any]] = None
        with File(source, raw=True, **options) as file:
            self.file, self.name = file, file.shown_path
            plain = None if file.is_archive else Plain(file)

            def find(variable: Values) -> Found:
                return plain.references(variable, url) if plain else \
                    Blocks(variable).references(url)
            self.dim = file.unlimited if dim == "" else dim
            self.pieces = {variable.name: Piece(
                variable, find, limits, variable.dims[:1] == (self.dim,))
                for variable in chosen(file, names)}
            if dim is not None:
                self._look_closer()

    def _look_closer(self) -> None:
        """At what is compared with others: values of what is not joined, and
        where the coordinate of the dimension begins and ends."""
        if self.dim not in self.file.dims:
            raise refuse(self.file, f"there is no dimension {self.dim}"
                         if self.dim else "no record dimension; 'dim' names "
                         "the one that archives are to be joined along")
        for piece in self.pieces.values():
            if not piece.is_joined:
                piece.set_sha256()
        place = self.file.get(self.dim)
        if place is not None and place.dims == (self.dim,) and \
                place.size and place.dtype.kind in "iuf":
            first, last = place[[0, -1]].tolist()
            self.ends = first, last

    def values(self, name: str) -> bytes:
        """Those of a variable, read now if they were not before."""
        found = self.pieces[name].values
        if found is None:
            with File(self._source, raw=True, **self._options) as file:
                found = values_of(file[name])
        return found


def _is_same(a: Any, b: Any) -> bool:
    """Whether two attributes are the same, NaN being NaN."""
    if a is None or b is None:
        return a is b
    a, b = numpy.asarray(a), numpy.asarray(b)
    return bool(a.dtype == b.dtype) and bool(a.tobytes() == b.tobytes())


def _text(what: Any) -> str:
    """A type, or names of dimensions."""
    return f"({', '.join(what)})" if isinstance(what, tuple) else str(what)


def _difference(a: Piece, b: Piece, dim: str) -> Optional[str]:
    """Why two pieces are not of one variable, if they are not."""
    name, first, other = a.variable.name, a.variable, b.variable
    for what, here, there in (
            ("the type", other._external, first._external),
            ("the dimensions", other.dims, first.dims)):
        if here != there:
            return f"{name} has {what} {_text(here)}, and {_text(there)}"
    if dim in other.dims[1:]:
        return f"{dim} is not the first dimension of {name}, as"
    for each, here, there in zip(other.dims, other.shape, first.shape):
        if here != there and not (a.is_joined and each == dim):
            return f"the dimension {each} of {name} has the length {here}, " \
                f"and {there}"
    for attribute in MEANING:
        here, there = b.attrs.get(attribute), a.attrs.get(attribute)
        if not _is_same(here, there):
            return f"the attribute {attribute} of {name} is " \
                f"{plain(here)!r}, and {plain(there)!r}"
    if not a.is_joined and a.sha256 != b.sha256:
        return f"{name} has no dimension {dim} and other values than"
    return None


def _check_alike(first: Archive, other: Archive, dim: str) -> None:
    """Refuses an archive that does not go with the first one."""
    names = first.pieces.keys() ^ other.pieces.keys()
    whys: List[Optional[str]] = [
        f"the variable {name} is not both here and" for name in sorted(names)]
    if not whys:
        whys = [_difference(piece, other.pieces[name], dim)
                for name, piece in first.pieces.items()]
    for why in filter(None, whys):
        raise refuse(other.file, f"{why} in {first.name}: these cannot be "
                     "combined; 'variables' can leave them out, or give one "
                     "file the form of the other and pack it again")


def in_order(archives: List[Archive]) -> List[Archive]:
    """Sorted by the coordinate of their dimension, if there is one; those that
    do not belong together are refused."""
    dim = archives[0].dim
    assert dim is not None
    for archive in archives:
        if archive.dim != dim:
            raise refuse(archive.file, f"its record dimension is {archive.dim}"
                         f", and {dim} in {archives[0].name}: 'dim' names the "
                         "one to join along, which both must have")
        _check_alike(archives[0], archive, dim)
    # Without records, one has no place, and needs none.
    placed = [archive for archive in archives if archive.ends]
    placed.sort(key=lambda archive: archive.ends or ())
    for a, b in zip(placed, placed[1:]):
        assert a.ends and b.ends
        if not a.ends[0] <= a.ends[1] < b.ends[0]:
            raise refuse(b.file, f"{dim} goes from {b.ends[0]} to "
                         f"{b.ends[1]}, and in {a.name} from {a.ends[0]} to "
                         f"{a.ends[1]}: they do not follow each other")
    return placed or archives


def _form(part: Array, nrows: int) -> Any:
    """How an array is cut: what all that are joined have in common.  One with
    fewer rows than a chunk, the only one, has chunks that end early."""
    chunks, codec = list(part.chunks), dict(part.codec or {})
    if chunks[0] == part.shape[0] < nrows:
        codec["chunks"] = chunks = [nrows] + chunks[1:]
    return chunks, codec


def _joined_blocks(archives: List[Archive], name: str,
                   shape: Sequence[int]) -> Found:
    """The blocks of all, one after the other.  Raises Unfit."""
    references: List[Any] = []
    parts = []
    for archive in archives:
        piece = archive.pieces[name]
        if piece.found is None:
            raise Unfit(piece.why if len(archives) == 1 else
                        f"{piece.why}, in {archive.name}")
        parts.append(piece.found[0])
        references += piece.found[1]
    whole = max(parts, key=lambda part: part.chunks[0])
    nrows = whole.chunks[0]
    for archive, part in zip(archives, parts):
        if _form(part, nrows) != _form(whole, nrows):
            raise Unfit("its blocks have another shape in "
                        f"{archive.name}")
        if archive is not archives[-1] and part.shape[0] % nrows:
            raise Unfit(f"{part.shape[0]} records of {archive.name} are not "
                        f"whole chunks of {nrows}; chunks of one record "
                        f"always are: nc3convert --chunks {archive.dim}/1")
    return Array(archives[0].pieces[name].variable, whole.chunks, ">",
                 whole.codec, shape), references


def combine(archives: List[Archive], name: str, limits: Limits) -> Found:
    """One variable of all.  Raises Unfit."""
    if not archives[0].pieces[name].is_joined:
        archives = archives[:1]
    pieces = [archive.pieces[name] for archive in archives]
    shape = pieces[0].variable.shape
    if shape:
        shape = (sum(piece.variable.shape[0] for piece in pieces),) + shape[1:]
    nbytes = sum(piece.nbytes for piece in pieces)
    assert math.prod(shape) * pieces[0].variable._external.itemsize == nbytes
    is_fine = nbytes <= limits.most and all(piece.is_fine for piece in pieces)
    if not is_fine and any(piece.nbytes > limits.always for piece in pieces):
        try:
            return _joined_blocks(archives, name, shape)
        except Unfit:
            if nbytes > limits.most:
                raise
    return inline(Array(pieces[0].variable, shape, ">", None, shape),
                  b"".join(archive.values(name) for archive in archives))
