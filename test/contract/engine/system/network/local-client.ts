import { ask } from '../../../../../src/engine/system/network/ask.ts';
import { askPage } from '../../../../../src/engine/system/network/ask-page.ts';
import { probeTcp, refuses } from '../../../../../src/engine/system/network/probe-tcp.ts';
import { watchLiveness } from '../../../../../src/engine/system/network/watch-liveness.ts';

/** Runs in a network namespace. Arguments: the port to connect to, and `watch` or `ask`. Prints lines of JSON. */
const [portText, mode] = process.argv.slice(2);
const address = { host: '127.0.0.1', port: Number(portText) };
const path = '/haproxy_ready';
const limits = { timeoutMs: 10_000 };
const say = (line: unknown): void => console.log(JSON.stringify(line));

if (mode === 'watch') {
  const { signal } = new AbortController();
  await watchLiveness({
    ...address,
    ask: async () => ((await askPage(address, path, limits)).kind === 'answered' ? 'good' : 'silent'),
    pollEveryMs: 200,
    pollTimeoutMs: limits.timeoutMs,
    onChange: say,
    signal,
  });
} else {
  const page = await askPage(address, path, limits);
  say({ askPage: page.kind === 'silent' && page.message, isTaken: page.kind === 'silent' && page.isTaken });
  const answer = await ask({ ...address, path, tls: undefined }, limits);
  say({ ask: answer.kind === 'silent' && answer.reason });
  say({ refuses: await refuses(address, limits.timeoutMs) });
  say({ probeTcp: await probeTcp(address, 'connect') });
}
