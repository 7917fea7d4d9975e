import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAlive } from '../../src/engine/system/process/processes.ts';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { openScene, type Scene } from '../bench/failover/scene.ts';
import { ensureBuilt } from '../helpers/supervisor-build.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { openStream } from '../helpers/vrrp/client-stream.ts';
import { takesPart } from '../helpers/vrrp/hawser.ts';
import { takeOvers } from '../helpers/vrrp/holdings.ts';
import { stackPorts } from '../helpers/vrrp/node-stack.ts';
import {
  applyOn,
  configurationOf,
  generationOf,
  type Planned,
  planOn,
  runPlan,
} from '../helpers/vrrp/planned.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** What is planned on one of three nodes, then done: what was said of the cost is what it costs. */

/** A machine that other tests keep busy. */
const PATIENCE_MS = 120_000;

const OTHER_VIP = '10.77.0.101';

interface More {
  /** Lines of the file, and of its section; the other two are values. */
  readonly top?: string;
  readonly keepalived?: string;
  readonly drainTimeout?: string;
  readonly monitorTimeout?: string;
}

/** A monitor that a busy machine starts slowly must not cost its node the VIP. */
const settings = (more: More = {}) =>
  `apiVips: [10.77.0.100]
clusterName: bed
${more.top ?? ''}
haproxy:
  drainTimeout: ${more.drainTimeout ?? '3s'}
keepalived:
  advertInterval: 500ms
  monitorTimeout: ${more.monitorTimeout ?? '60s'}
${more.keepalived ?? ''}
`;

