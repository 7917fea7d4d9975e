import { expect, test } from 'vitest';
import { tellAll } from '../../../../src/haproxy/runtime/change-server.ts';
import { renewal, replacement } from '../../../../src/haproxy/runtime/file-commands.ts';

const running = { generation: 1, master: { pid: 1, startTicks: 1 } };

test.each([
  ['a certificate', renewal('/sets/1/certs/shop.pem', '-----BEGIN PRIVATE KEY-----\nsecret\n'), 'shop.pem'],
  ['a map', replacement('maps/http.map', 7, 'secret.test backend\n'), 'maps/http.map'],
])("HAProxy's refusal of %s is reported without the content", async (_, commands, name) => {
  const withContent = commands.filter(({ text }) => text.includes('<<'));
  const trouble = await tellAll(async () => 'no room', running, withContent);
  expect(trouble).toContain(name);
  expect(trouble).toContain('no room');
  expect(trouble).not.toMatch(/secret|PRIVATE|\n/);
});
