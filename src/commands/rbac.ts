import type { SettingsOf } from '../cli/command-spec.ts';
import { shippedFile } from '../engine/system/shipped-file.ts';
import { rbacCommand } from '../operate/install/rbac-settings.ts';

export const spec = rbacCommand;

export async function run({ kubelet, endpoints }: SettingsOf<typeof spec>): Promise<number> {
  const files = [
    ...(kubelet ? ['rbac-kubelet'] : endpoints ? [] : ['rbac']),
    ...(endpoints ? ['rbac-endpoints'] : []),
  ];
  process.stdout.write(files.map((file) => shippedFile(`manifests/${file}.yaml`)).join('---\n'));
  return 0;
}
