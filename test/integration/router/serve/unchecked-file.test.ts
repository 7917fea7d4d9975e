import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveRouter, podAddress, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const routes = ['one', 'bad'].map((name) => plainRoute(name, `${name}.test`));
const objects = (one: number, bad = 0) => [...routes, slice('one', [one]), slice('bad', [bad])];
/** Validation and a start reject a file with this pod, but HAProxy accepts the pod at runtime. */
const REFUSED_POD = 2;
const EVERY_MS = 10_000;
let live: LiveRouter;
const file = (name: string): string => join(dirname(live.config), '..', name);
/** The number of validations that have begun. */
const checks = (): number => readFileSync(file('checks'), 'utf8').length;
const text = (): string => readFileSync(live.config, 'utf8');
/** The supervisor's copy, which does not depend on the router. */
const lastGood = (): string => readFileSync(file('run/haproxy.last-good.cfg'), 'utf8');

beforeAll(async () => {
  const haproxy = (dir: string): string => {
    const path = join(dir, 'refusing-haproxy');
    writeFileSync(join(dir, 'checks'), '');
    writeFileSync(
      path,
      `#!/bin/sh
case " $* " in *" -c "*)
  printf . >> ${dir}/checks
  while [ -e ${dir}/held ] && ! grep -q supervise /proc/$PPID/cmdline; do sleep 0.1; done ;;
esac
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
  const before = checks();
  const beganAtMs = performance.now();
  for (let round = 0; round < 20; round += 1) {
    live.set(objects(1 - (round % 2)));
    await live.answers('one.test', round % 2 === 0 ? 'b' : 'a');
  }
  // One may have been decided earlier and started late.
  const most = 2 + (performance.now() - beganAtMs) / EVERY_MS;
  expect(checks() - before).toBeLessThanOrEqual(most);
});

test('a HAProxy that dies with a file it rejects comes back with the last good one, and the next validation finds the cause', async () => {
  live.set(objects(1));
  await live.answers('one.test', 'b');
  // A runtime update is made before its file is written.
  await waitFor('the last good copy', () => text().includes(podAddress(1)) && text() === lastGood());
  // The router's next validation may be due at any time and would leave the route out. The supervisor's own is not held.
  writeFileSync(file('held'), '');
  live.set(objects(1, REFUSED_POD));
  await live.answers('bad.test', 'c');
  await waitFor('the file with the refused pod', () => text().includes(podAddress(REFUSED_POD)));
  const before = await live.generation();
  const { current } = (await live.supervisor.status()) as { readonly current: { readonly pid: number } };
  process.kill(current.pid, 'SIGKILL');
  await waitFor('another generation', async () => (await live.generation()) > before);
  await live.answers('one.test', 'b');
  await live.answers('bad.test', 'a');
  rmSync(file('held'));
  expect(await live.says('route-left-out')).toMatchObject({ route: expect.stringContaining('bad') });
  await waitFor('a file without the refused pod', () => !text().includes(podAddress(REFUSED_POD)));
  await waitFor('the last good copy', () => text() === lastGood());
  await live.answers('one.test', 'b');
});
