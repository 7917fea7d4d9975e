import { podProxyChecks } from './doctor/checks.ts';
import { proxyCommand } from './proxy-settings.ts';

/** What the pod proxy brings to the commands that look at every product. */
export const podProxy = {
  ...{ name: 'pod-proxy', doctorFlags: {}, checks: podProxyChecks },
  home: { kind: 'pod' as const, daemon: proxyCommand },
  // Its template decides about all of them but its page.
  ports: () => [],
};
