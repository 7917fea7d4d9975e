import { commandSpec, type SettingsOf, toggle } from '../cli/command-spec.ts';
import { shippedFile } from '../engine/system/shipped-file.ts';

export const spec = commandSpec({
  name: 'rbac',
  summary: 'Prints what the monitors may do with the API, for kubectl apply.',
  flags: {
    kubelet: toggle(
      'for hawser install --credentials kubelet, its default: the group system:nodes reads Nodes',
    ),
    endpoints: toggle('for source: endpoints: user hawser reads EndpointSlices'),
  },
  examples: [
    ['hawser rbac --kubelet | kubectl --kubeconfig /etc/kubernetes/admin.conf apply -f -'],
    [
      'hawser rbac --kubelet | kubectl --kubeconfig /etc/kubernetes/admin.conf delete -f -',
      'after the last uninstall',
    ],
  ],
  notes: [
    'Without a flag, for --credentials own: user hawser may get, list and watch Nodes. Exit codes: 0 printed, 2 usage.',
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
