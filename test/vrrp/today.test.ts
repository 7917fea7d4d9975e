import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../src/engine/system/process/run-command.ts';
import { createTodayStack, type TodayKind } from '../helpers/vrrp/today.ts';
import { createVrrpBed, type VrrpBed } from '../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../helpers/wait-for.ts';

/**
 * What keepalived says to today's files, and runs them all the same: 5 is for a password that it cuts to eight
 * characters, 6 for scripts without `enable_script_security`.
 */
const verdicts: readonly (readonly [TodayKind, number])[] = [
  ['openshift', 5],
  ['kubeadm', 6],
];

describe.each(verdicts)("today's configuration of %s", (kind, verdict) => {
  let bed: VrrpBed;
  beforeAll(async () => {
    bed = await createVrrpBed(3);
    const stack = createTodayStack(bed, kind, bed.nodes);
    for (const node of bed.nodes) await stack.start(node);
  });
  afterAll(() => bed[Symbol.asyncDispose]());

  test('is one that keepalived knows and HAProxy accepts', async () => {
    for (const node of bed.nodes) {
      const keepalived = ['keepalived', '--config-test', '-f', node.at('keepalived.conf')] as const;
      expect(
        await runCommand([...node.namespace.prefix, ...keepalived], { timeoutMs: 10_000 }),
      ).toMatchObject({
        exitCode: verdict,
      });
      const haproxy = ['haproxy', '-c', '-f', node.at('haproxy.cfg')] as const;
      expect(await runCommand([...haproxy], { timeoutMs: 10_000 })).toMatchObject({ exitCode: 0 });
    }
  });

  test('has checks that keepalived can run: it tries no shell where the kernel refuses a script', () => {
    for (const node of bed.nodes) {
      const scripts = readdirSync(node.dir).filter((name) => name.endsWith('.sh'));
      expect(scripts).not.toEqual([]);
      for (const name of scripts) expect(readFileSync(node.at(name), 'utf8')).toMatch(/^#!\/bin\/sh\n/);
    }
  });

  test('gives the VIP to one node', async () => {
    await waitFor('one holder', () => bed.holders().length === 1, 30_000);
  });
});
