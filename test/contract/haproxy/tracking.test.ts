import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseServerCounters } from '../../../src/api-lb/suspects/server-counters.ts';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { createAuthority } from '../../helpers/certificates.ts';
import { startBackends } from '../../helpers/load/start-backends.ts';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const address = `127.0.0.2:${ports.backend}`;
/** One check per minute, so only the initial check runs during the test. */
const once = 'check inter 60s fall 1';
const before = `backend masters
  mode tcp
  timeout connect 3s
  server a ${address} ${once}
`;
const after = `backend masters
  mode tcp
  timeout connect 250ms
  server a ${address} track masters_checks/a
backend masters_checks
  mode tcp
  timeout connect 3s
  server a ${address} ${once}
`;

test('a down server is up after the reload that moves its checks to a separate backend', async () => {
  const host = await createSupervisedHost();
  onTestFinished(() => host[Symbol.asyncDispose]());
  const isUp = async (): Promise<boolean | undefined> => {
    const csv = (await askRuntimeApi(host.paths.statsSocket, 'show stat', 1_000)) ?? '';
    return parseServerCounters(csv)?.find(({ name }) => name === 'masters/a')?.isUp;
  };
  host.install('v1', { more: before });
  const supervisor = host.supervise();
  await supervisor.waitForServing();
  await waitFor('the server to be down', async () => (await isUp()) === false);
  const identity = createAuthority(join(host.paths.dir, 'pki')).issue({ commonName: 'backend' });
  const backend = { name: 'a', host: '127.0.0.2', port: ports.backend };
  const backends = await startBackends(host.namespace.prefix, [backend], identity);
  onTestFinished(() => backends[Symbol.asyncDispose]());
  host.install('v2', { more: after });
  expect(await supervisor.ask('reload')).toMatchObject({ ok: true });
  await waitFor('the server to be up', async () => (await isUp()) === true);
});
