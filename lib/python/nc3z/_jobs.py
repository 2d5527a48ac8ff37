# SPDX-License-Identifier: MIT
"""Whole jobs: packing, restoring, verifying and salvaging."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import os
from ctypes import POINTER, byref, c_void_p
from typing import Any, Callable, Iterator, List, Mapping, Optional, \
    Sequence, Tuple, Union, cast

from . import _calls, _errors, _library, _sources, _structs as c
from ._sinks import OpenSink, Target, target_of_packing, target_of_restoring
from ._sources import SUFFIX, OpenSource, Source

# Endings of names that readers take for plain files.
PLAIN = (".nc", ".cdf", ".nc3", ".netcdf")

Progress = Union[bool, None, Callable[[int, Optional[int]], Any]]
Chunks = Union[None, str, Sequence[str], Mapping[str, int]]


def size_text(nbytes: float) -> str:
    """12.3 MB."""
    for unit in "bytes", "kB", "MB", "GB":
        if nbytes < 1000:
            break
        nbytes /= 1000
    else:
        unit = "TB"
    return f"{nbytes:.0f} bytes" if unit == "bytes" else \
        f"{nbytes:.3g} {unit}"


@dataclasses.dataclass(frozen=True, repr=False)
class Summary:
    """An archive as a whole; sizes in bytes.

    sha256: the SHA-256 of the original, in hexadecimal.
    nrepeats: how many times the job decoded a block again.
    ncopied: how many blocks pack(..., update=True) copied.
    """

    original_nbytes: int
    archive_nbytes: int
    nblocks: int
    nstreams: int
    format_version: str
    sha256: str
    nrepeats: int = 0
    ncopied: int = 0

    @property
    def ratio(self) -> float:
        """How many times smaller the archive is."""
        return self.original_nbytes / max(self.archive_nbytes, 1)

    def __repr__(self) -> str:
        return f"<nc3z.Summary: {size_text(self.original_nbytes)} in " \
            f"{size_text(self.archive_nbytes)}, ratio {self.ratio:.2f}>"

    @classmethod
    def from_c(cls, found: c.CSummary) -> Summary:
        """From struct nc3z_summary."""
        return cls(found.original_nbytes, found.archive_nbytes, found.nblocks,
                   found.nstreams, f"{found.format_major}."
                   f"{found.format_minor}", bytes(found.sha256).hex(),
                   found.nrepeats, found.ncopied)


@dataclasses.dataclass(frozen=True)
class Loss:
    """Values of a variable that were lost and filled.

    If 'is_box' is true, they are the values in the box with the corners
    'first' and 'last'.  Otherwise they are all values from index 'first' to
    index 'last' in row-major order.  If 'variable' is None, 'nbytes' bytes of
    the original are lost, from 'offset' on.
    """

    variable: Optional[str]
    first: Tuple[int, ...]
    last: Tuple[int, ...]
    is_box: bool
    offset: Optional[int]
    nbytes: int


@dataclasses.dataclass(frozen=True)
class SalvageReport:
    """The result of salvage().

    summary: of the new archive.
    is_whole: the SHA-256 proves that nothing is lost.
    original_sha256: of the original that was packed; None if not known.
    nblocks_kept: the number of blocks that were copied.
    nblocks_made: the number of new blocks, which have filled or moved values.
    losses: the first 10,000 losses; nlosses_unlisted counts the others.
    """

    summary: Summary
    is_whole: bool
    original_sha256: Optional[str]
    nblocks_kept: int
    nblocks_made: int
    nbytes_lost: int
    losses: Tuple[Loss, ...]
    nlosses_unlisted: int


class _Job:
    """Tells how far a job is, and ends it if that raises."""

    def __init__(self, source: OpenSource, progress: Progress,
                 title: str) -> None:
        self._source, self._bar = source, cast(Any, None)
        self._total: Optional[int] = None
        self._tell: Optional[Callable[[int, Optional[int]], Any]] = None
        self._kept: List[Any] = []
        self._is_stopped = ctypes.c_int(0)
        self._call = _calls.Call(self._stop, self._pass_on)
        if progress is True:
            try:
                from tqdm.auto import tqdm
            except ImportError as error:
                raise ImportError("progress=True needs tqdm: pip install "
                                  "tqdm") from error
            self._bar = tqdm(desc=title, unit="B", unit_scale=True)
            self._tell = self._show
        elif progress:
            self._tell = progress

    def _show(self, done: int, total: Optional[int]) -> None:
        """Moves tqdm's bar."""
        if total is not None:
            self._bar.total = total
        self._bar.update(done - self._bar.n)

    def _stop(self, failure: BaseException) -> None:
        """Ends the job soon, whether it reads or computes."""
        self._source.stop(failure)
        self._is_stopped.value = 1

    def set_total(self, nbytes: Optional[int]) -> None:
        """How many bytes the original has."""
        self._total = nbytes

    def set_options(self, options: Any, values: Mapping[str, Any]) -> None:
        """Sets those that were given, and progress."""
        c.set_numbers(options, values)
        if hasattr(options, "stop"):
            options.stop = ctypes.pointer(self._is_stopped)
        if self._tell:
            options.progress = c.PROGRESS_FN(
                lambda _, done, __: self._call.tell(done))
            self._kept.append(options.progress)

    def _pass_on(self, done: int) -> None:
        """In the thread that started the job."""
        if self._tell:
            self._tell(done, self._total)

    def run(self, function: Any, *arguments: Any) -> int:
        """Runs the job; its status."""
        return int(self._call.run(function, *arguments))

    def write(self, sink: OpenSink, others: Sequence[OpenSource],
              function: Any, *arguments: Any) -> None:
        """Runs a job that writes, the last argument being for what goes wrong,
        and raises that; the sink is committed or not, and closed."""
        try:
            status = self.run(function, *arguments)
            sink.raise_if(status, arguments[-1])
            for other in others:
                other.raise_failure()
            self.finish(status, arguments[-1])
            sink.commit()
        finally:
            sink.close()

    def finish(self, status: int, err: c.CError) -> None:
        """Raises what went wrong."""
        if status:
            self._source.raise_error(err)
        self._source.raise_failure()
        if self._tell and self._total is not None:
            self._tell(self._total, self._total)

    def __enter__(self) -> _Job:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.close()


