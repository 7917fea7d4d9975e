import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type LiveRouter, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';

/** HAProxy stops at its fiftieth error, so its messages alone would take twenty checks to find all of them. */
const BAD_ROUTES = 1_000;
/** On a busy machine the routes arrive in parts, and each part costs a check or two. */
const MOST_CHECKS = 12;

/** Makes HAProxy reject a line of each route whose name begins with `bad`. The shipped template prints nothing that HAProxy rejects. */
const wrongTemplate = (shipped: string): string =>
  shipped.replace(
    '  balance <%= backend.balance %>',
    "$&\n<%_ if (backend.name.includes(':bad')) { _%>\n  wrong words\n<%_ } _%>",
  );

const pay = [plainRoute('old', 'old.test', { namespace: 'pay', service: 'web' }), slice('web', [0], 'pay')];
const added = plainRoute('new', 'new.test', { namespace: 'pay', service: 'web' });
const bad = Array.from({ length: BAD_ROUTES }, (_, index) =>
  plainRoute(`bad${index}`, `bad${index}.test`, { namespace: 'big' }),
);

/** Counts how often HAProxy reads the live configuration, to start or to check. Trials of other files delay nobody and do not count. */
async function countingRouter(objects: Parameters<LiveRouter['set']>[0]) {
  let path = '';
  const haproxy = (dir: string): string => {
    path = join(dir, 'runs');
    const program = join(dir, 'counted-haproxy');
    const script = `#!/bin/sh\ncase "$*" in *conf/haproxy.cfg*) echo run >> ${path} ;; esac\nexec /usr/sbin/haproxy "$@"\n`;
    writeFileSync(program, script);
    chmodSync(program, 0o755);
    return program;
  };
  const live = await startLiveRouter({ objects, haproxy, template: wrongTemplate });
  const runs = (): number => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0);
  return { live, runs };
}

test('a new route is served after a few checks, although another tenant adds a thousand that HAProxy rejects', async () => {
  const { live, runs } = await countingRouter(pay);
  await using _ = live;
  await live.answers('old.test', 'a');
  await live.says('configuration-reloaded');
  const before = runs();
  live.set([...bad, ...pay, added]);
  await live.answers('new.test', 'a');
  expect(runs() - before).toBeLessThanOrEqual(MOST_CHECKS);
  expect((await live.ask('bad7.test')).status).toBe(503);
});

test('the same holds for a cold start', async () => {
  const { live, runs } = await countingRouter([...bad, ...pay, added]);
  await using _ = live;
  await live.answers('new.test', 'a');
  expect(runs()).toBeLessThanOrEqual(MOST_CHECKS);
});

test('a service behind a thousand routes moves by a reload instead of thousands of runtime changes', async () => {
  const many = Array.from({ length: 1_100 }, (_, index) =>
    plainRoute(`r${index}`, `r${index}.test`, { namespace: 'big', service: 'shop' }),
  );
  await using live = await startLiveRouter({ objects: [...many, slice('shop', [0], 'big'), ...pay] });
  await live.answers('r7.test', 'a');
  await live.says('configuration-reloaded');
  const before = await live.generation();
  live.set([...many, slice('shop', [1], 'big'), ...pay]);
  await live.answers('r7.test', 'b');
  await live.answers('r1099.test', 'b');
  expect(await live.generation()).toBeGreaterThan(before);
});
