import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { examine, examineRoot, temporaryRoot } from '../../../helpers/doctor/scene.ts';

const config = 'global\n  maxconn 7\n';
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

const haproxyStatus = (configSha256: string, changes: object = {}): object => ({
  ok: true,
  phase: 'serving',
  current: { generation: 3, pid: 77, workers: [78], ageMs: 5, sessions: 1, config: 'live', configSha256 },
  draining: [],
  reload: null,
  restart: null,
  lastFailure: null,
  ...changes,
});

const vrrpStatus = (configSha256: string): object => ({
  ok: true,
  phase: 'running',
  wanted: 'up',
  current: { pid: 77, ageMs: 5, generation: 1, configSha256 },
  instances: [{ name: 'API', state: 'BACKUP', priority: 200, sinceMs: 5, vips: [] }],
  trackFiles: [],
  reload: null,
  restarts: 0,
  restart: null,
  lastTransition: null,
  lastFailure: null,
});

/** A socket that answers each request with this line, or with nothing. */
async function supervisor(
  answer: object | undefined,
  path = join(temporaryRoot({}), 'control.sock'),
): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer === undefined ? '' : `${JSON.stringify(answer)}\n`));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return path;
}

/** The files of the machine itself, because the socket is one of them. */
async function ask(id: string, answer: object | undefined, disk = config) {
  const file = join(temporaryRoot({ '/program.cfg': disk }), 'program.cfg');
  const socket = await supervisor(answer);
  return await examine(id, undefined, {
    haproxySocket: socket,
    keepalivedSocket: socket,
    haproxyConfig: file,
    keepalivedConfig: file,
  });
}

test('haproxy-supervisor: one that serves', async () => {
  const finding = await ask('haproxy-supervisor', haproxyStatus(sha(config)));
  expect(finding).toMatchObject({ kind: 'ok', message: 'serving, pid 77' });
});

test('haproxy-supervisor: one whose HAProxy runs on the last good copy', async () => {
  const current = { generation: 3, pid: 77, workers: [], ageMs: 5, sessions: null, config: 'last-good' };
  const status = haproxyStatus('', { current: { ...current, configSha256: 'a' } });
  expect(await ask('haproxy-supervisor', status)).toMatchObject({ kind: 'warn' });
});

test('haproxy-supervisor: a supervisor without a HAProxy to run says why', async () => {
  const lastFailure = { stage: 'check', message: 'unknown keyword', agoMs: 1 };
  const status = haproxyStatus('', { current: null, phase: 'waiting-for-configuration', lastFailure });
  const finding = await ask('haproxy-supervisor', status);
  expect(finding).toMatchObject({ kind: 'fail', message: expect.stringContaining('unknown keyword') });
});

test('haproxy-supervisor: one that never answers fails', async () => {
  expect(await ask('haproxy-supervisor', undefined)).toMatchObject({
    kind: 'fail',
    message: expect.stringContaining('without an answer'),
  });
});

test('keepalived-supervisor: one that runs tells its states', async () => {
  const finding = await ask('keepalived-supervisor', vrrpStatus(sha(config)));
  expect(finding).toMatchObject({ kind: 'ok', message: 'running, pid 77 (API BACKUP)' });
});

test.each(['haproxy', 'keepalived'] as const)(
  '%s-supervisor: not installed is nothing to look at',
  async (program) => {
    expect(await examine(`${program}-supervisor`, {})).toMatchObject({ kind: 'skip' });
  },
);

test.each(['haproxy', 'keepalived'] as const)('%s-supervisor: installed and not running', async (program) => {
  const manifest = readFileSync(new URL(`../../../../manifests/${program}.yaml`, import.meta.url), 'utf8');
  const files = { [`/etc/kubernetes/manifests/${program}.yaml`]: manifest };
  expect(await examine(`${program}-supervisor`, files)).toMatchObject({ kind: 'fail' });
});

test('haproxy-supervisor: one in a pod is asked through the root directory of its process', async () => {
  const root = temporaryRoot({
    '/proc/9/comm': 'node\n',
    '/proc/9/cmdline': 'node\0/hawser.mjs\0haproxy\0supervise\0',
    // Debian's link, which means the pod's /run and not that of the process that follows it.
    '/proc/9/root/var/run': '->/run',
    '/proc/9/root/run/haproxy/.kept': '',
  });
  await supervisor(haproxyStatus(sha(config)), join(root, '/proc/9/root/run/haproxy/master.sock'));
  const settings = { haproxySocket: '/var/run/haproxy/master.sock' };
  expect(await examineRoot('haproxy-supervisor', root, settings)).toMatchObject({ kind: 'ok' });
});

const INSTALLED = { '/etc/kubernetes/manifests/haproxy.yaml': 'args: [hawser]\n', '/proc/1/comm': 'init\n' };

test('haproxy-supervisor: a manifest that the kubelet refused sends the operator to its journal', async () => {
  const root = temporaryRoot({ ...INSTALLED, '/var/log/pods/kube-system_keepalived-n1_1/.kept': '' });
  expect(await examineRoot('haproxy-supervisor', root, {})).toMatchObject({
    kind: 'fail',
    message: 'the kubelet runs no pod for the manifest of haproxy',
    remedy: 'journalctl -u kubelet | grep haproxy',
  });
});

test('haproxy-supervisor: a pod that has no supervisor sends the operator to its containers', async () => {
  const root = temporaryRoot({ ...INSTALLED, '/var/log/pods/kube-system_haproxy-n1_1/.kept': '' });
  expect(await examineRoot('haproxy-supervisor', root, {})).toMatchObject({
    kind: 'fail',
    remedy: expect.stringMatching(/^crictl ps -a; .*journalctl -u kubelet/),
  });
});

test.each([
  ['haproxy-config', haproxyStatus],
  ['keepalived-config', vrrpStatus],
] as const)('%s: the file that runs, and one that was edited since', async (id, status) => {
  expect(await ask(id, status(sha(config)))).toMatchObject({ kind: 'ok' });
  expect(await ask(id, status(sha(config)), 'global\n  maxconn 8\n')).toMatchObject({ kind: 'fail' });
});
