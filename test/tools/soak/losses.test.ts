import { expect, test } from 'vitest';
import { lossesOf } from '../../soak/losses.ts';

const move = { fromMs: 1_000, toMs: 2_000 };
const lost = (startedAtMs: number, atMs = startedAtMs + 1) =>
  ({ kind: 'lost', startedAtMs, atMs, reason: 'timeout' }) as const;
const cut = (atMs: number) => ({ kind: 'cut', openedAtMs: 0, atMs }) as const;

test('failures during a VIP move are counted apart from all others', () => {
  const events = [lost(500), lost(1_500), lost(2_500), cut(1_500), cut(1_700), cut(3_000)];
  expect(lossesOf(events, [move])).toEqual({
    lost: { atMoves: 1, otherwise: 2 },
    cut: { atMoves: 2, otherwise: 1 },
    reasons: ['3 timeout'],
  });
});

test('a connection belongs to the move in which it began, however late it was given up', () => {
  expect(lossesOf([lost(1_900, 6_900)], [move]).lost).toEqual({ atMoves: 1, otherwise: 0 });
});

test('without a move nothing is excused', () => {
  expect(lossesOf([lost(1_500), cut(1_500)], [])).toMatchObject({
    lost: { atMoves: 0, otherwise: 1 },
    cut: { atMoves: 0, otherwise: 1 },
  });
});
