/* SPDX-License-Identifier: MIT */
/** What each variable costs, and a strip of its blocks by ratio. */
import { useEffect, useMemo, useState } from 'react';

import type { BlockInfo, BlockPlace, NetcdfFile, Storage as Stored, Variable }
  from '../../reader/src/index';
import { useOpened } from '../context';
import { bytesText, countText, errorText, ratioText } from '../format';

/** A block, in one of the streams of a row. */
interface Place extends BlockPlace {
  stream: number;
  block: number;
}

interface Row {
  name: string;
  type: string;
  shape: string;
  chunks: string;
  original: number;
  stored: number;
  places: Place[];
  storage: Stored | null;
  variable: Variable | null;
}

function shapeText(v: Variable): string {
  return v.dimensions.map((name, i) =>
    name === v.name ? `${v.shape[i]}` : `${name} ${v.shape[i]}`).join(' \u00d7 ');
}

/** Variables by the stream that they are in; null: with the header. */
async function membersOf(file: NetcdfFile) {
  const members = new Map<number | null, Variable[]>();
  const storages = new Map<number, Stored>();
  for (const v of file.info.variables) {
    const storage = await file.storage(v.id);
    const stream = storage?.stream ?? null;
    members.set(stream, [...members.get(stream) ?? [], v]);
    if (stream !== null) {
      storages.set(stream, storage!);
    }
  }
  return { members, storages };
}

function rowOf(own: Variable[], storage: Stored | null, places: Place[]): Row {
  const variable = own.length === 1 && storage && !storage.shared ?
    own[0]! : null;
  const names = own.map((v) => v.name).join(', ');
  return {
    name: storage ? names : ['header', names].filter(Boolean).join(', '),
    type: variable?.type ?? '',
    shape: variable ? shapeText(variable) : '',
    chunks: storage?.chunks.join(' \u00d7 ') ?? '',
    original: places.reduce((n, p) => n + p.rawBytes, 0),
    stored: places.reduce((n, p) => n + p.storedBytes, 0),
    places,
    storage,
    variable,
  };
}

async function collect(file: NetcdfFile): Promise<Row[]> {
  const { members, storages } = await membersOf(file);
  const rows: Row[] = [];
  const rest: Place[] = [];
  for (let stream = 0; stream < file.info.archive!.streams; stream++) {
    const places = (await file.blocks(stream))
      .map((place, block) => ({ ...place, stream, block }));
    const own = members.get(stream);
    if (own) {
      rows.push(rowOf(own, storages.get(stream)!, places));
    } else {
      rest.push(...places);
    }
  }
  rows.push(rowOf(members.get(null) ?? [], null, rest));
  return rows.sort((a, b) => b.stored - a.stored);
}

const CELLS_MAX = 600;

/** Dark: dear.  One colour for each factor of two, up to 64. */
function shade(ratio: number): string {
  const level = Math.min(Math.max(Math.log2(ratio), 0), 6) / 6;
  return `hsl(210 ${70 - 30 * level}% ${30 + 50 * level}%)`;
}

