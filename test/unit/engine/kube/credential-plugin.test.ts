import { expect, test } from 'vitest';
import { createCredentialPlugin } from '../../../../src/engine/kube/credential-plugin.ts';

test('a plugin that hangs ends when it is closed, long before its time', async () => {
  const plugin = createCredentialPlugin({ command: 'sleep', args: ['600'] }, { timeoutMs: 600_000 });
  const credential = plugin.credential();
  plugin.close();
  await expect(credential).rejects.toThrow('it ended with SIGKILL');
  await expect(plugin.credential()).rejects.toThrow('is not run any more');
});

test('an expiry that cannot be read is refused: such a credential would never expire', async () => {
  const answer = JSON.stringify({ status: { token: 'a', expirationTimestamp: 'tomorrow' } });
  const plugin = createCredentialPlugin({ command: 'echo', args: [answer] }, { timeoutMs: 60_000 });
  await expect(plugin.credential()).rejects.toThrow('its output is no ExecCredential');
  plugin.close();
});

test('a token that a plugin prints with its error is not told', async () => {
  const script =
    'echo "cannot refresh: {\\"refresh_token\\":\\"hunter2\\"} Authorization: Bearer hunter2" >&2; exit 3';
  const plugin = createCredentialPlugin({ command: 'sh', args: ['-c', script] }, { timeoutMs: 60_000 });
  const failure = await plugin.credential().catch(String);
  expect(failure).toContain('it ended with 3: cannot refresh');
  expect(failure).not.toContain('hunter2');
  plugin.close();
});
