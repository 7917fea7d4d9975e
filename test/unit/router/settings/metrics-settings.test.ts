import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type MetricsAccess, metricsAccess } from '../../../../src/router/settings/metrics-settings.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';

const folder = fileFolder();
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const may = (access: MetricsAccess, authorization: string, isLocal = false) =>
  metricsAccess(access)({ authorization, isLocal });

test('without a user and a token, only this machine may read the metrics', async () => {
  expect(await may({}, '', true)).toBe(true);
  expect(await may({ statsUsername: 'admin' }, basic('admin:'), false)).toBe(false);
});

test('user and password are required if both are set, even on loopback', async () => {
  const access = { statsUsername: 'admin', statsPasswordFile: file('password', 'secret\n') };
  expect(await may(access, basic('admin:secret'))).toBe(true);
  expect(await may(access, basic('admin:secret\n'))).toBe(false);
  expect(await may(access, basic('admin:wrong'))).toBe(false);
  expect(await may(access, '', true)).toBe(false);
  expect(await may(access, 'Bearer secret')).toBe(false);
});

test('the token is read for each request, and a missing or empty file admits nobody', async () => {
  const access = { metricsTokenFile: file('token', 'first') };
  expect(await may(access, 'Bearer first')).toBe(true);
  file('token', 'second\n');
  expect([await may(access, 'Bearer first'), await may(access, 'bearer  second')]).toEqual([false, true]);
  file('token', '');
  expect(await may(access, 'Bearer ')).toBe(false);
  expect(await may({ metricsTokenFile: join(folder, 'missing') }, 'Bearer undefined')).toBe(false);
});
