import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { getJson } from '../../../../src/engine/kube/api-request.ts';
import { createTestCluster, openTestSession } from '../../../helpers/api-server/observing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const ROTATIONS = 1_000;
/** The descriptors of this process, which is both client and server. */
const descriptors = (): number => readdirSync('/proc/self/fd').length;

test('a thousand credential rotations leak no connection and no descriptor', async () => {
  const cluster = createTestCluster();
  onTestFinished(cluster.remove);
  const tokens = new Set<string | undefined>();
  const server = await cluster.start({
    authorize: ({ token }) => {
      tokens.add(token);
      return 'allowed';
    },
  });
  const session = openTestSession(cluster);
  onTestFinished(session.close);
  const { signal } = new AbortController();
  const limits = { timeoutMs: 60_000, maxBytes: { MAX_TEST_BYTES: 1_000_000 } };
  const ask = () =>
    session.firstAnswer((target) => getJson(target, '/api/v1/nodes', { ...limits, signal }), signal);
  /** Ends with its credentials, like a watch: during the handshake, during the request, or after it. */
  const askWhileGood = () =>
    session.firstAnswer(async (target) => {
      using good = session.whileGood(target);
      return await getJson(target, '/api/v1/nodes', { ...limits, signal: good.signal });
    }, signal);
  const rotate = async (round: number): Promise<void> => {
    const cut = Array.from({ length: 2 }, askWhileGood);
    for (let turn = 0; turn < round % 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    cluster.writeKubeconfig(server.url, `{token: t${round}}`);
    expect(await ask()).toMatchObject({ kind: 'answered' });
    await Promise.all(cut);
  };
  cluster.writeKubeconfig(server.url, '{token: first}');
  await rotate(0);
  const before = descriptors();
  for (let round = 1; round <= ROTATIONS; round += 1) await rotate(round);
  // A request may share one reading of the file with an earlier request.
  expect(tokens.size).toBeGreaterThan(ROTATIONS / 2);
  expect(server.served().accepted).toBeGreaterThan(ROTATIONS);
  // The connections of the last credentials: one for each concurrent request.
  await waitFor('the old connections to be closed', () => server.served().connections <= 3);
  await waitFor('the descriptors to be closed', () => descriptors() <= before + 6);
}, 600_000);
