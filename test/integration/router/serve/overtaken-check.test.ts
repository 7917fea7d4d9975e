import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveRouter, podAddress, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const routes = ['one', 'two', 'bad'].map((name) => plainRoute(name, `${name}.test`));
const objects = (one: number, two: number, bad = 0) => [
  ...routes,
  slice('one', [one]),
  slice('two', [two]),
  slice('bad', [bad]),
];
/** Only the check rejects a file with this pod. */
const REFUSED_POD = 2;
let live: LiveRouter;
const at = (name: string): string => join(dirname(live.config), '..', name);
const checks = (): readonly number[] =>
  readFileSync(at('checks'), 'utf8').split('\n').filter(Boolean).map(Number);
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

beforeAll(async () => {
  const haproxy = (dir: string): string => {
    const path = join(dir, 'held-haproxy');
    const line = `grep -n '${podAddress(REFUSED_POD)}:' "$file" | head -1 | cut -d: -f1`;
    writeFileSync(join(dir, 'checks'), '');
    writeFileSync(
      path,
      `#!/bin/sh
case " $* " in *" -c "*) ;; *) exec haproxy "$@" ;; esac
echo $$ >> ${dir}/checks
while [ -e ${dir}/hold ]; do sleep 0.02; done
for file; do :; done
line=$(${line})
[ -z "$line" ] || { echo "[ALERT] (1) : config : parsing [$file:$line] : no such pod" >&2; exit 1; }
exec haproxy "$@"
`,
    );
    chmodSync(path, 0o755);
    return path;
  };
  live = await startLiveRouter({ objects: objects(0, 0), pods: ['a', 'b', 'c'], haproxy });
  for (const { name } of routes.map(({ metadata }) => metadata)) await live.answers(`${name}.test`, 'a');
});
afterAll(async () => {
  await live[Symbol.asyncDispose]();
});

test('a pod that moves while the file of another move is being checked is served before that check ends', async () => {
  writeFileSync(at('hold'), '');
  const before = checks().length;
  live.set(objects(1, 0));
  await live.answers('one.test', 'b');
  await waitFor('a check', () => checks().length > before);
  live.set(objects(1, 1));
  await live.answers('two.test', 'b');
  rmSync(at('hold'));
  await waitFor('the newest file to be the last good one', () =>
    readFileSync(live.config).equals(readFileSync(`${live.config}.last-good`)),
  );
  await waitFor('all checks to end', () => !checks().some(isAlive));
  expect(live.events('configuration-rejected')).toEqual([]);
});

test('of two moves made at runtime, the one that validation rejects is left out and the other is served', async () => {
  writeFileSync(at('hold'), '');
  live.set(objects(1, 1, REFUSED_POD));
  await live.answers('bad.test', 'c');
  live.set(objects(0, 1, REFUSED_POD));
  await live.answers('one.test', 'a');
  rmSync(at('hold'));
  expect(await live.says('route-left-out')).toMatchObject({ route: expect.stringContaining('bad') });
  await live.answers('bad.test', '503');
  await live.answers('one.test', 'a');
  await live.answers('two.test', 'b');
  expect(live.events('route-left-out')).toHaveLength(1);
  const text = () => readFileSync(live.config, 'utf8');
  await waitFor('the file to be what is served', () => !text().includes(podAddress(REFUSED_POD)));
  await waitFor('a last good copy of it', () => text() === readFileSync(`${live.config}.last-good`, 'utf8'));
});
