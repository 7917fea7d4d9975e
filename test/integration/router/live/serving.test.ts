import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LiveRouter, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';

/** The observable contract of a running router, with the real HAProxy under its real supervisor. */
let live: LiveRouter;

beforeAll(async () => {
  live = await startLiveRouter({ objects: [plainRoute('web', 'web.test'), slice('web', [0])] });
  await live.says('configuration-reloaded');
});
afterAll(async () => {
  await live[Symbol.asyncDispose]();
});

test('9: an endpoint that is added or removed gets traffic or none any more', async () => {
  await live.answers('web.test', 'a');
  live.set([plainRoute('web', 'web.test'), slice('web', [1])]);
  await live.answers('web.test', 'b');
  expect(await live.page('/healthz/ready')).toBe(200);
});
