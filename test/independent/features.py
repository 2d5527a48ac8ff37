# SPDX-License-Identifier: MIT
"""What of the format an archive makes use of, as a set of words."""

import block as blocks
from filters import DELTA, NAMES
from plan import INF, NO_VARIABLE

STEPS = blocks.STEPS


def of_part(description, part):
    yield f"codec {blocks.CODECS[part.codec]}"
    if part.role != "block":
        yield f"part {part.role}"
    for each in part.filters:
        yield f"filter {NAMES[each.number]}, width {part.width}"
    if part.length % part.width and part.filters:
        yield "bytes behind the elements"
    deltas = [f for f in part.filters if f.number == DELTA]
    if part.role == "main" and blocks.DROP in description.steps and deltas:
        yield "delta across holes"
        if len(deltas) > 1:
            yield "second delta across holes"
    if part.role == "main" and blocks.PALETTE in description.steps:
        yield f"palette, width {part.width}"
    for step in blocks.FRACTION, blocks.MULTIPLE:
        if part.role == "main" and step in description.steps:
            yield f"{STEPS[step]}, width {part.width}"


def of_description(description):
    """The features of a block."""
    if not description.steps:
        yield "no step"
    else:
        yield " and ".join(STEPS[step] for step in description.steps)
        if description.end:
            yield "end bytes"
    if blocks.DROP in description.steps:
        yield f"mask with{'' if description.mask_stride else 'out'} stride"
    for step in blocks.FRACTION, blocks.MULTIPLE:
        if step in description.steps:
            yield f"{STEPS[step]} of {description.width} bytes"
    for part in description.parts:
        yield from of_part(description, part)


def of_stream(stream, size):
    kind = "record" if stream.is_record else "fixed"
    chunked = hasattr(stream, "chunks")
    yield f"{kind}, {'chunked' if chunked else 'linear'}"
    if chunked:
        yield f"chunked, rank {min(len(stream.dims), 4)}"
        if any(d % c for d, c in zip(stream.dims[1:], stream.chunks[1:])):
            yield "chunks cut at the edge"
    if len(stream.members) > 1:
        yield f"{kind}, several members"
    if stream.is_record and not chunked and stream.panel > 1:
        yield "panel of several records"
    if stream.length(size) % stream.whole_span:
        yield f"incomplete {'band' if chunked else 'span'}"
    if stream.blocks(size) > 1:
        yield "several blocks"
    if any(m.variable == NO_VARIABLE for m in stream.members):
        yield "bytes of no variable"


def of_archive(archive):
    """The features of an open archive (SeekingReader)."""
    plan, found = archive.plan, set()
    found.add("records to the end" if plan.number_of_records == INF else
              "records" if plan.record_length else "no records")
    found.add(f"header copy{'' if archive.header_copy else ' empty'}")
    if archive.copies and archive.copies.copies:
        found.add("stream copies")
    if archive.catalogue.plan:
        found.add("plan in the catalogue")
    if archive.trailer.blocks > 4096:
        found.add("several segments")
    for stream in plan.streams:
        found.update(of_stream(stream, archive.size))
    for record, _ in archive.records():
        if isinstance(record, blocks.Duplicate):
            found.add("duplicate" if record.of[0] == record.stream else
                      "duplicate of another stream")
            continue
        found.update(of_description(blocks.read_description(
            record.description, record.raw_length, record.payload_length)))
    return found
