/* SPDX-License-Identifier: MIT */
import './style.css';

import { createRoot } from 'react-dom/client';

import workerSource from 'generated/worker.js';
import { setWorker } from '../reader/src/index';
import Viewer from './Viewer';

// A worker from text: so the page is one file, and works from file://.
const workerUrl = URL.createObjectURL(new Blob([workerSource],
  { type: 'text/javascript' }));
setWorker(() => new Worker(workerUrl));

createRoot(document.getElementById('root')!).render(<Viewer />);
