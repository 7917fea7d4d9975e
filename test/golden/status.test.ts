import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { fromJSONSchema } from 'zod';
import { statusProducts } from '../../src/commands/status-products.ts';
import { statusLines } from '../../src/operate/status/view/status-lines.ts';
import { participationText } from '../../src/vip/participation/participation.ts';
import {
  haproxyMonitorSays,
  haproxySupervisorSays,
  keepalivedMonitorSays,
  keepalivedSupervisorSays,
  routerSays,
} from '../helpers/status-samples.ts';
import {
  answeredBy,
  backupHere,
  healthyHere,
  podProxyHere,
  program,
  readyPeers,
  routerHere,
  server,
  statusOf,
  without,
} from '../helpers/status-scenes.ts';
import type { ClusterStatus } from '../helpers/status-types.ts';

const isUpdate = process.env['UPDATE_GOLDENS'] === '1';
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const names = healthyHere.programs.map(({ name }) => name);
const [firstPeer, secondPeer] = readyPeers;
if (firstPeer === undefined || secondPeer === undefined) throw new Error('expected two peers');

const waiting = participationText(
  { state: 'waiting', reason: 'peers-reload', until: 2_100 },
  0,
  Date.UTC(2026, 10, 21, 3, 12, 45),
);

/** Each shows one thing that people have to understand at night. */
const scenes: Readonly<Record<string, ClusterStatus>> = {
  healthy: statusOf(healthyHere),
  draining: statusOf({
    ...healthyHere,
    haproxySupervisor: {
      ...haproxySupervisorSays,
      draining: [
        {
          generation: 6,
          pid: 4_100,
          workers: [4_101],
          ageMs: 66_000,
          sessions: 12,
          terminateInMs: 54_000,
          sent: 'soft-stop',
          reason: 'a newer generation serves',
        },
      ],
    },
  }),
  'server-down-and-monitor-dead': statusOf(
    {
      ...without(backupHere, 'haproxy-monitor'),
      servers: [
        server('cp-1'),
        server('cp-2', {
          state: 'down',
          sinceMs: 34_000,
          sessions: 0,
          check: 'L7STS/500 in 3ms: Layer7 wrong status, Internal Server Error',
        }),
        server('cp-3', { state: 'maintenance', check: 'not checked', sessions: 0 }),
      ],
    },
    answeredBy('cp-3'),
    [firstPeer, { ...secondPeer, health: 'not-ready' }],
  ),
  'waiting-for-its-peers': statusOf(
    {
      ...backupHere,
      keepalivedSupervisor: {
        ...keepalivedSupervisorSays,
        instances: keepalivedSupervisorSays.instances.map((each) => ({
          ...each,
          state: 'FAULT',
          sinceMs: 2_000,
          vips: [{ address: '10.0.0.100', present: false }],
        })),
        lastTransition: null,
      },
      keepalivedMonitor: {
        ...keepalivedMonitorSays,
        priorities: keepalivedMonitorSays.priorities.map((each) => ({
          ...each,
          value: -254,
          holder: false,
          priority: 0,
          participation: { state: 'waiting', reason: 'peers-reload', untilMs: 2_100 },
          checks: each.checks.map((check) =>
            check.check === 'participation' ? { ...check, state: 'doubtful', message: waiting } : check,
          ),
          priorityTerms: [
            { points: 220, why: 'place 1 of 3 in the list' },
            { points: -220, why: `FAULT: ${waiting}` },
          ],
        })),
      },
    },
    answeredBy('cp-2'),
  ),
  'hostile-words': statusOf({
    ...healthyHere,
    servers: [server('cp-1', { check: 'L7STS/500: \u001b[2J\u202egnihtemos\nelse' })],
    haproxyMonitor: {
      ...haproxyMonitorSays,
      lastChange: {
        cause: 'template-changed',
        result: 'rejected',
        agoMs: 90_000,
        message: `Cannot use "/etc/haproxy/${'x'.repeat(40)}.cfg": it is broken, expected what HAProxy takes`,
      },
    },
    keepalivedMonitor: {
      ...keepalivedMonitorSays,
    },
  }),
  'a-router': statusOf(routerHere, answeredBy('free'), []),
  'a-router-on-a-node': statusOf({
    ...healthyHere,
    programs: [...healthyHere.programs, program('router')],
    router: routerSays,
  }),
  'a-pod-proxy': statusOf(podProxyHere, answeredBy('free'), []),
  'all-dead': statusOf({ ...without(healthyHere, ...names), servers: null }, answeredBy('free'), []),
};

test.each(Object.entries(scenes))('%s is printed as expected, in 80 columns', (name, status) => {
  const path = at(`status/${name}.golden`);
  const text = `${statusLines(status, statusProducts, { colours: false }).join('\n')}\n`;
  if (isUpdate) writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, 'utf8'));
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
});

test('colours are added on a terminal, and the text stays the same', () => {
  for (const status of Object.values(scenes)) {
    const plain = statusLines(status, statusProducts, { colours: false });
    const coloured = statusLines(status, statusProducts, { colours: true });
    expect(coloured.join('\n')).toContain('\u001b[');
    expect(coloured.map(stripVTControlCharacters)).toEqual(plain);
  }
});

test('schemas/status.schema.json accepts every scene', () => {
  const schema = fromJSONSchema(JSON.parse(readFileSync(at('../../schemas/status.schema.json'), 'utf8')));
  for (const status of Object.values(scenes)) expect(schema.safeParse(status).success).toBe(true);
  expect(schema.safeParse({ ...scenes['healthy'], verdict: 'fine' }).success).toBe(false);
});
