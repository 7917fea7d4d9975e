import { expect, it } from 'vitest';
import { requestsIn } from '../../../src/pod-proxy/requests.ts';

it("an annotation with an older name applies if hawser's is missing", () => {
  expect(requestsIn({ 'haproxy.unity3d.com/config': 'old' }).config).toEqual({
    kind: 'annotation',
    text: 'old',
  });
  expect(requestsIn({ 'haproxy.unity3d.com/config': 'old', 'hawser.dev/config': 'new' }).config).toEqual({
    kind: 'annotation',
    text: 'new',
  });
});

it('a template keeps its leading lines, so that line numbers in messages match', () => {
  expect(requestsIn({ 'hawser.dev/config': '\n\nfrontend a\n' }).config).toMatchObject({
    text: '\n\nfrontend a\n',
  });
});

it('a ConfigMap can contain the template', () => {
  expect(requestsIn({ 'hawser.dev/config-map': 'proxy' }).config).toEqual({
    kind: 'config-map',
    name: 'proxy',
    key: 'haproxy.cfg',
  });
  expect(requestsIn({ 'hawser.dev/config-map': 'proxy/main' }).config).toMatchObject({ key: 'main' });
});

it('missing and empty annotations request nothing', () => {
  expect(requestsIn({})).toEqual({
    config: { kind: 'none' },
    hosts: { kind: 'pods' },
    certs: { kind: 'secrets', names: [] },
  });
  expect(requestsIn({ 'hawser.dev/config': ' \n', 'hawser.dev/hosts': '' })).toEqual(requestsIn({}));
});

it('a label selector selects EndpointSlices', () => {
  expect(requestsIn({ 'hawser.dev/hosts': ' tier=front ' }).hosts).toEqual({
    kind: 'slices',
    labelSelector: 'tier=front',
  });
});

it('Secrets are sorted and unique', () => {
  expect(requestsIn({ 'hawser.dev/certs': 'web, api.example,\nweb' }).certs).toEqual({
    kind: 'secrets',
    names: ['api.example', 'web'],
  });
});

it.each([
  ['hosts', 'app==web,'],
  ['hosts', 'service web'],
  ['config-map', 'name=a,b/key'],
  ['config-map', 'Proxy'],
  ['config-map', 'proxy/../key'],
  ['certs', 'web,../etc'],
  ['certs', Array.from({ length: 51 }, (_, index) => `web-${index}`).join()],
])('an invalid value of %s, "%s", is refused with both in the message', (annotation, text) => {
  const wrong = Object.values(requestsIn({ [`hawser.dev/${annotation}`]: text })).find(
    ({ kind }) => kind === 'wrong',
  );
  expect(wrong?.message).toContain(`annotation ${annotation} "${text}": it is not `);
});
