import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Before } from '../../../../src/keepalived/participation-note.ts';
import { silentTrackValue, standIn } from '../../../../src/keepalived/stand-in.ts';
import { TRACK, withoutBonus } from '../../../../src/keepalived/track-value.ts';
import {
  type ListFact,
  nextBefore,
  notedUntil,
  type ParticipationFacts,
  participation,
  type RouterIdFact,
  type SegmentFact,
} from '../../../../src/vip/participation/participation.ts';
import { runs } from '../../../helpers/property-seed.ts';

const ms = fc.integer({ min: 0, max: 120_000 });
const lists = fc.oneof(
  fc.constantFrom<ListFact>({ kind: 'none' }, { kind: 'settling' }),
  fc.record({
    kind: fc.constant('accepted' as const),
    since: ms,
    names: fc.constantFrom('us', 'others'),
    sameAsLastRun: fc.boolean(),
  }),
) as fc.Arbitrary<ListFact>;
const segments: fc.Arbitrary<SegmentFact> = fc.oneof(
  fc.constantFrom<SegmentFact>({ kind: 'unobservable' }, { kind: 'free' }, { kind: 'unheard' }),
  fc.record({ kind: fc.constant('unknown' as const), until: ms }),
  fc.record({ kind: fc.constant('heard' as const), since: ms }),
);
const routerIds: fc.Arbitrary<RouterIdFact> = fc.oneof(
  fc.constantFrom<RouterIdFact>({ kind: 'free' }, { kind: 'conflict' }),
  fc.record({ kind: fc.constant('listening' as const), until: ms }),
);
const befores = fc.constantFrom<Before>('nothing', 'admitted', 'removed');
const anyFacts: fc.Arbitrary<ParticipationFacts> = fc.record({
  startedAt: ms,
  before: befores,
  list: lists,
  applied: fc.boolean(),
  segment: segments,
  routerId: routerIds,
  sourceAddress: fc.constantFrom('present', 'missing'),
  peers: fc.constantFrom('all-back-without-api', 'unknown'),
});

const isNamed = ({ list }: ParticipationFacts) => list.kind === 'accepted' && list.names === 'us';
const isRemoval = ({ list }: ParticipationFacts) => list.kind === 'accepted' && list.names === 'others';

/** Many runs, because they are cheap and the interesting facts are rare. */
const check = (
  property: (facts: ParticipationFacts, now: number) => void,
  ...examples: fc.Arbitrary<number>[]
) => fc.assert(fc.property(anyFacts, examples[0] ?? ms, property), { numRuns: runs(5_000) });

test('a removed node is in only once an accepted list that does not leave it out is applied', () => {
  check((facts, now) => {
    if (facts.before !== 'removed' || participation(facts, now).state !== 'in') return;
    expect(facts.list.kind).toBe('accepted');
    expect(isRemoval(facts)).toBe(false);
    expect(facts.applied).toBe(true);
  });
});

test('a removed node is re-admitted after 10 s of adverts, or if the VIP is free', () => {
  check((facts, now) => {
    const { before, segment, list } = facts;
    if (before !== 'removed' || participation(facts, now).state !== 'in' || list.kind !== 'accepted') return;
    expect(segment.kind).not.toBe('unheard');
    if (segment.kind === 'heard')
      expect(now - Math.max(segment.since, list.since)).toBeGreaterThanOrEqual(10_000);
    if (segment.kind === 'unobservable') expect(now - list.since).toBeGreaterThanOrEqual(30_000);
  });
});

test('an admitted node leaves only if a list lacks it or its source address is missing', () => {
  check((facts, now) => {
    if (facts.before !== 'admitted') return;
    const isOut = isRemoval(facts) || facts.sourceAddress === 'missing';
    expect(participation(facts, now).state).toBe(isOut ? 'out' : 'in');
  });
});

test('a node without the source address that its peers know is out, whatever its history', () => {
  check((facts, now) => {
    expect(participation({ ...facts, sourceAddress: 'missing' }, now).state).toBe('out');
  });
});

test('a router id conflict keeps a node out until it is admitted or the check is overridden', () => {
  check((facts, now) => {
    if (isRemoval(facts) || facts.sourceAddress === 'missing') return;
    const conflict = participation({ ...facts, routerId: { kind: 'conflict' } }, now);
    const isAdmitted = facts.before === 'admitted';
    expect(conflict).toEqual(isAdmitted ? { state: 'in' } : { state: 'out', reason: 'router-id-conflict' });
    const free = participation({ ...facts, routerId: { kind: 'free' } }, now);
    expect(free).not.toMatchObject({ reason: 'router-id-conflict' });
  });
});

