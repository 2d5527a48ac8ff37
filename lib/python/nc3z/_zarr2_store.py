# SPDX-License-Identifier: MIT
"""The store for zarr 2, and for all who want a mapping of keys to bytes."""

from __future__ import annotations

import collections.abc
from typing import Any, Iterator, List, Optional

from . import _sources
from ._zarr_keys import Keys, Reading

try:
    from zarr.storage import Store as _Base
except ImportError:
    _Base = collections.abc.MutableMapping


class Store(Reading, _Base):  # type: ignore[misc]
    __doc__ = Reading.__doc__

    _writeable = False
    _erasable = False

    def __init__(self, source: _sources.Source, *,
                 variables: Optional[List[str]] = None, zarr_format: int = 2,
                 **options: Any) -> None:
        if zarr_format != 2:
            raise ValueError("zarr 2 reads the format 2 of Zarr only")
        self._keys = Keys(source, variables=variables, **options)
        self._arguments = source, dict(options, variables=variables)

    def __getitem__(self, key: str) -> bytes:
        return self._keys.get(key)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    __setitem__ = __delitem__ = Reading._refuse

    def listdir(self, path: str = "") -> List[str]:
        """Names directly below a key."""
        return list(self._keys.below(path))

    def getsize(self, path: str = "") -> int:
        """Bytes of a value, or of all below a key, decoded."""
        if path in self._keys:
            return self._keys.size_of(path)
        above = path.strip("/") + "/" if path.strip("/") else ""
        return sum(self._keys.size_of(key) for key in self._keys
                   if key.startswith(above))

    def close(self) -> None:
        """Closes the file."""
        self._keys.file.close()