def _chunk_specs(chunks: Chunks) -> List[bytes]:
    """As --chunks of nc3compress takes them."""
    if chunks is None:
        return []
    if isinstance(chunks, str):
        return [chunks.encode()]
    if isinstance(chunks, Mapping):
        # As in dask, -1 is the whole dimension.
        return [",".join(f"{name}/{'' if length in (None, -1) else length}"
                         for name, length in chunks.items()).encode()]
    if not isinstance(chunks, (list, tuple)) or \
            not all(isinstance(spec, str) for spec in chunks):
        raise TypeError("chunks are a text, a list of texts, or lengths by "
                        f"dimension, {{\"time\": 100}}, not {chunks!r}")
    return [spec.encode() for spec in chunks]


def _codec(name: Optional[str]) -> Optional[int]:
    """The number of a codec."""
    if name is None:
        return None
    number = int(_library.load().nc3z_codec_by_name(name.encode()))
    if number < 0:
        raise ValueError(f"there is no codec {name!r}")
    return number


def _open_input(source: Any) -> OpenSource:
    """What pack() packs; a Dataset as the classic file that it would be."""
    if hasattr(source, "dump_to_store") or hasattr(source, "to_dataset"):
        from ._dataset import as_bytes
        return OpenSource(f"<xarray.{type(source).__name__}>").open_bounded(
            as_bytes(source))
    if isinstance(source, _sources.Bounded):
        return OpenSource("<dataset>").open_bounded(source)
    return _sources.open_source(source)