test('a wait ends in the future, and only a removed node may wait without an end', () => {
  check((facts, now) => {
    const decided = participation(facts, now);
    if (decided.state !== 'waiting') return;
    expect(decided.until).toBeGreaterThan(now);
    if (Number.isFinite(decided.until)) return;
    const { before, list, applied, segment } = facts;
    expect(before).toBe('removed');
    expect(list.kind !== 'accepted' || !applied || segment.kind === 'unheard').toBe(true);
  });
});

test('a node whose wait has ended is in, or out because of an unheard holder', () => {
  check((facts, now) => {
    const decided = participation(facts, now);
    if (decided.state !== 'waiting' || !Number.isFinite(decided.until)) return;
    const after = participation(facts, decided.until);
    const isUnheard = facts.segment.kind === 'unheard' && facts.list.kind !== 'accepted';
    expect(after).toEqual(isUnheard ? { state: 'out', reason: 'vip-held-by-unheard-host' } : { state: 'in' });
  });
});

test('a node without an API server stays out while an unheard host holds the VIP', () => {
  check((facts, now) => {
    if (facts.before !== 'nothing' || facts.segment.kind !== 'unheard') return;
    const decided = participation({ ...facts, list: { kind: 'none' } }, facts.startedAt + 60_000 + now);
    expect(decided.state).not.toBe('in');
  });
});

test.each<[string, number, Partial<ParticipationFacts>]>([
  ['all nodes back without an API server', 1_500, { peers: 'all-back-without-api' }],
  ['no API server', 10_000, {}],
  ['a list that never settles', 30_000, { list: { kind: 'settling' } }],
  ['the list of the last run', 1_000, { list: accepted('us', true), applied: true }],
  ['a new list', 3_000, { list: accepted('us', false), applied: true }],
  ['a refused configuration', 10_000, { list: accepted('us', false) }],
])('with %s and a free VIP, a node competes after %i ms and not before', (_what, afterMs, changes) => {
  const facts: ParticipationFacts = {
    startedAt: 0,
    before: 'nothing',
    list: { kind: 'none' },
    applied: false,
    segment: { kind: 'free' },
    routerId: { kind: 'free' },
    sourceAddress: 'present',
    peers: 'unknown',
    ...changes,
  };
  expect(participation(facts, afterMs - 1)).toMatchObject({ state: 'waiting', until: afterMs });
  expect(participation(facts, afterMs)).toEqual({ state: 'in' });
});

function accepted(names: 'us', sameAsLastRun: boolean): ListFact {
  return { kind: 'accepted', since: 0, names, sameAsLastRun };
}

test('a node with an accepted list waits 30 s for a holder that is not heard', () => {
  check((facts, now) => {
    if (facts.list.kind !== 'accepted' || facts.before !== 'nothing' || !isNamed(facts)) return;
    if (facts.segment.kind !== 'unheard' || participation(facts, now).state !== 'in') return;
    expect(now - facts.list.since).toBeGreaterThanOrEqual(30_000);
  });
});

test('a restart of the monitor changes only decisions that depend on its start time', () => {
  check((facts, now) => {
    const decided = participation(facts, now);
    const before = nextBefore(facts.before, decided);
    const restarted = { ...facts, before, startedAt: now };
    const again = participation(restarted, now);
    if (decided.state === 'in') expect(again).toEqual({ state: 'in' });
    if (decided.state === 'out' && decided.reason === 'removed') expect(again).toEqual(decided);
    if (facts.before === 'removed') expect(again).toEqual(decided);
  });
});

test('a supervisor keeps a node in FAULT that is out, was removed, or waits', () => {
  fc.assert(
    fc.property(anyFacts, ms, ms, fc.boolean(), fc.boolean(), (facts, now, laterMs, holder, healthy) => {
      const decided = participation(facts, now);
      const noted = { state: decided.state, until: notedUntil(decided, facts) };
      const value = standIn(noted, TRACK.fault, { holder, healthy, nowMs: now + laterMs });
      const isKept =
        decided.state === 'out' ||
        (decided.state === 'waiting' &&
          (facts.before === 'removed' || facts.segment.kind === 'unheard' || now + laterMs < decided.until));
      if (isKept) expect(value).toBe(TRACK.fault);
      else expect(value).toBeGreaterThan(TRACK.fault);
    }),
    { numRuns: runs(5_000) },
  );
});

const values = fc.constantFrom(...Object.values(TRACK).filter((value) => value > TRACK.fault));

test("a supervisor's value never exceeds its monitor's last one, apart from the holder's bonus", () => {
  fc.assert(
    fc.property(values, fc.boolean(), fc.boolean(), ms, (last, holder, healthy, nowMs) => {
      const value = standIn({ state: 'in', until: null }, last, { holder, healthy, nowMs });
      expect(value - (holder ? TRACK.healthyHolder : 0)).toBeLessThanOrEqual(withoutBonus(last));
      if (!healthy) expect(value).toBe(silentTrackValue(last, holder));
    }),
  );
});
