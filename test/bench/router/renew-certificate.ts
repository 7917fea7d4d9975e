import { X509Certificate } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { selfSigned } from '../../../src/router/render/default-certificate.ts';
import type { StoredObject } from '../../helpers/api-server/object-store.ts';
import { certificateOf, untilGood } from './ask-host.ts';
import { storedRoute } from './live-objects.ts';
import { type LiveScene, ports } from './live-scene.ts';
import { hostOf } from './objects.ts';

/** The Route with this number as an edge route with this key and certificate. */
export function routeWithCertificate(index: number, pem: string): StoredObject {
  const [key, certificate] = pem.split(/(?=-----BEGIN CERTIFICATE)/);
  const insecureEdgeTerminationPolicy = 'Allow';
  return storedRoute(index, {
    tls: { termination: 'edge', insecureEdgeTerminationPolicy, key, certificate },
  });
}

/**
 * How long each renewed certificate takes to reach clients, and how many reloads the renewals caused. The first certificate is new, not
 * renewed, and does not count. `betweenMs` is a pause for the remaining work after a change is served.
 */
export async function certificateRenewed(scene: LiveScene, index: number, count: number, betweenMs: number) {
  const times: number[] = [];
  let before = 0;
  for (let round = 0; round <= count; round += 1) {
    const pem = selfSigned(`round ${round}`, new Date());
    const { fingerprint256 } = new X509Certificate(pem);
    scene.store.set(routeWithCertificate(index, pem));
    const ask = () => certificateOf(ports.httpsPort, hostOf(index));
    times.push((await untilGood('the certificate', ask, (found) => found === fingerprint256)).ms);
    await pause(betweenMs);
    if (round === 0) before = (await scene.serving()).generation;
  }
  return { times: times.slice(1), reloads: (await scene.serving()).generation - before };
}
