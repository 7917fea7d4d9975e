import { routerChecks } from './look/checks.ts';
import { routerCommand } from './settings/router-command.ts';

/** What the router brings to the commands that look at every product. */
export const router = {
  ...{ name: 'router', doctorFlags: {}, checks: routerChecks },
  home: { kind: 'pod' as const, daemon: routerCommand },
  // In its pod the holder of a port cannot be seen: HAProxy's words say which one it cannot have.
  ports: () => [],
};
