import type { SettingsFrom } from '../../cli/command-spec.ts';
import { haproxyFlags } from '../../haproxy/supervise/haproxy-flags.ts';
import { admissionFlags } from './admission-flags.ts';
import { listenerFlags } from './listener-flags.ts';
import { requestFlags } from './request-flags.ts';
import { shardFlags } from './shard-flags.ts';
import { statusFlags } from './status-flags.ts';
import { tlsFlags } from './tls-flags.ts';

/** The settings of the configuration, in addition to the objects. */
export const routerFlags = {
  ...listenerFlags,
  ...requestFlags,
  ...tlsFlags,
  ...admissionFlags,
  ...shardFlags,
  // Admission reads what this router wrote into the status of Routes.
  serviceName: statusFlags.serviceName,
  statsSocket: haproxyFlags.statsSocket,
};

export type RouterSettings = SettingsFrom<typeof routerFlags>;
