import { expect, test } from 'vitest';
import { selects } from '../../../../src/engine/kube/label-selector.ts';
import { parseFieldSelector } from '../../../../src/router/settings/router-settings.ts';

const fields = { 'metadata.name': 'web', 'spec.host': 'app.example.com', 'spec.path': '/a=b,c\\' };

test.each([
  ['', true],
  ['metadata.name=web', true],
  ['metadata.name==web,spec.host!=x.example.com', true],
  ['metadata.name=web,spec.host!=app.example.com', false],
  ['spec.path=/a\\=b\\,c\\\\', true],
  ['spec.path=/a\\=b\\,c\\\\,metadata.name!=web', false],
])('%j selects %j', (text, isSelected) => {
  const selector = parseFieldSelector(text);
  expect(selector && selects(selector, fields)).toBe(isSelected);
});

test.each(['spec.tls=a', 'spec.host', 'spec.host=a,', 'spec.host=a=b', 'spec.host=a\\b', 'spec.host in (a)'])(
  '%j is refused',
  (text) => {
    expect(parseFieldSelector(text)).toBeUndefined();
  },
);
