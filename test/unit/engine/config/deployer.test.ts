import { afterEach, expect, test, vi } from 'vitest';
import { createDeployer } from '../../../../src/engine/config/deployer.ts';
import type { ProxyClient, UpdateResult } from '../../../../src/engine/config/proxy.ts';
import { type Rendered, revisionOf } from '../../../../src/engine/config/set.ts';
import type { OnDisk, Store } from '../../../../src/engine/config/store.ts';

const set: Rendered = { text: 'a', mode: 0o644 };
const { signal } = new AbortController();

/** A disk and a program that always succeed. `observe` is slow. */
function createScene() {
  const did: string[] = [];
  let main: OnDisk = { revision: undefined, isOwn: false };
  let running: string | undefined;
  const store: Partial<Store> = {
    onDisk: async () => main,
    good: async () => undefined,
    keepModes: async () => undefined,
    put: async (put) => {
      did.push('put');
      main = { revision: revisionOf(put), isOwn: true };
      return { kind: 'valid' };
    },
    sync: async () => void did.push('sync'),
    keepAsGood: async () => void did.push('keep as good'),
  };
  const proxy: Partial<ProxyClient> = {
    running: async () => running,
    reload: async () => {
      did.push('reload');
      running = main.revision;
      return { is: 'done', outcome: {} };
    },
    keepAsGood: async () => undefined,
  };
  const deployer = createDeployer<string>({
    configPath: '/haproxy.cfg',
    store: store as Store,
    proxy: proxy as ProxyClient,
    check: async () => ({ kind: 'valid' }),
    policy: { check: 'before-write', reloadEveryMs: 0 },
    onReload: () => did.push('about to reload'),
    observe: async ({ outcome, version }) => {
      await new Promise(setImmediate);
      did.push(`${outcome.kind} ${version.of}`);
    },
  });
  return { deployer, did };
}

test('a set is written, loaded and kept as good, and deploy() resolves once that is observed', async () => {
  const { deployer, did } = createScene();
  expect(deployer.hasServed()).toBe(false);
  await deployer.deploy(set, 'first', signal);
  expect(did).toContain('reloaded first');
  expect([deployer.hasServed(), deployer.isHeld()]).toEqual([true, false]);
  await deployer.ended();
  expect(did.filter((each) => each !== 'reloaded first')).toEqual([
    'put',
    'about to reload',
    'sync',
    'reload',
    'keep as good',
  ]);
  await deployer.deploy(set, 'again', signal);
  expect(did.slice(6)).toEqual(['unchanged again']);
});

test('deploy() rejects with the reason of an aborted signal', async () => {
  const { deployer } = createScene();
  const stop = new AbortController();
  const deployed = deployer.deploy(set, 'first', stop.signal);
  stop.abort(new Error('stopped'));
  await expect(deployed).rejects.toThrow('stopped');
  await expect(deployer.deploy(set, 'second', stop.signal)).rejects.toThrow('stopped');
});

afterEach(() => vi.useRealTimers());

/** A program that counts up to a number, one runtime update for each. `updates` grows as they begin. */
function createCounter(isSuperseded: () => boolean) {
  const numbered = (number: number): Rendered => ({ text: `${number}`, mode: 0o644 });
  const updates: number[] = [];
  const reports: string[] = [];
  let main: OnDisk = { revision: revisionOf(numbered(0)), isOwn: true };
  let finish: (result: UpdateResult) => void = () => undefined;
  const store: Partial<Store> = {
    onDisk: async () => main,
    good: async () => undefined,
    keepModes: async () => undefined,
    put: async (put) => {
      main = { revision: revisionOf(put), isOwn: true };
      return { kind: 'valid' };
    },
    checkInPlace: async () => ({ kind: 'valid' }),
    keepAsGood: async () => undefined,
  };
  const proxy: Partial<ProxyClient> = {
    running: async () => revisionOf(numbered(0)),
    apply: async ({ changes: [change] }) => {
      if (change === undefined) {
        await new Promise(setImmediate);
        return { is: 'done', stats: {} };
      }
      updates.push(Number(Object.values(change)[0]));
      return await new Promise((resolve) => {
        finish = resolve;
      });
    },
    keepAsGood: async () => undefined,
  };
  const deployer = createDeployer<number>({
    configPath: '/haproxy.cfg',
    store: store as Store,
    proxy: proxy as ProxyClient,
    check: async () => ({ kind: 'valid' }),
    policy: {
      check: 'when-idle',
      reloadEveryMs: 0,
      compare: (running, desired) => {
        const next = Number(running.text) + Math.sign(Number(desired.text) - Number(running.text));
        const isLast = numbered(next).text === desired.text;
        return { changes: [{ next }], running: isLast ? desired : numbered(next), reload: [] };
      },
    },
    isSuperseded,
    observe: ({ outcome, version, isCheck }) => {
      if (isCheck !== true) reports.push(`${outcome.kind} ${version.of}`);
    },
  });
  const update = async (): Promise<void> => {
    finish({ is: 'done', stats: {} });
    await new Promise(setImmediate);
  };
  const deploy = (number: number) => deployer.deploy(numbered(number), number, signal);
  return { deploy, updates, reports, update };
}

test('a newer configuration is taken between two runtime updates of an older one', async () => {
  let isSuperseded = false;
  const { deploy, updates, update } = createCounter(() => isSuperseded);
  await deploy(0);
  let isDone = false;
  const first = deploy(9).then(() => {
    isDone = true;
  });
  await update();
  await update();
  expect([updates, isDone]).toEqual([[1, 2, 3], false]);
  isSuperseded = true;
  await update();
  await first;
  expect(updates).toEqual([1, 2, 3, 4]);

  // The fourth update is in progress. It does not end the second call.
  let isSecondDone = false;
  const second = deploy(2).then(() => {
    isSecondDone = true;
  });
  await new Promise(setImmediate);
  expect(isSecondDone).toBe(false);
  isSuperseded = false;
  await update();
  await update();
  await update();
  await second;
  expect(updates).toEqual([1, 2, 3, 4, 3, 2]);
});

test('a configuration of one runtime update is reported before a newer one is taken', async () => {
  const { deploy, update, reports } = createCounter(() => true);
  await deploy(0);
  const deployed = deploy(1);
  await update();
  await deployed;
  expect(reports.at(-1)).toBe('reloaded 1');
});

test('a configuration is finished although newer ones come all the time', async () => {
  vi.useFakeTimers({ toFake: ['hrtime'] });
  const { deploy, updates, update } = createCounter(() => true);
  await deploy(0);
  const first = deploy(9);
  await update();
  await first;
  vi.advanceTimersByTime(5_000);
  let isDone = false;
  const second = deploy(4).then(() => {
    isDone = true;
  });
  await update();
  await update();
  expect([updates, isDone]).toEqual([[1, 2, 3, 4], false]);
  await update();
  await second;
  // The next one may be superseded again.
  const third = deploy(9);
  await update();
  await third;
  expect(updates).toEqual([1, 2, 3, 4, 5, 6]);
});
