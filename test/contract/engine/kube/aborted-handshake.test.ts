import { expect, onTestFinished, test } from 'vitest';
import { getJson } from '../../../../src/engine/kube/api-request.ts';
import { createTestCluster, openTestSession } from '../../../helpers/api-server/observing.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

test('a request aborted while its connection is opened leaves no connection behind', async () => {
  const cluster = createTestCluster();
  onTestFinished(cluster.remove);
  const server = await cluster.start();
  cluster.writeKubeconfig(server.url);
  const session = openTestSession(cluster);
  const request = new AbortController();
  const limits = { signal: request.signal, timeoutMs: 60_000, maxBytes: { MAX_TEST_BYTES: 1_000_000 } };
  let opened = 0;
  const answer = await session.firstAnswer(async (target) => {
    const { agent } = target;
    const createConnection = agent.createConnection.bind(agent);
    agent.createConnection = (...args) => {
      opened += 1;
      // The session closes its pool, and the request ends before Node has given it a socket.
      session.close();
      request.abort();
      return createConnection(...args);
    };
    return await getJson(target, '/api/v1/nodes', limits);
  }, request.signal);
  expect(answer).toMatchObject({ kind: 'failure' });
  expect(opened).toBe(1);
  // The handshake of a leftover connection takes a moment. The next request, from another client, comes after it.
  const other = openTestSession(cluster);
  onTestFinished(other.close);
  const wide = { ...limits, signal: new AbortController().signal };
  expect(await other.firstAnswer((target) => getJson(target, '/version', wide), wide.signal)).toMatchObject({
    kind: 'answered',
  });
  await waitFor("the other client's connection alone", () => server.served().connections === 1);
});
