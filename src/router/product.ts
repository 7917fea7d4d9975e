import { routerChecks } from './report/checks.ts';
import { routerCommand } from './settings/router-command.ts';

/** The router's entry in the commands that cover every product. */
export const router = {
  doctorFlags: {},
  checks: routerChecks,
  home: { kind: 'pod' as const, daemon: routerCommand },
  // A pod cannot see which process holds a port. HAProxy's own error names the port it cannot bind.
  ports: () => [],
};
