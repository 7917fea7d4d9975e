import { keepalivedMonitorCommand } from './keepalived-monitor-settings.ts';

export const showKeepalivedConfigCommand: typeof keepalivedMonitorCommand = {
  ...keepalivedMonitorCommand,
  name: 'show-config keepalived',
  summary:
    'Prints the values that the keepalived.conf template would get now, and where each setting came from, as JSON.',
  examples: [
    ['hawser show-config keepalived | jq .instances', 'ids, priorities and peers of each VIP on this node'],
    [
      "hawser show-config keepalived | jq '.settings.interface'",
      'its value, and whether it came from flag, variable or file',
    ],
  ],
  notes: [
    'KUBECONFIG, TEMPLATE and CONFIG may come from the settings file. The API is asked for the nodes as the monitor asks it.',
    'Exit codes: 0 printed, 1 this node would not join now: only the settings, and the reason on stderr, 2 usage.',
  ],
};
