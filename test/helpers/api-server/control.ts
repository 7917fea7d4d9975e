import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import type { ApiServer } from './api-server.ts';
import { applyState, faultChanges, state, storedObject } from './cluster-state.ts';
import type { ObjectStore } from './object-store.ts';

export interface ControlSettings {
  readonly port: number;
  readonly store: ObjectStore;
  readonly server: ApiServer;
}

/**
 * Plain HTTP on loopback to control a server process, with JSON bodies:
 * `PUT /state` replaces all objects and faults, `PUT /objects` sets one object, `DELETE /objects/Node/cp-1`,
 * `PUT /faults` changes some faults, `POST /expire`, `GET /served` counts requests, connections and watches.
 */
export async function startControl(settings: ControlSettings): Promise<{ readonly port: number }> {
  const server = createServer((request, response) => {
    control(request, settings).then(
      (body) => response.end(`${JSON.stringify(body)}\n`),
      (error) => response.writeHead(400).end(`${error}\n`),
    );
  });
  server.listen(settings.port, '127.0.0.1');
  await once(server, 'listening');
  return { port: z.parse(z.object({ port: z.number() }), server.address()).port };
}

async function control(request: IncomingMessage, { store, server }: ControlSettings): Promise<unknown> {
  const body = async () => JSON.parse(await text(request));
  const [, what, kind = '', name = ''] = (request.url ?? '').split('/').map(decodeURIComponent);
  switch (`${request.method} ${what}`) {
    case 'PUT state':
      await applyState(z.parse(state, await body()), store, server);
      return { version: store.version() };
    case 'PUT objects':
      store.set(z.parse(storedObject, await body()));
      return { version: store.version() };
    case 'DELETE objects':
      store.delete(kind, name);
      return { version: store.version() };
    case 'PUT faults':
      await server.setFaults(z.parse(faultChanges, await body()));
      return {};
    case 'POST expire':
      store.expire();
      return { version: store.version() };
    case 'GET served':
      return server.served();
    default:
      throw new Error(
        `Cannot control "${request.method} ${request.url}": expected a path named in control.ts`,
      );
  }
}
