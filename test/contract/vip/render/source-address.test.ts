import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startKeepalived } from '../../../helpers/keepalived-process.ts';
import { connectPair, createNetNamespace } from '../../../helpers/net-namespace.ts';
import { configurationOf } from '../../../helpers/vip-configuration.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const dir = mkdtempSync('/run/hawser-source-');
afterAll(() => rmSync(dir, { recursive: true }));

test("a holder's own connections use its IPv6 address as source, not the VIP", async () => {
  await using node = await createNetNamespace();
  await using other = await createNetNamespace();
  await connectPair(
    { namespace: node, device: 'eth0', addresses: ['fd00:10::10/64'] },
    { namespace: other, device: 'eth0', addresses: ['fd00:10::77/64'] },
  );
  writeFileSync(join(dir, 'lb.track'), '0\n');
  const text = configurationOf(
    dir,
    { apiVips: ['fd00:10::5'] },
    {
      controlPlane: [{ name: 'master-0', addresses: ['fd00:10::10'] }],
      interfaces: [{ name: 'eth0', addresses: ['fd00:10::10/64'] }],
    },
    100,
  );
  startKeepalived(node, { dir, name: 'holder', text });
  const addresses = await waitFor('the VIP', async () => {
    const shown = await node.run('ip', '-6', '-o', 'address', 'show', 'dev', 'eth0', 'scope', 'global');
    return shown.includes('fd00:10::5/128') && shown;
  });
  expect(addresses).toMatch(/fd00:10::5\/128 .*deprecated/);
  expect(await node.run('ip', '-6', 'route', 'get', 'fd00:10::77')).toContain('src fd00:10::10 ');
});
