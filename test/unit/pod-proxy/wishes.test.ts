import { expect, it } from 'vitest';
import { wishesOf } from '../../../src/pod-proxy/wishes.ts';

it('an annotation under an older name counts where hawser has none', () => {
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
  expect(wishesOf({})).toEqual({ config: { kind: 'none' }, hosts: { kind: 'pods' } });
  expect(wishesOf({ 'hawser.dev/config': ' \n', 'hawser.dev/hosts': '' })).toEqual(wishesOf({}));
});

it('a label selector chooses EndpointSlices', () => {
  expect(wishesOf({ 'hawser.dev/hosts': ' tier=front ' }).hosts).toEqual({
    kind: 'slices',
    labelSelector: 'tier=front',
  });
});
