import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSilentHealth, noteHealthUrl } from '../../../src/keepalived/silent-health.ts';
import { waitFor } from '../../helpers/wait-for.ts';

let dir: string;
let track: string;
let server: Server;
let status: number;
let asked: (string | undefined)[];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'hawser-silent-'));
  track = join(dir, 'lb.track');
  [status, asked] = [200, []];
  server = createServer(({ url }, answer) => {
    asked.push(url);
    answer.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
});
afterEach(() => {
  server.close();
  rmSync(dir, { recursive: true });
});

const url = () => ({
  ...{ secure: false, host: '::1', path: '/haproxy_ready?a=b' },
  port: (server.address() as AddressInfo).port,
});

test("a silent monitor's checks are made for it, and two failures count", async () => {
  noteHealthUrl(track, url());
  const health = createSilentHealth(track);
  expect(health.serves()).toBe(true);
  await waitFor('some questions', () => health.serves() && asked.length >= 3);
  expect(asked[0]).toBe('/haproxy_ready?a=b');
  status = 503;
  await waitFor('bad answers to count', () => !health.serves());
  status = 200;
  await waitFor('a good one to count', () => health.serves());
  server.close();
  await waitFor('a server that is gone to count', () => !health.serves());
  health.forget();
  expect(health.serves()).toBe(true);
});

test('a VIP that follows no health needs no answer', () => {
  noteHealthUrl(track, undefined);
  expect(createSilentHealth(track).serves()).toBe(true);
});

test('without a note of what to ask, and for HTTPS, no answer is claimed', () => {
  const health = createSilentHealth(track);
  expect(health.serves()).toBe(false);
  noteHealthUrl(track, url());
  noteHealthUrl(track, { ...url(), secure: true });
  expect(existsSync(`${track}.health`)).toBe(false);
  expect(health.serves()).toBe(false);
});
