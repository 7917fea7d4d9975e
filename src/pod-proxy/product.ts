import { podProxyChecks } from './doctor/checks.ts';
import { proxyCommand } from './proxy-settings.ts';

/** The pod proxy's part in the commands that cover every product. */
export const podProxy = {
  doctorFlags: {},
  checks: podProxyChecks,
  home: { kind: 'pod' as const, daemon: proxyCommand },
  // The template decides all ports except that of the page.
  ports: () => [],
};
