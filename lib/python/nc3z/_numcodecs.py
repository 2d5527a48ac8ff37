# SPDX-License-Identifier: MIT
"""The codec for numcodecs, with which zarr 2 and 3 read arrays of Zarr's
format 2; found by an entry point, or once this module is imported."""

from __future__ import annotations

from typing import Any, Dict, NoReturn, Sequence

import numcodecs
from numcodecs.abc import Codec

from ._codec import CODEC_ID, Decoder


class Nc3zCodec(Codec):  # type: ignore[misc]
    """Decodes a block record of an archive; see nc3z.references().

    Its parameters are those of the references' metadata.
    """

    codec_id = CODEC_ID

    def __init__(self, itemsize: int, chunks: Sequence[int],
                 shape: Sequence[int], tail_nbytes: int = 0) -> None:
        self._decoder = Decoder(itemsize, chunks, shape, tail_nbytes)

    def get_config(self) -> Dict[str, Any]:
        """The parameters, with the name of the codec."""
        return dict(self._decoder.config(), id=self.codec_id)

    def encode(self, buf: Any) -> NoReturn:
        """Not possible: blocks are made for whole archives."""
        raise NotImplementedError("archives are made by nc3z.pack()")

    def decode(self, buf: Any, out: Any = None) -> Any:
        """The bytes of a chunk, also written to 'out' if that is given."""
        chunk = self._decoder.decode(buf)
        if out is None:
            return chunk
        view = memoryview(out).cast("B")
        view[:] = chunk
        return out

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nc3zCodec) and \
            self.get_config() == other.get_config()

    def __hash__(self) -> int:
        return hash(repr(self.get_config()))

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={value!r}" for name, value in
                          self._decoder.config().items())
        return f"Nc3zCodec({parts})"


numcodecs.register_codec(Nc3zCodec)
