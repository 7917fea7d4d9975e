import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveRouter, podAddress, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const routes = ['one', 'bad'].map((name) => plainRoute(name, `${name}.test`));
const objects = (one: number, bad = 0) => [...routes, slice('one', [one]), slice('bad', [bad])];
/** Validation and a start refuse a file with this pod, while HAProxy takes the pod at runtime. */
const REFUSED_POD = 2;
const EVERY_MS = 10_000;
let live: LiveRouter;
const checks = (): readonly number[] =>
  readFileSync(join(dirname(live.config), '..', 'checks'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(Number);
const text = (): string => readFileSync(live.config, 'utf8');
const lastGood = (): string => readFileSync(`${live.config}.last-good`, 'utf8');

beforeAll(async () => {
  const haproxy = (dir: string): string => {
    const path = join(dir, 'refusing-haproxy');
    writeFileSync(join(dir, 'checks'), '');
    writeFileSync(
      path,
      `#!/bin/sh
case " $* " in *" -c "*) date +%s%3N >> ${dir}/checks ;; esac
before=
for word; do [ "$before" != -f ] || file=$word; before=$word; done
line=$(grep -n '${podAddress(REFUSED_POD)}:' "$file" | head -1 | cut -d: -f1)
[ -z "$line" ] || { echo "[ALERT] (1) : config : parsing [$file:$line] : no such pod" >&2; exit 1; }
exec haproxy "$@"
`,
    );
    chmodSync(path, 0o755);
    return path;
  };
  live = await startLiveRouter({ objects: objects(0), pods: ['a', 'b', 'c'], haproxy });
  for (const host of ['one.test', 'bad.test']) await live.answers(host, 'a');
});
afterAll(async () => {
  await live[Symbol.asyncDispose]();
});

test('runtime updates are validated at most once in ten seconds', async () => {
  const before = checks().length;
  for (let round = 0; checks().length < before + 2; round += 1) {
    live.set(objects(1 - (round % 2)));
    await live.answers('one.test', round % 2 === 0 ? 'b' : 'a');
  }
  const [first = 0, second = 0] = checks().slice(before);
  expect(second - first).toBeGreaterThanOrEqual(EVERY_MS - 1_000);
});

test('a HAProxy that dies over a file it refuses serves the last good one, and the next validation finds why', async () => {
  live.set(objects(1));
  await live.answers('one.test', 'b');
  await waitFor('the last good copy', () => text() === lastGood());
  live.set(objects(1, REFUSED_POD));
  await live.answers('bad.test', 'c');
  const before = await live.generation();
  const { current } = (await live.supervisor.status()) as { readonly current: { readonly pid: number } };
  process.kill(current.pid, 'SIGKILL');
  await waitFor('another generation', async () => (await live.generation()) > before);
  await live.answers('one.test', 'b');
  await live.answers('bad.test', 'a');
  expect(await live.says('route-left-out')).toMatchObject({ route: expect.stringContaining('bad') });
  await waitFor('a file without the refused pod', () => !text().includes(podAddress(REFUSED_POD)));
  await waitFor('the last good copy', () => text() === lastGood());
  await live.answers('one.test', 'b');
});
