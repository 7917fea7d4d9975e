import { connect as connectHttp2 } from 'node:http2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthority } from '../../helpers/certificates.ts';
import { getTls, headerAtPod, type Pod, startPod } from '../../helpers/router/pods.ts';
import { routeBackend } from '../../helpers/router/route-sets.ts';
import { type Answer, get, type RunningRouter, startRouter } from '../../helpers/router/running-router.ts';
import { fileFolder } from '../../helpers/test-folder.ts';

/** The observable contract of a router, check 25: exact headers for every kind of client, on a real HAProxy. */
const folder = fileFolder();
const policies = ['append', 'replace', 'if-none', 'never'] as const;
type Policy = (typeof policies)[number];
let pod: Pod;
let router: RunningRouter;

beforeAll(async () => {
  pod = await startPod('a');
  const authority = createAuthority(folder);
  router = await startRouter(
    policies.map((forwarded) => {
      const host = `${forwarded}.test`;
      const { key, cert } = authority.issue({ commonName: host, dnsNames: [host] });
      return routeBackend({
        key: `n:${forwarded}`,
        host,
        kind: 'edge',
        insecure: 'Allow',
        forwarded,
        servers: [pod.server],
        certificate: { pem: `${key}${cert}`, http2: true },
        hsts: 'max-age=300',
      });
    }),
  );
});
afterAll(async () => {
  await router[Symbol.asyncDispose]();
  pod[Symbol.dispose]();
});

function getHttp2(host: string, headers: readonly string[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const client = connectHttp2(`https://127.0.0.1:${router.httpsPort}`, {
      servername: host,
      rejectUnauthorized: false,
    });
    client.once('error', reject);
    const given = Object.fromEntries(
      headers.map((line) => line.split(': ', 2).map((part) => part.toLowerCase())),
    );
    const request = client.request({ ...given, ':authority': host, ':path': '/' });
    let answer: Answer = { status: 0, headers: {}, body: '' };
    request.on('response', ({ ':status': status = 0, ...found }) => {
      const texts = Object.entries(found).map(([name, value]) => [name, `${value}`]);
      answer = { ...answer, status, headers: Object.fromEntries(texts) };
    });
    request.setEncoding('utf8').on('data', (text: string) => {
      answer = { ...answer, body: answer.body + text };
    });
    request.once('error', reject);
    request.once('close', () => {
      client.close();
      resolve(answer);
    });
  });
}

const ways = {
  'HTTP/1.1 in clear': {
    ask: (host: string, headers: readonly string[]) => get(router.httpPort, host, '/', headers),
    of: () => ({ proto: 'http', port: `${router.httpPort}`, version: [] as string[] }),
  },
  'HTTP/1.1 with TLS': {
    ask: (host: string, headers: readonly string[]) => getTls(router.httpsPort, host, host, '/', headers),
    of: () => ({ proto: 'https', port: `${router.httpsPort}`, version: [] }),
  },
  'HTTP/2': {
    ask: getHttp2,
    of: () => ({ proto: 'https', port: `${router.httpsPort}`, version: ['h2'] }),
  },
};
type Way = keyof typeof ways;

const names = ['for', 'host', 'port', 'proto', 'proto-version'].map((name) => `x-forwarded-${name}`);
const claims = ['1.2.3.4', 'claimed.test', '1', 'gopher', 'h9'];
const claimed = [...names.map((name, index) => `${name}: ${claims[index]}`), 'forwarded: for=1.2.3.4'];

function expected(policy: Policy, way: Way, isClaimed: boolean): readonly (readonly string[])[] {
  const host = `${policy}.test`;
  const { proto, port, version } = ways[way].of();
  const own = [
    ['127.0.0.1'],
    [host],
    [port],
    [proto],
    version,
    [`for=127.0.0.1;host=${host};proto=${proto}`],
  ];
  const theirs = isClaimed ? [...claims, 'for=1.2.3.4'].map((claim) => [claim]) : own.map(() => []);
  if (policy === 'replace') return own;
  if (policy === 'never') return theirs;
  if (policy === 'if-none') return isClaimed ? theirs : own;
  return theirs.map((their, index) => [...their, ...(own[index] ?? [])]);
}

const rows = policies.flatMap((policy) =>
  (Object.keys(ways) as Way[]).flatMap((way) =>
    [false, true].map(
      (isClaimed) => [policy, way, isClaimed ? 'claims them' : 'has none', isClaimed] as const,
    ),
  ),
);

test.each(rows)('forwarded headers with the policy "%s" over %s, of a client that %s', async (...row) => {
  const [policy, way, , isClaimed] = row;
  const answer = await ways[way].ask(`${policy}.test`, isClaimed ? claimed : []);
  const found = [...names, 'forwarded'].map((name) => headerAtPod(answer, name));
  expect(found).toEqual(expected(policy, way, isClaimed));
});

/** Browsers ignore HSTS without TLS, but it must be there for a load balancer that terminates TLS before the router. */
test.each(Object.keys(ways) as Way[])('HSTS is sent over %s', async (way) => {
  const { status, headers } = await ways[way].ask('append.test', []);
  expect([status, headers['strict-transport-security']]).toEqual([200, 'max-age=300']);
});
