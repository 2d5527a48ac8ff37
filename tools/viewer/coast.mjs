/* SPDX-License-Identifier: MIT */
/** Coastlines of Natural Earth (public domain), as the page loads them. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { packageOf } from './licences.mjs';

const atlas = fileURLToPath(new URL('node_modules/world-atlas',
  import.meta.url));

/** Of a degree. */
const STEPS = 100;

/** Where polygons are cut open along the edges of the map is no coast. */
const isEdge = ([lon, lat]) => Math.abs(lon) > 179.98 || lat < -89.9;

/** Arcs of TopoJSON, which counts differences, as points in degrees. */
function pointsOf(arc, { scale, translate }) {
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]) => {
    x += dx;
    y += dy;
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
}

/** The pieces of a line between edges, on one side of the date line each. */
function pieces(points) {
  const list = [[]];
  points.forEach((point, i) => {
    const before = points[i - 1] ?? point;
    if (isEdge(point) && isEdge(before) ||
        Math.abs(point[0] - before[0]) > 180) {
      list.push([]);
    }
    list.at(-1).push(point);
  });
  return list.filter((piece) => piece.length > 1);
}

/** Differences of whole steps: [x, y, dx, dy, ...]. */
function differences(points) {
  const steps = points.map((point) => point.map((v) => Math.round(v * STEPS)));
  return steps.filter((p, i) => i === 0 || p[0] !== steps[i - 1][0] ||
    p[1] !== steps[i - 1][1]).flatMap((p, i, all) =>
    i === 0 ? p : [p[0] - all[i - 1][0], p[1] - all[i - 1][1]]);
}

/** A script that leaves them in globalThis. */
export function coastScript() {
  const { arcs, transform } = JSON.parse(
    fs.readFileSync(`${atlas}/land-50m.json`, 'utf8'));
  const lines = arcs.flatMap((arc) => pieces(pointsOf(arc, transform)))
    .map(differences);
  const text = JSON.stringify({ steps: STEPS, lines });
  return `globalThis.nc3zCoast = ${JSON.stringify(
    gzipSync(text, { level: 9 }).toString('base64'))};\n`;
}

export const coastLicence = () => ({ ...packageOf(atlas),
  name: 'world-atlas, of Natural Earth (public domain)' });
