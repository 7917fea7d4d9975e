import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createVrrpPair } from '../../helpers/keepalived-node.ts';
import { readJournals } from '../../helpers/read-journals.ts';
import { waitFor } from '../../helpers/wait-for.ts';

test('the journal says what happened to the VIP and why, even after its writer crashed', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  a.install();
  const dir = join(a.paths.dir, 'journal');
  const lines = () => readJournals(dir)[0]?.lines ?? [];
  const flags = ['--journal', dir];
  const first = a.supervise(flags);
  await first.waitForState('MASTER');
  first.kill('SIGKILL');
  await first.ended;
  appendFileSync(join(dir, readdirSync(dir)[0] ?? ''), '{"v":1,"seq":');

  const next = a.supervise(flags);
  await next.waitForState('MASTER');
  await waitFor('the boot to be done', async () => (await next.status()).reload === null);
  writeFileSync(a.paths.config, 'vrrp_instance A {\n  virtual_ruoter_id 7\n}\n');
  expect(await next.ask('reload')).toMatchObject({ ok: false });
  next.kill('SIGTERM');
  expect(await next.ended).toBe(0);

  const [journal, ...more] = readJournals(dir);
  expect(more).toEqual([]);
  expect(journal).toMatchObject({ program: 'keepalived-supervisor', faults: [] });
  const told = lines().map(({ kind, event, subject, to }) =>
    [kind, event, subject, to].filter(Boolean).join(' '),
  );
  const expected = [
    'process supervisor-started',
    'vip vrrp-transition API BACKUP',
    'vip vrrp-transition API MASTER',
    'journal journal-repaired',
    'process keepalived-adopted',
    'rejected configuration-refused request',
    'process stopping',
    'vip vrrp-transition API STOP',
    'process supervisor-stopped',
  ];
  expect(told.filter((text) => expected.includes(text))).toEqual(expect.arrayContaining(expected));
  const { config, dir: runDir } = a.paths;
  expect(a.events('supervisor-started')[0]).toMatchObject({ config, runDir });
  const master = lines().find(({ to }) => to === 'MASTER');
  expect(master).toMatchObject({ reason: 'no advert from a node with a higher priority' });
  expect(master?.facts).toMatchObject({ priority: 220 });
  const refused = lines().find(({ kind }) => kind === 'rejected');
  expect(refused?.facts?.['detail']).toContain('virtual_ruoter_id');
});
