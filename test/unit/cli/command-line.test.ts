import { expect, test } from 'vitest';
import { haproxyMonitorCommand } from '../../../src/api-lb/haproxy-monitor-settings.ts';
import { helpTyped, readCommandLine, settingsTyped } from '../../../src/cli/command-line.ts';
import { type CommandSpec, flagName, type SettingsReader } from '../../../src/cli/command-spec.ts';
import { parseSettingsFile } from '../../../src/cli/parse-settings-file.ts';
import { daemonKeys } from '../../../src/commands/pods.ts';
import { haproxySuperviseCommand } from '../../../src/haproxy/supervise/haproxy-supervise-settings.ts';
import { installCommand, uninstallCommand } from '../../../src/operate/install/install-settings.ts';
import { timelineCommand } from '../../../src/operate/timeline/timeline-settings.ts';
import { drainCommand, moveVipCommand, undrainCommand } from '../../../src/vip/orders/order-settings.ts';
import { keepalivedMonitorCommand } from '../../../src/vip/settings/keepalived-monitor-settings.ts';

function fileWith(text: string): SettingsReader {
  const parsed = parseSettingsFile(text, '/f.yaml', daemonKeys);
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join('\n'));
  return (path) => ({ path: path ?? '/f.yaml', values: parsed.values });
}

const noFile: SettingsReader = () => undefined;
const files = ['/kubeconfig', '/template', '/etc/haproxy/haproxy.cfg'];

test('a flag overrides its variable, the variable overrides the file, the file overrides the default', () => {
  const file = fileWith('apiPort: 1\nlbPort: 1\nhealthPort: 1\nhaproxy:\n  statPort: 4\n');
  const env = { HAWSER_API_PORT: '2', HAWSER_LB_PORT: '2' };
  const line = readCommandLine(haproxyMonitorCommand, [...files, '--api-port=3'], env, file);
  expect(line).toMatchObject({
    values: {
      apiPort: '3',
      lbPort: '2',
      healthPort: '1',
      statPort: '4',
      settle: '500ms',
      settings: '/f.yaml',
    },
    origins: {
      apiPort: '--api-port',
      lbPort: 'HAWSER_LB_PORT',
      healthPort: '/f.yaml:3',
      statPort: '/f.yaml:5',
      settle: 'default',
      kubeconfig: 'KUBECONFIG',
    },
  });
});

test.each([
  [['--settings', '/a'], {}, '/a'],
  [[], { HAWSER_SETTINGS: '/b' }, '/b'],
  [['--settings=/a'], { HAWSER_SETTINGS: '/b' }, '/a'],
  [['--settings', 'a.yaml'], {}, `${process.cwd()}/a.yaml`],
  [[], { HAWSER_SETTINGS: './b.yaml' }, `${process.cwd()}/b.yaml`],
  [[], {}, undefined],
])('%j with %j reads the file %s', (argv, env, expected) => {
  const asked: (string | undefined)[] = [];
  readCommandLine(haproxySuperviseCommand, argv, env, (path) => {
    asked.push(path);
    return undefined;
  });
  expect(asked).toEqual([expected]);
});

test('a section is read only by its own pod', () => {
  const file = fileWith('haproxy:\n  listen: 127.0.0.1:1\nkeepalived:\n  listen: 127.0.0.1:2\n');
  const listenOf = (spec: CommandSpec) => readCommandLine(spec, files, {}, file);
  expect(listenOf(haproxyMonitorCommand)).toMatchObject({ values: { listen: '127.0.0.1:1' } });
  expect(listenOf(keepalivedMonitorCommand)).toMatchObject({ values: { listen: '127.0.0.1:2' } });
  // The file has no key for the supervisor's page.
  const supervised = readCommandLine(haproxySuperviseCommand, [], {}, file);
  expect(supervised).toMatchObject({ values: { listen: '127.0.0.1:29449' } });
});

