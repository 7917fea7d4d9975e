import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renewal } from '../../../../src/haproxy/runtime/file-commands.ts';
import { sendAll, workerOf } from '../../../../src/haproxy/runtime/line.ts';
import { askRuntimeApi } from '../../../../src/haproxy/runtime-api.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { createSupervisedHost } from '../../../helpers/supervisor-host.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** Certificates whose names are more output than the buffers between HAProxy and a client hold. */
const CERTIFICATES = 600;
const SMALL_BUFFERS = 'global\n  tune.sndbuf.client 4096\n';

test('a renewal waits while another client holds the lock on certificates', async () => {
  await using host = await createSupervisedHost();
  const authority = createAuthority(join(host.paths.dir, 'authority'));
  const [first, second] = ['first', 'second'].map((commonName) => {
    const { cert, key } = authority.issue({ commonName });
    return `${cert}${key}`;
  });
  const dir = join(host.paths.dir, 'web');
  mkdirSync(dir);
  const paths = Array.from({ length: CERTIFICATES }, (_, index) =>
    join(dir, `${index}${'-'.repeat(100)}.pem`),
  );
  for (const path of paths) writeFileSync(path, first ?? '');
  const path = paths[0] ?? '';
  host.install('v1', { more: `${SMALL_BUFFERS}listen web\n  bind 127.0.0.1:9003 ssl crt ${dir}\n` });
  await host.supervise().waitForServing();
  const ask = async (command: string): Promise<string> =>
    (await askRuntimeApi(host.paths.statsSocket, command, 5_000)) ?? '';

  // One command holds the lock until its client has read all of its output. It is sent again if `ask` held the lock.
  const holder = connect(host.paths.statsSocket).pause();
  holder.write('prompt\n');
  await waitFor('the lock to be held', async () => {
    holder.write('show ssl cert\n');
    return (await ask('show ssl cert')).includes('currently locked');
  });
  const refusals: string[] = [];
  const worker = workerOf(
    {
      ask: async (_, command) => {
        const reply = await ask(command);
        if (!reply.includes('currently locked')) return reply;
        refusals.push(command);
        holder.resume();
        return reply;
      },
      askEach: async () => [],
    },
    { generation: 1, master: { pid: process.pid, startTicks: 0 } },
  );
  expect(await sendAll(worker, renewal(path, second ?? ''))).toBeUndefined();
  expect(refusals[0]).toBe(`new ssl cert ${path}`);
  await waitFor('the renewed certificate', async () =>
    (await ask(`show ssl cert ${path}`)).includes('CN=second'),
  );
});