def pack(source: Any, target: Optional[Target] = None, *,
         level: Optional[int] = None, codec: Optional[str] = None,
         chunks: Chunks = None, block_nbytes: Optional[int] = None,
         nthreads: Optional[int] = None,
         max_memory_nbytes: Optional[int] = None, overwrite: bool = False,
         update: bool = False, progress: Progress = None) -> Summary:
    """Packs a netCDF classic file into an archive.

    source: a path or URL, bytes, a file object, an object with read_range(),
        or an xarray.Dataset or DataArray.  A dataset is packed as the classic
        file that to_netcdf() would write, without writing it (see
        Dataset.nc3z).  Input compressed with gzip, bzip2, zstd or xz is
        decompressed first.
    target: a path or a file object.  The default is x.nc.nc3z for a path x.nc.
        The file appears at the path when it is complete and on disk, with the
        permissions and times of the source.  A file object need not seek.
    level: 0 (store) to 9 (smallest); default 5.
    codec: "zstd" (default), "deflate", "bzip2", "lzma" or "store".
    chunks: how variables are cut for reading time series as well as maps:
        "series", "balanced" or "auto"; or lengths such as {"time": 100,
        "lat": -1}, where -1 means the whole dimension; or one or several
        values of --chunks, see nc3compress(1).  Default: not at all.
    block_nbytes: bytes of a block before compression, 4096 to 64 MiB.
    nthreads: 1 to 256; default: one for each processor.  The archive is the
        same with any number.
    max_memory_nbytes: memory for chunks; default 256 MiB.
    overwrite: replace an existing file.
    update: the target may be an archive of an older state of the source, to
        which records were appended.  It is replaced, and blocks that are the
        same are copied from it; the result is the same.  If the source does not
        have every byte of that archive's original, or if the archive was made
        with other options or by another version, the exception is ExistsError;
        with overwrite=True, the source, which must be a path, is packed anew.
    progress: a function that gets the bytes of the original that are done, and
        all its bytes (None if not known).  An exception that it raises ends
        the job.  True shows a bar of tqdm, which must be installed.

    Raises NotClassicError; ExistsError, a FileExistsError; InvalidError, a
    ValueError; LimitError; ChangedError; OSError from the system; and any
    exception of a file object or of 'progress'.  No target file is left then.
    An InputWarning reports something odd in the source, which the archive
    keeps, or a target named like a plain netCDF file.
    """
    notes: List[str] = []
    err, found = c.CError(), c.CSummary()
    options = c.initialized(_library.load(), "pack", c.CPackOptions)
    specs = _chunk_specs(chunks)
    options.warn = c.TEXT_FN(
        lambda _, text: notes.append(text.decode("utf-8", "replace")))
    options.chunks = (ctypes.c_char_p * len(specs))(*specs)
    options.nchunks = len(specs)
    into = target_of_packing(source, target)
    older = _sources.open_source(cast(Source, into)) if update and \
        _sources.is_name(into) and os.path.isfile(cast(str, into)) else None
    if older:
        options.older, options.older_is_kept = older.pointer, not overwrite
    with older or contextlib.nullcontext(), _open_input(source) as opened, \
            _Job(opened, progress, "packing") as job:
        job.set_options(options, {
            "level": level, "codec": _codec(codec), "nthreads": nthreads,
            "block_nbytes": block_nbytes,
            "max_memory_nbytes": max_memory_nbytes})
        inputs = [opened.fd] if opened.can_seek else []
        opened.unpack()
        job.set_total(opened.size)
        sink = OpenSink(into, inputs=inputs,
                        flags=c.SINK_REPLACE if overwrite else 0,
                        replaced=older.fd if older else None)
        try:
            job.write(sink, (), _library.load().nc3z_pack, opened.pointer,
                      sink.pointer, options, found, err)
        except _errors.ExistsError as error:
            if error.status != c.EOLDER or not overwrite or \
                    not _sources.is_name(source):
                raise
            update = False
    if older and not update:
        return pack(source, target, level=level, codec=codec, chunks=chunks,
                    block_nbytes=block_nbytes, nthreads=nthreads,
                    max_memory_nbytes=max_memory_nbytes, overwrite=True,
                    progress=progress)
    name = os.fsdecode(cast(Any, target)) if _sources.is_name(target) else ""
    if name.endswith(PLAIN):
        notes.append(f"the archive is called {_library.shown(name)}, as a "
                     f"plain file would be; end its name in {SUFFIX}")
    for note in notes:
        _errors.warn(f"{opened.name}: {note}", _errors.InputWarning)
    return Summary.from_c(found)


def _original_nbytes(source: OpenSource) -> Optional[int]:
    """The size of what an archive restores, if that can be seen now."""
    found = c.CSummary()
    if source.can_seek and not source.run(_library.load().nc3z_summarize,
                                          source.pointer, found, c.CError()):
        return int(found.original_nbytes)
    source.failure = None
    return None


@contextlib.contextmanager
def _reading(source: Source, progress: Progress, title: str,
             values: Mapping[str, Any]
             ) -> Iterator[Tuple[OpenSource, _Job, c.CRestoreOptions]]:
    """An archive that is read in one go, the job, and its options."""
    with _sources.open_source(source, c.URL_STREAM) as opened, \
            _Job(opened, progress, title) as job:
        options = c.initialized(_library.load(), "restore",
                                c.CRestoreOptions)
        job.set_options(options, values)
        if progress and not _library.is_url(opened.name):
            job.set_total(_original_nbytes(opened))
        yield opened, job, options


def restore(source: Source, target: Optional[Target] = None, *,
            nthreads: Optional[int] = None,
            max_memory_nbytes: Optional[int] = None,
            max_original_nbytes: Optional[int] = None,
            overwrite: bool = False, progress: Progress = None) -> Summary:
    """Restores the original of an archive, byte for byte.

    Each block's checksums are verified before it is used, and the SHA-256 of
    the original at the end.

    source: a path or URL, bytes, a file object, an object with read_range().
    target: a path or a file object.  The default is x.nc for a path x.nc.nc3z.
        The file appears at the path when it is verified and on disk.  A file
        object may hold a part of the original after an error.
    max_original_nbytes: refuse larger originals, if you do not trust archives.
    nthreads, max_memory_nbytes, overwrite, progress: as in pack().

    Raises DamagedError, NotArchiveError, UnsupportedError, LimitError,
    ExistsError, InvalidError, OSError from the system, and any exception of a
    file object or of 'progress'.
    """
    into = target_of_restoring(source, target)
    with _reading(source, progress, "restoring", {
            "nthreads": nthreads, "max_memory_nbytes": max_memory_nbytes,
            "max_original_nbytes": max_original_nbytes}) as (
                opened, job, options):
        err, found = c.CError(), c.CSummary()
        sink = OpenSink(into, inputs=[opened.fd] if opened.can_seek else [],
                        permissions=_sources.permissions_of_tar(source),
                        flags=c.SINK_SPARSE | overwrite * c.SINK_REPLACE)
        job.write(sink, (), _library.load().nc3z_restore, opened.pointer,
                  sink.pointer, options, found, err)
    return Summary.from_c(found)


