/** Each row of docs/failures.md, and the test that shows it: its file below test/, and part of its name. */
export const failureTests: readonly (readonly [failure: string, file: string, test: string])[] = [
  [
    '`haproxy.cfg` is bad, empty or missing',
    'integration/haproxy/refused.test.ts',
    'after a refused file, the next good one is served',
  ],
  [
    'many reloads are requested at once',
    'contract/haproxy/reload.test.ts',
    'a burst of 20 reloads is answered, starts at most two generations and ends on the newest file',
  ],
  [
    'a server is down during a reload',
    'contract/haproxy/reload.test.ts',
    'a server that was down is down in the new generation from its start',
  ],
  [
    'a reload is requested while HAProxy hangs',
    'integration/haproxy/hang.test.ts',
    'a reload while a worker hangs is answered once nothing can connect to it any more',
  ],
  [
    "HAProxy's worker or master is killed",
    'contract/haproxy/death.test.ts',
    'is followed by a new generation',
  ],
  [
    '… and its file was broken meanwhile',
    'contract/haproxy/death.test.ts',
    'dead, and the configuration broken meanwhile: the last good copy serves until a good reload',
  ],
  [
    'HAProxy hangs',
    'integration/haproxy/hang.test.ts',
    'a worker that is stopped is replaced, and no drain of it is waited for',
  ],
  [
    "HAProxy is busy with one client's requests for seconds",
    'slow/haproxy/busy-worker.test.ts',
    'a worker that is busy for seconds costs its clients time, and no connection',
  ],
  [
    'HAProxy spins in one event',
    'slow/haproxy/spinning-worker.test.ts',
    'a worker that spins without a watchdog is killed after thirty seconds of processor time',
  ],
  [
    'connections never end',
    'integration/haproxy/drain.test.ts',
    'a generation that never drains is reported, its streams end one by one, and it ends',
  ],
  [
    "HAProxy's supervisor is killed",
    'integration/haproxy/take-over.test.ts',
    'a killed supervisor leaves HAProxy serving, and the next one takes over without a lost request',
  ],
  [
    '… and the record of generations is missing or damaged',
    'integration/haproxy/record.test.ts',
    'a full run directory, a reload, and a killed supervisor: the HAProxy that was not recorded is taken over',
  ],
  [
    "a local outgoing connection has HAProxy's port while HAProxy is down",
    'contract/engine/system/network/once-connected.test.ts',
    'a watch that was connected to itself does not keep HAProxy from its port',
  ],
  [
    '`haproxy.cfg` is edited or removed by hand',
    'integration/api-lb/monitor/monitor.test.ts',
    'a configuration that was edited or removed by hand is put back',
  ],
  [
    'the nftables rules are flushed',
    'integration/api-lb/monitor/redirect.test.ts',
    'a redirect that was flushed is put back',
  ],
  [
    'HAProxy refuses a change at runtime',
    'contract/engine/config/runtime-change.test.ts',
    'a change refused at runtime is a reload with that reason',
  ],
  [
    'a server of the router or the pod proxy is changed by hand on the Runtime API',
    'slow/haproxy/runtime-changes.test.ts',
    'a server that was changed by hand is changed back',
  ],
  [
    'the node of an API server dies, or a firewall drops packets to it',
    'integration/api-lb/suspect.test.ts',
    'a server that vanished gets no new connections until its next good check, and keeps those that it has',
  ],
  [
    '… and it held the VIP',
    'vrrp/tail.test.ts',
    "after the death of the holder's node the next holder gives its API server no new connections",
  ],
  [
    'an API server dies and restarts at once',
    'slow/api-lb/restarted-server.test.ts',
    'an API server that is killed and started at once gets no client before it is ready',
  ],
  [
    'an API server hangs while its kernel accepts connections',
    'integration/api-lb/suspect.test.ts',
    'a server that hangs, whose kernel accepts connections, is set aside',
  ],
  [
    '… or it is only starved of CPU and answers late',
    'slow/api-lb/starved-server.test.ts',
    'an API server that is starved but lives is neither set aside nor marked down, however often it is suspected; one that is stopped is set aside',
  ],
  [
    'a server dies while old generations drain',
    'integration/haproxy/down-server.test.ts',
    'streams of a draining generation end when their server dies, and not those of a living one',
  ],
  [
    'this node loses every packet to all others for a moment',
    'integration/api-lb/suspect.test.ts',
    'a network that loses every packet to all servers sets none aside',
  ],
  [
    'no API server is usable',
    'integration/api-lb/monitor/redirect.test.ts',
    'the redirect goes when no server is usable, and comes back with the first one',
  ],
  [
    'an operator takes an API server out of rotation: `kubectl annotate node NODE hawser.dev/api-server=drain`',
    'integration/api-lb/monitor/servers.test.ts',
    'a server whose Node is annotated with drain takes no new connections, and comes back slowly',
  ],
  [
    'no API server answers the monitor',
    'integration/api-lb/monitor/faulty-api.test.ts',
    'while no API server answers the list stays, and it is followed again when one is back',
  ],
  [
    'an API server answers 429',
    'integration/engine/kube/faults.test.ts',
    'an API server that answers 429 gets no request for its Retry-After, or until the kubeconfig is replaced',
  ],
  [
    "the kubeconfig's certificate has expired or is not accepted",
    'integration/engine/kube/kubeconfig.test.ts',
    'rotated certificate files are used at the next connection',
  ],
  [
    'a CA, certificate or key named by the kubeconfig is missing or wrong',
    'integration/engine/kube/bad-certificates.test.ts',
    'is named with its file, and the API is used once it is mended',
  ],
  [
    'an API server shows a certificate of another CA',
    'contract/engine/kube/bases.test.ts',
    'a server with a certificate of another authority is never believed',
  ],
  ['the API returns an empty list of Nodes', 'integration/api-lb/monitor/monitor.test.ts', 'an empty list'],
  [
    '… or one that lacks more than half of the servers',
    'integration/api-lb/monitor/monitor.test.ts',
    'a list that loses most servers while they answer; it does once they are dead',
  ],
  [
    'the API returns a list of Routes, Ingresses, EndpointSlices, Services or Secrets that lacks more than half of them',
    'integration/router/serve/doubted-lists.test.ts',
    'a single empty list of Routes takes no route away (M3)',
  ],
  [
    'an answer of the API is cut off',
    'integration/engine/kube/faults.test.ts',
    'a connection reset in the middle of a line is replaced, and the half line is discarded',
  ],
  [
    "the holder's node dies, its HAProxy dies or hangs, or its keepalived stops",
    'vrrp/faults.test.ts',
    '$name: another node takes the VIP, and the end of the trouble moves nothing',
  ],
  [
    "the holder's pod `haproxy` is stopped",
    'vrrp/holder.test.ts',
    'a holder whose pod haproxy is terminated gives the VIP away before a connection is refused',
  ],
  [
    "the holder's API server dies",
    'vrrp/faults.test.ts',
    'a killed API server moves nothing, and the client is served by the others',
  ],
  [
    "the holder's cable is unplugged",
    'vrrp/partition.test.ts',
    'a holder whose cable is out for two seconds moves no VIP once it is back',
  ],
  [
    'the network splits',
    'vrrp/partition.test.ts',
    'each side has one, and after healing one is left and the VIP does not move again',
  ],
  [
    'keepalived is killed and leaves its VIP',
    'contract/keepalived/end.test.ts',
    'after SIGKILL of all of keepalived, the peer has the VIP, it is removed here, and keepalived is back',
  ],
  [
    'the whole container `keepalived` is killed',
    'integration/vip/segment/left-vip.test.ts',
    'a keepalived container that is killed as a whole leaves no VIP behind while the monitor lives',
  ],
  [
    'keepalived hangs',
    'integration/keepalived/hang.test.ts',
    'a holder whose keepalived hangs has another one, and gives up the VIP that a peer has taken',
  ],
  [
    "keepalived's supervisor is killed",
    'contract/keepalived/take-over.test.ts',
    'a killed supervisor leaves the VIP where it is, and the next one adopts keepalived',
  ],
  [
    'the keepalived monitor dies or hangs',
    'integration/keepalived/monitor.test.ts',
    'a monitor that falls silent on the holder moves nothing while what it asked answers',
  ],
  [
    '… and HAProxy dies too',
    'integration/keepalived/monitor.test.ts',
    'a silent monitor on a holder without a service gives the VIP to a node whose monitor lives',
  ],
  [
    'NetworkManager or an administrator removes the VIP',
    'contract/keepalived/presence.test.ts',
    'a VIP that is removed by hand is back on one node',
  ],
  [
    '`keepalived.conf` is broken',
    'contract/keepalived/reload.test.ts',
    'a broken configuration is refused with the words of keepalived, and the running one stays',
  ],
  [
    'two nodes hold the VIP',
    'vrrp/split-brain.test.ts',
    'two holders that do not hear each other are reported once by both, and so is the end',
  ],
  [
    'another cluster uses the virtual router id',
    'integration/vip/segment/virtual-router-id.test.ts',
    'a node does not join with the id of another cluster, and joins once that has gone',
  ],
  [
    'this node was installed with another cluster name',
    'integration/vip/segment/virtual-router-id.test.ts',
    'a node does not join a holder of its VIP with another router id, and joins once that has gone',
  ],
  [
    'a node comes back with an old configuration',
    'vrrp/rejoin.test.ts',
    'a node that comes back with an old keepalived.conf is silent until it knows who else is there',
  ],
  [
    'a node that was removed from the cluster reboots',
    'vrrp/removed.test.ts',
    'a removed node that reboots with its old keepalived.conf does not become a second holder',
  ],
  [
    '… and no API server answers it',
    'vrrp/removed.test.ts',
    'a removed node that reboots and finds no API server stays out while another node holds the VIP',
  ],
  [
    'a node loses every API server and is then removed',
    'unit/vip/participation/segment-world.properties.test.ts',
    'a node that is in, loses every API server and is then removed becomes a second holder',
  ],
  [
    'the router behind an ingress VIP dies',
    'vrrp/ingress.test.ts',
    'a dead router moves the ingress VIP and not the API VIP, and the end of the trouble moves nothing',
  ],
  [
    'the disk is full',
    'contract/haproxy/start.test.ts',
    'a full disk keeps neither the first generation nor a reload from serving',
  ],
  [
    '… and the servers, the settings or the template change',
    'contract/engine/config/deployer-trouble.test.ts',
    'a file that cannot be replaced is a failure, and the live file stays',
  ],
  [
    '… and an event belongs in the journal',
    'unit/engine/observe/journal/journal.test.ts',
    'a full disk costs entries and nothing else, and the journal is whole afterwards',
  ],
  [
    '… and `/var/run/keepalived` is full too',
    'unit/keepalived/supervise/keepalived-state-file.test.ts',
    'states that could not be written are written at the next look, and the failure is logged once',
  ],
  [
    'the clock jumps',
    'unit/keepalived/track-file.test.ts',
    'a clock that was set forward makes no monitor silent',
  ],
  [
    'a program has no file descriptor left',
    'contract/engine/system/no-descriptors.test.ts',
    'without a descriptor to look with, no process is taken for dead, and none is signalled',
  ],
  [
    'no process can be started, or `haproxy` cannot run',
    'contract/engine/config/deployer-trouble.test.ts',
    'an HAProxy that cannot be run says nothing about the text',
  ],
  [
    'there is no API and no kubeconfig yet',
    'e2e/walkthrough.test.ts',
    'the first node holds the VIP before there is an API or a kubeconfig',
  ],
  [
    'all nodes lose power',
    'e2e/three-nodes.test.ts',
    'all nodes lose their power at once, and everything comes back by itself, before there is an API',
  ],
];
