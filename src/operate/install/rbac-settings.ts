import * as z from 'zod/mini';
import type { CommandSpec } from '../../cli/command-line.ts';
import { parseSettings } from '../../cli/parse-settings.ts';

export const rbacCommand: CommandSpec = {
  name: 'rbac',
  summary: 'Prints what the monitors may do with the API, for kubectl apply.',
  positionals: [],
  flags: [
    {
      flag: '--kubelet',
      help: 'for hawser install --credentials kubelet: the group system:nodes reads Nodes',
    },
    { flag: '--endpoints', help: 'for source: endpoints: user hawser reads EndpointSlices' },
  ],
  examples: [
    ['hawser rbac | kubectl --kubeconfig /etc/kubernetes/admin.conf apply -f -'],
    ['hawser rbac | kubectl --kubeconfig /etc/kubernetes/admin.conf delete -f -', 'after the last uninstall'],
  ],
  notes: ['Without a flag: user hawser may get, list and watch Nodes. Exit codes: 0 printed, 2 usage.'],
};

const schema = z.object({
  kubelet: z._default(z.boolean(), false),
  endpoints: z._default(z.boolean(), false),
});

export type RbacSettings = z.infer<typeof schema>;

export function rbacSettings(values: Readonly<Record<string, unknown>>): RbacSettings {
  return parseSettings(schema, values);
}
