import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { examine, examineRoot, type Files, said, temporaryRoot } from '../../../helpers/doctor/scene.ts';
import { haproxySupervisorSays, keepalivedSupervisorSays } from '../../../helpers/status-samples.ts';

const config = 'global\n  maxconn 7\n';
const configSha256 = createHash('sha256').update(config).digest('hex');
const haproxy = { ...haproxySupervisorSays, current: { ...haproxySupervisorSays.current, configSha256 } };
const keepalived = {
  ...keepalivedSupervisorSays,
  current: { ...keepalivedSupervisorSays.current, configSha256 },
};
const onLastGood = { ...haproxy, current: { ...haproxy.current, config: 'last-good' } };
const lastFailure = { stage: 'check', message: 'unknown keyword', agoMs: 1 };
const waiting = { ...haproxy, current: null, phase: 'waiting-for-configuration', lastFailure };

/** Answers each request on the socket with this line, or not at all. */
async function supervise(path: string, answer: object | undefined): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer === undefined ? '' : `${JSON.stringify(answer)}\n`));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
}

test.each<[check: string, claim: string, answer: object | undefined, file: string, words: RegExp]>([
  ['haproxy-supervisor', 'serves', haproxy, config, /^ok: serving, pid 4242$/],
  ['haproxy-supervisor', 'runs HAProxy on the last good copy', onLastGood, config, /^warn: /],
  ['haproxy-supervisor', 'has no HAProxy, and says why', waiting, config, /^fail: .*unknown keyword/],
  ['haproxy-supervisor', 'never answers', undefined, config, /^fail: .*without an answer/],
  [
    'keepalived-supervisor',
    'reports its states',
    keepalived,
    config,
    /^ok: running, pid 5151 \(API MASTER\)$/,
  ],
  ['haproxy-config', 'is the file that runs', haproxy, config, /^ok: /],
  ['haproxy-config', 'was edited since', haproxy, '# edited\n', /^fail: /],
  ['keepalived-config', 'is the file that runs', keepalived, config, /^ok: /],
  ['keepalived-config', 'was edited since', keepalived, '# edited\n', /^fail: /],
])('%s: it %s', async (check, _, answer, text, words) => {
  // The root is that of the machine itself, because the socket is on it.
  const root = temporaryRoot({ '/program.cfg': text });
  const file = join(root, 'program.cfg');
  const socket = join(root, 'control.sock');
  await supervise(socket, answer);
  const paths = { haproxySocket: socket, keepalivedSocket: socket };
  const finding = await examine(check, undefined, { ...paths, haproxyConfig: file, keepalivedConfig: file });
  expect(said(finding)).toMatch(words);
});

const manifestOf = (program: string): Files => ({
  [`/etc/kubernetes/manifests/${program}.yaml`]: 'args: [hawser]\n',
});
const logsOf = (pod: string): Files => ({ [`/var/log/pods/kube-system_${pod}-n1_1/.kept`]: '' });
const refused = { ...manifestOf('haproxy'), ...logsOf('keepalived') };
const created = { ...manifestOf('haproxy'), ...logsOf('haproxy') };

test.each<[check: string, claim: string, files: Files, words: RegExp]>([
  ['haproxy-supervisor', 'is not installed', {}, /^skip: /],
  ['keepalived-supervisor', 'is not installed', {}, /^skip: /],
  ['haproxy-supervisor', 'is installed and does not run', manifestOf('haproxy'), /^fail: /],
  ['keepalived-supervisor', 'is installed and does not run', manifestOf('keepalived'), /^fail: /],
  [
    'haproxy-supervisor',
    'has a manifest that the kubelet refused',
    refused,
    /^fail: the kubelet runs no pod for the manifest of haproxy; journalctl -u kubelet \| grep haproxy$/,
  ],
  [
    'haproxy-supervisor',
    'has a pod with failing containers',
    created,
    /^fail: .*; crictl ps -a; .*journalctl/,
  ],
])('%s: it %s', async (check, _, files, words) => {
  expect(said(await examine(check, files))).toMatch(words);
});

test('haproxy-supervisor: a supervisor in a pod is reached through the root directory of its process', async () => {
  const root = temporaryRoot({
    '/proc/9/comm': 'node\n',
    '/proc/9/cmdline': 'node\0/hawser.mjs\0haproxy\0supervise\0',
    // Debian's link. It means the pod's /run, not that of the process that follows it.
    '/proc/9/root/var/run': '->/run',
    '/proc/9/root/run/haproxy/.kept': '',
  });
  await supervise(join(root, '/proc/9/root/run/haproxy/master.sock'), haproxy);
  const settings = { haproxySocket: '/var/run/haproxy/master.sock' };
  expect(await examineRoot('haproxy-supervisor', root, settings)).toMatchObject({ kind: 'ok' });
});
