import { expect, test } from 'vitest';
import { dropRuleset } from '../../../src/haproxy/drop-syn.ts';
import { removeSynDrops } from '../../../src/haproxy/remove-syn-drops.ts';
import { createNetNamespace } from '../../helpers/net-namespace.ts';

test('the table of dropped SYNs is removed, and no other table', async () => {
  await using namespace = await createNetNamespace();
  const [file, ...before] = namespace.prefix;
  const nft = [file, ...before, 'nft'] as const;
  for (const table of ['inet hawser_drop_syn', 'inet hawser_drop_syn-edge'])
    await namespace.run('nft', dropRuleset(table, [80], 60_000));
  expect(await removeSynDrops({ nft })).toBeUndefined();
  expect(await namespace.run('nft', 'list', 'tables')).toBe('table inet hawser_drop_syn-edge\n');
  expect(await removeSynDrops({ nft })).toBeUndefined();
});
