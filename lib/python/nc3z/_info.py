# SPDX-License-Identifier: MIT
"""How an archive is stored: as a whole, and each of its variables."""

from __future__ import annotations

import ctypes
import dataclasses
from typing import Dict, Iterable, Optional, Tuple

from . import _library, _structs as c
from ._jobs import Summary
from ._open import OpenFile


@dataclasses.dataclass(frozen=True)
class Storage:
    """How a variable is stored; sizes in bytes.

    nbytes: bytes of the values.
    stored_nbytes: bytes in the archive.  None if the variable is stored with
        the header and other data that have no stream of their own.
    is_shared: the variable shares its blocks with other small variables.
        'stored_nbytes' of each then counts the bytes of all.
    chunks: lengths of a chunk, in values; None if the variable is stored in
        the order of the file.
    block_nbytes: bytes of a block before compression.
    nblocks: the number of blocks.
    coding: the most frequent coding, such as "delta(1) shuffle zstd".
    ncodings: the number of different codings.
    """

    name: str
    nbytes: int
    stored_nbytes: Optional[int]
    is_shared: bool
    chunks: Optional[Tuple[int, ...]]
    block_nbytes: int
    nblocks: int
    coding: str
    ncodings: int

    @property
    def ratio(self) -> Optional[float]:
        """How many times smaller; None if it is stored with others."""
        if self.is_shared or not self.stored_nbytes:
            return None
        return self.nbytes / self.stored_nbytes


@dataclasses.dataclass(frozen=True)
class Info:
    """How an archive is stored: a Summary, and a Storage for each variable
    by name."""

    summary: Summary
    variables: Dict[str, Storage]

    @property
    def ratio(self) -> float:
        """How many times smaller the archive is."""
        return self.summary.ratio

    def __str__(self) -> str:
        """One line for the archive and one for each variable."""
        whole = self.summary
        lines = [f"{whole.original_nbytes} bytes in {whole.archive_nbytes}, "
                 f"ratio {whole.ratio:.2f}"]
        width = max(map(len, self.variables), default=0)
        for name, found in self.variables.items():
            how = "with the header" if found.stored_nbytes is None else \
                "with others" if found.ratio is None else \
                f"ratio {found.ratio:.2f}"
            chunks = f"chunks {found.chunks}" if found.chunks else ""
            lines.append(f"{name:{width}}  " + ", ".join(filter(None, (
                f"{found.nbytes} bytes", how, chunks, found.coding))))
        return "\n".join(lines)

def _coding_text(coding: c.CCoding) -> str:
    """As nc3compress -lv shows it."""
    text = ctypes.create_string_buffer(1024)
    _library.load().nc3z_coding_text(coding, text, len(text))
    return text.value.decode()


def _storage(file: OpenFile, name: str, streams: Dict[int, c.CStreamInfo]
             ) -> Storage:
    """Of one variable."""
    variable = file.variables[name]
    found = variable._inq_storage()
    assert found is not None
    nbytes = variable.size * variable._external.itemsize
    if found.stream == c.NO_NUMBER:
        return Storage(name, nbytes, None, True, None, 0, 0, "", 0)
    stream = streams.get(found.stream)
    if stream is None:
        stream = streams[found.stream] = c.CStreamInfo()
        file._call("inq_stream", found.stream, stream)
    return Storage(name, nbytes, stream.stored_nbytes, bool(found.is_shared),
                   variable.chunks, found.block_nbytes, found.nblocks,
                   _coding_text(stream.coding), stream.ncodings)


def summary(file: OpenFile) -> Summary:
    """Of an archive as a whole."""
    found = c.CSummary()
    file._call("inq_summary", found)
    return Summary.from_c(found)


def read(file: OpenFile, names: Optional[Iterable[str]] = None) -> Info:
    """Of a file; reads the header of each block of these variables."""
    streams: Dict[int, c.CStreamInfo] = {}
    whole = summary(file)
    return Info(whole, {name: _storage(file, name, streams)
                        for name in (file.variables if names is None
                                     else names)})
