# SPDX-License-Identifier: MIT
"""Abstract classes, as those of zarr 3."""
