import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMetricsRegistry } from '../../../../src/engine/observe/metrics-registry.ts';
import { createOnce } from '../../../../src/engine/observe/once.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import type { KeepalivedModel } from '../../../../src/vip/group/vrrp.ts';
import {
  createSplitBrainAlarm,
  type HolderRound,
  initialSplitBrain,
  nextSplitBrain,
  type OtherHolder,
  type SplitBrainState,
} from '../../../../src/vip/segment/split-brain-alarm.ts';
import { createKeepalivedMonitorMetrics } from '../../../../src/vip/settings/keepalived-monitor-metrics.ts';

const higher: OtherHolder = { mac: 'a', node: { name: 'cp-1', address: '10.0.0.1', priority: 220 } };
const stranger: OtherHolder = { mac: 'f', node: undefined };

/** Plays rounds half a second apart, each with the other hosts that answer in it. */
function play(
  seen: readonly (readonly OtherHolder[])[],
  part: Partial<HolderRound> = {},
  from: SplitBrainState = initialSplitBrain,
  startMs = 10_000,
): SplitBrainState {
  return seen.reduce(
    (state, others, index) =>
      nextSplitBrain(state, { holds: true, others, nowMs: startMs + index * 500, ...part }),
    from,
  );
}
const repeat = (count: number, others: readonly OtherHolder[]) => Array.from({ length: count }, () => others);

describe('two holders', () => {
  test('are reported in the second round', () => {
    expect(play([[higher]]).split).toBe(false);
    expect(play([[higher], [higher]]).split).toBe(true);
  });

  test('that answer in every other round only are not reported', () => {
    expect(play([[higher], [], [higher], [], [higher], []]).split).toBe(false);
  });

  test('are over after three silent rounds, or once this node is no longer a holder', () => {
    const split = play(repeat(2, [stranger]));
    expect(play(repeat(2, []), {}, split).split).toBe(true);
    expect(play(repeat(3, []), {}, split).split).toBe(false);
    expect(play([[stranger]], { holds: false }, split).split).toBe(false);
  });

  test('are neither over nor reported because of failed rounds', () => {
    const failed = (state: SplitBrainState) =>
      Array.from({ length: 5 }).reduce<SplitBrainState>(
        (each) => nextSplitBrain(each, { holds: true, others: undefined, nowMs: 20_000 }),
        state,
      );
    expect(failed(play(repeat(2, [stranger]))).split).toBe(true);
    expect(failed(play([[stranger]])).heard).toBe(1);
  });

  test('are not reported if this node is not a holder', () => {
    expect(play(repeat(5, [higher]), { holds: false })).toMatchObject({ split: false });
  });
});

/** An alarm for one VIP that this node holds, and another host, cp-1, too. */
function openAlarm() {
  const directory = mkdtempSync(join(tmpdir(), 'hawser-alarm-'));
  const stateFile = join(directory, 'vrrp-state.json');
  writeFileSync(stateFile, JSON.stringify({ instances: [{ name: 'API', state: 'MASTER', sinceMs: 0 }] }));
  const vip = '10.0.0.5';
  const instance = { name: 'API', vip, interface: 'eth0', sourceAddress: '10.0.0.2', peers: [higher.node] };
  const model = { instances: [instance] } as unknown as KeepalivedModel;
  const logged: LogEvent[] = [];
  const metrics = createKeepalivedMonitorMetrics(() => 0, createMetricsRegistry());
  const observers = { metrics, once: createOnce(), log: (event: LogEvent) => void logged.push(event) };
  const answers = [{ address: vip, mac: 'a' }];
  const neighbours = async () => [{ address: '10.0.0.1', mac: 'a' }];
  const served: { model: KeepalivedModel | undefined } = { model };
  const alarm = createSplitBrainAlarm({ stateFile, vips: [vip] }, () => served.model, observers, neighbours);
  const end = () => rmSync(directory, { recursive: true, force: true });
  onTestFinished(end);
  return { alarm, served, end, instance, vip, answers, logged, metrics };
}

test('the alarm reports a second holder by name, and its end', async () => {
  const { alarm, end, instance, vip, answers, logged } = openAlarm();
  await alarm.observe(answers, 0);
  expect([alarm.view(), alarm.inDoubt()]).toEqual([[], [instance]]);
  await alarm.observe(answers, 500);
  expect(alarm.view()).toEqual([{ vip, holders: ['cp-1'] }]);
  end();
  await alarm.observe(answers, 1_000);
  expect([alarm.view(), alarm.inDoubt()]).toEqual([[], []]);
  expect(logged).toMatchObject([
    { event: 'split-brain', holders: [{ mac: 'a', node: 'cp-1', address: '10.0.0.1' }] },
    { event: 'split-brain-ended', vip, lastedMs: 1_000 },
  ]);
});

test('the alarm of a node that is removed, and has no configuration any more, ends', async () => {
  const { alarm, served, vip, answers, logged, metrics } = openAlarm();
  for (const nowMs of [0, 500]) await alarm.observe(answers, nowMs);
  served.model = undefined;
  await alarm.observe([], 1_000);
  expect(alarm.view()).toEqual([]);
  expect(logged.at(-1)).toMatchObject({ event: 'split-brain-ended', vip });
  expect(metrics.text()).toContain(`hawser_split_brain{vip="${vip}"} 0`);
});
