import { expect, test } from 'vitest';
import { createDeployer } from '../../../../src/engine/config/deployer.ts';
import type { ProxyClient } from '../../../../src/engine/config/proxy.ts';
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
