/** A program: lists all Routes once, as a controller does at its start, and prints what that cost. Needs `--expose-gc`. */
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { openApiSession } from '../../../src/engine/kube/api-session.ts';
import { openKubeconfig } from '../../../src/engine/kube/kubeconfig.ts';
import { followResources } from '../../../src/engine/kube/resource-view.ts';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';

const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string', default: '' },
    page: { type: 'string', default: '500' },
    whole: { type: 'boolean', default: false },
  },
});

const shape = z.object({
  spec: z.object({ host: z.string(), path: z.string(), to: z.object({ name: z.string() }) }),
});

/** What a router needs of a Route. */
function needed(object: unknown): object | undefined {
  const { data } = shape.safeParse(object);
  return data && { host: data.spec.host, path: data.spec.path, service: data.spec.to.name };
}

const heapMb = (): number => process.memoryUsage().heapUsed / 1_048_576;
const residentMb = (): number => process.memoryUsage.rss() / 1_048_576;
const collect = (): void => globalThis.gc?.();

let read = 0;
let peakMb = 0;
const project = (object: unknown): object | undefined => {
  if (read % 250 === 0) peakMb = Math.max(peakMb, heapMb());
  read += 1;
  return values.whole ? Object(object) : needed(object);
};

const kubeconfig = openKubeconfig(values.kubeconfig, () => undefined);
const stop = new AbortController();
const session = openApiSession({ kubeconfig, apiPort: 1, fallbacks: [] }, stop.signal);
const resource = { what: 'routes', apiVersion: 'route.openshift.io/v1', plural: 'routes', project };
const timing = { pageLimit: Number(values.page), requestTimeoutMs: 60_000, maxPageBytes: 500_000_000 };
// Its library is loaded with the first kubeconfig, and is no cost of a list.
await kubeconfig.load();
collect();
const [heapBefore, residentBefore, beganAtMs] = [heapMb(), residentMb(), monotonicMs()];
const cpuBefore = process.cpuUsage();
const following = await new Promise<ReturnType<typeof followResources<object>>>((resolve, reject) => {
  const report = (event: object) => reject(new Error(JSON.stringify(event)));
  const found = followResources([resource], { session, report, timing }, () => resolve(found), stop.signal);
});
const listMs = monotonicMs() - beganAtMs;
const { user, system } = process.cpuUsage(cpuBefore);
const cpuMs = (user + system) / 1_000;
const resident = residentMb() - residentBefore;
peakMb = Math.max(peakMb, heapMb());
collect();
const kept = heapMb() - heapBefore;
const objects = following.objects()?.length ?? 0;
console.log(
  JSON.stringify({ objects, listMs, cpuMs, peakMb: peakMb - heapBefore, keptMb: kept, residentMb: resident }),
);
stop.abort();
await following.ended;
