# SPDX-License-Identifier: MIT
"""How files and variables look: as text, and in notebooks.

All HTML is in one piece, without scripts and requests.  What a file says is
escaped.  A file that cannot be read must not keep anyone from seeing that:
nothing here raises what reading raises.
"""

from __future__ import annotations

import html
from typing import Any, Dict, List, Optional, Tuple

from . import _info, _library, _picture
from ._jobs import size_text
from ._open import OpenFile
from ._values import Values

VALUES_MAX = 8
TEXT_MAX = 300
# Of more blocks the headers are not read only to be shown.
BLOCKS_MAX = 100000

STYLE = ("<style>.nc3z{font-size:90%;line-height:1.35}.nc3z td,.nc3z th"
         "{text-align:left;padding:1px 10px 1px 0;vertical-align:top}"
         ".nc3z summary{cursor:pointer}.nc3z img{image-rendering:pixelated;"
         "border:1px solid #8888;display:block}.nc3z .dim{opacity:.65}"
         "</style>")


def value_text(value: Any) -> str:
    """An attribute's value, shortened."""
    if isinstance(value, (str, bytes)):
        text = repr(value)
    elif getattr(value, "ndim", 0):
        shown = [str(number) for number in value[:VALUES_MAX]]
        text = ", ".join(shown + ["..."] * (len(value) > VALUES_MAX))
    else:
        text = str(value)
    return text if len(text) <= TEXT_MAX else text[:TEXT_MAX] + "..."


def shape_text(variable: Values) -> str:
    """(time: 24, lat: 180)."""
    return "(" + ", ".join(f"{name}: {length}" for name, length in
                           zip(variable.dims, variable.shape)) + ")"


def _layout_text(variable: Values) -> str:
    """chunks (5, 7, 11)."""
    if not variable.file.is_open or not variable.file.is_archive:
        return ""
    chunks = variable.chunks
    return f"chunks {chunks}" if chunks else "in the order of the file"


def variable_text(variable: Values) -> str:
    """What repr() gives."""
    head = f"<nc3z.Variable {variable.name!r} {shape_text(variable)} " \
        f"{variable.dtype}"
    if not variable.file.is_open:
        return head + ", file is closed>"
    layout = _layout_text(variable)
    lines = [head + (f", {layout}" if layout else "") + ">"]
    lines += [f"    {name}: {value_text(value)}"
              for name, value in variable.attrs.items()]
    return "\n".join(lines)


def _kind_text(file: OpenFile) -> str:
    """archive of CDF-2, 24 MB of 104 MB (4.3 times smaller)."""
    if not file.is_archive:
        return f"plain CDF-{file.version}, {size_text(file.nbytes)}"
    found = _info.summary(file)
    return f"archive of CDF-{file.version}, " \
        f"{size_text(found.archive_nbytes)} for " \
        f"{size_text(found.original_nbytes)}, ratio {found.ratio:.2f}"


def _dims_text(file: OpenFile) -> str:
    return ", ".join(f"{name}: {length}" +
                     (" (unlimited)" if name == file.unlimited else "")
                     for name, length in file.dims.items())


def file_text(file: OpenFile) -> str:
    """What repr() gives."""
    if not file.is_open:
        return f"<nc3z.File {file.shown_path!r}, closed>"
    lines = [f"<nc3z.File {file.shown_path!r}, {_kind_text(file)}>",
             f"Dimensions: {_dims_text(file)}", "Variables:"]
    width = max(map(len, file.variables), default=0)
    for name, variable in file.variables.items():
        layout = _layout_text(variable) if variable.chunks else ""
        lines.append(f"    {name:{width}}  {str(variable.dtype):8}"
                     f"{shape_text(variable)}" +
                     (f"  {layout}" if layout else ""))
    lines.append("Attributes:")
    lines += [f"    {name}: {value_text(value)}"
              for name, value in file.attrs.items()]
    return "\n".join(lines)


