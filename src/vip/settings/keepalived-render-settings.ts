import { keepalivedMonitorCommand } from './keepalived-monitor-settings.ts';

/** Takes the monitor's flags: an init container and its pod share one list of arguments. */
export const renderKeepalivedCommand: typeof keepalivedMonitorCommand = {
  ...keepalivedMonitorCommand,
  name: 'render keepalived',
  summary:
    'Checks the flags and the template, and writes keepalived.conf where there is none; for an init container.',
  examples: [
    [
      'hawser render keepalived /etc/hawser/kubeconfig keepalived.conf.ejs /tmp/keepalived.conf --api-vips 192.0.2.100',
    ],
  ],
  notes: [
    "Takes the monitor's flags, asks no API server and waits for nothing. It writes CONFIG if there is none and the nodes are known, from --servers or (fast profile) from an earlier run's lists. Otherwise the monitor writes it.",
    'Exit codes: 0 the monitor can start, 1 failure at run time, 2 a flag or the template is wrong.',
  ],
};

export const showKeepalivedConfigCommand: typeof keepalivedMonitorCommand = {
  ...keepalivedMonitorCommand,
  name: 'show-config keepalived',
  summary:
    'Prints the values that the keepalived.conf template would get now, and where each setting came from, as JSON.',
  examples: [
    ['hawser show-config keepalived | jq .instances', 'ids, priorities and peers of each VIP on this node'],
    [
      "hawser show-config keepalived | jq '.settings.profile'",
      'its value, and whether it came from flag, variable or file',
    ],
  ],
  notes: [
    'KUBECONFIG, TEMPLATE and CONFIG may come from the settings file. The API is asked for the nodes as the monitor asks it.',
    'Exit codes: 0 printed, 1 this node would not join now: only the settings, and the reason on stderr, 2 usage.',
  ],
};
