import { expect, test } from 'vitest';
import { wordsOf } from '../../../../src/engine/examine/section.ts';
import { podProxyProblems, podProxySection } from '../../../../src/pod-proxy/status/pod-proxy-section.ts';
import { podProxySays } from '../../../helpers/status-samples.ts';
import { podProxyHere } from '../../../helpers/status-scenes.ts';

const withStatus = (part: Partial<typeof podProxySays>) => ({
  ...podProxyHere,
  podProxy: { ...podProxySays, ...part },
});
const partWith = (part: Partial<typeof podProxySays>) => podProxySection(withStatus(part)).parts[0];
const problemsOf = (part: Partial<typeof podProxySays>) =>
  podProxyProblems(withStatus(part)).map(({ text }) => text);

test('a served template has no problem, whatever the last problem was', () => {
  expect(problemsOf({})).toEqual([]);
  expect(partWith({})?.summary).toEqual({ tone: 'good', words: 'serves 4 addresses of 2 groups' });
});

test('a refused template is a problem with its reason, while addresses are served', () => {
  const problem = { reason: 'ConfigurationRefused', message: 'HAProxy refuses it', detail: '[ALERT] line 4' };
  const lastChange = { cause: 'template-changed', result: 'rejected', message: 'again', agoMs: 1 };
  expect(problemsOf({ problem, lastChange })).toEqual([
    'the pod proxy does not serve everything in its annotations (ConfigurationRefused): HAProxy refuses it',
  ]);
  const part = partWith({ problem });
  expect(part?.summary?.tone).toBe('bad');
  expect(part?.facts?.find(({ name }) => name === 'Template')).toMatchObject({
    state: { words: 'ConfigurationRefused' },
    text: 'HAProxy refuses it',
    output: '[ALERT] line 4',
  });
});

test('DNS records are shown with their addresses, and their problems are reported', () => {
  const dns = { target: 'route53', names: ['www.bar.com'], addresses: ['203.0.113.1'], problems: [] };
  const factOf = (part: Partial<typeof podProxySays>) =>
    partWith(part)?.facts?.find(({ name }) => name === 'DNS');
  expect(factOf({})).toBeUndefined();
  expect(factOf({ dns })).toMatchObject({
    state: { tone: 'good', words: 'written by route53' },
    text: 'www.bar.com: 203.0.113.1',
  });
  expect(factOf({ dns: { ...dns, target: null, addresses: null } })).toMatchObject({
    state: { words: 'another replica writes' },
    text: 'www.bar.com',
  });
  const wrong = { ...dns, problems: ['Cannot find the zone'] };
  expect(factOf({ dns: wrong })).toMatchObject({ state: { tone: 'bad' }, text: 'Cannot find the zone' });
  expect(problemsOf({ dns: wrong })).toEqual([
    "the pod proxy's DNS records are not correct: Cannot find the zone",
  ]);
});

test('a proxy without addresses is an outage', () => {
  expect(problemsOf({ hosts: {} })).toEqual(['there is no ready pod behind the pod proxy']);
  expect(partWith({ hosts: {} })?.summary?.tone).toBe('bad');
  expect(problemsOf({ synced: false, hosts: null })).toEqual([
    'the pod proxy has not read its pod from the API yet',
  ]);
});

test('only the first groups and addresses are listed, but all are counted', () => {
  const addresses = Array.from({ length: 200 }, (_, index) => `10.1.0.${index}`);
  const hosts = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`g${index}`, addresses]));
  const part = partWith({ hosts });
  expect(part?.summary?.words).toBe('serves 10000 addresses of 50 groups');
  const rows = part?.tables?.[0]?.rows ?? [];
  expect(rows).toHaveLength(21);
  expect(wordsOf(rows[0]?.cells[1] ?? [])).toMatch(/^10\.1\.0\.0, .*10\.1\.0\.7 and 192 more$/);
  expect(wordsOf(rows.at(-1)?.cells[1] ?? [])).toBe('30 groups more');
});
