/** The thread of `createRenderThread`: reports that it is ready, then renders one job after the other. */
import { parentPort } from 'node:worker_threads';
import { render, type ThreadTask } from './render-job.ts';

parentPort?.on('message', ({ job, progress }: ThreadTask) =>
  parentPort?.postMessage(render(job, (line) => Atomics.store(progress, 0, line))),
);
parentPort?.postMessage('ready');