let scene: Scene;
beforeAll(async () => {
  ensureBuilt();
  scene = await openScene('hawser', { settings: settings() });
  const whole = () => scene.members.every(takesPart);
  await waitFor('every node to take part', whole, PATIENCE_MS);
}, 400_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

const kindsOf = ({ report }: Planned) => report.cost.effects.map(({ kind }) => kind);
const containersOf = ({ report }: Planned) => report.restarts.map(({ container }) => container);

interface Applied {
  readonly planned: Planned;
  /** Names of the nodes that have taken the VIP since. */
  readonly moves: () => readonly string[];
}

/** Plans on the node, does it, looks, and does it back. */
async function applied(node: BedNode, text: string, look: (done: Applied) => Promise<void>): Promise<void> {
  const planned = await planOn(node, text);
  const fromMs = monotonicMs();
  const { mtime } = statSync(node.at('config.yaml'));
  await applyOn(scene.stack, node, text, planned.report.restarts);
  try {
    const moves = () => takeOvers(scene.bed.events(), fromMs, monotonicMs()).map((each) => each.node);
    await look({ planned, moves });
  } finally {
    await applyOn(scene.stack, node, settings(), planned.report.restarts);
    // Those that were not restarted have read this very text: to them it is no newer than it was.
    utimesSync(node.at('config.yaml'), mtime, mtime);
    await waitFor(`${node.name} to take part again`, () => takesPart(node), PATIENCE_MS);
    await waitFor(`${node.name} to run as before`, () => isApplied(node), PATIENCE_MS);
  }
}

/** What a monitor finds after a restart it writes and applies in its own time. */
async function isApplied(node: BedNode): Promise<boolean> {
  return (await planOn(node)).exitCode === 0;
}

function backupOf(holder: BedNode): BedNode {
  const found = scene.members.find((each) => each !== holder);
  if (found === undefined) throw new Error('Cannot find a backup');
  return found;
}

const files = (node: BedNode) =>
  ['haproxy.cfg', 'keepalived.conf'].map((name) => readFileSync(node.at(name), 'utf8'));

test('nothing would change where everything is applied, on every node, and nothing does', async () => {
  await scene.rested();
  for (const node of scene.members) {
    const before = [...files(node), await generationOf(node)];
    const planned = await waitFor(
      `${node.name} to have applied everything`,
      async () => {
        const found = await planOn(node);
        return found.exitCode === 0 ? found : undefined;
      },
      PATIENCE_MS,
    );
    expect(planned.report).toMatchObject({ verdict: 'nothing', restarts: [], cost: { level: 'nothing' } });
    expect(planned.report.files.map(({ state }) => state)).toEqual(['same', 'same']);
    expect([...files(node), await generationOf(node)]).toEqual(before);
  }
}, 400_000);

test('one more server on the holder is no reload of HAProxy, one of keepalived, and connections stay', async () => {
  const holder = await scene.rested();
  const stream = await openStream(scene.bed);
  const [generation, configuration] = [await generationOf(holder), await configurationOf(holder)];
  const servers = [...scene.members, scene.guest].map(({ name, address }) => `${name}=${address}`);
  const text = settings({ top: `source: static\nservers: [${servers.join(', ')}]` });
  await applied(holder, text, async (done) => {
    expect(done.planned.exitCode).toBe(1);
    expect(done.planned.report.cost).toMatchObject({ level: 'restart', sessions: { fate: 'kept' } });
    expect(kindsOf(done.planned)).toEqual([
      ...['haproxy-change', 'servers', 'redirect-away', 'keepalived-reload', 'health-untold'],
    ]);
    expect(containersOf(done.planned)).toEqual(['haproxy-monitor', 'keepalived-monitor']);
    await waitFor(
      'one of keepalived',
      async () => (await configurationOf(holder)) > configuration,
      PATIENCE_MS,
    );
    const isDone = async () => (await planOn(holder)).report.files.every(({ state }) => state === 'same');
    await waitFor('both programs to run on what was planned', isDone, PATIENCE_MS);
    expect(await generationOf(holder)).toBe(generation);
    expect(await scene.rested()).toBe(holder);
    expect(done.moves()).toEqual([]);
    expect(isAlive(stream.id)).toBe(true);
  });
}, 400_000);

test('what is planned is what the monitors then write', async () => {
  const node = backupOf(await scene.rested());
  const text = settings({ top: 'lbPort: 9555', keepalived: '  virtualRouterIds: [5, 6]' });
  const { report } = await planOn(node, text);
  const before = files(node);
  await applied(node, text, async () => {
    await waitFor(
      'both files to be written',
      () => files(node).every((each, index) => each !== before[index]),
      PATIENCE_MS,
    );
    const removed = report.files.map(({ diff }) => diff.split('\n').filter((line) => /^-[^-]/.test(line)));
    const added = report.files.map(({ diff }) => diff.split('\n').filter((line) => /^\+[^+]/.test(line)));
    files(node).forEach((after, index) => {
      const [old, now] = [(before[index] ?? '').split('\n'), after.split('\n')];
      expect(old.filter((line) => !now.includes(line)).map((line) => `-${line}`)).toEqual(removed[index]);
      expect(now.filter((line) => !old.includes(line)).map((line) => `+${line}`)).toEqual(added[index]);
    });
  });
}, 400_000);

test('another port for clients on a backup: the old one is closed, the new one serves', async () => {
  const node = backupOf(await scene.rested());
  const ask = (port: number) =>
    node.namespace
      .run('curl', '-sk', '-o', '/dev/null', '--max-time', '2', `https://127.0.0.1:${port}/readyz`)
      .then(
        () => 'served',
        () => 'refused',
      );
  await applied(node, settings({ top: 'lbPort: 9555' }), async (done) => {
    expect(done.planned.report.cost.level).toBe('interruption');
    expect(kindsOf(done.planned)).toEqual(['haproxy-reload', 'port-closed']);
    expect(containersOf(done.planned)).toEqual(['haproxy-monitor']);
    await waitFor('the new port to serve', async () => (await ask(9_555)) === 'served', PATIENCE_MS);
    await waitFor(
      'the old one to be closed',
      async () => (await ask(stackPorts.lb)) === 'refused',
      PATIENCE_MS,
    );
    expect(done.moves()).toEqual([]);
  });
}, 400_000);

test.each([
  { what: 'HAProxy', text: settings({ drainTimeout: '4s' }), container: 'haproxy' },
  { what: 'keepalived', text: settings({ monitorTimeout: '61s' }), container: 'keepalived' },
  {
    what: 'the port that health is asked at',
    text: settings({ top: 'healthPort: 50999' }),
    container: 'keepalived-monitor',
  },
])(
  '$what of the holder: another node takes the VIP, and connections through it break off',
  async ({ text, container }) => {
    const holder = await scene.rested();
    const stream = await openStream(scene.bed);
    await applied(holder, text, async ({ planned, moves }) => {
      expect(kindsOf(planned)).toContain('vip-moves');
      expect(planned.report.cost.sessions.fate).toBe('cut');
      expect(containersOf(planned)).toContain(container);
      const moved = () => moves().some((name) => name !== holder.name);
      await waitFor('another node to take the VIP', moved, PATIENCE_MS);
      await waitFor('the connection to break off', () => !isAlive(stream.id), PATIENCE_MS);
    });
  },
  400_000,
);

/** The template has `vrrp_skip_check_adv_addr`: the others hear the holder that they know, and take nothing. */
test('another VIP on the holder: the new one is here, and no node has the old one until the others change', async () => {
  const holder = await scene.rested();
  await applied(holder, settings().replace(scene.bed.vip, OTHER_VIP), async ({ planned }) => {
    expect(planned.report.cost).toMatchObject({ level: 'interruption', sessions: { fate: 'cut' } });
    expect(kindsOf(planned)).toEqual(expect.arrayContaining(['vip-leaves', 'vip-appears']));
    const found = () => holder.namespace.run('ip', '-o', 'address', 'show', 'to', OTHER_VIP);
    await waitFor('the new VIP to be here', async () => (await found()).trim() !== '', PATIENCE_MS);
    await waitFor('the old one to be gone', () => scene.bed.holders().length === 0, PATIENCE_MS);
  });
}, 400_000);

test('another mode on a backup makes a second holder, and its end leaves one', async () => {
  const node = backupOf(await scene.rested());
  await applied(node, settings({ keepalived: '  mode: multicast' }), async (done) => {
    expect(done.planned.report.cost.level).toBe('interruption');
    expect(kindsOf(done.planned)).toContain('two-holders');
    await waitFor('two holders', () => scene.bed.holders().length === 2, PATIENCE_MS);
  });
}, 400_000);

test('settings that are wrong are told with every problem, and nothing is planned', async () => {
  const text = settings({ top: 'lbPort: abc\nbogus: 1', keepalived: '  mode: unicats' });
  const { exitCode, stdout, stderr } = await runPlan(scene.members[0] ?? scene.guest, text);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/candidate\.yaml:3: Cannot use lbPort "abc"/),
    expect.stringMatching(/candidate\.yaml:4: Cannot use bogus: unknown/),
    expect.stringMatching(/candidate\.yaml:10: Cannot use keepalived\.mode "unicats"/),
  ]);
}, 400_000);

