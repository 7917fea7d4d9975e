import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { usualColumns } from '../../../../src/haproxy/exporter/columns.ts';
import { createExporter } from '../../../../src/haproxy/exporter/exporter.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

/** Answers every request at the socket with `reply`. */
async function serve(path: string, reply: string): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(reply));
  }).listen(path);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return server;
}

function exporterOf(statsSocket: string, baseIntervalMs: number) {
  const labelsOf = () => ({ backend: 'a' });
  const settings = { statsSocket, exported: usualColumns, serverThreshold: 0, timeoutMs: 30_000 };
  return createExporter(
    { ...settings, baseIntervalMs, labelsOf },
    () => 1,
    () => 0,
  );
}

/** The metrics of an HAProxy whose answer has this many characters, 400 per backend. */
async function metricsOf(characters: number): Promise<string> {
  const dir = testFolder();
  const statsSocket = join(dir, 'stats.sock');
  const row = `be_http:ns:a,BACKEND,1,7,${'0'.repeat(370)},\n`;
  const rows = row.repeat(Math.ceil(characters / row.length));
  await serve(statsSocket, `Pid: 7\nMaxconn: 100\n\n# pxname,svname,type,scur,rest,\n${rows}`);
  const exporter = exporterOf(statsSocket, 60_000);
  return [...(await exporter.page())].slice(0, 2).join('');
}

test('the statistics of 50,000 backends are read', async () => {
  const text = await metricsOf(20 * 1024 * 1024);
  expect(text).toMatch(/^haproxy_up 1$/m);
  expect(text).toMatch(/^haproxy_exporter_csv_parse_failures 0$/m);
});

test('a worker that answers at another socket is not counted twice', async () => {
  const dir = testFolder();
  const listening = (name: string) =>
    serve(
      join(dir, name),
      'Pid: 7\nMaxconn: 100\n\n# pxname,svname,type,stot,\nbe_http:ns:a,BACKEND,1,40,\n',
    );
  const generation = await listening('hawser-generation-1.sock');
  await listening('stats.sock');
  const exporter = exporterOf(join(dir, 'stats.sock'), 0);
  const connections = async () =>
    /^haproxy_backend_connections_total\{.*\} (\d+)$/m.exec([...(await exporter.page())].join(''))?.[1];
  expect(await connections()).toBe('40');
  generation.close();
  expect(await connections()).toBe('40');
});

test('statistics above the limit are counted as unreadable, and HAProxy is up', async () => {
  const text = await metricsOf(65 * 1024 * 1024);
  expect(text).toMatch(/^haproxy_up 1$/m);
  expect(text).toMatch(/^haproxy_exporter_csv_parse_failures 1$/m);
});
