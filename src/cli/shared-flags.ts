import type { Flag, Positional } from './command-line.ts';
import { defaultPorts } from './ports.ts';

/**
 * Flags that several commands take and must agree on. The settings file has them once, at the top. A command lists them
 * beside its own.
 */
export const apiVipsFlag: Flag = {
  flag: '--api-vips <addresses>',
  help: 'virtual IPs of the API: IPv4, IPv6 or both, separated by a comma',
  inFile: 'top',
  repeats: true,
};

export const apiPortFlag: Flag = {
  flag: '--api-port <port>',
  help: 'port of the API servers, and of the VIP',
  default: `${defaultPorts.api}`,
  inFile: 'top',
};

export const lbPortFlag: Flag = {
  flag: '--lb-port <port>',
  help: 'port HAProxy serves clients on',
  default: `${defaultPorts.loadBalancer}`,
  inFile: 'top',
};

export const clusterNameFlag: Flag = {
  flag: '--cluster-name <name>',
  help: "the virtual router ids are derived from it (default: from KUBECONFIG's server)",
  inFile: 'top',
};

export const healthPortFlag: Flag = {
  flag: '--health-port <port>',
  help: 'HAProxy answers /haproxy_ready and /haproxy_monitor there',
  default: `${defaultPorts.health}`,
  inFile: 'top',
};

export const sourceFlag: Flag = {
  flag: '--source <source>',
  help: 'nodes, endpoints or static',
  choices: ['nodes', 'endpoints', 'static'],
  default: 'nodes',
  inFile: 'top',
};

export const lookupFlags: readonly Flag[] = [
  {
    flag: '--check-interval <duration>',
    help: 'how often to list objects, in addition to watching',
    default: '6s',
    inFile: 'top',
  },
  { flag: '--settle <duration>', help: 'how long a change must be stable', default: '500ms', inFile: 'top' },
  sourceFlag,
  { flag: '--servers <list>', help: 'HOST=IP[:PORT],… for --source static', inFile: 'top' },
];

/** Where the manifests have the journals. */
export const defaultJournalPath = '/var/log/hawser';

export const journalFlag: Flag = {
  flag: '--journal <dir>',
  help: `keep a journal of what happened there, such as ${defaultJournalPath}`,
  inFile: 'never',
};

export const logLevelFlag: Flag = {
  flag: '--log-level <level>',
  help: 'debug, info, warn or error',
  choices: ['debug', 'info', 'warn', 'error'],
  default: 'info',
  inFile: 'top',
};

/**
 * How the nodes show each other what they know: off unless the three files are given. The port is where the others are
 * asked too.
 */
export const peerFlags: readonly Flag[] = [
  {
    flag: '--peer-tls-ca <path>',
    help: "PEM: the CA of all nodes' certificates; with the next two the nodes share their status",
    inFile: 'top',
  },
  { flag: '--peer-tls-cert <path>', help: "PEM: this node's certificate", inFile: 'top' },
  { flag: '--peer-tls-key <path>', help: 'PEM: the key of that certificate', inFile: 'top' },
  {
    flag: '--peer-listen <address>',
    help: `ADDRESS, ADDRESS:PORT or :PORT for the other nodes (default: this node's own address, port ${defaultPorts.peers})`,
    inFile: 'top',
  },
];

export const kubeconfigArgument: Positional = {
  name: 'KUBECONFIG',
  help: 'credentials for the Kubernetes API',
  inFile: 'top',
};
