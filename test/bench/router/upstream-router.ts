import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decide } from '../../../src/router/decide/decide.ts';
import { readObjectList } from '../../../src/router/follow/read-object-list.ts';
import type { RouterObjects } from '../../../src/router/follow/router-objects.ts';
import { selfSigned } from '../../../src/router/render/default-certificate.ts';
import { writeOut } from '../../../src/router/render/write-out.ts';
import type { StoredObject } from '../../helpers/api-server/object-store.ts';
import { renderRouter } from '../../helpers/router/render-router.ts';
import { routerSettings, routerTemplate } from '../../helpers/router/router-settings.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** Works like openshift-router: regular-expression maps, a full decide, render and write for each change, and a reload with `-sf`. */
export interface UpstreamRouter extends AsyncDisposable {
  /** Resolves once HAProxy has been started with the change. The new process takes over the listeners on its own. */
  readonly change: (objects: readonly StoredObject[]) => Promise<void>;
  readonly pid: () => number;
}

export async function startUpstreamRouter(
  first: RouterObjects,
  ports: { readonly httpPort: number; readonly httpsPort: number },
  dir: string,
): Promise<UpstreamRouter> {
  mkdirSync(dir, { recursive: true });
  const statsSocket = join(dir, 'haproxy.sock');
  const pidFile = join(dir, 'haproxy.pid');
  const settings = {
    ...routerSettings({ HAWSER_LOOKUP: 'regex', ROUTER_BACKEND_CHECK_INTERVAL: '20d', ROUTER_THREADS: '1' }),
    ...ports,
    statsSocket,
    maxConnections: 2_000,
  };
  const certificate = selfSigned('default', new Date());
  let objects = first;
  const pid = (): number => Number(readFileSync(pidFile, 'utf8').trim().split('\n')[0]);
  const load = async (): Promise<void> => {
    const { model } = decide(objects, settings);
    const outcome = renderRouter(routerTemplate, settings, model, certificate);
    if (outcome.kind === 'failed') throw new Error(outcome.message);
    await writeOut(dir, outcome.rendered);
    const old = existsSync(pidFile) ? ['-x', statsSocket, '-sf', `${pid()}`] : [];
    const args = ['-D', '-f', join(dir, 'haproxy.cfg'), '-p', pidFile, ...old];
    const code = await new Promise((resolve) =>
      spawn('haproxy', args, { stdio: ['ignore', 'ignore', 'inherit'] }).once('exit', resolve),
    );
    if (code !== 0) throw new Error(`HAProxy of the upstream way ended with ${code}`);
  };
  await load();
  return {
    pid,
    change: async (changed) => {
      const { objects: read } = readObjectList(JSON.stringify(changed));
      objects = {
        ...objects,
        routes: replaced(objects.routes, read.routes),
        endpoints: replaced(objects.endpoints, read.endpoints),
      };
      await load();
    },
    [Symbol.asyncDispose]: async () => {
      const last = pid();
      process.kill(last, 'SIGTERM');
      await waitFor('HAProxy of the upstream way to end', () => !existsSync(`/proc/${last}`));
    },
  };
}

function replaced<T extends { readonly namespace: string; readonly uid?: string; readonly service?: string }>(
  list: readonly T[],
  changed: readonly T[],
): readonly T[] {
  const keyOf = ({ namespace, uid, service }: T): string => `${namespace} ${service ?? uid}`;
  const keys = new Set(changed.map(keyOf));
  return [...list.filter((each) => !keys.has(keyOf(each))), ...changed];
}
