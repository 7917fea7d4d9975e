import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveRouter, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** HAProxy stops at its fiftieth error: the routes of the tenant that it refuses are four times as many. */
const BAD = 200;
const old = plainRoute('old', 'old.test', { namespace: 'pay', service: 'web' });
const pods = [slice('web', [0], 'pay'), slice('web', [0], 'big')];
let live: LiveRouter;

/** What a tenant has who changes all of his routes again and again, half of them to something that HAProxy refuses. */
const big = (round: number) =>
  Array.from({ length: 2 * BAD }, (_, index) =>
    plainRoute(`${index % 2 === 0 ? 'bad' : 'fine'}${index}`, `r${index}.big.test`, {
      ...{ namespace: 'big', service: 'web', createdAt: index },
      path: `/${round}`,
    }),
  );

beforeAll(async () => {
  live = await startLiveRouter({
    objects: [old, ...pods],
    template: (shipped) =>
      shipped.replace(
        '  balance <%= backend.balance %>',
        "$&\n<%_ if (backend.name.includes(':bad')) { _%>\n  wrong words\n<%_ } _%>",
      ),
  });
  await live.answers('old.test', 'a');
});
afterAll(async () => {
  await live[Symbol.asyncDispose]();
});

test('a route is served after one refused configuration, however many bad routes another tenant brings and goes on changing', async () => {
  const refusals = () => live.events('configuration-rejected').length;
  let round = 0;
  for (const name of ['new', 'newer']) {
    const mine = plainRoute(name, `${name}.test`, { namespace: 'pay', service: 'web' });
    const before = refusals();
    await waitFor(`the route ${name}`, async () => {
      live.set([old, mine, ...pods, ...big(round)]);
      round += 1;
      return (await live.ask(`${name}.test`)).body === 'a';
    });
    expect(refusals() - before).toBeLessThanOrEqual(1);
  }
  expect(refusals()).toBe(1);
  expect((await live.ask('old.test')).body).toBe('a');
});
