import { expect, test } from 'vitest';
import { withoutSecrets } from '../../../../../src/engine/system/text/without-secrets.ts';

test.each([
  ['    user admin insecure-password hunter2', '    user admin insecure-password ***'],
  ['  user admin password $6$k6y3o.eP$JlKBx', '  user admin password ***'],
  ['    stats auth admin:hunter2', '    stats auth ***'],
  ['        auth_pass 1234', '        auth_pass ***'],
  ['token: abc', 'token: ***'],
  ['    bind :::9445 v4v6', '    bind :::9445 v4v6'],
])('of "%s" a bundle has "%s"', (line, shown) => {
  expect(withoutSecrets(`before\n${line}\nafter`)).toBe(`before\n${shown}\nafter`);
});

test('a key is not in a bundle', () => {
  const pem = '-----BEGIN PRIVATE KEY-----\nMIIEv\n-----END PRIVATE KEY-----';
  expect(withoutSecrets(pem)).not.toContain('MIIEv');
});
