import { expect, test } from 'vitest';
import { createVrrpPair, startBoth, type VrrpSupervisorProcess } from '../../helpers/keepalived-node.ts';
import { waitFor } from '../../helpers/wait-for.ts';

async function hears(supervisor: VrrpSupervisorProcess): Promise<boolean | undefined> {
  return (await supervisor.status()).instances[0]?.hearsHolder;
}

test('a backup hears the holder until its adverts stop arriving', async () => {
  await using pair = await createVrrpPair();
  const [, b] = pair.nodes;
  const [holder, backup] = await startBoth(pair.nodes);
  await waitFor('the backup to have heard the holder', () => hears(backup));
  expect(await hears(holder)).toBe(false);
  const drop = 'table ip f { chain in { type filter hook input priority 0; ip protocol 112 drop; } ; }';
  await b.namespace.run('nft', drop);
  await backup.waitForState('MASTER');
  expect(await hears(backup)).toBe(false);
  await b.namespace.run('nft', 'delete', 'table', 'ip', 'f');
  await waitFor(
    'one of them to hear the other again',
    async () => (await hears(backup)) !== (await hears(holder)),
  );
});
