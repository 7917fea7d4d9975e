import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { usualColumns } from '../../../../src/haproxy/exporter/columns.ts';
import { createExporter } from '../../../../src/haproxy/exporter/exporter.ts';
import { generationSocket } from '../../../../src/haproxy/generation-sockets.ts';
import { askRuntimeApi } from '../../../../src/haproxy/runtime-api.ts';
import { labelsOf } from '../../../../src/router/serve/observe-statistics.ts';
import { endChild } from '../../../helpers/child.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { type Pod, startPod } from '../../../helpers/router/pods.ts';
import { get } from '../../../helpers/router/running-router.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** Two generations of a real HAProxy, started as the supervisor starts them. */
const folder = fileFolder();
const statsSocket = join(folder, 'stats.sock');
const started: ChildProcess[] = [];
let pod: Pod;
let port: number;

beforeAll(async () => {
  pod = await startPod('a');
  port = await freePort();
  writeFileSync(
    join(folder, 'haproxy.cfg'),
    [
      ...['global', `  stats socket ${statsSocket} mode 600 level admin expose-fd listeners`],
      ...['defaults', '  mode http', '  timeout client 60s', '  timeout server 60s', '  timeout connect 5s'],
      ...['frontend public', `  bind 127.0.0.1:${port}`, '  default_backend be_http:shop:cart'],
      ...['backend be_http:shop:cart', `  server pod:a:web:http:a:1 127.0.0.1:${pod.server.port}`, ''],
    ].join('\n'),
  );
});
afterAll(async () => {
  await Promise.all(started.map((child) => endChild(child)));
  pod[Symbol.dispose]();
});

/** Resolves once the worker of the generation serves. */
async function startGeneration(number: number): Promise<ChildProcess> {
  const takeOver = number === 1 ? [] : ['-x', statsSocket];
  const socket = generationSocket(folder, number);
  const argv = ['-W', '-db', '-f', join(folder, 'haproxy.cfg'), '-S', `${socket},mode,600`, ...takeOver];
  const child = spawn('haproxy', argv, { stdio: 'ignore' });
  started.push(child);
  await waitFor(`generation ${number}`, async () =>
    (await askRuntimeApi(socket, '@1 show info', 10_000))?.includes('Pid:'),
  );
  return child;
}

const settings = { statsSocket, exported: usualColumns, baseIntervalMs: 60_000, timeoutMs: 10_000 };

function exporterOf(serverThreshold: number, servers = 1, whenFree?: () => Promise<unknown>) {
  let nowMs = 0;
  const exporter = createExporter(
    { ...settings, serverThreshold, labelsOf, ...(whenFree && { whenFree }) },
    () => servers,
    () => (nowMs += 1_000),
  );
  return { ...exporter, text: async () => [...(await exporter.page())].join('') };
}

const connections = (text: string): number =>
  Number(/^haproxy_backend_connections_total\{.*route="cart"\} (\d+)$/m.exec(text)?.[1]);

test('counters continue across generations, whether the old one still drains or is gone', async () => {
  const exporter = exporterOf(500);
  const ask = () => get(port, 'shop.test', '/');
  const first = await startGeneration(1);
  await ask();
  await exporter.scrape();
  expect(connections(await exporter.text())).toBe(1);
  await startGeneration(2);
  await ask();
  // What an old generation counts after its last scrape is lost with it, so it is scraped just before a reload.
  await exporter.scrape();
  expect(connections(await exporter.text())).toBe(2);
  await endChild(first);
  await ask();
  await exporter.scrape();
  expect(connections(await exporter.text())).toBe(3);
});

test('statistics are cached for the whole interval', async () => {
  const exporter = exporterOf(500);
  const scrapes = async () =>
    Number(/^haproxy_exporter_total_scrapes (\d+)$/m.exec(await exporter.text())?.[1]);
  expect([await scrapes(), await scrapes()]).toEqual([1, 1]);
});

test('above the threshold, HAProxy is not asked for servers, and backends stay complete', async () => {
  const few = await exporterOf(1).text();
  const many = await exporterOf(1, 2).text();
  expect(few).toContain(
    'haproxy_server_up{server="a:1",namespace="shop",route="cart",pod="a",service="web"} 1',
  );
  expect(many).not.toContain('haproxy_server_up');
  expect(many).toContain('haproxy_backend_up{backend="http",namespace="shop",route="cart"} 1');
  expect(many).toContain('haproxy_exporter_server_threshold{type="current"} 2');
});

test('statistics requested before a reload are parsed after it', async () => {
  const reload = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const exporter = exporterOf(500, 1, () => {
    asked.resolve();
    return reload.promise;
  });
  const events: string[] = [];
  const scraping = exporter.scrape().then(() => events.push('read'));
  await asked.promise;
  const [serving] = started.slice(-1);
  await endChild(serving as ChildProcess);
  events.push('reloaded');
  reload.resolve();
  await scraping;
  expect(events).toEqual(['reloaded', 'read']);
  expect(connections([...(await exporter.page())].join(''))).toBeGreaterThan(0);
});
