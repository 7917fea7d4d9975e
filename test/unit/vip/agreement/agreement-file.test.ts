import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAgreement } from '../../../../src/vip/agreement/settings-agreement-file.ts';

test("the shell pods' file is understood", () => {
  expect(parseAgreement('mode: unicast\n')).toEqual({ kind: 'agreement', agreement: { mode: 'unicast' } });
});

test('an interval for all nodes is understood', () => {
  const outcome = parseAgreement('advertInterval: 20ms\n');
  expect(outcome).toEqual({ kind: 'agreement', agreement: { advertIntervalMs: 20 } });
});

test('a profile, and the same moment in any zone', () => {
  const text = (at: string) => `# to the fast profile\nprofile: fast\nat: ${at}\n`;
  const agreement = { profile: 'fast', atMs: Date.UTC(2026, 10, 21, 12) };
  for (const time of ['2026-11-21T12:00:00Z', '"2026-11-21T12:00:00.000Z"', '2026-11-21T13:00:00+01:00'])
    expect(parseAgreement(text(time))).toEqual({ kind: 'agreement', agreement });
});

test.each([
  ['', 'it is empty, expected YAML such as'],
  ['# mode: unicast\n', 'it is empty'],
  ['mode: unicats', 'its mode is "unicats", expected unicast or multicast'],
  ['mode:', 'its mode is null, expected unicast or multicast'],
  ['profile: slow', 'its profile is "slow", expected fast or openshift'],
  ['mode: unicast\nmod', 'it is no YAML (Implicit map keys'],
  ['mode: unicast\nmode: multicast', 'it is no YAML (Map keys must be unique'],
  ['mode: unicast\n---\nmode: multicast', 'it is no YAML'],
  ['mode: &a unicast\nprofile: *a', 'it is no YAML'],
  ['mode: unicast\nwhen: 2026-11-21T12:00:00Z', 'it has "when", expected'],
  ['- unicast', 'it is no list of names and values'],
  ['unicast', 'it is no list of names and values'],
  ['at: 2026-11-21T12:00:00Z', 'it names neither mode, profile nor advertInterval'],
  ['advertInterval: 15ms', 'its advertInterval is "15ms", expected 10ms to 40950ms in steps of 10ms'],
  ['advertInterval: 20', 'its advertInterval is 20, expected 10ms'],
  ['profile: fast\nat: 2026-11-21T12:00:00', 'its at is "2026-11-21T12:00:00", expected a time such as'],
  ['profile: fast\nat: 2026-11-2', 'its at is "2026-11-2"'],
  ['profile: fast\nat: 2026-13-45T12:00:00Z', 'its at is "2026-13-45T12:00:00Z"'],
  ['profile: fast\nat: 1795262400', 'its at is 1795262400'],
])('%j is not guessed at', (text, problem) => {
  const outcome = parseAgreement(text);
  expect(outcome).toMatchObject({ kind: 'unusable' });
  expect(outcome.kind === 'unusable' && outcome.problem).toContain(problem);
});

test('whatever was written, nothing is thrown and the problem is one short line', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2_000 }), (text) => {
      const outcome = parseAgreement(text);
      if (outcome.kind === 'unusable') expect(outcome.problem).toMatch(/^[^\n]{1,600}$/);
    }),
  );
});
