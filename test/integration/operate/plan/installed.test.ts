import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planned } from '../../../../src/commands/products.ts';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { type PlanReport, planSchema } from '../../../../src/operate/plan/report.ts';
import { createInstallNode, type InstallNode } from '../../../helpers/install-node.ts';
import { ensureBuilt, hawser } from '../../../helpers/supervisor-build.ts';

const CONFIG = '/etc/hawser/config.yaml';
const MANIFESTS = ['/etc/kubernetes/manifests/haproxy.yaml', '/etc/kubernetes/manifests/keepalived.yaml'];

let node: InstallNode;
beforeAll(async () => {
  ensureBuilt();
  node = await createInstallNode();
  expect(await node.install('--first-node')).toMatchObject({ exitCode: 0 });
}, 120_000);
afterAll(() => node?.[Symbol.asyncDispose]());

/** On a node whose pods are installed, and which no kubelet has started. */
async function planOf(settings?: string): Promise<PlanReport> {
  const candidate = join(node.root, 'candidate.yaml');
  if (settings !== undefined) writeFileSync(candidate, settings);
  const asked = settings === undefined ? [] : ['--config', candidate];
  const { stdout, stderr, exitCode } = await node.run('plan', '--json', ...asked);
  // It is not known what runs.
  expect(exitCode, stderr).toBe(2);
  return planSchema(planned).parse(JSON.parse(stdout));
}

test('the daemons are those of the manifests, and their files where the node has them', async () => {
  const report = await planOf();
  expect(report.unknowns).toEqual([
    expect.stringMatching(/^the supervisor of haproxy does not answer: .*ENOENT/),
    expect.stringMatching(/^the supervisor of keepalived does not answer: .*ENOENT/),
  ]);
  expect(report).toMatchObject({ settings: CONFIG, manifests: [], restarts: [] });
  expect(report.files.find(({ program }) => program === 'haproxy')).toMatchObject({
    ...{
      path: '/etc/haproxy/haproxy.cfg',
      state: 'differs',
      diff: expect.stringContaining('+frontend main'),
    },
  });
});

test('the manifests that an install would write anew are named, with what it then writes', async () => {
  const settings = `${node.read(CONFIG)}healthPort: 50999\nhaproxy:\n  drainTimeout: 20s\n`;
  const report = await planOf(settings);
  expect(report.manifests.map(({ path }) => path)).toEqual(MANIFESTS);
  expect(report.manifests[0]?.diff).toContain('+          port: 50999');
  expect(report.manifests[0]?.diff).toContain('+  terminationGracePeriodSeconds: 30');
  expect(report.restarts).toEqual([
    { container: 'haproxy', because: 'settings', keys: ['drainTimeout'] },
    { container: 'haproxy-monitor', because: 'settings', keys: ['healthPort'] },
    { container: 'keepalived-monitor', because: 'settings', keys: ['healthPort'] },
    { container: 'keepalived', because: 'manifest', keys: [] },
  ]);
  const before = MANIFESTS.map(node.read);
  node.write(CONFIG, settings);
  expect(await planOf()).toMatchObject({ manifests: report.manifests });
  expect(await node.install()).toMatchObject({ exitCode: 0 });
  MANIFESTS.forEach((path, index) => {
    const [old, now] = [(before[index] ?? '').split('\n'), node.read(path).split('\n')];
    const changed = now.filter((line) => !old.includes(line)).map((line) => `+${line}`);
    expect(report.manifests[index]?.diff.split('\n')).toEqual(expect.arrayContaining(changed));
    expect(changed.length).toBeGreaterThan(0);
  });
  expect(await planOf()).toMatchObject({ manifests: [] });
});

test('an edited manifest is kept by an install, and the plan does not announce that it changes', async () => {
  const [path = ''] = MANIFESTS;
  const [original, settings] = [node.read(path), node.read(CONFIG)];
  node.write(path, original.replace('cpu: 50m', 'cpu: 500m'));
  const notesOf = ({ notes }: PlanReport) => notes.filter((note) => note.includes(path));
  const before = await planOf();
  expect({ manifests: before.manifests, notes: notesOf(before) }).toEqual({ manifests: [], notes: [] });
  node.write(CONFIG, settings.replace('drainTimeout: 20s', 'drainTimeout: 40s'));
  const report = await planOf();
  expect(report.manifests).toEqual([]);
  expect(notesOf(report)).toEqual([
    `${path} was edited and stays as it is: hawser install refuses to change it without --overwrite`,
  ]);
  node.write(CONFIG, settings);
  node.write(path, original);
});

test('what is not installed is not planned', async () => {
  const argv = [...node.namespace.prefix, hawser, 'plan', '--root', join(node.root, 'nowhere')] as const;
  const { exitCode, stderr } = await runCommand(argv, { timeoutMs: 60_000 });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('nothing of hawser runs here or is installed');
});
