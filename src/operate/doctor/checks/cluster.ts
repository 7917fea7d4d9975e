import { type Finding, fail, ok, skip, unknown, warn, worstOf } from '../../../engine/examine/check.ts';
import type { ClusterReading } from '../look/cluster.ts';
import type { DoctorCheck, DoctorSettings } from '../look/context.ts';
import { askReadyz, type LocalApiReading } from '../look/local-api.ts';
import { withoutKubeconfig } from './credentials.ts';

function judgeReadyz(look: LocalApiReading, apiPort: number): Finding {
  const where = `https://127.0.0.1:${apiPort}/readyz`;
  if (look.kind === 'closed') return skip(`no API server listens on ${apiPort} here`);
  if (look.kind === 'failed') return unknown(`${where}: ${look.message}`, `curl -k ${where}?verbose`);
  if (look.status === 200) return ok(`${where} answers 200 without credentials`);
  if (look.status === 401 || look.status === 403)
    return fail(
      `${where} answers ${look.status} without credentials: HAProxy would take every server for down`,
      'kube-apiserver: allow anonymous /readyz (AuthenticationConfiguration, anonymous.conditions), or in the template: http-check expect status 200,401,403',
    );
  return warn(
    `${where} answers ${look.status}: this API server is not ready`,
    `curl -k ${where}?verbose names the reason`,
  );
}

const anonymousReadyz: DoctorCheck = {
  id: 'anonymous-readyz',
  title: '/readyz without credentials',
  why: "HAProxy's check has no credentials: if the API server requires them, every server is down.",
  run: async ({ readings, settings }) => judgeReadyz(await readings.localApi(), settings.apiPort),
};

function judgeLabels(look: ClusterReading, settings: Pick<DoctorSettings, 'source' | 'nodeName'>): Finding {
  const label = `kubectl label node ${settings.nodeName} node-role.kubernetes.io/control-plane=`;
  if (settings.source !== 'nodes') return skip(`--source ${settings.source} needs no labels`);
  if (look.kind === 'not-asked') return unknown(look.reason, 'see check credentials');
  if (look.kind === 'refused') return unknown(look.failure.message, 'see check credentials');
  const names = look.nodes.map(({ name }) => name);
  if (names.length === 0)
    return fail('no node has the label of the control plane', `on every such node: ${label}`);
  if (!names.includes(settings.nodeName))
    return warn(
      `${settings.nodeName} is not among ${names.join(', ')}`,
      `${label}; or give its name in the cluster: --node-name`,
    );
  const bare = look.nodes.filter(({ addresses }) => addresses.length === 0).map(({ name }) => name);
  if (bare.length > 0)
    return fail(
      `${bare.join(', ')} has no InternalIP`,
      'kubelet --node-ip=ADDRESS on that node; kubectl get nodes -o wide',
    );
  return ok(`${names.join(', ')} have it`);
}

const nodeLabels: DoctorCheck = {
  id: 'node-labels',
  title: 'Labels of the control plane',
  why: "HAProxy does not use a node without the label, and the node does not join the VIP's group.",
  run: async (context) => {
    const { readings, settings } = context;
    const kubeconfig = await readings.kubeconfig();
    if (settings.source === 'nodes' && kubeconfig.kind !== 'loaded')
      return await withoutKubeconfig(context, kubeconfig);
    return judgeLabels(await readings.cluster(), settings);
  },
};

/** HTTP dates are whole seconds, and the request itself takes a fraction of one. */
const UNIMPORTANT_MS = 2_000;
const TOO_MUCH_MS = 30_000;

function judgeClock(where: string, look: LocalApiReading): Finding {
  if (look.kind !== 'answered' || look.serverTime === undefined) return skip(`${where} sends no Date header`);
  const skewMs = look.serverTime.getTime() - look.ourTime.getTime();
  const size = `${(Math.abs(skewMs) / 1_000).toFixed(0)} s ${skewMs > 0 ? 'behind' : 'ahead of'} ${where}`;
  if (Math.abs(skewMs) <= UNIMPORTANT_MS) return ok(`the clock agrees with ${where}`);
  const todo = 'timedatectl; chronyc tracking (or the time service you use), on both nodes';
  return Math.abs(skewMs) >= TOO_MUCH_MS
    ? fail(`this clock is ${size}`, todo)
    : warn(`this clock is ${size}`, todo);
}

const clock: DoctorCheck = {
  id: 'clock',
  title: 'The clock',
  why: 'A wrong clock makes certificates and tokens fail, and mixes up the timeline of an incident.',
  run: async ({ readings, settings, answerTimeoutMs }, signal) => {
    const limits = { signal, answerTimeoutMs };
    const peers = await readings.peers();
    const others = peers.kind === 'known' ? peers.peers.map(({ address }) => address) : [];
    const asked = others.map(async (host) =>
      judgeClock(host, await askReadyz({ host, port: settings.apiPort }, limits)),
    );
    const findings = await Promise.all(asked);
    const telling = findings.filter(({ kind }) => kind !== 'skip');
    return worstOf(telling.length > 0 ? telling : findings, 'no other node is known to compare with');
  },
};

export const clusterChecks: readonly DoctorCheck[] = [anonymousReadyz, nodeLabels, clock];
