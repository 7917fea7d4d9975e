import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveRouter, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import type { LogLine } from '../../../helpers/supervisor-process.ts';

/** How often a running router reloads HAProxy, which takes half a second to start here. */
const INTERVAL_MS = 2_000;
const web = [plainRoute('web', 'web.test'), slice('web', [0])];
let live: LiveRouter;

beforeAll(async () => {
  const haproxy = (dir: string): string => {
    const path = join(dir, 'slow-haproxy');
    writeFileSync(path, '#!/bin/sh\ncase "$1" in -W) sleep 0.5 ;; esac\nexec /usr/sbin/haproxy "$@"\n');
    chmodSync(path, 0o755);
    return path;
  };
  live = await startLiveRouter({ objects: web, haproxy, env: { RELOAD_INTERVAL: `${INTERVAL_MS}ms` } });
  await live.answers('web.test', 'a');
  await live.says('configuration-reloaded');
});
afterAll(async () => {
  await live[Symbol.asyncDispose]();
});

/** When each reload was reported, which is after it began. */
const reloads = (): readonly number[] =>
  live
    .events('configuration-reloaded')
    .map((line: LogLine & { time?: unknown }) => Date.parse(String(line.time)));

test('7 and 8: of a burst of 200 changes, the first is served at once and the rest by reloads one interval apart', async () => {
  const before = reloads().length;
  const routes = Array.from({ length: 200 }, (_, index) =>
    plainRoute(`r${index}`, `r${index}.test`, { service: 'web' }),
  );
  const changedAtMs = Date.now();
  live.set([...web, ...routes.slice(0, 1)]);
  await live.answers('r0.test', 'a');
  for (let count = 20; count <= routes.length; count += 20) live.set([...web, ...routes.slice(0, count)]);
  await live.answers('r199.test', 'a');
  // HAProxy answers before the router learns of its reload.
  await live.says('configuration-reloaded', before + 2);

  // The log and this process both round to milliseconds.
  for (const [index, atMs] of reloads().slice(before).entries())
    expect(atMs - changedAtMs).toBeGreaterThanOrEqual(index * INTERVAL_MS - 10);
});
