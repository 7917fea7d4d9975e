import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { Lens } from './camera.ts';
import { describeChanges } from './changes.ts';
import { network, type ServerName, serverAddresses } from './layout.ts';
import { look, type Sight } from './look.ts';
import type { Scene, ShownServer } from './scene.ts';
import type { Stage } from './stage.ts';

const REDIRECT_EVERY_MS = 1_000;

/** Observes the API load balancer: its servers, its supervisor and the redirect. */
export function createLens(): Lens<Stage, Scene> {
  let sight: Sight = { servers: [], supervisor: undefined };
  let redirect: { readonly present: boolean; readonly atMs: number } | undefined;

  const lookAtRedirect = async (stage: Stage, event: (text: string) => void) => {
    if (redirect !== undefined && monotonicMs() - redirect.atMs < REDIRECT_EVERY_MS) return;
    const present = await stage.hasRedirect();
    if (redirect?.present !== present) event(`nftables: the redirect is ${present ? 'present' : 'absent'}`);
    redirect = { present, atMs: monotonicMs() };
  };
  return async (stage, event) => {
    const next = await look(stage.paths);
    for (const change of describeChanges(sight, next)) event(change);
    // Nothing answers while a worker is being replaced, so the last answer stays on the screen.
    sight = next.servers.length === 0 ? { ...sight, supervisor: next.supervisor } : next;
    await lookAtRedirect(stage, event);
    return {
      supervisor: sight.supervisor,
      complete: (frame) => ({
        ...frame,
        servers: shownServers(stage, sight),
        redirect: redirect?.present === true,
        pageUrl: stage.pageUrl,
        redirectText: `${network.vip}:${network.apiPort} -> ${network.lbPort}`,
      }),
    };
  };
}

/** Servers that run or that HAProxy knows. */
function shownServers(stage: Stage, sight: Sight): readonly ShownServer[] {
  const shares = stage.traffic.recent().servers;
  const total = [...shares.values()].reduce((sum, count) => sum + count, 0);
  const known = new Map(sight.servers.map((server) => [server.name, server]));
  const isName = (name: string): name is ServerName => name in serverAddresses;
  return Object.keys(serverAddresses)
    .filter(isName)
    .map((name) => ({
      name,
      address: `${serverAddresses[name]}:${network.apiPort}`,
      running: stage.cluster.isRunning(name),
      status: known.get(name)?.status ?? 'not configured',
      check: known.get(name)?.check ?? '',
      share: total === 0 ? 0 : (shares.get(name) ?? 0) / total,
    }))
    .filter(({ running, status }) => running || status !== 'not configured');
}
