import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLastKnown, readLastKnown } from '../../../../../src/engine/monitor/servers/last-known.ts';
import { createOnce } from '../../../../../src/engine/observe/once.ts';
import { testFolder } from '../../../../helpers/test-folder.ts';
import { waitFor } from '../../../../helpers/wait-for.ts';

test('a list that could not be saved is saved at the next call', async () => {
  const blocked = join(testFolder(), 'blocked');
  const path = join(blocked, 'last-known.json');
  writeFileSync(blocked, '');
  const logged: string[] = [];
  const list = await openLastKnown(path, {
    log: ({ event }) => void logged.push(event),
    once: createOnce(),
  });
  const servers = [{ name: 'a', address: '10.0.0.1', port: 6443 }];
  list.save(servers);
  await waitFor('the failure', () => logged.includes('last-known-not-saved'));
  rmSync(blocked);
  list.save(servers);
  await waitFor('the saved list', async () => (await readLastKnown(path)).kind === 'known');
  expect(await readLastKnown(path)).toMatchObject({ servers });
});