function Strip({ row }: { row: Row }) {
  const { file } = useOpened();
  const [at, setAt] = useState(0);
  const [block, setBlock] = useState<BlockInfo | string>();
  const { places } = row;
  const perCell = Math.ceil(places.length / CELLS_MAX);
  const cells = useMemo(() => {
    const list: { first: number; ratio: number }[] = [];
    for (let first = 0; first < places.length; first += perCell) {
      const part = places.slice(first, first + perCell);
      const stored = part.reduce((n, p) => n + p.storedBytes, 0);
      const raw = part.reduce((n, p) => n + p.rawBytes, 0);
      list.push({ first, ratio: stored > 0 ? raw / stored : 1 });
    }
    return list;
  }, [places, perCell]);

  useEffect(() => {
    setAt(0);
    setBlock(undefined);
  }, [row]);
  const place = places[at];
  const text = place ? `block ${at + 1} of ${places.length}: ` +
    `${bytesText(place.storedBytes)} of ${bytesText(place.rawBytes)}, ratio ` +
    `${ratioText(place.rawBytes, place.storedBytes)}, ` +
    `at byte ${place.offset.toLocaleString('en')}` : 'no blocks';
  const move = (to: number) => {
    setAt(Math.min(Math.max(to, 0), places.length - 1));
    setBlock(undefined);
  };
  const keys: Record<string, number> = {
    ArrowLeft: at - 1, ArrowRight: at + 1, ArrowDown: at - 1, ArrowUp: at + 1,
    PageDown: at - 10 * perCell, PageUp: at + 10 * perCell, Home: 0,
    End: places.length - 1,
  };
  return (
    <div className="strip">
      <h3>Blocks of {row.name}</h3>
      <svg role="slider" tabIndex={0} aria-label={`Blocks of ${row.name}`}
        aria-valuemin={1} aria-valuemax={Math.max(1, places.length)}
        aria-valuenow={at + 1} aria-valuetext={text}
        viewBox={`0 0 ${Math.max(cells.length, 1)} 20`}
        preserveAspectRatio="none"
        onKeyDown={(e) => {
          if (e.key in keys) {
            move(keys[e.key]!);
            e.preventDefault();
          }
        }}
        onClick={(e) => {
          const box = e.currentTarget.getBoundingClientRect();
          const cell = Math.floor((e.clientX - box.left) / box.width *
            cells.length);
          move(cell * perCell);
        }}>
        {cells.map(({ first, ratio }, i) => (
          <rect key={first} x={i} y={0} width={1} height={20}
            fill={shade(ratio)} />
        ))}
        <rect className="cursor" x={Math.floor(at / perCell)} y={0} width={1}
          height={20} />
      </svg>
      <p><output>{text}</output>{' '}
        <button type="button" disabled={!place} onClick={() => {
          setBlock('reading \u2026');
          file.block(place!.stream, place!.block).then(setBlock,
            (e: unknown) => setBlock(errorText(e)));
        }}>How is it coded?</button>{' '}
        <span aria-live="polite">{typeof block === 'string' ? block :
          block ? `${block.coding}; ${bytesText(block.rawBytes)} decoded, ` +
            `CRC-32 ${block.rawCrc.toString(16).padStart(8, '0')}` : ''}</span>
      </p>
      <p className="note">Dark blocks cost most; each lighter shade is half.
        {perCell > 1 && ` One shade for ${perCell} blocks each.`}</p>
    </div>
  );
}

export default function StoragePane() {
  const { file } = useOpened();
  const [rows, setRows] = useState<Row[]>();
  const [chosen, setChosen] = useState<Row>();
  const [error, setError] = useState('');
  const { archive } = file.info;

  useEffect(() => {
    collect(file).then((list) => {
      setRows(list);
      setChosen(list[0]);
    }, (e: unknown) => setError(errorText(e)));
  }, [file]);
  return (
    <section>
      <h2>Storage</h2>
      <p>
        {bytesText(file.info.bytes)} in {bytesText(archive!.bytes)}: ratio{' '}
        {ratioText(file.info.bytes, archive!.bytes)},{' '}
        {countText(archive!.blocks, 'block')}.
      </p>
      {error && <p role="alert">{error}</p>}
      {!rows && !error && <p role="status">Reading the index …</p>}
      {rows && (
        <div className="scroll" tabIndex={0} role="region"
          aria-label="Variables by size">
          <table data-testid="storage">
            <thead><tr>
              <th scope="col">variable</th><th scope="col">type</th>
              <th scope="col">shape</th><th scope="col">chunks</th>
              <th scope="col">blocks</th><th scope="col">original</th>
              <th scope="col">stored</th><th scope="col">ratio</th>
              <th scope="col">share of the archive</th>
            </tr></thead>
            <tbody>{rows.map((row) => (
              <tr key={row.name} aria-current={row === chosen || undefined}>
                <th scope="row"><button type="button" className="link"
                  onClick={() => setChosen(row)}>{row.name}</button></th>
                <td>{row.type}</td><td>{row.shape}</td><td>{row.chunks}</td>
                <td>{row.places.length.toLocaleString('en')}</td>
                <td>{bytesText(row.original)}</td>
                <td>{bytesText(row.stored)}</td>
                <td>{ratioText(row.original, row.stored)}</td>
                <td><meter min={0} max={archive!.bytes} value={row.stored}
                  aria-label={`share of ${row.name}`} />{' '}
                {(100 * row.stored / archive!.bytes).toFixed(1)} %</td>
              </tr>
            ))}</tbody>
          </table>
        </div>
      )}
      {chosen && <Strip row={chosen} />}
    </section>
  );
}
