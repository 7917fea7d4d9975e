import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { daemonKeys, pods } from '../../../../src/commands/pods.ts';
import { ConfigError } from '../../../../src/engine/system/errors.ts';
import { effectiveSettings } from '../../../../src/operate/install/effective-settings.ts';
import { podLayout } from '../../../../src/operate/install/layout.ts';
import { renderManifest } from '../../../../src/operate/install/manifest.ts';

interface Probe {
  readonly httpGet?: { readonly host?: string; readonly path: string; readonly port: number };
  readonly exec?: { readonly command: readonly string[] };
}
type Container = { readonly name: string } & Readonly<Partial<Record<string, Probe>>>;
interface Secured {
  readonly name: string;
  readonly securityContext: { readonly runAsGroup?: number };
}
const kinds = ['startupProbe', 'livenessProbe', 'readinessProbe'];

/** The containers after this strategic patch. */
function containersOf(program: 'haproxy' | 'keepalived', patch: object): readonly (Container & Secured)[] {
  const pod = pods.find((each) => each.name === program);
  if (pod === undefined) throw new Error(`Cannot find the pod "${program}", expected one`);
  const text = readFileSync(join(import.meta.dirname, '../../../..', podLayout(pod).source.manifest), 'utf8');
  const settings = `apiVips: [192.0.2.100]\nhealthPort: 50999\n${program}: {listen: "127.0.0.9:50001"}\n`;
  const effective = effectiveSettings(settings, { pods: [pod], keys: daemonKeys }).pods[0];
  if (effective === undefined) throw new Error(`Cannot read the settings of "${program}"`);
  const rendered = renderManifest(text, effective, {
    credentials: 'own',
    image: 'hawser:test',
    patches: [{ path: 'patch', target: program, type: 'strategic', contents: [patch] }],
  });
  return parse(rendered).spec.containers;
}

/** The probes of each container. */
function probes(program: 'haproxy' | 'keepalived', patch: object = {}) {
  return new Map(
    containersOf(program, patch).map((each) => [
      each.name,
      kinds.flatMap((kind) => each[kind]?.httpGet ?? each[kind] ?? []),
    ]),
  );
}

const supervisor = (change: object) =>
  probes('keepalived', { spec: { containers: [{ name: 'keepalived', ...change }] } }).get('keepalived');
const args = (...more: readonly string[]) => ({ args: ['keepalived', 'supervise', ...more] });
const at = (host: string, port: number) =>
  ['/healthz', '/healthz', '/readyz'].map((path) => ({ host, path, port }));

test('every probe uses the port of the settings', () => {
  const ready = { path: '/haproxy_ready', port: 50_999 };
  const monitor = { host: '127.0.0.9', path: '/healthz', port: 50_001 };
  expect(Object.fromEntries(probes('haproxy'))).toEqual({
    haproxy: [ready, ready, { path: '/haproxy_monitor', port: 50_999 }],
    'haproxy-monitor': [monitor, monitor],
  });
  expect(Object.fromEntries(probes('keepalived'))).toEqual({
    keepalived: at('127.0.0.1', 29_448),
    'keepalived-monitor': [monitor, monitor],
  });
});

test.each<{ how: string; change: object }>([
  { how: 'one argument', change: args('--listen=127.0.0.2:7000') },
  { how: 'two arguments', change: args('--listen', '127.0.0.2:7000') },
  { how: 'a variable', change: { env: [{ name: 'HAWSER_LISTEN', value: '127.0.0.2:7000' }] } },
])("the probes follow the supervisor's page if a patch moves it by $how", ({ change }) => {
  expect(supervisor(change)).toEqual(at('127.0.0.2', 7000));
});

test('without the page the liveness probe runs the command that uses the control socket', () => {
  const command = ['hawser', 'keepalived', 'status', '--alive'];
  expect(supervisor(args('--listen=off'))).toEqual([expect.objectContaining({ exec: { command } })]);
});

test('a patch that changes the handler of a probe takes precedence for that probe only', () => {
  const own = { livenessProbe: { httpGet: { port: 7001 } } };
  const ports = supervisor({ ...args('--listen=127.0.0.2:7000'), ...own });
  expect(ports).toMatchObject([{ port: 7000 }, { port: 7001 }, { port: 7000 }]);
});

test.each(['--listen=127.0.0.2:7000', '--listen=off'])(
  'a patch of a time does not keep a probe from following %s',
  (word) => {
    const patched = supervisor({ ...args(word), livenessProbe: { timeoutSeconds: 10 } });
    expect(patched).toEqual(
      word.endsWith('off') ? [expect.objectContaining({ exec: expect.anything() })] : at('127.0.0.2', 7000),
    );
  },
);

test('a patch that runs another program keeps the probes', () => {
  expect(supervisor({ args: ['sh', '-c', 'exec keepalived'] })).toEqual(at('127.0.0.1', 29_448));
});

test('arguments that the supervisor would refuse are refused at once', () => {
  expect(() => supervisor(args('--listen=nowhere'))).toThrow(ConfigError);
});

const group = (name: string, runAsGroup: number) => ({ name, securityContext: { runAsGroup } });
const groups = (...patched: readonly object[]) =>
  containersOf('haproxy', { spec: { containers: patched } }).map(
    ({ securityContext }) => securityContext.runAsGroup,
  );

test('the HAProxy monitor gets the group that a patch sets for its supervisor', () => {
  expect(groups(group('haproxy', 7))).toEqual([7, 7]);
  expect(groups(group('haproxy', 7), group('haproxy-monitor', 8))).toEqual([7, 8]);
  expect(groups()).toEqual([65_529, 65_529]);
});
