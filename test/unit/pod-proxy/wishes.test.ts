import { expect, it } from 'vitest';
import { wishesOf } from '../../../src/pod-proxy/wishes.ts';

it("an annotation under an older name counts if hawser's is missing", () => {
  expect(wishesOf({ 'haproxy.unity3d.com/config': 'old' }).config).toEqual({
    kind: 'annotation',
    text: 'old',
  });
  expect(wishesOf({ 'haproxy.unity3d.com/config': 'old', 'hawser.dev/config': 'new' }).config).toEqual({
    kind: 'annotation',
    text: 'new',
  });
});

it('a template keeps its leading lines, so that HAProxy counts lines as its author does', () => {
  expect(wishesOf({ 'hawser.dev/config': '\n\nfrontend a\n' }).config).toMatchObject({
    text: '\n\nfrontend a\n',
  });
});

it('a ConfigMap holds what is too long for an annotation', () => {
  expect(wishesOf({ 'hawser.dev/config-map': 'proxy' }).config).toEqual({
    kind: 'config-map',
    name: 'proxy',
    key: 'haproxy.cfg',
  });
  expect(wishesOf({ 'hawser.dev/config-map': 'proxy/main' }).config).toMatchObject({ key: 'main' });
});

it('nothing is asked for without annotations, and of empty ones', () => {
  expect(wishesOf({})).toEqual({
    config: { kind: 'none' },
    hosts: { kind: 'pods' },
    certs: { kind: 'secrets', names: [] },
  });
  expect(wishesOf({ 'hawser.dev/config': ' \n', 'hawser.dev/hosts': '' })).toEqual(wishesOf({}));
});

it('a label selector chooses EndpointSlices', () => {
  expect(wishesOf({ 'hawser.dev/hosts': ' tier=front ' }).hosts).toEqual({
    kind: 'slices',
    labelSelector: 'tier=front',
  });
});

it('Secrets are named in any order, and once', () => {
  expect(wishesOf({ 'hawser.dev/certs': 'web, api.example,\nweb' }).certs).toEqual({
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
])('what %s cannot mean, "%s", is wrong, and the message names both', (annotation, text) => {
  const wrong = Object.values(wishesOf({ [`hawser.dev/${annotation}`]: text })).find(
    ({ kind }) => kind === 'wrong',
  );
  expect(wrong?.message).toContain(`annotation ${annotation} "${text}": it is not `);
});
