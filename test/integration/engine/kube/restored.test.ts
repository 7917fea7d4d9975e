import { afterEach, beforeEach, expect, test } from 'vitest';
import { createObjectStore, type ObjectStore } from '../../../helpers/api-server/object-store.ts';
import { node } from '../../../helpers/api-server/objects.ts';
import {
  createTestCluster,
  type TestCluster,
  type Watching,
  watchNodes,
} from '../../../helpers/api-server/observing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let cluster: TestCluster;
let seen: Watching;
let current: ObjectStore;

beforeEach(() => {
  cluster = createTestCluster();
  current = cluster.store;
  cluster.store.set(node('cp-1', ['10.0.0.1']));
  cluster.store.set(node('cp-2', ['10.0.0.2']));
});

afterEach(async () => {
  await seen.stop();
  await cluster.remove();
});

/** Answers from `current`. Existing watches get no further changes, and bookmarks carry the version of `current`. */
const replaceable: ObjectStore = {
  version: () => current.version(),
  oldest: () => current.oldest(),
  objects: () => current.objects(),
  get: (...which) => current.get(...which),
  changesSince: (version) => current.changesSince(version),
  set: (object) => current.set(object),
  delete: (...which) => current.delete(...which),
  expire: () => current.expire(),
  subscribe: (listener) => current.subscribe(listener),
};

/** Without cp-2, and at a version long before the watched one. */
function restoreBackup(): void {
  current = createObjectStore();
  current.set(node('cp-1', ['10.0.0.1']));
}

test.each([
  ['a poll', { checkInterval: 1_000 }, 600_000],
  ['a bookmark', {}, 100],
])(
  '%s reveals that etcd was restored from a backup, although the watch is alive and reports no change',
  async (_what, settings, bookmarkMs) => {
    for (let round = 0; round < 50; round += 1) cluster.store.set(node('cp-2', [`10.0.1.${round}`]));
    cluster.store.set(node('cp-2', ['10.0.0.2']));
    const server = await cluster.start({ store: replaceable, bookmarkMs });
    cluster.writeKubeconfig(server.url);
    seen = watchNodes(cluster, settings);
    await seen.sees(['cp-1=10.0.0.1', 'cp-2=10.0.0.2']);
    await waitFor('the watches', () => server.served().watches === 2);
    restoreBackup();
    await seen.sees(['cp-1=10.0.0.1']);
    expect(seen.observations.filter(({ kind }) => kind === 'unavailable')).toEqual([]);
  },
);

test('a watch that resumes with a version from before the restore recovers', async () => {
  for (let round = 0; round < 50; round += 1) cluster.store.set(node('cp-2', [`10.0.1.${round}`]));
  const server = await cluster.start({ store: replaceable, bookmarkMs: 600_000 });
  cluster.writeKubeconfig(server.url);
  seen = watchNodes(cluster, { timing: { watchTimeoutSeconds: 1 } });
  await seen.sees(['cp-1=10.0.0.1', 'cp-2=10.0.1.49']);
  await waitFor('the watches', () => server.served().watches === 2);
  restoreBackup();
  await seen.sees(['cp-1=10.0.0.1']);
});
