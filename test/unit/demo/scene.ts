import type { Scene, ShownGeneration, ShownServer } from '../../../scripts/demo/scene.ts';

export const server: ShownServer = {
  name: 'cp-1',
  address: '10.77.0.11:6443',
  running: true,
  status: 'UP',
  check: 'L7OK',
  share: 0.5,
};

export const generation: ShownGeneration = {
  number: 7,
  pid: 4242,
  state: 'serving',
  ageMs: 3_140,
  sessions: 4,
  note: '',
};

export const scene: Scene = {
  elapsedMs: 62_300,
  round: 2,
  step: { number: 3, of: 7, title: 'cp-2 is killed', sinceMs: 1_540 },
  servers: [server, { ...server, name: 'cp-2', running: false, status: 'DOWN', check: 'L4CON', share: 0 }],
  generations: [generation, { ...generation, number: 6, state: 'draining', note: 'ends within 118 s' }],
  counts: { ok: 1_240, cut: 3, lost: 0 },
  perSecond: 40,
  slowestMs: 12.4,
  redirect: true,
  redirectText: '10.77.0.100:6443 -> 9445',
  pageUrl: 'http://127.0.0.1:9446/',
  events: [{ atMs: 61_000, text: 'HAProxy: cp-2 is DOWN (L4CON)' }],
};
