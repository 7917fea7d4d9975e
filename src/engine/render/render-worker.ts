/** The thread of `createRenderThread`: says when it is ready, then answers one job after the other. */
import { parentPort } from 'node:worker_threads';
import { type RenderJob, render } from './render-job.ts';

parentPort?.on('message', (job: RenderJob) => parentPort?.postMessage(render(job)));
parentPort?.postMessage('ready');
