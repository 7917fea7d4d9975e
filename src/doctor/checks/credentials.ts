import { type Check, type Finding, fail, ok, skip, unknown, warn } from '../check.ts';
import type { DoctorSettings } from '../context.ts';
import type { ClusterLook } from '../look/cluster.ts';
import {
  type CertificateLook,
  hostOf,
  type KubeconfigLook,
  readClientCertificate,
} from '../look/kubeconfig.ts';
import { lookAtTrust, type TrustLook } from '../look/trust.ts';

export const NO_KUBECONFIG = 'no kubeconfig was given (--kubeconfig) and the kubelet has none here';

export function withoutKubeconfig(look: Exclude<KubeconfigLook, { kind: 'loaded' }>): Finding {
  if (look.kind === 'none') return skip(NO_KUBECONFIG);
  return look.isForbidden
    ? unknown(`"${look.path}" may not be read`, 'run this as root')
    : fail(look.message, `kubectl --kubeconfig ${look.path} get nodes; replace the file by a complete one`);
}

const LEAST_SHARE_LEFT = 0.1;

const RENEW =
  'renew it (kubeadm certs renew, or restart the kubelet for its own), then openssl x509 -noout -dates';

export function judgeCertificate(look: CertificateLook, now: Date, renew = RENEW): Finding {
  if (look.kind === 'none') return ok('a token or a plugin is used, no client certificate');
  if (look.kind === 'unreadable')
    return unknown(look.message, 'run this as root; openssl x509 -noout -dates -in FILE');
  const { subject, from, to } = look;
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

const clientCertificate: Check = {
  id: 'client-certificate',
  title: 'Our client certificate',
  why: 'With an expired certificate the API refuses us: changes of the control plane are no longer seen.',
  run: async ({ looks }) => {
    const look = await looks.kubeconfig();
    if (look.kind !== 'loaded') return withoutKubeconfig(look);
    return judgeCertificate(await readClientCertificate(look.loaded), new Date());
  },
};

export function judgeCredentials(
  look: ClusterLook,
  source: DoctorSettings['source'],
  subject: string,
): Finding {
  if (source === 'static') return skip('--source static asks nobody');
  if (look.kind === 'not-asked') return skip(look.reason);
  if (look.kind === 'listed') return ok(`${look.from} lists ${look.nodes.length} control-plane nodes`);
  const { status, message } = look.failure;
  if (status === 401)
    return fail(
      'the API does not know these credentials (401)',
      'take a kubeconfig of this cluster; look at checks client-certificate and clock',
    );
  if (status !== 403)
    return unknown(message, 'look at checks api-certificate and api-port; is any API server up?');
  const isKubelet = /system:node:/.test(`${subject} ${message}`);
  return fail(
    isKubelet
      ? 'the API lets these credentials of a kubelet not list nodes (403); since 1.32 they see their own'
      : 'the API does not let these credentials list nodes (403)',
    'kubeadm kubeconfig user --client-name hawser --validity-period 87600h; kubectl apply -f manifests/rbac.yaml (docs/install.md)',
  );
}

const credentials: Check = {
  id: 'credentials',
  title: 'Listing the nodes',
  why: 'A monitor that may not list nodes never learns of a new API server, and goes on with an old list.',
  run: async ({ looks, settings }) => {
    const look = await looks.kubeconfig();
    if (look.kind !== 'loaded') return withoutKubeconfig(look);
    const certificate = await readClientCertificate(look.loaded);
    const subject = certificate.kind === 'certificate' ? certificate.subject : '';
    return judgeCredentials(await looks.cluster(), settings.source, subject);
  },
};

export function judgeTrust(where: string, look: TrustLook): Finding {
  switch (look.kind) {
    case 'trusted':
      return ok(`${where} shows a certificate of the kubeconfig's authority`);
    case 'away':
      return unknown(`${where} does not answer: ${look.message}`, 'look at check api-port');
    case 'untrusted':
      return fail(
        `${where} shows a certificate of "${look.issuer}": ${look.reason}`,
        /EXPIRED|NOT_YET/.test(look.reason)
          ? 'kubeadm certs check-expiration; date -u'
          : "put this cluster's ca.crt into the kubeconfig: kubectl config set-cluster NAME --certificate-authority=…",
      );
  }
}

const apiCertificate: Check = {
  id: 'api-certificate',
  title: "The API server's certificate",
  why: 'Certificates are always verified: with another authority in the kubeconfig no answer is believed.',
  run: async ({ looks, settings, answerTimeoutMs }, signal) => {
    const limits = { signal, answerTimeoutMs };
    const look = await looks.kubeconfig();
    if (look.kind !== 'loaded') return withoutKubeconfig(look);
    const ca = look.loaded.config.getCurrentCluster();
    const local = await lookAtTrust({ host: '127.0.0.1', port: settings.apiPort, ...ca }, limits);
    if (local.kind !== 'away') return judgeTrust(`127.0.0.1:${settings.apiPort}`, local);
    const { server } = look.loaded;
    const port = Number(server.port || 443);
    return judgeTrust(server.host, await lookAtTrust({ host: hostOf(server), port, ...ca }, limits));
  },
};

export const credentialChecks: readonly Check[] = [clientCertificate, credentials, apiCertificate];
