# SPDX-License-Identifier: MIT
"""Names of dimensions, variables and attributes as libnetcdf takes them."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Container, Dict, Mapping

NBYTES_MAX = 256

# A letter, digit or "_" first, no control characters, no "/", no blank last.
_ALLOWED = re.compile(r"[0-9A-Z_a-z\x80-\U0010ffff]"
                      r"(?:[^\x00-\x1f/\x7f]*[^\x00-\x20/\x7f])?")


def normal(name: Any, kind: str, others: Container[str] = ()) -> str:
    """The name that libnetcdf writes for a name, beside the others.

    TypeError if it is no text; ValueError if libnetcdf refuses it, or if it is
    one of the others.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of {kind} must be text, not {name!r}")
    found = unicodedata.normalize("NFC", name)
    try:
        nbytes = max(len(name.encode()), len(found.encode()))
    except UnicodeEncodeError:
        raise ValueError(f"{kind} {name!r}: the name is not Unicode") from None
    if nbytes > NBYTES_MAX:
        raise ValueError(f"{kind} {name[:20]!r}...: a name has at most "
                         f"{NBYTES_MAX} bytes, not {nbytes}")
    if not _ALLOWED.fullmatch(name):
        raise ValueError(
            f"{kind} {name!r}: netCDF names begin with a letter, a digit or "
            '"_", end with no blank, and have no "/" or control characters')
    if found in others:
        raise ValueError(f"{kind} {name!r}: another one has this name")
    return found


def normal_keys(values: Mapping[Any, Any], kind: str) -> Dict[str, Any]:
    """The same values by names that libnetcdf writes."""
    found: Dict[str, Any] = {}
    for name, value in values.items():
        found[normal(name, kind, found)] = value
    return found
