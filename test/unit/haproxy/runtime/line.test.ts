import { expect, test } from 'vitest';
import { renewal } from '../../../../src/haproxy/runtime/file-commands.ts';
import { sendAll } from '../../../../src/haproxy/runtime/line.ts';

test("HAProxy's refusal of a certificate is reported without the content", async () => {
  const commands = renewal('/sets/1/certs/shop.pem', '-----BEGIN PRIVATE KEY-----\nsecret\n');
  const withContent = commands.filter(({ text }) => text.includes('<<'));
  const trouble = await sendAll({ ask: async () => 'no room', askEach: async () => [] }, withContent);
  expect(trouble).toContain('shop.pem');
  expect(trouble).toContain('no room');
  expect(trouble).not.toMatch(/secret|PRIVATE|\n/);
});
