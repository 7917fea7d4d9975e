import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import type { PeerCredentials } from '../../../../src/engine/peers/credentials.ts';
import { early, expired, type PeerAuthority, peerAuthority } from '../../../helpers/peers/peer-files.ts';
import { asking, group, peerScene, serving } from '../../../helpers/peers/peer-scene.ts';

const unaccepted = /^it ended the connection: it does not accept our certificate/;

test.each<[string, (ours: PeerAuthority) => Promise<PeerCredentials>, RegExp, RegExp]>([
  [
    'of another authority',
    async (ours) => {
      const { ca } = await ours.credentialsFor(asking);
      return { ...(await peerAuthority().credentialsFor(asking)), ca };
    },
    unaccepted,
    /^its certificate is not from our CA$/,
  ],
  [
    'that has expired',
    (ours) => ours.credentialsFor({ ...asking, validity: expired }),
    unaccepted,
    /^its certificate has expired$/,
  ],
  [
    'that is not valid yet',
    (ours) => ours.credentialsFor({ ...asking, validity: early }),
    unaccepted,
    /^its certificate is not valid yet$/,
  ],
  [
    'for servers alone',
    (ours) => ours.credentialsFor({ ...asking, usage: 'serverAuth' }),
    unaccepted,
    /^its certificate is not for this use/,
  ],
  [
    'of no node',
    (ours) => ours.credentialsFor({ commonName: 'cp-2', dnsNames: ['cp-9'], addresses: ['10.0.0.19'] }),
    /^it refuses this node: its certificate is of DNS:cp-9, IP Address:10\.0\.0\.19, which is no node/,
    /^its certificate is of DNS:cp-9, IP Address:10\.0\.0\.19, which is no node of the group$/,
  ],
])(
  'a client with a certificate %s is refused, told once, and others are served',
  async (_, other, problem, reason) => {
    const ours = peerAuthority();
    const scene = await peerScene(await ours.credentialsFor(serving));
    const credentials = await other(ours);
    for (let times = 0; times < 3; times += 1)
      expect(await scene.ask(credentials)).toEqual({
        kind: 'problem',
        problem: expect.stringMatching(problem),
      });
    expect(scene.told).toEqual([
      { event: 'peer-refused', level: 'warn', address: '127.0.0.1', reason: expect.stringMatching(reason) },
    ]);
    expect(await scene.ask(await ours.credentialsFor(asking))).toMatchObject({ kind: 'answer' });
  },
);

test.each<[string, (ours: PeerAuthority) => Promise<PeerCredentials>, RegExp]>([
  [
    'of another authority',
    () => peerAuthority().credentialsFor(serving),
    /^its certificate is not from our CA$/,
  ],
  [
    'that has expired',
    (ours) => ours.credentialsFor({ ...serving, validity: expired }),
    /^its certificate has expired$/,
  ],
  ['that is not valid yet', (ours) => ours.credentialsFor({ ...serving, validity: early }), /not valid yet$/],
  [
    'for clients alone',
    (ours) => ours.credentialsFor({ ...serving, usage: 'clientAuth' }),
    /not for this use/,
  ],
  [
    'of another node',
    (ours) => ours.credentialsFor({ commonName: 'cp-1', dnsNames: ['cp-3'] }),
    /^it shows a certificate of DNS:cp-3, expected cp-1 or 127\.0\.0\.1 in it$/,
  ],
])('a server with a certificate %s is not believed', async (_, other, problem) => {
  const ours = peerAuthority();
  const scene = await peerScene(await other(ours));
  const answer = await scene.ask(await ours.credentialsFor(asking));
  expect(answer).toEqual({ kind: 'problem', problem: expect.stringMatching(problem) });
});

test('a node that does not know its group yet refuses every client', async () => {
  const ours = peerAuthority();
  const scene = await peerScene(await ours.credentialsFor(serving), { nodes: () => [] });
  const answer = await scene.ask(await ours.credentialsFor(asking));
  expect(answer).toEqual({
    kind: 'problem',
    problem: 'it refuses this node: the nodes of the group are not known yet',
  });
});

test('a node that has left the list is refused from then on', async () => {
  const ours = peerAuthority();
  let nodes = group;
  const scene = await peerScene(await ours.credentialsFor(serving), { nodes: () => nodes });
  const leaving = await ours.credentialsFor(asking);
  expect(await scene.ask(leaving)).toMatchObject({ kind: 'answer' });
  nodes = group.filter(({ name }) => name !== 'cp-2');
  expect(await scene.ask(leaving)).toMatchObject({ kind: 'problem' });
});

test('without a certificate no client gets as far as a request', async () => {
  const ours = peerAuthority();
  const own = await ours.credentialsFor(serving);
  const scene = await peerScene(own);
  expect(await say(scene.port, { ca: own.ca })).toBe('');
  expect(scene.reasons()).toEqual(['it shows no certificate']);
});

test('TLS 1.2 is refused, whatever the certificate', async () => {
  const ours = peerAuthority();
  const scene = await peerScene(await ours.credentialsFor(serving));
  const { ca, cert, key } = await ours.credentialsFor(asking);
  expect(await say(scene.port, { ca, cert, key, maxVersion: 'TLSv1.2' })).toBe('');
  expect(scene.reasons()).toEqual(['it speaks no TLS 1.3 (ERR_SSL_UNSUPPORTED_PROTOCOL)']);
});

test('plain HTTP and noise are refused, and told without what was said', async () => {
  const ours = peerAuthority();
  const scene = await peerScene(await ours.credentialsFor(serving));
  for (const words of ['GET /status HTTP/1.1\r\n\r\n', '\u0000\u0001'.repeat(500)]) {
    const socket = connectTcp(scene.port, '127.0.0.1');
    socket.write(words);
    expect(await text(socket).catch(() => '')).toBe('');
  }
  expect(scene.reasons()).toEqual([
    'it speaks no TLS 1.3 (ERR_SSL_HTTP_REQUEST)',
    expect.stringMatching(/^it speaks no TLS 1\.3 \(ERR_SSL_/),
  ]);
  expect(await scene.ask(await ours.credentialsFor(asking))).toMatchObject({ kind: 'answer' });
});

test('a connection is never resumed: each is judged by the certificates of its own time', async () => {
  const ours = peerAuthority();
  const scene = await peerScene(await ours.credentialsFor(serving));
  const { ca, cert, key } = await ours.credentialsFor(asking);
  const session = await new Promise<Buffer>((resolve, reject) => {
    const socket = open(scene.port, { ca, cert, key });
    socket.once('session', resolve).once('error', reject);
    socket.write('GET /status HTTP/1.1\r\nhost: x\r\n\r\n');
  });
  const heard = await say(scene.port, { ca, session });
  expect(heard).toBe('');
  expect(scene.reasons()).toEqual(['it shows no certificate']);
});

function open(port: number, options: ConnectionOptions): TLSSocket {
  return connect({ host: '127.0.0.1', port, checkServerIdentity: () => undefined, ...options });
}

/** What is answered before the connection ends. */
async function say(port: number, options: ConnectionOptions): Promise<string> {
  const socket = open(port, options);
  socket.write('GET /status HTTP/1.1\r\nhost: x\r\n\r\n');
  return await text(socket).catch(() => '');
}
