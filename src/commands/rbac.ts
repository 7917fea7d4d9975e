import { commandSpec, type SettingsOf, toggle } from '../cli/command-spec.ts';
import { shippedFile } from '../engine/system/shipped-file.ts';

export const spec = commandSpec({
  name: 'rbac',
  summary: 'Prints the RBAC rules that the monitors need, for kubectl apply.',
  flags: {
    kubelet: toggle(
      'for hawser install --credentials kubelet, the default: lets the group system:nodes read Nodes',
    ),
    endpoints: toggle(
      'for source: endpoints: lets user hawser and the group system:nodes read EndpointSlices',
    ),
  },
  examples: [
    ['hawser rbac --kubelet | kubectl --kubeconfig /etc/kubernetes/admin.conf apply -f -'],
    [
      'hawser rbac --kubelet | kubectl --kubeconfig /etc/kubernetes/admin.conf delete -f -',
      'after the last uninstall',
    ],
  ],
  notes: [
    'Without a flag, for --credentials own: lets user hawser get, list and watch Nodes. Exit codes: 0 printed, 2 usage.',
  ],
});

export async function run({ kubelet, endpoints }: SettingsOf<typeof spec>): Promise<number> {
  const files = [
    ...(kubelet ? ['rbac-kubelet'] : endpoints ? [] : ['rbac']),
    ...(endpoints ? ['rbac-endpoints'] : []),
  ];
  process.stdout.write(files.map((file) => shippedFile(`manifests/${file}.yaml`)).join('---\n'));
  return 0;
}
