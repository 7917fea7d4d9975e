import { expect, test } from 'vitest';
import type { ApiSession } from '../../../../src/engine/kube/api-session.ts';
import type { Replica } from '../../../../src/pod-proxy/dns/proxy-set.ts';
import { createPublisher } from '../../../../src/pod-proxy/dns/publisher.ts';
import type { OwnPod } from '../../../../src/pod-proxy/pod/pod.ts';

const own = { name: 'haproxy-1', namespace: 'shop' } as OwnPod;
const replica: Replica = {
  name: 'haproxy-1',
  isReady: true,
  labels: {},
  node: 'node-1',
  externalIps: undefined,
  controller: undefined,
};
const timing = { retry: { firstMs: 1_000, longestMs: 60_000 }, checkMs: 30_000 };

/** A publisher whose API refuses every request with this status. */
function createWith(dns: 'auto' | 'route53', status: number, message: string) {
  const session: Pick<ApiSession, 'firstAnswer'> = {
    firstAnswer: async () => ({ kind: 'failure', status, message }),
  };
  const settings = { dns, dnsZone: 'public', dnsInterval: 300_000, env: {} };
  const report = { written: () => undefined, chosen: () => undefined };
  const object = { namespace: 'shop', name: 'hawser-haproxy' };
  const means = { settings, session: session as ApiSession, own, object, report, timing };
  return createPublisher(means, new AbortController().signal);
}

test.each([
  ['auto', 403, 'HTTP 403 forbidden', 'whether the cluster has DNSEndpoints: HTTP 403 forbidden'],
  ['route53', 500, 'HTTP 500 etcd is gone', 'Cannot read Node "node-1": HTTP 500 etcd is gone'],
] as const)(
  'failures before the records are written back off, with %s',
  async (dns, status, message, problem) => {
    const { publish } = createWith(dns, status, message);
    const waits: number[] = [];
    for (let pass = 0; pass < 8; pass += 1) {
      const { waitMs, problems } = await publish(['www.bar.com'], [replica], []);
      expect(problems).toEqual([expect.stringContaining(problem)]);
      waits.push(waitMs);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  },
);
