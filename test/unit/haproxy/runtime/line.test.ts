import { expect, test } from 'vitest';
import { renewal, replacement } from '../../../../src/haproxy/runtime/file-commands.ts';
import { tellAll } from '../../../../src/haproxy/runtime/line.ts';

test.each([
  ['a certificate', renewal('/sets/1/certs/shop.pem', '-----BEGIN PRIVATE KEY-----\nsecret\n'), 'shop.pem'],
  ['a map', replacement('maps/http.map', 7, 'secret.test backend\n'), 'maps/http.map'],
])("HAProxy's refusal of %s is reported without the content", async (_, commands, name) => {
  const withContent = commands.filter(({ text }) => text.includes('<<'));
  const trouble = await tellAll({ ask: async () => 'no room', askEach: async () => [] }, withContent);
  expect(trouble).toContain(name);
  expect(trouble).toContain('no room');
  expect(trouble).not.toMatch(/secret|PRIVATE|\n/);
});
