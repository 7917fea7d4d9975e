import { backendPrefix, type RouteBackend } from '../../../src/router/model.ts';

/** A backend as a test needs it, with everything else as it is by default. */
export function backendOf(some: Partial<RouteBackend> & { readonly key: string }): RouteBackend {
  const kind = some.kind ?? 'http';
  return {
    name: `${backendPrefix[kind]}:${some.key}`,
    kind,
    host: 'app.example.com',
    wildcard: false,
    path: '',
    insecure: 'None',
    balance: 'random',
    servers: [],
    timeouts: {},
    forwarded: 'append',
    headers: { request: [], response: [] },
    adjustCase: false,
    remarks: [],
    ...some,
  };
}
