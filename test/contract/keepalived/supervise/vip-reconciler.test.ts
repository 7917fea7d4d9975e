import { expect, test } from 'vitest';
import { advance } from '../../../../src/keepalived/supervise/advance.ts';
import { initialState, type VrrpSupervisorState } from '../../../../src/keepalived/supervise/state.ts';
import { startVipReconciler } from '../../../../src/keepalived/supervise/vip-reconciler.ts';
import type { Disagreement, VrrpState } from '../../../../src/keepalived/vip-presence.ts';
import type { KeepalivedDriver, SelfReport } from '../../../../src/keepalived/vrrp-program.ts';
import { configurationOf } from '../../../helpers/keepalived-world.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

interface Scene {
  readonly repaired: readonly Disagreement[];
  readonly asked: () => number;
  /** The track files that the reconciler attributed to a holder. */
  readonly holders: ReadonlySet<string>;
  readonly log: readonly { readonly event: string; readonly [field: string]: unknown }[];
  readonly state: () => VrrpSupervisorState;
}

/** A keepalived that is in state `real` although its last line said `said`. The VIP is `address`, on the test machine. */
async function watch(
  { said, real, address }: { said: VrrpState; real: VrrpState | undefined; address: string },
  until: (scene: Scene) => boolean,
): Promise<Scene> {
  const repaired: Disagreement[] = [];
  const log: { readonly event: string; readonly [field: string]: unknown }[] = [];
  const holders = new Set<string>();
  let asked = 0;
  const configuration = configurationOf(1);
  const vips = [{ address, prefixLength: 32, interface: 'lo' }];
  let state: VrrpSupervisorState = {
    ...initialState({
      ...configuration,
      instances: [{ name: 'API', virtualRouterId: 77, peers: [], vips, masterDownMs: 600 }],
      trackFiles: [
        { path: '/lb.track', instances: ['API', 'API_V6'] },
        { path: '/ingress.track', instances: ['INGRESS'] },
      ],
    }),
    daemon: { kind: 'up', id: { pid: 1, startTicks: 1 }, since: 0 },
    instances: [{ name: 'API', state: said, priority: 220, since: 0 }],
  };
  const unused = (): never => {
    throw new Error('the keeper does not call this');
  };
  const program: KeepalivedDriver = {
    hasConfiguration: unused,
    lastAccepted: unused,
    lastGood: unused,
    keepLastGood: unused,
    accept: unused,
    start: unused,
    reload: unused,
    findLeftOver: unused,
    sweep: unused,
    discardUnsent: unused,
    listen: () => [],
    watchTrackFiles: ({ trackFiles }, isHolder) => {
      for (const file of trackFiles.filter(isHolder)) holders.add(file.path);
      return [];
    },
    confirm: async (): Promise<SelfReport | undefined> => {
      asked += 1;
      return real === undefined ? undefined : [{ name: 'API', state: real, priority: 220 }];
    },
    repair: async (disagreement) => {
      repaired.push(disagreement);
      return undefined;
    },
  };
  const scene = { repaired, asked: () => asked, holders, log, state: () => state };
  const keeper = startVipReconciler({
    program,
    processes: { started: unused, poll: () => undefined, reap: unused, leftOver: unused },
    state: () => state,
    dispatch: (event) => {
      state = advance(state, event, 1).state;
    },
    log: (event) => void log.push(event),
  });
  try {
    await waitFor('the keeper', () => until(scene));
  } finally {
    keeper.stop();
  }
  return scene;
}

test('an address that a holder lost is restored', async () => {
  const { repaired, log } = await watch(
    { said: 'MASTER', real: 'MASTER', address: '192.0.2.77' },
    (it) => it.log.length > 0,
  );
  expect(repaired[0]).toMatchObject({ kind: 'missing', vip: { address: '192.0.2.77' } });
  expect(log[0]).toMatchObject({ event: 'vip-restored', instance: 'API', vip: '192.0.2.77' });
});

test('the address of a backup is removed', async () => {
  const { repaired, log } = await watch(
    { said: 'BACKUP', real: 'BACKUP', address: '127.0.0.1' },
    (it) => it.log.length > 0,
  );
  expect(repaired[0]).toMatchObject({ kind: 'stray' });
  expect(log[0]).toMatchObject({ event: 'stray-vip-removed', reason: expect.stringContaining('BACKUP') });
});

test('a holder whose last line was lost keeps its address, and its state is corrected', async () => {
  const scene = await watch(
    { said: 'BACKUP', real: 'MASTER', address: '127.0.0.1' },
    (it) => it.state().instances[0]?.state === 'MASTER',
  );
  expect(scene.asked()).toBe(1);
  expect(scene.repaired).toEqual([]);
});

test('nothing is repaired while keepalived does not answer, which is reported once', async () => {
  const scene = await watch(
    { said: 'BACKUP', real: undefined, address: '127.0.0.1' },
    (it) => it.asked() >= 3,
  );
  expect(scene.repaired).toEqual([]);
  expect(scene.log).toMatchObject([{ event: 'vip-not-repaired', trouble: 'keepalived does not answer' }]);
});

test('the holder of one kind of VIP gets no bonus for the other', async () => {
  const { holders } = await watch(
    { said: 'MASTER', real: 'MASTER', address: '192.0.2.77' },
    (it) => it.log.length > 0,
  );
  expect(holders).toEqual(new Set(['/lb.track']));
});
