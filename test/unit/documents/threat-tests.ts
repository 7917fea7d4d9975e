/** Claims of docs/threat-model.md, and the tests that hold them. */
export const threatTests: readonly (readonly [claim: string, ...tests: string[]])[] = [
  [
    "ports, modes of files and sockets, users and capabilities of the static pods; the kubeconfig's client key is in no log, journal, argument or page",
    'test/e2e/least-privilege.test.ts',
  ],
  [
    'the users and capabilities in these tables are those of the manifests',
    'test/unit/documents/threat-model.test.ts',
  ],
  [
    'which folders each container of the pod haproxy writes, and which host paths it mounts',
    'test/unit/manifests/haproxy.test.ts',
  ],
  ['roles of the monitors', 'test/unit/manifests/rbac.test.ts'],
  ['each capability is needed', 'test/contract/keepalived/capabilities.test.ts'],
  ['the control socket is closed to other users', 'test/contract/haproxy/rights.test.ts'],
  [
    '/status answers over loopback alone, to localhost and loopback addresses, and to no proxy',
    'test/unit/engine/observe/http-endpoint.test.ts',
    'test/unit/engine/observe/http-endpoint.test.ts',
  ],
  [
    'metricsListen needs a token or TLS beyond loopback, compares the token in constant time, limits requests, and serves metrics alone',
    'test/unit/engine/observe/metrics-listener.test.ts',
    'test/contract/engine/observe/metrics-listener.test.ts',
  ],
  [
    "no link or FIFO of another user is followed or waited for in the journals' folder",
    'test/contract/engine/observe/journal/foreign-files.test.ts',
  ],
  [
    'replaced files have all of the old or all of the new text; a link in their place is replaced, not followed',
    'test/unit/engine/system/file/atomic-write.test.ts',
    'test/unit/engine/system/file/replace-file.test.ts',
  ],
  [
    'a link at the path of a configuration is followed on purpose: its target is replaced',
    'test/contract/engine/config/deployer-trouble.test.ts',
  ],
  [
    "no link or FIFO is followed or waited for in place of a track file, a server state, keepalived's output or FIFO",
    'test/contract/planted-files.test.ts',
  ],
  [
    'no line is added to a configuration by a name, a label or an address',
    'test/golden/haproxy.test.ts',
    'test/unit/vip/group/render-keepalived.test.ts',
    'test/unit/api-lb/render-load-balancer.test.ts',
  ],
  [
    'a template that loops or ends the process harms nothing',
    'test/contract/engine/render/render-thread.test.ts',
  ],
  ['replaced generations are bounded in number and memory', 'test/integration/haproxy/drain-limits.test.ts'],
  [
    'the router: capabilities, mounts, keys in memory, and its roles match what it asks the API for',
    'test/unit/manifests/router.test.ts',
  ],
  [
    'the router: who may read /metrics',
    'test/unit/router/settings/metrics-settings.test.ts',
    'test/contract/router/21-metrics.test.ts',
  ],
  [
    'the router: no text of a Route or an endpoint becomes a line, a word or an expression',
    'test/contract/router/hostile.test.ts',
    'test/unit/router/safe-text.test.ts',
    'test/unit/router/decide/build-model.test.ts',
  ],
  [
    'the router: the older route keeps its host, and no route is named to another namespace',
    'test/unit/router/contract/11-host-conflict.test.ts',
  ],
  [
    'the router: a served host is not taken by editing an older object',
    'test/unit/router/decide/held-hosts.test.ts',
    'test/unit/manifests/route-rules.test.ts',
    'test/unit/manifests/ingress-rules.test.ts',
  ],
  [
    'the router: no endpoint is a loopback, link-local, metadata or denied address, or the router itself',
    'test/unit/router/safe-address.test.ts',
    'test/unit/router/decide/denied-endpoints.test.ts',
  ],
  [
    'the router: no route reads /status of its node',
    'test/unit/router/decide/machine-names.test.ts',
    'test/unit/engine/observe/http-endpoint.test.ts',
  ],
  ['the router: no client tunnels past its rules', 'test/contract/router/tunnels.test.ts'],
  [
    "the router: routes that HAProxy refuses delay no other tenant's route",
    'test/integration/router/serve/fair.test.ts',
    'test/unit/router/serve/fair-isolation.test.ts',
  ],
  [
    'the router: what a client claims in Host, of its certificate and of a proxy',
    'test/contract/router/kinds.test.ts',
    'test/contract/router/features.test.ts',
  ],
  [
    'the router: new TLS clients are answered while idle ones have nearly half of the connections',
    'test/contract/router/limits.test.ts',
  ],
  [
    'the router: a template that never ends, or prints without end, is stopped',
    'test/contract/router/custom-template.test.ts',
  ],
  [
    'the pod proxy: no root, no capability, the token in one container only, keys in memory only, its roles',
    'test/unit/manifests/pod-proxy.test.ts',
  ],
  [
    'the pod proxy: code in the annotation runs in children of the supervisor, never of the controller',
    'test/contract/pod-proxy/lua.test.ts',
  ],
  [
    'the control socket: check validates the candidate alone, and a client that asks often starts HAProxy a few times',
    'test/contract/haproxy/check.test.ts',
  ],
  [
    'the pod proxy: a group with too many pods is cut alone, and the others are served',
    'test/unit/pod-proxy/hosts.test.ts',
    'test/integration/pod-proxy/follow-proxy.test.ts',
  ],
  ['the pod proxy: a hostile answer to a check is cut', 'test/unit/haproxy/check-in-supervisor.test.ts'],
  ['the pod proxy: files with keys are for its user alone', 'test/contract/pod-proxy/certificates.test.ts'],
  [
    'a hostile template of the pod proxy reaches nothing and is stopped',
    'test/unit/pod-proxy/template/',
    'test/contract/pod-proxy/render-in-child.test.ts',
  ],
  [
    "the pod proxy's DNS records: names and addresses are checked, and nothing is written to another zone or over an alias",
    'test/unit/pod-proxy/dns/',
    'test/contract/pod-proxy/dns/publish-in-route53.test.ts',
  ],
  [
    'the kubeconfig: certificates and keys that are missing, garbage, of others are named',
    'test/integration/engine/kube/bad-certificates.test.ts',
  ],
  [
    'no secret in a support bundle, and no file that a link leads to',
    'test/unit/engine/system/text/without-secrets.test.ts',
    'test/contract/operate/bundle-copy.test.ts',
    'test/integration/commands/support-bundle.test.ts',
  ],
  ['the API lies, stalls, resets', 'test/integration/engine/kube/faults.test.ts'],
  ['pinned packages, licenses, no scripts', 'test/unit/manifests/packages.test.ts'],
  ['what the image holds; the same layers again', 'test/e2e/image.test.ts'],
];
