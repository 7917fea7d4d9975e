import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import { createWake } from '../../../../src/engine/system/time/wake.ts';
import { createSegmentWatch } from '../../../../src/vip/segment/segment-watch.ts';
import { testFolder } from '../../../helpers/test-folder.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let dir: string;
beforeEach(() => {
  dir = testFolder();
});
const observers = { log: () => undefined, once: createOnce() };
/** A node that holds nothing and listens for no router id. */
const quietParts = () => ({
  alarm: { held: () => [], inDoubt: () => [], observe: async () => undefined },
  guard: { watched: () => [], hear: () => undefined, fail: () => undefined },
  wake: createWake(),
});

const keepalivedConf =
  'vrrp_instance API {\n  interface eth0\n  virtual_router_id 7\n  virtual_ipaddress {\n    192.0.2.100/32 dev eth0\n  }\n}\n';

test('a node that waits again probes again, even after failed rounds', async () => {
  const config = join(dir, 'keepalived.conf');
  writeFileSync(config, keepalivedConf);
  let removals = 0;
  const capture = {
    set: async () => 'Cannot run nft: the table is locked',
    read: async () => 'never set',
    flush: async () => undefined,
    remove: async () => {
      removals += 1;
      return undefined;
    },
  };
  const settings = { runDir: dir, config };
  const watch = createSegmentWatch(settings, quietParts(), observers, capture);
  const stop = new AbortController();
  const running = watch.run(stop.signal);
  expect(watch.factOf('api').kind).toBe('unknown');
  await waitFor('three rounds to fail', () => watch.factOf('api').kind === 'unobservable');
  const before = removals;
  // `factOf` is not called for two seconds.
  await waitFor('the end of the wait', () => removals > before);
  expect(watch.factOf('api').kind).toBe('unknown');
  stop.abort();
  await running;
});

test('the segment is unknown until keepalived.conf exists, and unobservable if it has no VIP of this kind', () => {
  const settings = { runDir: dir, config: join(dir, 'keepalived.conf') };
  const watch = createSegmentWatch(settings, quietParts(), observers);
  expect(watch.factOf('api').kind).toBe('unknown');
  writeFileSync(settings.config, keepalivedConf);
  expect(watch.factOf('ingress').kind).toBe('unobservable');
});
