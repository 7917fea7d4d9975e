import { messageOf } from './engine/system/errors.ts';

/** A command takes what was typed after its name and resolves with the process's exit code. */
interface CommandModule {
  readonly run: (argv: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>;
}

/** Each is loaded only when it is asked for: a supervisor must not carry the Kubernetes client around. */
const commands: Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<CommandModule> }>
> = {
  'haproxy supervise': {
    summary: "own HAProxy's processes (the master-socket daemon)",
    load: () => import('./commands/haproxy-supervise.ts'),
  },
  'haproxy monitor': {
    summary: 'find API servers, render haproxy.cfg, ask for reloads, maintain the redirect',
    load: () => import('./commands/haproxy-monitor.ts'),
  },
  render: {
    summary: 'write haproxy.cfg once (for an init container)',
    load: () => import('./commands/render.ts'),
  },
  'render keepalived': {
    summary: 'check the flags and write a first keepalived.conf (for an init container)',
    load: () => import('./commands/render-keepalived.ts'),
  },
  'show-config': {
    summary: 'print the values that the haproxy.cfg template gets',
    load: () => import('./commands/show-config.ts'),
  },
  'show-config keepalived': {
    summary: 'print the values that the keepalived.conf template gets',
    load: () => import('./commands/show-config-keepalived.ts'),
  },
  install: {
    summary: 'put settings and static pods on this node',
    load: () => import('./commands/install.ts'),
  },
  uninstall: {
    summary: 'remove the pods and everything that install wrote',
    load: () => import('./commands/uninstall.ts'),
  },
  rbac: {
    summary: 'print the RBAC rules that the monitors need',
    load: () => import('./commands/rbac.ts'),
  },
  settings: {
    summary: 'check the settings file',
    load: () => import('./commands/settings.ts'),
  },
  'haproxy reload': {
    summary: 'ask the supervisor for a reload and print its answer',
    load: () => import('./commands/haproxy-reload.ts'),
  },
  'haproxy status': {
    summary: "show HAProxy's generations, their sessions and deadlines",
    load: () => import('./commands/haproxy-status.ts'),
  },
  'keepalived supervise': {
    summary: "own keepalived's process and remove stale VIPs",
    load: () => import('./commands/keepalived-supervise.ts'),
  },
  'keepalived monitor': {
    summary: 'find the nodes that share the VIPs, render keepalived.conf, check health',
    load: () => import('./commands/keepalived-monitor.ts'),
  },
  'keepalived reload': {
    summary: 'ask the supervisor for a reload and print its answer',
    load: () => import('./commands/keepalived-reload.ts'),
  },
  'keepalived status': {
    summary: 'show which VIPs this node holds, since when and why',
    load: () => import('./commands/keepalived-status.ts'),
  },
  'keepalived start': {
    summary: 'start a keepalived that was stopped',
    load: () => import('./commands/keepalived-start.ts'),
  },
  'keepalived stop': {
    summary: 'give the VIPs up and stop keepalived',
    load: () => import('./commands/keepalived-stop.ts'),
  },
  status: {
    summary: 'show VIP holders, API servers, and what is wrong now',
    load: () => import('./commands/status.ts'),
  },
  plan: {
    summary: 'show what would change if applied now, and its cost',
    load: () => import('./commands/plan.ts'),
  },
  drain: {
    summary: 'move the VIPs off this node until undrain',
    load: () => import('./commands/drain.ts'),
  },
  undrain: {
    summary: 'let this node hold VIPs again',
    load: () => import('./commands/undrain.ts'),
  },
  'move-vip': {
    summary: 'move a VIP once, to the next node or to this one',
    load: () => import('./commands/move-vip.ts'),
  },
  drill: {
    summary: 'move the API VIP away and back, and report what a client lost',
    load: () => import('./commands/drill.ts'),
  },
  doctor: {
    summary: 'check this node: what is wrong, why it matters, what to type',
    load: () => import('./commands/doctor.ts'),
  },
  timeline: {
    summary: 'show what happened and why, from the journals',
    load: () => import('./commands/timeline.ts'),
  },
  'support-bundle': {
    summary: 'write status, timeline, logs and configurations as one tar',
    load: () => import('./commands/support-bundle.ts'),
  },
  version: {
    summary: 'print the versions of hawser, HAProxy, keepalived and Node',
    load: () => import('./commands/version-report.ts'),
  },
  completion: {
    summary: 'print a completion script for bash, zsh or fish',
    load: () => import('./commands/completion.ts'),
  },
};

async function main(argv: readonly string[]): Promise<number> {
  // As kubectl has it: `hawser help haproxy status`.
  if (argv[0] === 'help' && argv.length > 1) return await main([...argv.slice(1), '--help']);
  const words = argv.findIndex((word) => word.startsWith('-'));
  const leading = words === -1 ? argv : argv.slice(0, words);
  for (const length of [2, 1]) {
    const command = commands[leading.slice(0, length).join(' ')];
    if (command === undefined || leading.length < length) continue;
    const { run } = await command.load();
    return await run(argv.slice(length), process.env);
  }
  if (['--version', '-v', '-V'].includes(argv[0] ?? '')) {
    const { hawserVersion } = await import('./engine/system/version.ts');
    process.stdout.write(`hawser ${hawserVersion()}\n`);
    return 0;
  }
  return await printUsage(argv, leading.join(' '));
}

/** A requested usage text goes to stdout; an unknown command is an error. */
async function printUsage(argv: readonly string[], typed: string): Promise<number> {
  const { isGroup, unknownCommandText, usageText } = await import('./cli/usage.ts');
  const summaries = Object.entries(commands).map(([name, { summary }]) => [name, summary] as const);
  const isAsked = ['--help', '-h', 'help'].includes(argv.at(-1) ?? '');
  const group = typed.replace(/ ?help$/, '');
  const isKnown = group === '' || isGroup(summaries, group);
  const isAll = argv.length === (group === '' ? 0 : 1);
  if (isKnown && (isAsked || isAll)) {
    process.stdout.write(usageText(summaries, group));
    return isAsked ? 0 : 2;
  }
  process.stderr.write(unknownCommandText(typed || argv.join(' '), summaries));
  return 2;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = error instanceof Error && error.name === 'ConfigError' ? 2 : 1;
}
