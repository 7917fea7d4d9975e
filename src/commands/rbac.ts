import { readCommandLine } from '../cli/command-line.ts';
import { shippedFile } from '../engine/system/shipped-file.ts';
import { rbacCommand, rbacSettings } from '../operate/install/rbac-settings.ts';

export async function run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const line = readCommandLine(rbacCommand, argv, env);
  if (line.kind === 'help') {
    process.stdout.write(line.text);
    return 0;
  }
  const { kubelet, endpoints } = rbacSettings(line.values);
  const files = [
    ...(kubelet ? ['rbac-kubelet'] : endpoints ? [] : ['rbac']),
    ...(endpoints ? ['rbac-endpoints'] : []),
  ];
  process.stdout.write(files.map((file) => shippedFile(`manifests/${file}.yaml`)).join('---\n'));
  return 0;
}
