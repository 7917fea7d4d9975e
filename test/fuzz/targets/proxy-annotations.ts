import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import fc from 'fast-check';
import { recordNamesOf } from '../../../src/pod-proxy/dns/record-names.ts';
import { downstreamEndpoints, downstreamPods, hostsOf } from '../../../src/pod-proxy/hosts.ts';
import { readOwnPod, readPod } from '../../../src/pod-proxy/pod/pod.ts';
import { requestsIn } from '../../../src/pod-proxy/requests.ts';
import { readSlice } from '../../../src/pod-proxy/resources.ts';
import { databaseIn } from '../../../src/pod-proxy/statistics.ts';
import { jsonNear, textNear } from '../hostile.ts';
import { attackWith, type Target, withoutWorld } from '../target.ts';

const annotations = {
  'hawser.dev/config-map': 'proxy/haproxy.cfg',
  'hawser.dev/hosts': 'app=web,tier in (a,b)',
  'hawser.dev/certs': 'web, api',
  'hawser.dev/route53': 'www.example.com, example.org',
  'hawser.dev/opentsdb': 'tsdb.example:4242',
  'hawser.dev/master': 'proxy.shop.svc',
};
const pod = (name: string, address: string) => ({
  metadata: { name, namespace: 'shop', uid: name, labels: { app: name }, annotations },
  status: { podIP: address, conditions: [{ type: 'Ready', status: 'True' }] },
});
const slice = {
  metadata: { labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.2'], conditions: { ready: true }, targetRef: { name: 'web-1' } }],
};

const cases = fc.record({
  own: jsonNear([pod('proxy', '10.0.0.1')]),
  objects: fc.array(jsonNear([pod('web', '10.0.0.2'), pod('db', 'fd00::2'), slice]), { maxLength: 4 }),
  texts: fc.record(
    Object.fromEntries(Object.entries(annotations).map(([name, text]) => [name, textNear([text])])),
  ),
});

const name = /^[a-z0-9][-a-z0-9.]*$/;

export const proxyAnnotations: Target = {
  name: 'proxy-annotations',
  claim: 'what pods and EndpointSlices say to the pod proxy gives names and addresses, or a reason',
  open: withoutWorld(
    attackWith(cases, ({ own: object, objects, texts }) => {
      const own = readOwnPod(object);
      if (own === undefined) return;
      const pods = objects.map(readPod).filter((each) => each !== undefined);
      const slices = objects.map(readSlice).filter((each) => each !== undefined);
      const found = { ...hostsOf(downstreamPods(own, pods)), ...hostsOf(downstreamEndpoints(own, slices)) };
      for (const [group, addresses] of Object.entries(found)) {
        assert.match(group, /^[^\s'"#\\${}]+$/);
        for (const address of addresses) assert.notEqual(isIP(address), 0);
      }
      for (const asked of [own.annotations, texts]) mustBeNames(asked);
    }),
  ),
};

function mustBeNames(asked: Readonly<Record<string, string>>): void {
  const { config, certs, hosts } = requestsIn(asked);
  if (config.kind === 'config-map') assert.match(`${config.name}/${config.key}`, /^[-a-z0-9.]+\/[\w.-]+$/);
  if (certs.kind === 'secrets') for (const each of certs.names) assert.match(each, name);
  for (const wish of [config, certs, hosts])
    if (wish.kind === 'wrong') assert.match(wish.message, /^Cannot read annotation /);
  const database = databaseIn(asked);
  if (database.kind === 'at') assert.match(database.target.host, /^[\w.:-]+$/);
  const { names, problems } = recordNamesOf(asked);
  for (const each of names) assert.match(each, name);
  for (const each of problems) assert.match(each, /^Cannot publish /);
}
