import { readClientCertificate } from '../kube/client-certificate.ts';
import { openKubeconfig } from '../kube/kubeconfig.ts';
import { sharedRun } from '../system/time/one-at-a-time.ts';
import type { Observers } from './observers.ts';

const READ_EVERY_MS = 60_000;

/** Publishes the expiry of the kubeconfig's client certificate, if there is a kubeconfig. The kubeconfig's own reader reports an unusable file. */
export function watchClientCertificate(
  path: string | undefined,
  { metrics }: Pick<Observers, 'metrics'>,
  signal: AbortSignal,
): void {
  if (path === undefined) return;
  const kubeconfig = openKubeconfig(path, () => undefined);
  // Shared: on a dead mount each read blocks a thread, and there are four.
  const publish = sharedRun(async (): Promise<void> => {
    const loaded = await kubeconfig.load().catch(() => undefined);
    const certificate = loaded === undefined ? undefined : await readClientCertificate(loaded);
    metrics.clientCertificate(certificate?.kind === 'certificate' ? certificate.to.getTime() : undefined);
  });
  void publish();
  const timer = setInterval(() => void publish(), READ_EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
