import { expect, test } from 'vitest';
import { allJournals } from '../../../../src/commands/journal-words.ts';
import { journalEntryOf } from '../../../../src/engine/observe/journal/journal-events.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';

const told = (event: LogEvent) => {
  const entry = journalEntryOf(allJournals.events, event);
  return entry && [entry.kind, allJournals.phraseOf(entry)];
};

test('the journal keeps the events that explain a router or a pod proxy later', () => {
  expect(told({ event: 'route-left-out', route: 'shop:a', words: "unknown keyword 'x'" })).toEqual([
    ...['rejected', "route left out shop:a: unknown keyword 'x'"],
  ]);
  expect(told({ event: 'lease-acquired', name: 'hawser-router-public', identity: 'router-1' })).toEqual([
    ...['group', 'lease acquired hawser-router-public (identity router-1)'],
  ]);
  expect(told({ event: 'template-unusable', reason: 'TemplateRefused', message: 'line 3' })).toEqual([
    ...['rejected', 'template unusable TemplateRefused: line 3'],
  ]);
  expect(told({ event: 'template-unusable', message: 'line 3' })).toEqual([
    'rejected',
    'template unusable: line 3',
  ]);
});