test('settings that only fail together are told by the daemon that would not start', async () => {
  const text = settings().replace('apiVips: [10.77.0.100]', 'apiVips: [10.77.0.100, 10.77.0.101]');
  const { exitCode, stderr } = await runPlan(scene.members[0] ?? scene.guest, text);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('expected at most one IPv4 and one IPv6 address');
}, 400_000);

test("a template that HAProxy refuses is told in HAProxy's words, and changes nothing", async () => {
  const node = backupOf(await scene.rested());
  const template = node.at('haproxy.cfg.ejs');
  const before = [readFileSync(template, 'utf8'), ...files(node)];
  const generation = await generationOf(node);
  writeFileSync(template, `${before[0]}\n  nonsense here\n`);
  try {
    const { exitCode, report } = await planOn(node);
    expect({ exitCode, verdict: report.verdict }).toEqual({ exitCode: 2, verdict: 'refused' });
    expect(report.files[0]).toMatchObject({ program: 'haproxy', state: 'refused' });
    expect(report.files[0]?.problem).toContain("unknown keyword 'nonsense'");
    await waitFor(
      'the monitor to find the same',
      () => readFileSync(node.at('haproxy-monitor.log'), 'utf8').includes('configuration-rejected'),
      PATIENCE_MS,
    );
    expect(files(node)).toEqual(before.slice(1));
    expect(await generationOf(node)).toBe(generation);
  } finally {
    writeFileSync(template, before[0] ?? '');
  }
}, 400_000);

test('without a supervisor it is not known what runs, and plan says so', async () => {
  const node = backupOf(await scene.rested());
  const supervisors = node
    .processes()
    .flatMap(({ id, argv }) => (argv.join(' ').includes(' haproxy supervise ') ? id : []));
  sendSignal(supervisors, 'SIGKILL');
  await waitForEnd(supervisors);
  const { exitCode, report } = await planOn(node);
  expect({ exitCode, verdict: report.verdict }).toEqual({ exitCode: 2, verdict: 'unknown' });
  expect(report.unknowns).toEqual(['the supervisor of haproxy does not answer: it does not run here']);
  expect(report.files.map(({ state }) => state)).toEqual(['same', 'same']);
  await scene.stack.start(node);
  await waitFor('it to be back', () => isApplied(node), PATIENCE_MS);
}, 400_000);
