import type { HaproxyMonitorStatus } from '../../src/api-lb/haproxy-monitor-status.ts';
import type { SupervisorStatus } from '../../src/haproxy/supervise/supervisor-status.ts';
import type { VrrpStatus } from '../../src/keepalived/supervise/vrrp-status.ts';
import type { ProxyStatus } from '../../src/pod-proxy/proxy-status.ts';
import type { RouterStatus } from '../../src/router/serve/router-status.ts';
import type { KeepalivedMonitorStatus } from '../../src/vip/settings/keepalived-monitor-status.ts';

/** What the four programs of a healthy holder in a group of three report. */
const haproxySha = '3f2a'.repeat(16);
const keepalivedSha = '9c41'.repeat(16);

export const haproxySupervisorSays: SupervisorStatus = {
  ok: true,
  phase: 'serving',
  current: {
    generation: 7,
    pid: 4_242,
    workers: [4_244],
    ageMs: 8_040_000,
    sessions: 412,
    config: 'live',
    configSha256: haproxySha,
  },
  draining: [],
  reload: null,
  restart: null,
  lastFailure: null,
};

export const haproxyMonitorSays: HaproxyMonitorStatus = {
  version: '0.1.0',
  source: 'nodes',
  apiReachable: true,
  servers: [
    { name: 'cp-1', address: '10.0.0.11', port: 6443 },
    { name: 'cp-2', address: '10.0.0.12', port: 6443 },
    { name: 'cp-3', address: '10.0.0.13', port: 6443 },
  ],
  held: null,
  configSha256: haproxySha,
  usable: true,
  redirect: 'present',
  redirectProblem: null,
  lastChange: { cause: 'servers-changed', result: 'reloaded', agoMs: 8_040_000 },
};

export const keepalivedSupervisorSays: VrrpStatus = {
  ok: true,
  phase: 'running',
  wanted: 'up',
  current: { pid: 5_151, ageMs: 90_000_000, generation: 2, configSha256: keepalivedSha },
  instances: [
    {
      name: 'API',
      state: 'MASTER',
      priority: 250,
      sinceMs: 8_000_000,
      vips: [{ address: '10.0.0.100', present: true }],
    },
  ],
  trackFiles: [{ path: '/var/run/keepalived/lb.track', instances: ['API'], value: 30, silent: false }],
  reload: null,
  restarts: 0,
  restart: null,
  lastTransition: {
    instance: 'API',
    from: 'BACKUP',
    to: 'MASTER',
    priority: 220,
    reason: 'no advert from a node with a higher priority',
    agoMs: 8_000_000,
  },
  lastFailure: null,
};

export const keepalivedMonitorSays: KeepalivedMonitorStatus = {
  version: '0.1.0',
  clusterName: 'example',
  priorities: [
    {
      kind: 'api',
      vips: ['10.0.0.100'],
      value: 30,
      holder: true,
      checks: [
        {
          check: 'HAProxy',
          state: 'ok',
          message: 'alive, connected to 127.0.0.1:9444',
          sinceMs: 8_040_000,
        },
        { check: '/haproxy_ready', state: 'ok', message: 'HTTP 200', sinceMs: 8_040_000 },
        { check: 'local API server', state: 'ok', message: 'HTTP 200', sinceMs: 8_040_000 },
        { check: 'other nodes', state: 'ok', message: 'cp-2, cp-3 could serve', sinceMs: 8_040_000 },
        { check: 'damping', state: 'ok', message: 'none', sinceMs: null },
        { check: 'participation', state: 'ok', message: 'in', sinceMs: null },
      ],
      priorityTerms: [
        { points: 220, why: 'place 1 of 3 in the list' },
        { points: 0, why: 'HAProxy serves' },
        { points: 30, why: 'it holds the VIP' },
      ],
      priority: 250,
      participation: { state: 'in', reason: null, untilMs: null },
      order: null,
    },
  ],
  group: [
    { name: 'cp-1', address: '10.0.0.11', priority: 220, self: true },
    { name: 'cp-2', address: '10.0.0.12', priority: 210, self: false },
    { name: 'cp-3', address: '10.0.0.13', priority: 200, self: false },
  ],
  configSha256: keepalivedSha,
  splitBrain: [],
  virtualRouterIdTaken: null,
  lastChange: { cause: 'nodes-changed', result: 'reloaded', agoMs: 90_000_000 },
};

export const routerSays: RouterStatus = {
  version: '1.2.3',
  synced: true,
  unready: null,
  routes: {
    admitted: 9_990,
    hosts: 9_200,
    rejected: { HostAlreadyClaimed: 8, ConfigurationRefused: 2 },
    leftOut: [
      {
        key: 'shop:basket',
        reason: 'ConfigurationRefused',
        message:
          "HAProxy refuses a configuration with this route: unknown keyword 'wrong' in 'backend' section",
      },
    ],
    refused: [
      {
        key: 'shop:copy',
        reason: 'HostAlreadyClaimed',
        message: 'route web already has www.example.com and is older',
      },
    ],
    ignoring: {
      routes: 2,
      first: [
        {
          key: 'news:web',
          remark: 'haproxy.router.openshift.io/timeout: ignored, expected a time such as 5s',
        },
        { key: 'shop:cart', remark: 'router.openshift.io/pool-size: has no effect' },
      ],
    },
  },
  certificates: {
    served: 5_000,
    expired: 1,
    expiring: 1,
    first: [
      { route: 'shop:cart', host: 'cart.example.com', validTo: '2026-11-20T00:00:00.000Z' },
      { route: 'shop:pay', host: 'pay.example.com', validTo: '2026-11-28T00:00:00.000Z' },
      { route: 'news:web', host: 'news.example.com', validTo: '2027-03-01T00:00:00.000Z' },
    ],
  },
  defaultCertificate: { isGiven: true, validTo: '2027-06-30T00:00:00.000Z' },
  changes: {
    reloads: 14,
    withoutReload: 2_310,
    failed: 1,
    last: [
      { cause: 'routes-changed', result: 'changed', tookMs: 12, agoMs: 3_000 },
      {
        cause: 'routes-changed',
        result: 'rejected',
        tookMs: 640,
        agoMs: 61_000,
        message: "unknown keyword 'wrong' in 'backend' section",
      },
      {
        cause: 'routes-changed',
        result: 'reloaded',
        tookMs: 1_240,
        agoMs: 64_000,
        message: '"backend be_http:shop:basket from http" is new',
      },
    ],
  },
  configSha256: 'c'.repeat(64),
  lastChange: { cause: 'routes-changed', result: 'reloaded', agoMs: 3_000 },
};

export const podProxySays: ProxyStatus = {
  version: '1.2.3',
  pod: 'default/haproxy-7d9f-x2x4k',
  synced: true,
  hosts: { web: ['10.1.0.4', '10.1.0.5', '10.1.2.9'], zookeeper: ['10.1.0.7'] },
  problem: null,
  lastProblem: {
    reason: 'TemplateRefused',
    message: 'line 3: unexpected end of a tag',
    agoMs: 7_300_000,
  },
  configSha256: 'd'.repeat(64),
  lastChange: { cause: 'hosts-changed', result: 'reloaded', agoMs: 42_000 },
};
