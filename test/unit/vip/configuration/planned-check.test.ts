import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createPlannedCheck } from '../../../../src/vip/configuration/planned-check.ts';
import type { VrrpInput } from '../../../../src/vip/group/vrrp.ts';

const { signal } = new AbortController();

function refusalOf(adverts: string, needed: number): Promise<string | undefined> {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-planned-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const settings: VrrpInput['settings'] = {
    ...{ clusterName: 'managed', profile: 'fast', mode: 'unicast', advertIntervalMs: 300 / needed },
    ...{ apiVips: ['10.0.0.5'], ingressVips: [], nodeName: 'a' },
    ...{ notifyFifo: '/run/notify.fifo', trackFiles: {} },
  };
  const model = {
    ...({ routerId: 'a', profile: 'fast', mode: 'unicast', vrrpVersion: 3, advertInterval: '0.02' } as const),
    ...{ downTimerAdverts: needed, instances: [], syncGroups: [], notifyFifo: '', trackFiles: [] },
  };
  const text = `vrrp_instance API {\n  advert_int 0.02\n${adverts}}\n`;
  const check = async () => ({ kind: 'valid' }) as const;
  const render = async () => ({ kind: 'rendered', rendered: { text, mode: 0o644 }, model }) as const;
  const input = { settings, controlPlane: [], allNodes: [], interfaces: [], routes: [] };
  return createPlannedCheck(join(dir, 'planned'), check, render).refusal(input, signal);
}

test('a template that would wait for too few of the agreed adverts is refused before the time', async () => {
  expect(await refusalOf('  down_timer_adverts 15\n', 15)).toBeUndefined();
  expect(await refusalOf('  down_timer_adverts 20\n', 15)).toBeUndefined();
  for (const line of ['  down_timer_adverts 3\n', ''])
    expect(await refusalOf(line, 15)).toMatch(
      /^Cannot change API to adverts every 20 ms: its down_timer_adverts is 3, expected 15/,
    );
});
