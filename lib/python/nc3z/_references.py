# SPDX-License-Identifier: MIT
"""References: archives as a table of byte ranges, one for each chunk.

The table has the form that kerchunk gave it and fsspec reads.  Chunks are
blocks (_blocks.py); small variables, of which several share a block, are in the
table themselves; several archives are joined along a dimension (_combine.py).
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _errors, _library, _sources, _structs as c
from ._blocks import Reference, Unfit
from ._combine import Archive, Limits, combine, in_order
from ._exact import Exact, open_exact
from ._file import File
from ._zarr_metadata import Array, chosen, documents, refuse

INLINE_NBYTES = 8192
MAX_INLINE_NBYTES = 1 << 20


def _url_of(source: Any, url: Optional[str]) -> str:
    """Where readers will find the archive."""
    if _sources.is_name(source) and _library.tar_parts(source):
        raise _errors.InvalidError(
            str(source), "references into a tar are not possible; take the "
            "archive out of it", c.EINVAL)
    if url is not None:
        return url
    if not _sources.is_name(source):
        raise TypeError("'url' says where the archive is, and is needed "
                        "unless it was opened by a path or URL")
    name = os.fsdecode(source)
    return name if "://" in name else os.path.abspath(name)


def _counted(number: int, what: str) -> str:
    """1 URL, 2 URLs."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _urls_of(sources: Sequence[Any], url: Any) -> List[str]:
    """Where readers will find each of the archives."""
    urls = [url] * len(sources)
    if isinstance(url, (list, tuple)):
        urls = list(url)
    elif url is not None and len(sources) > 1:
        raise TypeError("with several archives, 'url' is a list with a URL "
                        "for each")
    if len(urls) != len(sources):
        raise ValueError(f"{_counted(len(urls), 'URL')} for "
                         f"{_counted(len(sources), 'archive')}")
    return [_url_of(*both) for both in zip(sources, urls)]


def references(source: Union[_sources.Source, Sequence[_sources.Source]],
               url: Union[None, str, Sequence[str]] = None, *,
               dim: Optional[str] = None,
               variables: Optional[Sequence[str]] = None,
               inline_nbytes: int = INLINE_NBYTES,
               max_inline_nbytes: int = MAX_INLINE_NBYTES,
               zarr_format: int = 2,
               storage_options: Optional[Dict[str, Any]] = None
               ) -> Dict[str, Any]:
    """Describes archives or classic files as kerchunk references, a dict for
    JSON.

    fsspec's file system "reference" makes a Zarr store of this table.  Its
    chunks are blocks of the archives.  zarr, xarray and dask can read it
    wherever this package is installed.  references() reads the index of each
    archive, and the values that go into the table.

    For a classic file, the chunks are records, or whole rows of variables
    without records.  Readers then need nothing of this package.

    For an exact netCDF-4 file, made by nc3convert, the chunks are HDF5's own.
    Readers then need numcodecs, but not this package.  references() reads only
    the end of the file, and the table holds no values.

    source: as for File(), or a list.  Archives in a list are joined along
        'dim', in the order of its coordinate.  Without a coordinate, they are
        joined in the order of the list.
    url: where readers will find the archive, or a list of URLs.  The default
        is the path or URL in 'source'.
    dim: the dimension along which archives are joined; default: the record
        dimension.  Variables that begin with it are concatenated.  All others
        must have the same values, which are read and compared.
    variables: names of the variables to describe; default: all.
    inline_nbytes: variables up to this size go into the table.
    max_inline_nbytes: variables up to this size also go into the table if
        their blocks cannot be Zarr chunks, or have less than 1 KiB.
    zarr_format: the format of the metadata, 2 or 3.
    storage_options: as for File().

    Raises UnsupportedError, which names the variables, if the blocks of larger
    variables cannot be Zarr chunks.  Raises UnsupportedError if archives
    cannot be joined: variables, shapes, units or packing differ, times
    overlap, or records end inside a chunk.  Raises InvalidError for archives
    in a tar, and the exceptions of File().
    """
    if zarr_format not in (2, 3):
        raise ValueError("zarr_format is 2 or 3")
    sources: List[Any] = list(source) if isinstance(source, (list, tuple)) \
        else [source]
    limits = Limits(inline_nbytes, max_inline_nbytes)
    if not sources:
        raise ValueError("there is no archive in the list")
    joined = (dim or "") if len(sources) > 1 else None
    places = _urls_of(sources, url)
    try:
        archives = [Archive(each, place, joined, (limits, variables),
                            {"storage_options": storage_options})
                    for each, place in zip(sources, places)]
    except _errors.NotClassicError:
        exacts = [open_exact(each, storage_options) for each in sources]
        exact = next(filter(None, exacts), None)
        if exact is None:
            raise
        if joined is not None:
            raise _errors.UnsupportedError(
                exact.name, "an exact netCDF-4 file, of which several cannot "
                "be joined here: join their archives or classic files, or the "
                "references to each, as MultiZarrToZarr of kerchunk does",
                c.EUNSUPPORTED) from None
        return {"version": 1,
                "refs": _exact_table(exact, places[0], variables, zarr_format)}
    if joined is not None:
        archives = in_order(archives)
    return {"version": 1, "refs": _table(archives, limits, zarr_format)}


def _table(archives: List[Archive], limits: Limits, zarr_format: int
           ) -> Dict[str, Reference]:
    """Metadata and chunks by key."""
    file = archives[0].file
    arrays: Dict[str, Array] = {}
    refs: Dict[str, Reference] = {}
    unfit = []
    for name in archives[0].pieces:
        try:
            arrays[name], found = combine(archives, name, limits)
        except Unfit as error:
            unfit.append(f"{name} ({error})")
            continue
        refs.update(_keyed(arrays[name], found, zarr_format))
    if unfit:
        raise refuse(file, "no references to these variables: " +
                     "; ".join(unfit) + ". 'variables' can leave them "
                     "out, 'max_inline_nbytes' can put their values into the "
                     "references, and archives made with chunks have blocks "
                     "that fit")
    return {**_texts(file, arrays, zarr_format), **refs}


def _keyed(array: Array, found: Sequence[Reference], zarr_format: int
           ) -> Dict[str, Reference]:
    """The chunks of an array, which are in order, by key."""
    name = array.variable.name
    return {f"{name}/{array.key_of(array.place_of(number), zarr_format)}":
            reference for number, reference in enumerate(found)}


def _texts(file: File, arrays: Dict[str, Array], zarr_format: int
           ) -> Dict[str, str]:
    """Metadata by key."""
    return {key: json.dumps(value) for key, value in
            documents(file, arrays, zarr_format).items()}


def _exact_table(exact: Exact, url: str, variables: Optional[Sequence[str]],
                 zarr_format: int) -> Dict[str, Reference]:
    """The same of an exact netCDF-4 file."""
    arrays: Dict[str, Array] = {}
    refs: Dict[str, Reference] = {}
    with exact.open() as file:
        for variable in chosen(file, variables):
            try:
                array, found = exact.references(variable, url)
            except Unfit as error:
                raise refuse(file, "no references to the variable "
                             f"{variable.name}: {error}; 'variables' can "
                             "leave it out") from error
            arrays[variable.name] = array
            refs.update(_keyed(array, found, zarr_format))
        return {**_texts(file, arrays, zarr_format), **refs}
