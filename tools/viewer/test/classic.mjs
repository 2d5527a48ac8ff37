/* SPDX-License-Identifier: MIT */
/** Small netCDF classic files, made here. */

const words = (...values) => Buffer.concat(values.map((value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}));

const padded = (text) => Buffer.concat([words(text.length), Buffer.from(text),
  Buffer.alloc(-text.length & 3)]);

const float = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatBE(value);
  return bytes;
};

/** Attributes: texts, and numbers as floats. */
const attributes = (list) => {
  const entries = Object.entries(list ?? {});
  return Buffer.concat([words(entries.length > 0 ? 12 : 0, entries.length),
    ...entries.flatMap(([name, value]) => typeof value === 'string' ?
      [padded(name), words(2), padded(value)] :
      [padded(name), words(5, 1), float(value)])]);
};

/**
 * CDF-2, of floats, or of one 'text', which has no records.  'dims' has lengths
 * by name, 0 for records, 'vars' a list of { name, dims: [name...], values or
 * text, attributes }, which has those without records first.
 */
export function classicFile(dims, vars, nrecords = 0) {
  const names = Object.keys(dims);
  const isRecord = (v) => dims[v.dims[0]] === 0;
  const countOf = (v) => v.dims.reduce((n, d) => n * (dims[d] || 1), 1);
  const sizeOf = (v) => v.text ? (countOf(v) + 3) & ~3 : 4 * countOf(v);
  const header = (begin) => {
    let at = begin;
    return Buffer.concat([
      Buffer.from('CDF\x02'), words(nrecords, 10, names.length),
      ...names.flatMap((name) => [padded(name), words(dims[name])]),
      words(0, 0, 11, vars.length),
      ...vars.flatMap((v) => {
        const place = at;
        at += sizeOf(v);
        return [padded(v.name), words(v.dims.length,
          ...v.dims.map((d) => names.indexOf(d))), attributes(v.attributes),
        words(v.text ? 2 : 5, sizeOf(v), 0, place)];
      })]);
  };
  const partOf = (v, record) => v.text ?
    Buffer.from(v.text.padEnd(sizeOf(v), '\0')) : Buffer.concat(Array.from(
    { length: sizeOf(v) / 4 }, (_, i) =>
      float(v.values(record * sizeOf(v) / 4 + i))));
  const records = Array.from({ length: nrecords }, (_, record) =>
    vars.filter(isRecord).map((v) => partOf(v, record)));
  return Buffer.concat([header(header(0).length),
    ...vars.filter((v) => !isRecord(v)).map((v) => partOf(v, 0)),
    ...records.flat()]);
}

/** v(t, y, x) with records. */
export function classicRecords(n, rows, columns) {
  const header = (begin) => Buffer.concat([Buffer.from('CDF\x02'), words(n, 10,
    3), padded('t'), words(0), padded('y'), words(rows), padded('x'),
  words(columns, 0, 0, 11, 1), padded('v'), words(3, 0, 1, 2, 0, 0, 5,
    4 * rows * columns, 0, begin)]);
  const values = Buffer.alloc(4 * n * rows * columns);
  for (let i = 0; i < n * rows * columns; i++) {
    values.writeFloatBE(Math.sin(i / 999), 4 * i);
  }
  return Buffer.concat([header(header(0).length), values]);
}

const LATITUDE = { units: 'degrees_north', long_name: 'latitude' };
const LONGITUDE = { units: 'degrees_east', long_name: 'longitude' };

/**
 * A field that is its latitude, t(time, level, lat, lon), from 90 down or up;
 * 'spread' is what one time adds; 'even' is one value everywhere.
 */
export function latitudes({ isDown, nlat = 19, nlon = 36, spread = 10, even }) {
  const lat = (j) => (isDown ? 1 : -1) * (90 - 180 / (nlat - 1) * j);
  return classicFile({ time: 4, level: 3, lat: nlat, lon: nlon }, [
    { name: 'lon', dims: ['lon'], attributes: LONGITUDE,
      values: (i) => i * 360 / nlon },
    { name: 'lat', dims: ['lat'], attributes: LATITUDE, values: lat },
    { name: 'level', dims: ['level'], attributes: { units: 'hPa' },
      values: (i) => [1000, 500, 200][i] },
    { name: 'time', dims: ['time'],
      attributes: { units: 'hours since 2001-02-28 00:00' },
      values: (i) => 6 * i },
    { name: 'lat_bnds', dims: ['lat'], values: lat },
    { name: 't', dims: ['time', 'level', 'lat', 'lon'],
      attributes: { long_name: 'temperature', units: 'degC' },
      values: (i) => even ?? lat(Math.floor(i / nlon) % nlat) +
        spread * Math.floor(i / nlon / nlat / 3) },
  ]);
}