def _table(rows: List[Tuple[str, ...]], head: Tuple[str, ...] = ()) -> str:
    """A table; its cells are text."""
    def row(cells: Tuple[str, ...], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>"
                                for cell in cells) + "</tr>"
    return "<table>" + (row(head, "th") if head else "") + \
        "".join(row(cells, "td") for cells in rows) + "</table>"


def _attributes(attrs: Dict[str, Any], is_open: bool) -> str:
    """A list that opens."""
    if not attrs:
        return ""
    return f"<details{' open' if is_open else ''}><summary>Attributes " \
        f"({len(attrs)})</summary>" + \
        _table([(name, value_text(value))
                for name, value in attrs.items()]) + "</details>"


def _map(variable: Optional[Values]) -> str:
    """A picture with its range."""
    if variable is None or not _is_near(variable.file):
        return ""
    try:
        found = _picture.of(variable)
    except (OSError, MemoryError, ValueError) as error:
        return f"<p>{html.escape(str(error))}</p>"
    if found is None:
        return ""
    units = variable.attrs.get("units", "")
    caption = f"{variable.name}[{found.index}]: {found.low:.4g} to " \
        f"{found.high:.4g} {units if isinstance(units, str) else ''}"
    return f'<figure><img alt="{html.escape(variable.name)}" width="' \
        f'{found.width}" height="{found.height}" src="{found.url}">' \
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"


def _is_near(file: OpenFile) -> bool:
    """Whether reading for a picture takes no requests."""
    return not _library.is_url(file.path)


def _storage(file: OpenFile, names: List[str]) -> Dict[str, _info.Storage]:
    """How variables are stored; nothing if that would take long."""
    if not file.is_archive or not _is_near(file) or \
            _info.summary(file).nblocks > BLOCKS_MAX:
        return {}
    try:
        return _info.read(file, names).variables
    except OSError:
        return {}


def _storage_cells(variable: Values, found: Optional[_info.Storage]
                   ) -> Tuple[str, ...]:
    """Of a row of the table: how it is stored."""
    if found is None:
        return _layout_text(variable), "", ""
    if found.ratio is None:
        return _layout_text(variable), "with others", found.coding
    return _layout_text(variable), f"{size_text(found.stored_nbytes or 0)}" \
        f", ratio {found.ratio:.2f}", found.coding


def _first_map(file: OpenFile) -> Optional[Values]:
    """The variable to show."""
    variable: Values
    for variable in file.variables.values():
        if _picture.can_show(variable) and \
                variable.name not in file.dims:
            return variable
    return None


def file_html(file: OpenFile) -> str:
    """What notebooks show."""
    if not file.is_open:
        return f"<div>{html.escape(file_text(file))}</div>"
    stored = _storage(file, list(file.variables))
    rows = [(name, str(variable.dtype), shape_text(variable)) +
            _storage_cells(variable, stored.get(name))
            for name, variable in file.variables.items()]
    return f'{STYLE}<div class="nc3z"><b>nc3z.File</b> ' \
        f"{html.escape(file.shown_path)} <span class=\"dim\">" \
        f"{html.escape(_kind_text(file))}</span>" + \
        _map(_first_map(file)) + \
        f"<div>Dimensions: {html.escape(_dims_text(file))}</div>" + \
        "<details open><summary>Variables " \
        f"({len(rows)})</summary>" + \
        _table(rows, ("name", "type", "shape", "layout", "stored", "coding")
               ) + "</details>" + _attributes(file.attrs, False) + "</div>"


def variable_html(variable: Values) -> str:
    """What notebooks show."""
    if not variable.file.is_open:
        return f"<div>{html.escape(variable_text(variable))}</div>"
    found = _storage(variable.file, [variable.name]).get(variable.name)
    cells = [cell for cell in _storage_cells(variable, found) if cell]
    return f'{STYLE}<div class="nc3z"><b>{html.escape(variable.name)}</b> ' \
        f"{html.escape(shape_text(variable))} " \
        f"{html.escape(str(variable.dtype))}, " \
        f"{html.escape(size_text(variable.nbytes))} <div class=\"dim\">" \
        f"{html.escape('; '.join(cells))}</div>" + _map(variable) + \
        _attributes(variable.attrs, True) + "</div>"
