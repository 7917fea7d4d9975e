import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import fc from 'fast-check';
import { controlPlaneNodes } from '../../../src/engine/kube/control-plane/server-objects.ts';
import { openKubeconfig } from '../../../src/engine/kube/kubeconfig.ts';
import { listObjects } from '../../../src/engine/kube/list-objects.ts';
import { defaultTiming } from '../../../src/engine/kube/timing.ts';
import { createAuthority } from '../../helpers/certificates.ts';
import { writeKubeconfig } from '../../helpers/cluster.ts';
import { readRecording } from '../../helpers/recordings.ts';
import { bytesNear, jsonNear } from '../hostile.ts';
import { openScratchFolder } from '../scratch-folder.ts';
import { attackWith, type OpenTarget, type Target } from '../target.ts';

const { body } = readRecording('nodes-list');
const whole: unknown = JSON.parse(body);
const head = (length: number) =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`;
const answered = (text: string) => `${head(Buffer.byteLength(text))}${text}`;

const answers = fc.oneof(
  bytesNear([answered(body), answered(body.slice(0, 900))]),
  jsonNear([whole]).map((value) => Buffer.from(answered(JSON.stringify(value) ?? ''))),
);
const timing = { ...defaultTiming, maxPageBytes: 200_000, maxObjects: 100 };

/** Starts an API server that answers every request with the same bytes and closes. */
async function open(): Promise<OpenTarget> {
  await using owned = new AsyncDisposableStack();
  const { path: dir } = owned.use(openScratchFolder());
  const authority = createAuthority(dir);
  const identity = authority.issue({ commonName: 'kube-apiserver', addresses: ['127.0.0.1'] });
  const never = new AbortController().signal;
  let answer: Buffer = Buffer.alloc(0);
  const server = createServer({ cert: identity.cert, key: identity.key }, (socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(answer));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  owned.defer(() => void server.close());
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = openKubeconfig(
    writeKubeconfig(join(dir, 'kubeconfig'), url, authority.certFile, identity),
    () => {},
  );
  const target = {
    base: { url, alternativeNames: [] },
    kubeconfig: await kubeconfig.load(),
    agent: new Agent({ ca: authority.cert }),
  };
  const [resource] = controlPlaneNodes(6443).resources;
  if (resource === undefined) throw new Error('Cannot fuzz a list: there is no resource of nodes');
  const attack = attackWith(answers, async (bytes) => {
    answer = bytes;
    const outcome = await listObjects(target, resource, { signal: never, timeoutMs: 2_000, timing });
    if (outcome.kind === 'failure') return assert.notEqual(outcome.message, '');
    assert.notEqual(outcome.resourceVersion, '');
    assert.equal(
      [...outcome.objects.values()].every(({ value }) => Array.isArray(value.candidates)),
      true,
    );
  });
  const all = owned.move();
  return { attack, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

export const list: Target = {
  name: 'list',
  claim: 'whatever an API server answers to a list, there are objects or a reason, in time',
  open,
};
