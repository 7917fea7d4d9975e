import { expect, test } from 'vitest';
import { hostFiles } from '../../../../src/engine/examine/host-files.ts';
import { listProcesses } from '../../../../src/engine/examine/host-processes.ts';
import { temporaryRoot } from '../../../helpers/doctor/scene.ts';

test.each([
  ['--instance b', 'HOME=/', 'b'],
  ['--instance=b --listen=off', 'HAWSER_INSTANCE=c', 'b'],
  ['--instance a --instance b', '', 'b'],
  ['--listen off', 'HOME=/ HAWSER_INSTANCE=c', 'c'],
  ['--listen off', 'HOME=/', undefined],
])('a supervisor with "%s" and "%s" has the instance %s', async (flags, variables, instance) => {
  const lines = (text: string) => `${text.replaceAll(' ', '\0')}\0`;
  const root = temporaryRoot({
    '/proc/9/comm': 'node\n',
    '/proc/9/cmdline': lines(`node /hawser.mjs haproxy supervise ${flags}`),
    '/proc/9/environ': lines(variables),
  });
  expect(await listProcesses(hostFiles(root))).toMatchObject([{ pid: 9, instance }]);
});
