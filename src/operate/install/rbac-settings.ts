import { commandSpec, toggle } from '../../cli/command-spec.ts';

export const rbacCommand = commandSpec({
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
