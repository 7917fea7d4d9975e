import { expect, test } from 'vitest';
import { createPollJudge, createView } from '../../../../../src/engine/system/network/watch-liveness.ts';

const starved = ['silent', 400] as const;

test('a poll whose timeout fired late proves nothing: the process had no CPU to read an answer', () => {
  const isProof = createPollJudge(300);
  expect([isProof('silent', 349), isProof('bad', 10), isProof(...starved)]).toEqual([true, true, false]);
});

test('a good answer is proof, however late it is read', () => {
  expect(createPollJudge(300)('good', 5_000)).toBe(true);
});

test('the eleventh starved poll in a row counts: permanent starvation does not hide a hang', () => {
  const isProof = createPollJudge(300);
  const polls = Array.from({ length: 12 }, () => isProof(...starved));
  expect(polls).toEqual([...Array(10).fill(false), true, true]);
});

test('a timely poll ends a series of starved ones', () => {
  const isProof = createPollJudge(300);
  for (let poll = 0; poll < 10; poll += 1) isProof(...starved);
  expect([isProof('silent', 300), isProof(...starved)]).toEqual([true, false]);
});

test.each([
  ['good good', ['serving']],
  ['good bad bad', ['serving', 'unready']],
  ['good silent silent', ['serving', 'hung']],
  ['good bad good', ['serving']],
  ['good silent silent good', ['serving', 'hung', 'serving']],
])('a connected server whose polls are %s is reported as %j', (polls, expected) => {
  const reported: string[] = [];
  const view = createView((liveness) => void reported.push(liveness));
  view.connected(true);
  for (const poll of polls.split(' ')) view.polled(poll as 'good');
  expect(reported).toEqual(expected);
  view.connected(false);
  expect(reported.at(-1)).toBe('dead');
});
