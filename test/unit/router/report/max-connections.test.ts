import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { observeStatistics } from '../../../../src/router/serve/observe-statistics.ts';
import { routerCommand } from '../../../../src/router/settings/router-command.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

let folder: string;
let haproxy: Server;
let maxconn: number;

/** HAProxy's `show info`, without any proxy in its statistics. */
beforeEach(async () => {
  folder = testFolder();
  haproxy = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined).resume();
    socket.end(`Pid: 42\nMaxconn: ${maxconn}\n\n# pxname,svname,type,\n\n`);
  });
  await new Promise<void>((resolve) => haproxy.listen(join(folder, 'stats.sock'), resolve));
});
afterEach(async () => {
  await new Promise((resolve) => haproxy.close(resolve));
});

async function shown(limit: string): Promise<string | undefined> {
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', HAWSER_STATS_SOCKET: join(folder, 'stats.sock') };
  const settings = settingsTyped(
    routerCommand,
    [],
    { ...env, ROUTER_MAX_CONNECTIONS: limit },
    () => undefined,
  );
  const text = [...(await observeStatistics(settings).page())].join('');
  return /^haproxy_max_connections (.*)$/m.exec(text)?.[1];
}

test.each([
  ['1000', 4_000, '1000'],
  ['1000', 700, '700'],
  ['auto', 4_000, '4000'],
])(
  'with ROUTER_MAX_CONNECTIONS=%s, of which HAProxy makes %i, haproxy_max_connections is %s',
  async (limit, ofProcess, expected) => {
    maxconn = ofProcess;
    expect(await shown(limit)).toBe(expected);
  },
);
