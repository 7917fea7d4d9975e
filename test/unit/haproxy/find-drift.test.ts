import { createHash } from 'node:crypto';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDriftSearch } from '../../../src/haproxy/find-drift.ts';
import type { Description } from '../../../src/haproxy/runtime/describe-configuration.ts';

const running = { generation: 1, master: { pid: 1, startTicks: 1 } };
const change = { kind: 'server', server: 'one/a', wanted: null } as const;
const large = `backend one\n  # ${'.'.repeat(2 * 1024 * 1024)}\n`;
const conditional = '.if defined(X)\nbackend one\n.endif\n';
const text = 'backend one\n  server a 127.0.0.1:80\n';

/** The result of a search, and the servers with which HAProxy is compared. */
async function searched(content: string, servedText = content) {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'find-drift-'));
  const config = join(folder.path, 'haproxy.cfg');
  writeFileSync(config, content);
  let compared: readonly (readonly string[] | undefined)[] = [];
  const drift = async (_: unknown, wanted: Description | undefined) => {
    compared = [...compared, wanted && [...wanted.servers.keys()]];
    return [change];
  };
  const sha256 = createHash('sha256').update(servedText).digest('hex');
  return { found: await createDriftSearch(config, { drift })(running, sha256), compared };
}

test('the servers of a configuration are compared together', async () => {
  expect(await searched(text)).toEqual({ found: { changes: [change] }, compared: [['one/a']] });
});

test.each<readonly [string, string, string]>([
  ['a configuration of more than 2 MiB', large, large],
  ['a file that is not served', text, 'another'],
  ['a file with conditions', conditional, conditional],
])('%s is not compared, but removed servers are still deleted', async (_, content, served) => {
  expect(await searched(content, served)).toEqual({ found: undefined, compared: [undefined] });
});
