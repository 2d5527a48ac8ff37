# SPDX-License-Identifier: MIT
"""The store for zarr 3, whose stores are asked by coroutines."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Iterable, List, Optional, Tuple

from zarr.abc.store import Store as _Base

from . import _sources
from ._zarr_keys import Keys, Reading


def _range_of(request: Any, nbytes: int) -> slice:
    """What a ByteRequest of zarr asks for: a range, or from an offset on, or
    so many bytes at the end."""
    if request is None:
        return slice(0, nbytes)
    if hasattr(request, "suffix"):
        return slice(max(0, nbytes - request.suffix), nbytes)
    if hasattr(request, "offset"):
        return slice(request.offset, nbytes)
    return slice(request.start, min(request.end, nbytes))


class Store(Reading, _Base):  # type: ignore[misc]
    __doc__ = Reading.__doc__

    supports_writes = False
    supports_deletes = False
    supports_partial_writes = False
    supports_listing = True
    # There is a document for it in format 2, and none in format 3.
    supports_consolidated_metadata = True

    def __init__(self, source: _sources.Source, *,
                 variables: Optional[List[str]] = None, zarr_format: int = 2,
                 **options: Any) -> None:
        super().__init__(read_only=True)
        self._keys = Keys(source, variables=variables,
                          zarr_format=zarr_format, **options)
        self._arguments = source, dict(options, variables=variables,
                                       zarr_format=zarr_format)
        self._is_open = True

    def with_read_only(self, read_only: bool = False) -> Store:
        """The same; it cannot be written to."""
        if not read_only:
            self._refuse()
        return self

    def close(self) -> None:
        """Closes the file."""
        super().close()
        self._keys.file.close()

    def _value(self, key: str, request: Any) -> Optional[bytes]:
        try:
            value = self._keys.get(key)
        except KeyError:
            return None
        return value[_range_of(request, len(value))]

    async def get(self, key: str, prototype: Any = None,
                  byte_range: Any = None) -> Any:
        """The value of a key, or a part of it; None if there is none."""
        if prototype is None:
            from zarr.core.buffer import default_buffer_prototype
            prototype = default_buffer_prototype()
        value = await asyncio.to_thread(  # type: ignore[attr-defined]
            self._value, key, byte_range)
        return None if value is None else prototype.buffer.from_bytes(value)

    async def get_partial_values(self, prototype: Any, key_ranges:
                                 Iterable[Tuple[str, Any]]) -> List[Any]:
        """Several of them, read at the same time."""
        return list(await asyncio.gather(*(
            self.get(key, prototype, byte_range)
            for key, byte_range in key_ranges)))

    async def exists(self, key: str) -> bool:
        """Whether there is such a key."""
        return key in self._keys

    async def getsize(self, key: str) -> int:
        """Bytes of a value, which is not read."""
        try:
            return self._keys.size_of(key)
        except KeyError:
            raise FileNotFoundError(key) from None

    async def list(self) -> AsyncIterator[str]:
        """All keys."""
        for key in self._keys:
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """All keys that begin so."""
        for key in self._keys:
            if key.startswith(prefix):
                yield key

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """Names directly below a key."""
        for name in self._keys.below(prefix):
            yield name

    async def _cannot(self, *_: Any, **__: Any) -> None:
        """What writes is not possible."""
        self._refuse()

    set = set_if_not_exists = set_partial_values = _cannot
    delete = delete_dir = clear = _cannot
