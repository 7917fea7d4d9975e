/** A program: measures how long a pod that comes, goes or is replaced takes to be served by the pod proxy, under load. See `usage`. */
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { parseRunningServers } from '../../../src/haproxy/text/servers-state.ts';
import { startBackends } from '../../helpers/load/start-backends.ts';
import { startLoad } from '../../helpers/load/start-load.ts';
import { createPodProxies, webPods, webTemplate } from '../../helpers/pod-proxy.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { type Spread, spreadOf } from '../reload/figures.ts';
import { describeMachine, formatMachine } from '../reload/machine.ts';

const usage = `usage: npm run bench:proxy [-- --changes N] [--rate N] [--json FILE]
Pods come, go, and are replaced behind one proxy while new connections come in. A time is from the moment that the API has
the change to the one at which HAProxy has these servers and no others.
  --changes  how many (default: 100)
  --rate     new connections a second (default: 300)`;
const TARGET_MS = 300;
const LISTEN = 29_452;

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    changes: { type: 'string', default: '100' },
    rate: { type: 'string', default: '300' },
    help: { type: 'boolean', default: false },
  },
});
/** What is behind the proxy after each change, by the pods' numbers. */
const steps = [
  { kind: 'added', pods: [0, 1] },
  { kind: 'added', pods: [0, 1, 2] },
  { kind: 'removed', pods: [1, 2] },
  { kind: 'replaced', pods: [0, 2] },
  { kind: 'removed', pods: [0] },
] as const;

async function measure(changes: number, ratePerSecond: number): Promise<void> {
  const machine = await describeMachine();
  await using world = await createPodProxies(['haproxy-1']);
  const { namespace, serving, dir } = world.cluster;
  await using _backends = await startBackends(
    namespace.prefix,
    webPods.map(({ name, ip }) => ({ name, host: ip, port: 8_080 })),
    serving,
  );
  const show = (numbers: readonly number[]): void =>
    world.show({
      annotations: { 'hawser.dev/config': webTemplate },
      pods: webPods.filter((_, index) => numbers.includes(index)),
    });
  const addressesNow = async (): Promise<string> => {
    const ask = (command: string) =>
      askRuntimeApi(join(dir, 'haproxy-1/haproxy.sock'), command, 2_000).then((reply) => reply ?? '');
    const running = parseRunningServers(await ask('show servers state web'));
    const used = [...(running?.values() ?? [])].filter(({ isOut }) => !isOut);
    return used
      .map(({ endpoint }) => endpoint)
      .toSorted()
      .join();
  };
  const served = async (numbers: readonly number[]): Promise<void> => {
    const wanted = numbers.map((number) => `${webPods[number]?.ip}:8080`).join();
    await waitFor(`the pods ${numbers}`, async () => (await addressesNow()) === wanted, 30_000, 5);
  };
  show([0]);
  const proxy = await world.start('haproxy-1', LISTEN);
  await proxy.serves('web-1');
  const { pid } = await proxy.supervisor().waitForServing();
  await using load = await startLoad(namespace.prefix, {
    ...{ host: '127.0.0.1', port: 8_000, ratePerSecond, timeoutMs: 5_000, streams: 0, streamRampMs: 0 },
    ...{ servers: webPods.map(({ name }) => name), probe: null },
  });
  const times: { readonly kind: string; readonly ms: number }[] = [];
  for (let change = 0; change < changes; change += 1) {
    const step = steps[change % steps.length] ?? steps[0];
    const beganMs = monotonicMs();
    show(step.pods);
    await served(step.pods);
    times.push({ kind: step.kind, ms: monotonicMs() - beganMs });
  }
  const { ok, lost, slowestMs, connections } = await load.stop();
  const losses = Object.values(lost).reduce((sum, count) => sum + count, 0);
  const reloads = (await proxy.supervisor().waitForServing()).pid === pid ? 'none' : 'some';

  console.log(`${formatMachine(machine)}; now ${(loadavg()[0] ?? 0).toFixed(2)}`);
  console.log(
    '\nAPI has the change -> HAProxy has the servers, ms      median      min      max   times   target',
  );
  const kinds = ['added', 'removed', 'replaced'] as const;
  const spreads = Object.fromEntries(
    kinds.map((kind) => [kind, spreadOf(times.filter((each) => each.kind === kind).map(({ ms }) => ms))]),
  );
  for (const [kind, spread] of Object.entries(spreads))
    console.log(`${`pods ${kind}`.padEnd(52)}${columns(spread)}   median <= ${TARGET_MS}`);
  console.log(
    `\n${connections} connections at ${ratePerSecond} a second: ${ok} answered, ${losses} lost, the slowest after ${slowestMs.toFixed(0)} ms; reloads: ${reloads}`,
  );
  if (values.json !== undefined)
    writeFileSync(
      values.json,
      `${JSON.stringify({ proxy: { ...spreads, connections, lost: losses, slowestMs, targetMs: TARGET_MS }, machine }, null, 2)}\n`,
    );
}

function columns(spread: Spread | null): string {
  const numbers = spread === null ? [] : [spread.median, spread.min, spread.max, spread.count];
  return numbers.map((value) => value.toFixed(0).padStart(9)).join('');
}

if (values.help) console.log(usage);
else await measure(Number(values.changes), Number(values.rate));
