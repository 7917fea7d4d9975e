import { expect, test } from 'vitest';
import type { ApiFailure, ApiTarget } from '../../../../src/engine/kube/api-request.ts';
import { openApiSession } from '../../../../src/engine/kube/api-session.ts';
import type { KubeconfigFile, LoadedKubeconfig } from '../../../../src/engine/kube/kubeconfig.ts';

const never = new AbortController().signal;
const vip = 'https://10.0.0.100:6443';
const local = 'https://localhost:6443';

/** A session with two bases and a clock that moves only by `setNow`. `asked` lists the requested bases in order. */
function createSession(answers: Readonly<Record<string, ApiFailure>>) {
  let nowMs = 0;
  let generation = 1;
  const asked: string[] = [];
  const loaded = () => ({ server: new URL(vip), generation }) as LoadedKubeconfig;
  const kubeconfig: KubeconfigFile = { load: async () => loaded() };
  const session = openApiSession({ kubeconfig, apiPort: 6443, fallbacks: [], nowMs: () => nowMs }, never);
  return {
    session,
    asked,
    setNow: (value: number) => {
      nowMs = value;
    },
    replaceKubeconfig: () => {
      generation += 1;
    },
    request: async () =>
      await session.firstAnswer(async ({ base }) => {
        asked.push(base.url);
        return answers[base.url] ?? { kind: 'good' };
      }, never),
  };
}

const busy = (retryAfterMs: number): ApiFailure => {
  return { kind: 'failure', status: 429, message: 'HTTP 429 Too many requests', retryAfterMs };
};
const refused: ApiFailure = { kind: 'failure', status: undefined, message: 'connect ECONNREFUSED' };

test('a server that answers 429 is retried after its Retry-After, and others are used meanwhile', async () => {
  const { asked, request, setNow } = createSession({ [vip]: busy(5_000), [local]: refused });
  expect(await request()).toMatchObject({ kind: 'failure', status: 429 });
  setNow(4_999);
  expect(await request()).toMatchObject({
    kind: 'failure',
    status: 429,
    message: `${vip}: HTTP 429 Too many requests; ${local}: connect ECONNREFUSED`,
  });
  setNow(5_000);
  await request();
  expect(asked).toEqual([vip, local, local, vip, local]);
});

test('a Retry-After of an hour is limited to 32 s', async () => {
  const { asked, request, setNow } = createSession({ [vip]: busy(3_600_000) });
  await request();
  setNow(32_000);
  // The other server answered last, so it is first.
  expect(await request()).toMatchObject({ kind: 'answered' });
  expect(asked).toEqual([vip, local, local]);
  const alone = createSession({ [vip]: busy(3_600_000), [local]: refused });
  await alone.request();
  alone.setNow(32_000);
  await alone.request();
  expect(alone.asked).toEqual([vip, local, vip, local]);
});

test('a new kubeconfig ends the wait, because it may name another cluster or user', async () => {
  const { asked, request, replaceKubeconfig } = createSession({ [vip]: busy(5_000), [local]: refused });
  await request();
  replaceKubeconfig();
  await request();
  expect(asked).toEqual([vip, local, vip, local]);
});

test('429 without Retry-After is retried with the normal backoff', async () => {
  const { retryAfterMs: _, ...bare } = busy(0);
  const { asked, request } = createSession({ [vip]: bare, [local]: refused });
  await request();
  await request();
  expect(asked).toEqual([vip, local, vip, local]);
});

test('a session has at most 100 watches; one more is refused with the limit until another ends', () => {
  const { session } = createSession({});
  const target = {} as ApiTarget;
  const watches = Array.from({ length: 100 }, () => session.whileGood(target));
  expect(() => session.whileGood(target)).toThrow('101 watches, the limit MAX_WATCHES is 100');
  watches[0]?.[Symbol.dispose]();
  expect(session.whileGood(target).signal.aborted).toBe(false);
});

test('a request that is aborted while the kubeconfig is read ends at once', async () => {
  const hanging: KubeconfigFile = { load: () => new Promise(() => undefined) };
  const session = openApiSession({ kubeconfig: hanging, apiPort: 6443, fallbacks: [] }, never);
  const stop = new AbortController();
  const answer = session.firstAnswer(() => Promise.reject(new Error('it was asked')), stop.signal);
  stop.abort(new Error('stopped'));
  expect(await answer).toEqual({ kind: 'failure', status: undefined, message: 'stopped' });
});

test('a request does not try the next server with the credentials of a replaced kubeconfig', async () => {
  const { session, asked, request, replaceKubeconfig } = createSession({ [vip]: refused });
  const outcome = await session.firstAnswer(async ({ base }): Promise<ApiFailure> => {
    asked.push(`old ${base.url}`);
    replaceKubeconfig();
    await request();
    return refused;
  }, never);
  expect(outcome).toMatchObject({ kind: 'failure', message: 'the kubeconfig changed' });
  expect(asked).toEqual([`old ${vip}`, vip, local]);
});
