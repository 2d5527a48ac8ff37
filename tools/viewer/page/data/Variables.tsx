/* SPDX-License-Identifier: MIT */
/** All variables, to choose from; those that a word is in. */
import { useState } from 'react';

import type { Variable } from '../../reader/src/index';
import { useOpened } from '../context';
import { groupsOf, textAttribute, unitsOf } from '../variables';

function shapeText(v: Variable): string {
  return v.dimensions.map((name, dim) => `${name} ${v.shape[dim]}`)
    .join(' \u00d7 ');
}

function hasWord(v: Variable, word: string): boolean {
  return [v.name, textAttribute(v, 'long_name'),
    textAttribute(v, 'standard_name')].some((text) =>
    text?.toLowerCase().includes(word));
}

interface Props {
  chosen: Variable | undefined;
  onChoose: (variable: Variable) => void;
}

function Group({ title, list, chosen, onChoose }: Props & { title: string;
  list: Variable[] }) {
  return list.length === 0 ? null : (
    <>
      <h2>{title}</h2>
      <ul>{list.map((v) => (
        <li key={v.id}>
          <button type="button" aria-current={v === chosen || undefined}
            onClick={() => onChoose(v)}>
            <b>{v.name}</b>{unitsOf(v) && ` (${unitsOf(v)})`}
            <span>{textAttribute(v, 'long_name')}</span>
            <small>{shapeText(v) || 'one value'}</small>
          </button>
        </li>
      ))}</ul>
    </>
  );
}

export default function Variables({ chosen, onChoose }: Props) {
  const { file } = useOpened();
  const [word, setWord] = useState('');
  const [isOpen, setOpen] = useState(false);
  const { fields, others } = groupsOf(file.info);
  const wanted = (list: Variable[]) =>
    list.filter((v) => hasWord(v, word.trim().toLowerCase()));
  const choose = (variable: Variable) => {
    setOpen(false);
    onChoose(variable);
  };
  const found = wanted(fields).length + wanted(others).length;
  return (
    <nav className="variables" aria-label="Variables">
      <button type="button" className="opener" aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}>
        {chosen?.name ?? 'Variables'} {'\u25be'}
      </button>
      <div className={isOpen ? 'list open' : 'list'}>
        {file.info.variables.length > 8 && (
          <input type="search" aria-label="Search variables"
            placeholder={`search ${file.info.variables.length} variables`}
            value={word} onChange={(e) => setWord(e.target.value)} />
        )}
        {found === 0 && <p className="note">None has that in its name.</p>}
        <Group title="Fields" list={wanted(fields)} chosen={chosen}
          onChoose={choose} />
        <Group title="Coordinates and others" list={wanted(others)}
          chosen={chosen} onChoose={choose} />
      </div>
    </nav>
  );
}
