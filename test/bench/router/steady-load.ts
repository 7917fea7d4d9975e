import { request as overHttp } from 'node:http';
import { request as overTls } from 'node:https';

export interface SteadyLoad {
  /** Resolves once all requests are finished, with the number sent and the number that did not get a 200. */
  readonly stop: () => Promise<{ readonly asked: number; readonly lost: number }>;
}

interface Ports {
  readonly httpPort: number;
  readonly httpsPort: number;
}

const TICK_MS = 10;

/** Opens connections at a fixed rate regardless of earlier ones, with one request each, alternately plain and TLS. */
export function startSteadyLoad(
  ports: Ports,
  hosts: Readonly<Record<'plain' | 'tls', string>>,
  perSecond: number,
): SteadyLoad {
  const open = new Set<Promise<void>>();
  const startedMs = performance.now();
  let asked = 0;
  let lost = 0;
  const ask = (isTls: boolean): Promise<void> =>
    new Promise((resolve) => {
      const common = { host: '127.0.0.1', path: '/app', agent: false, timeout: 10_000 };
      const settle = (isGood: boolean): void => {
        if (!isGood) lost += 1;
        resolve();
      };
      const [send, port, host] = isTls
        ? ([overTls, ports.httpsPort, hosts.tls] as const)
        : ([overHttp, ports.httpPort, hosts.plain] as const);
      const tls = isTls ? { servername: host, rejectUnauthorized: false } : {};
      const sent = send({ ...common, ...tls, port, headers: { host } }, (response) => {
        response.resume();
        response.once('end', () => settle(response.statusCode === 200)).once('error', () => settle(false));
      });
      sent.once('timeout', () => sent.destroy()).once('error', () => settle(false));
      sent.end();
    });
  const timer = setInterval(() => {
    for (const due = ((performance.now() - startedMs) * perSecond) / 1_000; asked < due; ) {
      asked += 1;
      const answered = ask(asked % 2 === 0);
      open.add(answered);
      void answered.then(() => open.delete(answered));
    }
  }, TICK_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      return { asked, lost };
    },
  };
}
