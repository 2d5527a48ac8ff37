# SPDX-License-Identifier: MIT
"""What a store has to have for zarr 3."""

import abc
import dataclasses


@dataclasses.dataclass(frozen=True)
class RangeByteRequest:
    """Bytes from 'start' to before 'end'."""
    start: int
    end: int


@dataclasses.dataclass(frozen=True)
class OffsetByteRequest:
    """Bytes from 'offset' on."""
    offset: int


@dataclasses.dataclass(frozen=True)
class SuffixByteRequest:
    """So many bytes at the end."""
    suffix: int


class Store(abc.ABC):
    """A class without one of these cannot be instantiated."""

    def __init__(self, *, read_only=False):
        self._is_open = False
        self._read_only = read_only

    @property
    def read_only(self):
        """Whether it is."""
        return self._read_only

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Not open any more."""
        self._is_open = False

    @abc.abstractmethod
    def __eq__(self, value):
        ...

    @property
    @abc.abstractmethod
    def supports_writes(self):
        """A bool."""

    @property
    @abc.abstractmethod
    def supports_deletes(self):
        """A bool."""

    @property
    @abc.abstractmethod
    def supports_partial_writes(self):
        """A bool."""

    @property
    @abc.abstractmethod
    def supports_listing(self):
        """A bool."""

    @abc.abstractmethod
    async def get(self, key, prototype, byte_range=None):
        """A buffer or None."""

    @abc.abstractmethod
    async def get_partial_values(self, prototype, key_ranges):
        """A list of them."""

    @abc.abstractmethod
    async def exists(self, key):
        """A bool."""

    @abc.abstractmethod
    async def set(self, key, value):
        """Stores it."""

    @abc.abstractmethod
    async def set_partial_values(self, key_start_values):
        """Stores parts; until version 3.0."""

    @abc.abstractmethod
    async def delete(self, key):
        """Removes it."""

    @abc.abstractmethod
    def list(self):
        """Iterates over all keys."""

    @abc.abstractmethod
    def list_prefix(self, prefix):
        """Over those that begin so."""

    @abc.abstractmethod
    def list_dir(self, prefix):
        """Over names below a key."""
