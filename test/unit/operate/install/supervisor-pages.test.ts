import { expect, test } from 'vitest';
import { pods } from '../../../../src/commands/pods.ts';
import { serveEndpoint } from '../../../../src/engine/observe/http-endpoint.ts';
import { isSupervisor } from '../../../../src/operate/install/supervisor-pages.ts';
import { freePort } from '../../../helpers/free-port.ts';

const older: Readonly<Record<string, object>> = {
  haproxy: { ok: true, phase: 'draining', draining: [], current: 'an older form' },
  keepalived: { ok: true, phase: 'leaving', instances: [{}], news: 'a newer field' },
};

test.each(pods)(
  'install recognizes a $name supervisor of another version by its page',
  async ({ name, supervisor }) => {
    const stop = new AbortController();
    const pageOf = async (status: object) => {
      const page = { host: '127.0.0.1', port: await freePort() };
      await serveEndpoint(
        page,
        { trouble: () => undefined, metrics: () => '', status: () => status },
        stop.signal,
      );
      return page;
    };
    try {
      expect(await isSupervisor(supervisor, await pageOf(older[name] ?? {}))).toBe(true);
      expect(await isSupervisor(supervisor, await pageOf({ servers: [] }))).toBe(false);
    } finally {
      stop.abort();
    }
  },
);
