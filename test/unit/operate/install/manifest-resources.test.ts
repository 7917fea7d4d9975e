import { expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { ConfigError } from '../../../../src/engine/system/errors.ts';
import { checkResources, quantityOf } from '../../../../src/operate/install/manifest.ts';

test.each([
  ['128Mi', 134_217_728],
  ['0.5Gi', 536_870_912],
  ['200m', 0.2],
  ['1', 1],
  [2, 2],
  ['1e3', 1_000],
  ['1E', 1e18],
  ['-1', undefined],
  ['12MB', undefined],
  ['', undefined],
])('the quantity %j is %j', (text, value) => {
  expect(quantityOf(text)).toBe(value);
});

function problemsOf(resources: object): readonly string[] {
  const document = parseDocument(JSON.stringify({ spec: { containers: [{ name: 'haproxy', resources }] } }));
  try {
    checkResources(document, 'haproxy');
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

test('a limit below the request is refused with both values', () => {
  const requests = { cpu: '50m', memory: '128Mi' };
  expect(problemsOf({ requests, limits: { memory: '44Mi' } })).toEqual([
    expect.stringMatching(/^Cannot use resources\.limits\.memory "44Mi" .*below the request \(128Mi\)/),
  ]);
  expect(problemsOf({ requests, limits: { memory: '44Mi', cpu: 0.04 } })).toHaveLength(2);
  expect(problemsOf({ requests, limits: { memory: '134217728', cpu: '0.05' } })).toEqual([]);
});

test('a request or a limit alone is accepted', () => {
  expect(problemsOf({ limits: { memory: '44Mi' } })).toEqual([]);
  expect(problemsOf({ requests: { memory: '44Mi' } })).toEqual([]);
});

test('a limit that is not a quantity is refused', () => {
  expect(problemsOf({ limits: { memory: '44MB' } })).toEqual([
    expect.stringContaining('it is not a quantity'),
  ]);
});
