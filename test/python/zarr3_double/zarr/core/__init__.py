# SPDX-License-Identifier: MIT
"""Buffers, as those of zarr 3."""
