import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { servePatiently } from '../../../../src/engine/observe/serve-patiently.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const endpoint = { trouble: () => undefined, metrics: () => 'metrics 1\n', status: () => ({}) };
const host = '127.0.0.1';

test('a port in use is logged once, and used as soon as it is free', async () => {
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, host, resolve));
  const stop = new AbortController();
  const told: LogEvent[] = [];
  const serving = servePatiently({ host, port }, endpoint, (event) => void told.push(event), stop.signal, 10);
  await waitFor('it to be reported', () => told.length > 0);
  await new Promise((resolve) => other.close(resolve));
  await serving;
  expect(await (await fetch(`http://${host}:${port}/metrics`)).text()).toBe('metrics 1\n');
  expect(told.map(({ event }) => event)).toEqual(['metrics-not-served', 'metrics-served']);
  stop.abort();
});

test('without an address nothing is served, and a stop ends the attempts', async () => {
  const port = await freePort();
  const stop = new AbortController();
  await servePatiently(undefined, endpoint, () => undefined, stop.signal);
  stop.abort();
  await servePatiently({ host, port }, endpoint, () => undefined, stop.signal);
  await expect(fetch(`http://${host}:${port}/`)).rejects.toThrow();
});
