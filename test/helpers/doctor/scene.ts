import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ApiLbContext } from '../../../src/api-lb/doctor/context.ts';
import { products } from '../../../src/commands/products.ts';
import type { Finding } from '../../../src/engine/examine/check.ts';
import { hostFiles } from '../../../src/engine/examine/host-files.ts';
import { programRunner } from '../../../src/engine/examine/run-program.ts';
import { runLeanCommand } from '../../../src/engine/system/process/run-lean-command.ts';
import type { DoctorContext } from '../../../src/operate/doctor/context.ts';
import { createReadings } from '../../../src/operate/doctor/readings.ts';
import { checksOf } from '../../../src/operate/doctor/registry.ts';
import type { VipContext } from '../../../src/vip/doctor/context.ts';

const checks = checksOf(products);

/** What the checks of all products see. */
type Scene = DoctorContext & ApiLbContext & VipContext;
export type Settings = Partial<Scene['settings']>;

const defaults: Scene['settings'] = {
  apiVips: [],
  ingressVips: [],
  nodeName: 'cp-1',
  source: 'nodes',
  apiPort: 6443,
  worker: false,
  lbPort: 9445,
  statPort: 29_445,
  healthPort: 9444,
  extraPorts: [],
  haproxyConfig: '/etc/haproxy/haproxy.cfg',
  keepalivedConfig: '/etc/hawser-keepalived/keepalived.conf',
  haproxySocket: '/haproxy.sock',
  keepalivedSocket: '/keepalived.sock',
  haproxy: '/usr/sbin/haproxy',
  keepalived: '/usr/sbin/keepalived',
  manifests: '/etc/kubernetes/manifests',
  pages: [],
  outdated: [],
  deployed: [],
  settingsFile: { kind: 'none' },
};

/** Far more than any check needs: tests look at the result, not the time. */
const TIMEOUT_MS = 30_000;

export type Files = Readonly<Record<string, string>>;

/** A node's root directory with only these files; a value that starts with `->` makes a symbolic link. */
export function temporaryRoot(files: Files): string {
  const root = mkdtempSync(join(tmpdir(), 'hawser-doctor-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (text.startsWith('->')) symlinkSync(text.slice(2), join(root, path));
    else writeFileSync(join(root, path), text);
  }
  return root;
}

/** Shows that the node's own files and processes are visible. */
const inView: Files = { '/etc/kubernetes/manifests/.kept': '', '/proc/1/comm': 'systemd\n' };

/** What one check reports on a node with these files, or on this machine if `files` is undefined. */
export async function examine(
  id: string,
  files: Files | undefined,
  settings: Settings = {},
): Promise<Finding> {
  return await examineRoot(id, files === undefined ? '/' : temporaryRoot({ ...inView, ...files }), settings);
}

/** A finding as one line: `warn: what is wrong; what to type`. */
export function said(finding: Finding): string {
  return `${finding.kind}: ${finding.message}${'remedy' in finding ? `; ${finding.remedy}` : ''}`;
}

/** What one check reports in a container with these files and none of the node's. */
export async function examineInContainer(
  id: string,
  files: Files,
  settings: Settings = {},
): Promise<Finding> {
  return await examineRoot(id, temporaryRoot(files), settings);
}

/** What one check reports on a node with this root directory. */
export async function examineRoot(id: string, root: string, settings: Settings): Promise<Finding> {
  const check = checks.find((each) => each.id === id);
  if (check === undefined) throw new Error(`there is no check "${id}"`);
  const controller = new AbortController();
  const context = contextOf(root, settings, controller.signal);
  try {
    return await check.run(context);
  } finally {
    controller.abort();
  }
}

export function contextOf(root: string, settings: Settings, signal: AbortSignal): Scene {
  const all = { ...defaults, ...settings };
  const files = hostFiles(root);
  const limits = { signal, answerTimeoutMs: TIMEOUT_MS };
  return {
    settings: all,
    files,
    run: programRunner(runLeanCommand, TIMEOUT_MS),
    beforeExit: (work) => work,
    signal,
    answerTimeoutMs: TIMEOUT_MS,
    readings: createReadings(all, files, products, limits),
  };
}
