import { routerChecks } from './look/checks.ts';
import { routerCommand } from './settings/router-command.ts';

/** The router's part of the commands that cover every product. */
export const router = {
  name: 'router',
  doctorFlags: {},
  checks: routerChecks,
  home: { kind: 'pod' as const, daemon: routerCommand },
  // In its pod the holder of a port cannot be seen: HAProxy's words say which one it cannot have.
  ports: () => [],
};
