import * as z from 'zod/mini';
import { commandSpec, flag, type SettingsOf } from '../cli/command-spec.ts';
import { absolutePath, durationMs, nonEmpty, oneOf } from '../cli/fields.ts';
import { daemonFlags, defaultPorts, monitorListen } from '../cli/shared-flags.ts';
import { isInCluster } from '../engine/kube/in-cluster.ts';
import { ConfigError } from '../engine/system/errors.ts';
import { haproxyMonitorFlags } from '../haproxy/supervise/haproxy-flags.ts';
import { targetNames } from './dns/target.ts';

const { socket, statsSocket } = haproxyMonitorFlags;

export const proxyCommand = commandSpec({
  name: 'proxy',
  summary: 'Renders haproxy.cfg from an annotation of this pod and the addresses of the pods behind it.',
  flags: {
    pod: flag('<name>', nonEmpty, "this pod's name"),
    namespace: flag('<name>', nonEmpty, "this pod's namespace, which is also that of the pods behind it"),
    kubeconfig: flag(
      '<path>',
      z.optional(absolutePath),
      "credentials for the API (default: the pod's service account)",
    ),
    config: flag('<path>', absolutePath, 'path to which haproxy.cfg is written', {
      default: '/etc/haproxy/haproxy.cfg',
    }),
    socket,
    statsSocket,
    reloadInterval: flag(
      '<duration>',
      durationMs,
      'minimum interval between reloads; the first happens at once',
      { default: '1s' },
    ),
    checkInterval: flag('<duration>', durationMs, 'how often the file is compared with the desired one', {
      default: '6s',
    }),
    dns: flag(
      `<auto|${targetNames.join('|')}>`,
      oneOf(['auto', ...targetNames]),
      'writer of the DNS records of hawser.dev/route53: ExternalDNS, through a DNSEndpoint, or hawser (auto: ExternalDNS if the cluster has DNSEndpoints)',
      { default: 'auto' },
    ),
    dnsZone: flag(
      '<public|private|id>',
      z.string().check(
        z.regex(/^(?:public|private|Z[A-Z0-9]{1,31})$/, {
          error: 'expected public, private, or the id of a zone, such as Z1PA6795UKMFR9',
        }),
      ),
      'zones of Route 53 to write records to',
      { default: 'public' },
    ),
    dnsInterval: flag('<duration>', durationMs, 'how often DNS records are compared and repaired', {
      default: '5m',
    }),
    pushInterval: flag(
      '<duration>',
      durationMs,
      'how often statistics are sent to the database in the annotation hawser.dev/opentsdb',
      { default: '10s' },
    ),
    listen: monitorListen(defaultPorts.podProxy),
    ...daemonFlags,
  },
  examples: [
    [
      'hawser proxy --listen 0.0.0.0:29452',
      'as in manifests/pod-proxy, with HAWSER_POD and HAWSER_NAMESPACE',
    ],
    [
      'hawser proxy --pod haproxy-1 --namespace default --kubeconfig ~/.kube/config --config /tmp/haproxy.cfg',
    ],
  ],
  notes: [
    'Annotations of the pod: hawser.dev/config (a template), or hawser.dev/config-map (NAME/KEY), and hawser.dev/hosts; docs/pod-proxy.md.',
    'Exit codes: 0 stopped on request, 1 runtime failure, 2 invalid usage or configuration.',
  ],
  derive: (settings, env) => {
    if (settings.kubeconfig === undefined && !isInCluster(env))
      throw new ConfigError([
        'Cannot find credentials for the API: this is not a pod (KUBERNETES_SERVICE_HOST is not set), expected --kubeconfig',
      ]);
    return { ...settings, env };
  },
});

export type ProxySettings = SettingsOf<typeof proxyCommand>;
