import { readFile } from 'node:fs/promises';
import { checkServerIdentity } from 'node:tls';
import {
  checkOf,
  type FactReader,
  type Finding,
  fail,
  moreRights,
  ok,
  read,
  readOnce,
  skip,
  unknown,
  unlessUnseen,
  warn,
} from '../../engine/examine/check.ts';
import { type CertificateReading, readClientCertificate } from '../../engine/kube/client-certificate.ts';
import type { LoadedKubeconfig } from '../../engine/kube/kubeconfig.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { hostOf } from '../../engine/system/network/address-text.ts';
import { shakeHands } from '../../engine/system/network/tls-handshake.ts';
import { kubeconfigCommands, layout } from '../install/layout.ts';
import { credentialsOf, parseRecord } from '../install/record.ts';
import type { DoctorCheck, DoctorContext, DoctorSettings } from './context.ts';
import type { ClusterReading, KubeconfigReading } from './readings.ts';

const LEAST_SHARE_LEFT = 0.1;

const RENEW_OF_KUBELET =
  'systemctl restart kubelet, which renews its certificate; if it does not, read journalctl -u kubelet';

/** The finding about the remaining validity of the certificate in the kubeconfig at `path`. */
export function judgeCertificate(reading: CertificateReading, now: Date, path: string): Finding {
  if (reading.kind === 'none') return ok('a token is used, no client certificate');
  if (reading.kind === 'unreadable')
    return unknown(reading.message, `${moreRights}; openssl x509 -noout -dates -in FILE`);
  const { subject, from, to } = reading;
  // A copy of the kubelet's kubeconfig names the file that the kubelet renews.
  const renew = isOfKubelet(subject) ? RENEW_OF_KUBELET : `${kubeconfigCommands.own(path)} (docs/install.md)`;
  if (now > to) return fail(`the certificate of ${subject} expired on ${dayOf(to)}`, renew);
  if (now < from)
    return fail(
      `the certificate of ${subject} is not valid before ${from.toISOString()}`,
      'compare the clock: date -u; then renew the certificate',
    );
  const days = Math.floor((to.getTime() - now.getTime()) / 86_400_000);
  const share = (to.getTime() - now.getTime()) / (to.getTime() - from.getTime());
  return share < LEAST_SHARE_LEFT
    ? warn(`the certificate of ${subject} expires on ${dayOf(to)}, in ${days} days`, renew)
    : ok(`${subject}, valid until ${dayOf(to)}`);
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

const NO_KUBECONFIG = `there is no kubeconfig here: neither ${layout.kubeconfig} nor the kubelet's`;

async function judgeKubeconfig(
  context: DoctorContext,
  reading: Exclude<KubeconfigReading, { kind: 'loaded' }>,
): Promise<Finding> {
  const record = await context.files.read(layout.record);
  const missing = (path: string): Finding => {
    const credentials = credentialsOf((record.kind === 'text' && parseRecord(record.text)) || {});
    return fail(
      `${path} is missing, and the monitors wait for it`,
      `${kubeconfigCommands[credentials](path)} (docs/install.md)`,
    );
  };
  if (reading.kind === 'none')
    return record.kind === 'missing'
      ? await unlessUnseen(context, skip(NO_KUBECONFIG))
      : missing(layout.kubeconfig);
  switch (reading.cause) {
    case 'missing':
      return await unlessUnseen(context, missing(reading.path));
    case 'forbidden':
      return unknown(`permission to read "${reading.path}" is missing`, moreRights);
    case 'broken':
      return fail(
        reading.message,
        `kubectl --kubeconfig ${reading.path} get nodes; replace the file with a complete one`,
      );
  }
}

/** The kubeconfig for all checks except `credentials`, which alone reports an unusable kubeconfig as a failure. */
export const kubeconfig: FactReader<
  DoctorContext,
  { readonly path: string; readonly loaded: LoadedKubeconfig }
> = async (context) => {
  const reading = await context.readings.kubeconfig();
  if (reading.kind === 'loaded') return read(reading);
  const finding = await judgeKubeconfig(context, reading);
  return finding.kind === 'skip' || (finding.kind === 'unknown' && reading.kind === 'none')
    ? finding
    : unknown('there is no usable kubeconfig', 'see check credentials');
};

const certificate: FactReader<DoctorContext, CertificateReading> = async (context) => {
  const reading = await readOnce(context, kubeconfig);
  return reading.kind === 'read' ? read(await readClientCertificate(reading.value.loaded)) : reading;
};

function isOfKubelet(subject: string): boolean {
  return subject.includes('system:node:');
}

function judgeCredentials(
  reading: ClusterReading,
  source: DoctorSettings['source'],
  subject: string,
): Finding {
  if (source === 'static') return skip('--source static uses no API server');
  if (reading.kind === 'not-asked') return unknown(reading.reason, 'check the server in the kubeconfig');
  if (reading.kind === 'listed') return ok(`${reading.from} lists ${reading.nodes.length} API servers`);
  const { status, message } = reading.failure;
  if (status === 401)
    return fail(
      'the API does not accept these credentials (401)',
      'use a kubeconfig of this cluster; see checks client-certificate and clock',
    );
  if (status !== 403)
    return unknown(message, 'check that an API server runs: crictl ps -a --name kube-apiserver');
  if (reading.what === 'endpoints')
    return fail(
      'the API does not let these credentials list the EndpointSlices of the service "kubernetes" (403)',
      'hawser rbac --endpoints | kubectl apply -f - (docs/install.md)',
    );
  const isKubelet = isOfKubelet(`${subject} ${message}`);
  return fail(
    isKubelet
      ? 'the API does not let these credentials of a kubelet list nodes (403): since Kubernetes 1.32 a kubelet reads only its own Node'
      : 'the API does not let these credentials list nodes (403)',
    isKubelet
      ? 'hawser rbac --kubelet | kubectl apply -f -, or a kubeconfig of hawser (docs/install.md)'
      : 'hawser rbac | kubectl apply -f - (docs/install.md)',
  );
}

function judgeTrust(where: string, reading: TrustReading, isWorker: boolean): Finding {
  switch (reading.kind) {
    case 'trusted':
      if (isWorker && !reading.isNamed)
        return warn(
          `the certificate of ${where} does not contain that address: a kubelet that uses the address cannot connect`,
          'add 127.0.0.1 to apiServer.certSANs and renew the certificates of the API servers (docs/install.md, Workers)',
        );
      return ok(`${where} has a certificate of the kubeconfig's CA`);
    case 'away':
      return unknown(
        `${where} does not answer: ${reading.message}`,
        'check that it is running: crictl ps -a --name kube-apiserver',
      );
    case 'untrusted':
      return fail(
        `${where} has a certificate of "${reading.issuer}": ${reading.reason}`,
        /EXPIRED|NOT_YET/.test(reading.reason)
          ? 'kubeadm certs check-expiration; date -u'
          : "put this cluster's ca.crt into the kubeconfig: kubectl config set-cluster NAME --certificate-authority=…",
      );
  }
}

/** Whether the certificate of this node's API server, or else of the kubeconfig's server, is trusted. */
const trust: FactReader<DoctorContext, { readonly where: string; readonly reading: TrustReading }> = async (
  context,
) => {
  const config = await readOnce(context, kubeconfig);
  if (config.kind !== 'read') return config;
  const { loaded } = config.value;
  const { apiPort } = context.settings;
  const local = await readTrust({ host: '127.0.0.1', port: apiPort }, loaded, context);
  if (local.kind !== 'away') return read({ where: `127.0.0.1:${apiPort}`, reading: local });
  const { server } = loaded;
  const remote = { host: hostOf(server), port: Number(server.port || 443) };
  return read({ where: server.host, reading: await readTrust(remote, loaded, context) });
};

export const credentialChecks: readonly DoctorCheck[] = [
  checkOf({
    id: 'client-certificate',
    title: 'The client certificate',
    why: 'With an expired certificate the API refuses the monitors, and they miss changes to the control plane.',
    needs: { kubeconfig, certificate },
    judge: (facts) => {
      const { path } = facts.kubeconfig;
      const finding = judgeCertificate(facts.certificate, new Date(), path);
      return { ...finding, message: `${path}: ${finding.message}` };
    },
  }),
  {
    id: 'credentials',
    title: 'Permission to list servers',
    why: 'A monitor that cannot list them keeps an old list and never uses a new API server.',
    run: async (context) => {
      const { readings, settings } = context;
      const reading = await readings.kubeconfig();
      if (reading.kind !== 'loaded') return await judgeKubeconfig(context, reading);
      const shown = await readOnce(context, certificate);
      const subject = shown.kind === 'read' && shown.value.kind === 'certificate' ? shown.value.subject : '';
      return judgeCredentials(await readings.cluster(), settings.source, subject);
    },
  },
  checkOf({
    id: 'api-certificate',
    title: "The API server's certificate",
    why: 'Certificates are always verified: with the wrong CA in the kubeconfig every answer is rejected.',
    needs: { trust, settings: (context: DoctorContext) => read(context.settings) },
    judge: ({ trust: { where, reading }, settings }) => judgeTrust(where, reading, settings.worker),
  }),
];

type TrustReading =
  /** `isNamed`: the certificate contains the host's name or address. */
  | { readonly kind: 'trusted'; readonly isNamed: boolean }
  | { readonly kind: 'untrusted'; readonly reason: string; readonly issuer: string }
  | { readonly kind: 'away'; readonly message: string };

/** Reads whether a server's certificate is signed by the kubeconfig's CA. Never rejects. */
async function readTrust(
  server: { readonly host: string; readonly port: number },
  { config }: LoadedKubeconfig,
  { signal, answerTimeoutMs }: DoctorContext,
): Promise<TrustReading> {
  const { caData, caFile } = config.getCurrentCluster() ?? {};
  const limits = { connectMs: answerTimeoutMs, handshakeMs: answerTimeoutMs, signal };
  try {
    const authority = caData ? Buffer.from(caData, 'base64') : caFile ? await readFile(caFile) : undefined;
    const handshake = await shakeHands({ ...server, authority }, limits);
    if (handshake.kind === 'late') return { kind: 'away', message: 'timeout' };
    if (handshake.kind === 'failed') return { kind: 'away', message: messageOf(handshake.error) };
    const { isTrusted, reason, certificate } = handshake;
    return isTrusted
      ? { kind: 'trusted', isNamed: checkServerIdentity(server.host, certificate) === undefined }
      : { kind: 'untrusted', reason, issuer: String(certificate.issuer?.CN ?? 'unknown') };
  } catch (error) {
    return { kind: 'away', message: messageOf(error) };
  }
}
