# SPDX-License-Identifier: MIT
"""The codec for arrays of Zarr's format 3; found by zarr's entry point."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any, Dict, NoReturn, Tuple

from zarr.abc.codec import BytesBytesCodec

from ._codec import CODEC_ID, Decoder


@dataclasses.dataclass(frozen=True)
class Nc3zCodec(BytesBytesCodec):  # type: ignore[misc]
    """Decodes a block record of an archive; see nc3z.references().

    The codec "bytes" with endian "big" makes values of what it gives.
    """

    is_fixed_size = False

    itemsize: int
    chunks: Tuple[int, ...]
    shape: Tuple[int, ...]
    tail_nbytes: int = 0

    def __post_init__(self) -> None:
        decoder = Decoder(self.itemsize, self.chunks, self.shape,
                          self.tail_nbytes)
        # Hashable, as zarr keeps codecs by their values.
        object.__setattr__(self, "chunks", decoder.chunks)
        object.__setattr__(self, "shape", decoder.shape)
        object.__setattr__(self, "_decoder", decoder)

    @classmethod
    def from_dict(cls, data: Dict[str, Any]) -> Nc3zCodec:
        """From the metadata of an array."""
        if data.get("name") != CODEC_ID:
            raise ValueError(f"expected the codec {CODEC_ID}, not "
                             f"{data.get('name')!r}")
        return cls(**data["configuration"])

    def to_dict(self) -> Dict[str, Any]:
        """For the metadata of an array."""
        return {"name": CODEC_ID,
                "configuration": self._decoder.config()}  # type: ignore

    # Newer versions of zarr call this where they need not wait.
    def _decode_sync(self, chunk_data: Any, chunk_spec: Any) -> Any:
        chunk = self._decoder.decode(  # type: ignore[attr-defined]
            chunk_data.as_numpy_array())
        return chunk_spec.prototype.buffer.from_bytes(chunk)

    async def _decode_single(self, chunk_data: Any, chunk_spec: Any) -> Any:
        return await asyncio.to_thread(  # type: ignore[attr-defined]
            self._decode_sync, chunk_data, chunk_spec)

    def _encode_sync(self, chunk_data: Any, chunk_spec: Any) -> NoReturn:
        raise NotImplementedError("archives are made by nc3z.pack()")

    async def _encode_single(self, chunk_data: Any, chunk_spec: Any
                             ) -> NoReturn:
        self._encode_sync(chunk_data, chunk_spec)

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any
                             ) -> NoReturn:
        """Not known."""
        raise NotImplementedError("sizes of block records are not known")
