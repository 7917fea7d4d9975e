import type { CommandModule } from '../cli/run-command.ts';
import { keepTermination } from '../engine/system/process/keep-termination.ts';
import type { CommandName } from './summaries.ts';

/** Loaded only when it is asked for: a supervisor must not carry the Kubernetes client around. */
export const commands: Readonly<Record<CommandName, () => Promise<CommandModule>>> = {
  'haproxy supervise': () => import('./haproxy-supervise.ts'),
  'haproxy monitor': () => import('./haproxy-monitor.ts'),
  render: () => import('./render.ts'),
  'render keepalived': () => import('./render-keepalived.ts'),
  'show-config': () => import('./show-config.ts'),
  'show-config keepalived': () => import('./show-config-keepalived.ts'),
  install: () => import('./install.ts'),
  uninstall: () => import('./uninstall.ts'),
  rbac: () => import('./rbac.ts'),
  settings: () => import('./settings.ts'),
  'haproxy reload': () => import('./haproxy-reload.ts'),
  'haproxy status': () => import('./haproxy-status.ts'),
  'keepalived supervise': () => import('./keepalived-supervise.ts'),
  'keepalived monitor': () => import('./keepalived-monitor.ts'),
  'keepalived reload': () => import('./keepalived-reload.ts'),
  'keepalived status': () => import('./keepalived-status.ts'),
  'keepalived start': () => import('./keepalived-start.ts'),
  'keepalived stop': () => import('./keepalived-stop.ts'),
  status: () => import('./status.ts'),
  plan: () => import('./plan.ts'),
  drain: () => import('./drain.ts'),
  undrain: () => import('./undrain.ts'),
  'move-vip': () => import('./move-vip.ts'),
  drill: () => import('./drill.ts'),
  doctor: () => import('./doctor.ts'),
  router: () => import('./router.ts'),
  'router explain': () => import('./router-explain.ts'),
  'router render': () => import('./router-render.ts'),
  proxy: () => import('./proxy.ts'),
  timeline: () => import('./timeline.ts'),
  'support-bundle': () => import('./support-bundle.ts'),
  version: () => import('./version-report.ts'),
  completion: () => import('./completion.ts'),
};

/** Runs a command with what was typed after its name, and resolves with the process's exit code. */
export async function run(
  name: CommandName,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  if (name.endsWith(' monitor')) keepTermination();
  const { runCommand } = await import('../cli/run-command.ts');
  const usualReader = async () => (await import('./pods.ts')).readSettingsFile;
  return await runCommand(await commands[name](), argv, env, usualReader);
}
