import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { usualColumns } from '../../../../src/haproxy/exporter/columns.ts';
import { createExporter } from '../../../../src/haproxy/exporter/exporter.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

/** The metrics of an HAProxy whose answer has this many characters, 400 per backend. */
async function metricsOf(characters: number): Promise<string> {
  const dir = testFolder();
  const statsSocket = join(dir, 'stats.sock');
  const row = `be_http:ns:a,BACKEND,1,7,${'0'.repeat(370)},\n`;
  const rows = row.repeat(Math.ceil(characters / row.length));
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(`Pid: 7\nMaxconn: 100\n\n# pxname,svname,type,scur,rest,\n${rows}`));
  }).listen(statsSocket);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const exporter = createExporter(
    {
      statsSocket,
      exported: usualColumns,
      serverThreshold: 0,
      baseIntervalMs: 60_000,
      timeoutMs: 30_000,
      labelsOf: () => ({ backend: 'a' }),
    },
    () => 1,
    () => 0,
  );
  return [...(await exporter.page())].slice(0, 2).join('');
}

test('the statistics of 50,000 backends are read', async () => {
  const text = await metricsOf(20 * 1024 * 1024);
  expect(text).toMatch(/^haproxy_up 1$/m);
  expect(text).toMatch(/^haproxy_exporter_csv_parse_failures 0$/m);
});

test('statistics above the limit are counted as unreadable, and HAProxy is up', async () => {
  const text = await metricsOf(65 * 1024 * 1024);
  expect(text).toMatch(/^haproxy_up 1$/m);
  expect(text).toMatch(/^haproxy_exporter_csv_parse_failures 1$/m);
});
