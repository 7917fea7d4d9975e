import { expect, test } from 'vitest';
import { formatMissed, hasEpisode } from '../../faults/report.ts';

test('faults that could not be brought about are counted by kind, with the first reason', () => {
  const fault = { kind: 'fault', id: '1.1', name: 'bad-cable', variant: 'loss', node: 'cp-1' } as const;
  const missed = (variant: string, problem: string) =>
    ({ ...fault, variant, phase: 'missed', atMs: 2, problem }) as const;
  expect(formatMissed([{ ...fault, phase: 'start', atMs: 1 }])).toBe('');
  expect(formatMissed([missed('loss', 'no nft'), missed('slow', 'no tc'), missed('loss', 'no rule')])).toBe(
    'not brought about: 2 × bad-cable loss: no nft\nnot brought about: 1 × bad-cable slow: no tc',
  );
});

test('a run whose group never came to rest before a fault has shown nothing', () => {
  const rest = { kind: 'rest', atMs: 1, episode: 0, reached: false, missing: 'no holder' } as const;
  expect(hasEpisode([rest])).toBe(false);
  const episode = { kind: 'episode', atMs: 2, number: 1, plan: '' } as const;
  expect(hasEpisode([rest, episode])).toBe(true);
  expect([1, 2].map((number) => hasEpisode([rest, episode], number))).toEqual([true, false]);
});
