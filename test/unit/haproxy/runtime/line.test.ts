import { expect, test } from 'vitest';
import { renewal } from '../../../../src/haproxy/runtime/file-commands.ts';
import { sendAll, workerOf } from '../../../../src/haproxy/runtime/line.ts';

test("HAProxy's refusal of a certificate is reported without the content", async () => {
  const commands = renewal('/sets/1/certs/shop.pem', '-----BEGIN PRIVATE KEY-----\nsecret\n');
  const withContent = commands.filter(({ text }) => text.includes('<<'));
  const trouble = await sendAll({ ask: async () => 'no room', askEach: async () => [] }, withContent);
  expect(trouble).toContain('shop.pem');
  expect(trouble).toContain('no room');
  expect(trouble).not.toMatch(/secret|PRIVATE|\n/);
});

const LOCKED = "Can't update the certificate!\nOperations on certificates are currently locked!\n\n";
const running = { generation: 1, master: { pid: 1, startTicks: 1 } };

test('a command that finds the certificates locked is sent again, up to a limit', async () => {
  const replies = [LOCKED, LOCKED, 'Transaction created\n'];
  let sent = 0;
  const freed = workerOf({ ask: async () => replies[sent++], askEach: async () => [] }, running, 0);
  expect(await freed.ask('set ssl cert a')).toBe('Transaction created\n');
  expect(sent).toBe(3);

  sent = 0;
  const ask = async () => {
    sent += 1;
    return LOCKED;
  };
  const locked = workerOf({ ask, askEach: async () => [] }, running, 0);
  expect(await locked.ask('set ssl cert a')).toBe(LOCKED);
  expect(sent).toBe(101);
});