test('the arguments come from the file only if all of them are omitted', () => {
  const file = fileWith('kubeconfig: /k\nhaproxy:\n  template: /t\n  config: /c\n');
  const read = (...argv: readonly string[]) => readCommandLine(haproxyMonitorCommand, argv, {}, file);
  expect(read()).toMatchObject({ values: { kubeconfig: '/k', template: '/t', config: '/c' } });
  expect(read('/1', '/2', '/3')).toMatchObject({
    values: { kubeconfig: '/1', template: '/2', config: '/3' },
  });
  expect(() => read('/1')).toThrow(/missing required argument 'TEMPLATE'\n.*'CONFIG'/);
});

test('a VIP on the command line replaces those in the file', () => {
  const file = fileWith('apiVips: [10.0.0.5]\n');
  const vipsOf = (...flags: readonly string[]) =>
    settingsTyped(haproxyMonitorCommand, [...files, ...flags], {}, file).vips;
  expect(vipsOf()).toEqual(['10.0.0.5']);
  expect(vipsOf('--api-vip=10.0.0.9')).toEqual(['10.0.0.9']);
});

test('every flag of a daemon is a key of the file in one place, unless it says "never"', () => {
  for (const { flags, section } of [
    haproxySuperviseCommand,
    haproxyMonitorCommand,
    keepalivedMonitorCommand,
  ]) {
    for (const [name, { help, inFile }] of Object.entries(flags)) {
      const typed = flagName(name);
      const keys = daemonKeys.filter((key) => key.typed === typed);
      const places = keys.map(({ place }) => place);
      if (inFile === 'never') expect(keys.filter((key) => key.help === help)).toEqual([]);
      else expect(places, typed).toContain(inFile ?? section);
      if (inFile === 'top') expect(places, typed).toEqual(['top']);
    }
  }
});

test('repeating a flag is the same as one flag with a comma-separated list', () => {
  const read = (...argv: readonly string[]) => settingsTyped(timelineCommand, argv, {}, noFile).journal;
  expect(read('--journal', '/a', '--journal', '/b')).toEqual(['/a', '/b']);
  expect(read('--journal=/a,/b')).toEqual(['/a', '/b']);
  expect(read()).toEqual(['/var/log/hawser']);
  expect(() => read('--journal', ',')).toThrow('Cannot use --journal ",": expected a directory');
});

test('flags of a single call have no variable, because other commands would give it another meaning', () => {
  const env = { HAWSER_KIND: 'ingress', HAWSER_CONFIG: '/etc/haproxy/haproxy.cfg' };
  for (const spec of [drainCommand, undrainCommand, moveVipCommand, timelineCommand]) {
    const line = readCommandLine(spec, [], env, noFile);
    expect([line.values['kind'], line.values['config']]).not.toContain(env.HAWSER_KIND);
    expect(line.values['config']).toBeUndefined();
  }
  expect(readCommandLine(drainCommand, ['--kind=api'], {}, noFile)).toMatchObject({
    values: { kind: 'api' },
  });
});

test('a leftover variable neither answers a prompt, nor forces, nor turns a real run into a dry run', () => {
  const env = { HAWSER_YES: '1', HAWSER_FORCE: '1', HAWSER_OVERWRITE: '1', HAWSER_DRY_RUN: '1' };
  for (const spec of [installCommand, uninstallCommand, drainCommand]) {
    const line = readCommandLine(spec, [], env, noFile);
    const { yes, force, overwrite, dryRun } = line.values;
    expect([yes, force, overwrite, dryRun].filter((value) => value !== undefined)).toEqual([]);
    expect(helpTyped(spec, ['--help'])).not.toMatch(/HAWSER_(?:YES|FORCE|OVERWRITE|DRY_RUN)\b/);
  }
  expect(readCommandLine(drainCommand, ['--force'], {}, noFile)).toMatchObject({ values: { force: true } });
  expect(readCommandLine(installCommand, ['--yes'], {}, noFile)).toMatchObject({ values: { yes: true } });
});
