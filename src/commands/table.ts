import type { CommandSpec } from '../cli/command-spec.ts';
import type { CommandModule } from '../cli/run-command.ts';
import type { SettingsReader } from '../cli/settings-values.ts';

export interface Command {
  /** One line of `hawser --help`. */
  readonly summary: string;
  readonly spec: () => Promise<CommandSpec>;
  /** Takes what was typed after its name and resolves with the process's exit code. */
  readonly run: (argv: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>;
}

/** Loaded only when it is asked for: a supervisor must not carry the Kubernetes client around. */
function command<Settings>(
  summary: string,
  load: () => Promise<CommandModule<Settings>>,
  settingsReader: () => Promise<SettingsReader> = readerOfThisProcess,
): Command {
  return {
    summary,
    spec: async () => (await load()).spec,
    run: async (argv, env) => {
      const { runCommand } = await import('../cli/run-command.ts');
      return await runCommand(await load(), argv, env, await settingsReader());
    },
  };
}

/** Its memory counts for months: docs/decisions/0017. */
function supervisor<Settings>(summary: string, load: () => Promise<CommandModule<Settings>>): Command {
  return command(summary, load, readerInChild);
}

async function readerInChild(): Promise<SettingsReader> {
  const { readSettingsInChild } = await import('../cli/read-settings-in-child.ts');
  return readSettingsInChild;
}

async function readerOfThisProcess(): Promise<SettingsReader> {
  const { readSettingsFile } = await import('../operate/daemon-specs.ts');
  return readSettingsFile;
}

/** Everything that can be typed after `hawser`. */
export const commands: Readonly<Record<string, Command>> = {
  'haproxy supervise': supervisor(
    "own HAProxy's processes (the master-socket daemon)",
    () => import('./haproxy-supervise.ts'),
  ),
  'haproxy monitor': command(
    'find API servers, render haproxy.cfg, ask for reloads, maintain the redirect',
    () => import('./haproxy-monitor.ts'),
  ),
  render: command('write haproxy.cfg once (for an init container)', () => import('./render.ts')),
  'render keepalived': command(
    'check the flags and write a first keepalived.conf (for an init container)',
    () => import('./render-keepalived.ts'),
  ),
  'show-config': command(
    'print the values that the haproxy.cfg template gets',
    () => import('./show-config.ts'),
  ),
  'show-config keepalived': command(
    'print the values that the keepalived.conf template gets',
    () => import('./show-config-keepalived.ts'),
  ),
  install: command('put settings and static pods on this node', () => import('./install.ts')),
  uninstall: command('remove the pods and everything that install wrote', () => import('./uninstall.ts')),
  rbac: command('print the RBAC rules that the monitors need', () => import('./rbac.ts')),
  settings: command('check the settings file', () => import('./settings.ts')),
  'haproxy reload': command(
    'ask the supervisor for a reload and print its answer',
    () => import('./haproxy-reload.ts'),
  ),
  'haproxy status': command(
    "show HAProxy's generations, their sessions and deadlines",
    () => import('./haproxy-status.ts'),
  ),
  'keepalived supervise': supervisor(
    "own keepalived's process and remove stale VIPs",
    () => import('./keepalived-supervise.ts'),
  ),
  'keepalived monitor': command(
    'find the nodes that share the VIPs, render keepalived.conf, check health',
    () => import('./keepalived-monitor.ts'),
  ),
  'keepalived reload': command(
    'ask the supervisor for a reload and print its answer',
    () => import('./keepalived-reload.ts'),
  ),
  'keepalived status': command(
    'show which VIPs this node holds, since when and why',
    () => import('./keepalived-status.ts'),
  ),
  'keepalived start': command('start a keepalived that was stopped', () => import('./keepalived-start.ts')),
  'keepalived stop': command('give the VIPs up and stop keepalived', () => import('./keepalived-stop.ts')),
  status: command('show VIP holders, API servers, and what is wrong now', () => import('./status.ts')),
  plan: command('show what would change if applied now, and its cost', () => import('./plan.ts')),
  drain: command('move the VIPs off this node until undrain', () => import('./drain.ts')),
  undrain: command('let this node hold VIPs again', () => import('./undrain.ts')),
  'move-vip': command('move a VIP once, to the next node or to this one', () => import('./move-vip.ts')),
  drill: command('move the API VIP away and back, and report what a client lost', () => import('./drill.ts')),
  doctor: command(
    'check this node: what is wrong, why it matters, what to type',
    () => import('./doctor.ts'),
  ),
  timeline: command('show what happened and why, from the journals', () => import('./timeline.ts')),
  'support-bundle': command(
    'write status, timeline, logs and configurations as one tar',
    () => import('./support-bundle.ts'),
  ),
  version: command(
    'print the versions of hawser, HAProxy, keepalived and Node',
    () => import('./version-report.ts'),
  ),
  completion: command('print a completion script for bash, zsh or fish', () => import('./completion.ts')),
};
