import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { interleave, seeded } from '../../../helpers/router/interleave.ts';
import { certificate, openSetWorld } from '../../../helpers/router/set-world.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const printOf = (pem: string): string => new X509Certificate(pem).fingerprint;
const shown = (client: TLSSocket): string => client.getPeerCertificate().fingerprint;

/** The answer to a request on an existing connection. */
async function ask(client: TLSSocket, host: string): Promise<string> {
  client.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  return await new Promise((resolve) => client.once('data', (text) => resolve(`${text}`.slice(0, 12))));
}

test('certificates and hosts change without a new process, old connections continue, and a restart gives the same state', async () => {
  // The old connection stays silent during all the steps.
  const { host, supervisor, begin, want, runs, shouldRun, open } = await openSetWorld([], undefined, {
    ROUTER_SLOWLORIS_TIMEOUT: '10m',
  });
  const first = certificate('a.test');
  const renewed = certificate('a.test');
  const a = { name: 'a', host: 'a.test', pem: first };
  const b = { name: 'b', host: 'b.test' };
  await begin(a, b);
  const lastGood = join(dirname(host.paths.statsSocket), 'haproxy.last-good.cfg');
  const processes = host.haproxys().map(({ id }) => id.pid);
  expect(await runs()).toEqual(shouldRun(a, b));
  const old = await open('a.test');
  expect(shown(old)).toBe(printOf(first));

  const steps = [
    [{ ...a, pem: renewed }, b],
    [
      { ...a, pem: renewed },
      { ...b, pem: certificate('b.test') },
    ],
    [
      { ...a, pem: renewed },
      { ...b, host: 'c.test', pem: certificate('c.test') },
    ],
    [
      { ...a, pem: renewed, servers: [1, 2] },
      { ...b, host: 'c.test' },
    ],
    [{ ...a, host: 'd.test', pem: renewed }, b],
    [{ ...a, pem: renewed, servers: [2, 3] }, b],
  ];
  for (const wishes of steps) {
    expect(await want(...wishes)).toMatchObject({ kind: 'reloaded', atRunTime: true });
    expect(await runs()).toEqual(shouldRun(...wishes));
  }
  await waitFor('a last good copy of what was changed to', () =>
    readFileSync(lastGood).equals(readFileSync(host.paths.config)),
  );
  expect(shown(await open('a.test'))).toBe(printOf(renewed));
  expect(await ask(old, 'a.test')).toBe('HTTP/1.0 503');
  expect(host.haproxys().map(({ id }) => id.pid)).toEqual(processes);

  const last = steps.at(-1) ?? [];
  const memory = await runs();
  expect(await supervisor.reload()).toMatchObject({ ok: true });
  expect(await runs()).toEqual(memory);
  expect(memory).toEqual(shouldRun(...last));
  // The new generation has other file names and still receives changes for them.
  expect(await want({ ...a, pem: first }, b)).toMatchObject({ atRunTime: true });
  expect(await runs()).toEqual(shouldRun({ ...a, pem: first }, b));
});

test('a host with two certificates serves the renewed one, before and after a restart', async () => {
  const { supervisor, begin, want, open } = await openSetWorld();
  const first = certificate('a.test');
  const renewed = certificate('a.test');
  const other = certificate('a.test');
  // The certificate of the last route is served, as by openshift-router.
  const a = { name: 'a', host: 'a.test', pem: other };
  await begin(a, { name: 'b', host: 'a.test', pem: first });
  expect(await want(a, { name: 'b', host: 'a.test', pem: renewed })).toMatchObject({ atRunTime: true });
  expect(shown(await open('a.test'))).toBe(printOf(renewed));
  expect(await supervisor.reload()).toMatchObject({ ok: true });
  expect(shown(await open('a.test'))).toBe(printOf(renewed));
});

test("a route's own certificate takes precedence over the default: at the start, after a renewal, and after a restart", async () => {
  const fallback = certificate('a.test');
  const { supervisor, begin, want, open } = await openSetWorld([], fallback);
  const own = certificate('a.test');
  const renewed = certificate('a.test');
  const b = { name: 'b', host: 'b.test' };
  await begin({ name: 'a', host: 'a.test', pem: own }, b);
  expect(shown(await open('a.test'))).toBe(printOf(own));
  expect(await want({ name: 'a', host: 'a.test', pem: renewed }, b)).toMatchObject({ atRunTime: true });
  expect(shown(await open('a.test'))).toBe(printOf(renewed));
  expect(shown(await open('b.test'))).toBe(printOf(fallback));
  expect(await supervisor.reload()).toMatchObject({ ok: true });
  expect(shown(await open('a.test'))).toBe(printOf(renewed));
});

test('changes made while HAProxy is reloading are in the next generation', async () => {
  const found = await interleave(await openSetWorld(), 4, seeded(7));
  expect(found.lost).toEqual([]);
  expect(found.atRunTime).toBeGreaterThan(0);
});

test('a pod added by a partly refused change is removed by the next change', async () => {
  const { host, begin, want, runs, shouldRun } = await openSetWorld();
  const pem = certificate('b.test');
  const wishes = (a: readonly number[], b: readonly number[], shown = pem) => [
    { name: 'a', host: 'a.test', servers: a },
    { name: 'b', host: 'b.test', servers: b, pem: shown },
  ];
  await begin(...wishes([1], [1]));
  // The file cannot be replaced, so the reload that follows a refusal has to wait.
  const block = `${host.paths.config}.candidate`;
  mkdirSync(block);
  expect((await want(...wishes([1, 2], [1], pem.replace(/^M/gm, 'N')))).kind).toBe('failed');
  expect((await runs()).servers).toContain('be_edge_http:shop:a pod-2 127.0.1.2:8080 2');
  expect((await want(...wishes([1], [1, 3]))).kind).toBe('failed');
  rmdirSync(block);
  await waitFor('a reload', async () => (await want(...wishes([1], [1, 3]))).kind === 'unchanged');
  expect(await runs()).toEqual(shouldRun(...wishes([1], [1, 3])));
});
