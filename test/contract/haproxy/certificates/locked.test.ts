import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renewal } from '../../../../src/haproxy/runtime/file-commands.ts';
import { sendAll, workerOf } from '../../../../src/haproxy/runtime/line.ts';
import { askRuntimeApi } from '../../../../src/haproxy/runtime-api.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { createSupervisedHost } from '../../../helpers/supervisor-host.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** More output than the buffers between HAProxy and a client hold: 500 times the names of a certificate. */
const SHOWN = 500;
const dnsNames = Array.from({ length: 400 }, (_, index) => `host-${index}.example.org`);

test('a renewal waits while another client holds the lock on certificates', async () => {
  await using host = await createSupervisedHost();
  const authority = createAuthority(join(host.paths.dir, 'authority'));
  const [first, second] = ['first', 'second'].map((commonName) => {
    const { cert, key } = authority.issue({ commonName, dnsNames });
    return `${cert}${key}`;
  });
  const path = join(host.paths.dir, 'web.pem');
  writeFileSync(path, first ?? '');
  host.install('v1', { more: `listen web\n  bind 127.0.0.1:9003 ssl crt ${path}\n` });
  await host.supervise().waitForServing();
  const ask = async (command: string): Promise<string> =>
    (await askRuntimeApi(host.paths.statsSocket, command, 5_000)) ?? '';

  // HAProxy holds the lock while it waits for this client to read its output.
  const holder = connect(host.paths.statsSocket).pause();
  holder.write(`prompt\n${`show ssl cert ${path}\n`.repeat(SHOWN)}`);
  await waitFor('the lock to be held', async () => (await ask('show ssl cert')).includes('currently locked'));
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
