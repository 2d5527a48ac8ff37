# SPDX-License-Identifier: MIT
"""What a codec has to have for zarr 3."""

import abc


class BytesBytesCodec(abc.ABC):
    """Bytes in, bytes out; decode() is what zarr calls."""

    is_fixed_size: bool

    @abc.abstractmethod
    def compute_encoded_size(self, input_byte_length, chunk_spec):
        """Bytes, or NotImplementedError."""

    async def _decode_single(self, chunk_data, chunk_spec):
        raise NotImplementedError

    async def decode(self, chunks_and_specs):
        """Chunks; None for those that are None."""
        return [None if chunk is None else
                await self._decode_single(chunk, spec)
                for chunk, spec in chunks_and_specs]
