import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { createSupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const remark = `  # ${'.'.repeat(1_000)}\n`.repeat(8);
const backends = Array.from(
  { length: 300 },
  (_, number) => `
backend r-${number}
  mode tcp
${remark}  server a 127.0.0.1:1 weight 7
  server b 127.0.0.1:2 weight 7
`,
);

test('drift is found, and a server that is out of use and in no file is gone, in a configuration of megabytes as well', async () => {
  await using host = await createSupervisedHost();
  host.install('v1', { more: backends.join('') });
  expect(statSync(host.paths.config).size).toBeGreaterThan(2 * 1024 * 1024);
  const supervisor = host.supervise(['--force-delete-timeout', '3s']);
  const { generation } = await supervisor.waitForServing();
  const tell = async (command: string) =>
    (await askRuntimeApi(host.paths.statsSocket, command, 5_000)) ?? 'no answer';
  await tell('set server r-0/a weight 99');
  await tell('set server r-299/b state maint');
  // Not looked for afterwards: it may be gone again by then.
  expect(await tell('add server r-150/left-over 127.0.0.1:3')).toContain('New server registered');
  await tell('add server r-150/stranger 127.0.0.1:3');
  await tell('set server r-150/stranger state ready');
  /** Administrative state and weight, by name. */
  const serversOf = async (backend: string) => {
    const rows = (await tell(`show servers state ${backend}`)).split('\n').map((row) => row.split(' '));
    return Object.fromEntries(rows.slice(2, -2).map((row) => [row[3], `${row[6]} ${row[7]}`]));
  };
  const asInFile = { a: '0 7', b: '0 7' };
  for (const backend of ['r-0', 'r-299', 'r-150'])
    await waitFor(
      `${backend} to be as in the file`,
      async () => JSON.stringify(await serversOf(backend)) === JSON.stringify(asInFile),
      90_000,
    );
  expect((await supervisor.status()).current?.generation).toBe(generation);
  expect(host.events('change-refused')).toEqual([]);
});