def verify(source: Source, *, quick: bool = False,
           nthreads: Optional[int] = None,
           max_memory_nbytes: Optional[int] = None,
           progress: Progress = None) -> Summary:
    """Proves that an archive restores to its original, SHA-256 included.

    With quick=True, only the checksums of the stored bytes are compared, and
    nothing is decoded.  This is as fast as reading the archive, and finds all
    damage done after the archive was written.  Arguments and exceptions are as
    in restore().
    """
    with _reading(source, progress, "verifying", {
            "nthreads": nthreads, "max_memory_nbytes": max_memory_nbytes}) as (
                opened, job, options):
        err, found = c.CError(), c.CSummary()
        library = _library.load()
        function = library.nc3z_verify_quick if quick else library.nc3z_verify
        job.finish(job.run(function, opened.pointer, options, found, err),
                   err)
    return Summary.from_c(found)


def _loss(found: c.CLoss) -> Loss:
    """From struct nc3z_loss."""
    return Loss(found.name.decode("utf-8", "surrogateescape")
                if found.varid != c.GLOBAL else None,
                tuple(found.first[:found.ndims]),
                tuple(found.last[:found.ndims]), bool(found.is_box),
                None if found.offset == c.NO_OFFSET else found.offset,
                found.nbytes)


def _report(found: c.CSalvageReport) -> SalvageReport:
    """From struct nc3z_salvage_report."""
    return SalvageReport(
        Summary.from_c(found.summary), bool(found.is_whole),
        bytes(found.original_sha256).hex() if found.has_original_sha256
        else None, found.nblocks_kept, found.nblocks_made,
        found.nbytes_lost, tuple(_loss(found.losses[i])
                                 for i in range(found.nlosses)),
        found.nlosses_unlisted)


def salvage(sources: Union[Source, Sequence[Source]], target: Target, *,
            archive: int = 0, nthreads: Optional[int] = None,
            max_memory_nbytes: Optional[int] = None,
            max_original_nbytes: Optional[int] = None,
            overwrite: bool = False, progress: Progress = None
            ) -> SalvageReport:
    """Writes an intact archive from what is left of a damaged one.

    sources: a damaged archive, the first part of one, or a disk image; or a
        list of these, such as several damaged copies of one archive.  Each is
        a source as for restore() that can seek.
    target: the new archive, as in pack().  Lost values become the fill value
        of their variable; other lost bytes become zeros.  If the permissions
        of the sources differ, only the owner can read it.
    archive: the number of the archive if the sources hold several, from 1.  0
        is the one with the most bytes left.
    max_original_nbytes: refuse larger originals.  The default is 1 GiB plus 64
        times the bytes, before compression, of the blocks that are left.
    nthreads, max_memory_nbytes, overwrite, progress: as in pack().

    Raises NotArchiveError if no block of an archive is found, DamagedError if
    too much is lost, and the exceptions of restore().
    """
    several = list(sources) if isinstance(sources, (list, tuple)) \
        else [sources]
    opened: List[OpenSource] = []
    err, library = c.CError(), _library.load()
    options = c.initialized(library, "salvage", c.CSalvageOptions)
    report = POINTER(c.CSalvageReport)()
    try:
        for each in several:
            opened.append(_sources.open_seeking(cast(Source, each)))
        if not opened:
            raise ValueError("there is nothing to salvage from")
        with _Job(opened[0], progress, "salvaging") as job:
            job.set_options(options, {
                "nthreads": nthreads, "archive": archive,
                "max_memory_nbytes": max_memory_nbytes,
                "max_original_nbytes": max_original_nbytes})
            sink = OpenSink(target, inputs=[each.fd for each in opened],
                            flags=c.SINK_REPLACE if overwrite else 0)
            pointers = (c_void_p * len(opened))(
                *(each.pointer for each in opened))
            job.write(sink, opened[1:], library.nc3z_salvage, pointers,
                      len(opened), sink.pointer, options, byref(report), err)
        return _report(report.contents)
    finally:
        if report:
            library.nc3z_salvage_report_free(report)
        for each in opened:
            each.close()
