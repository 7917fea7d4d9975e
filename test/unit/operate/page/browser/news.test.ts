import { expect, test } from 'vitest';
import { newsOf } from '../../../../../src/operate/page/browser/news.ts';

const told = (entries: Readonly<Record<string, string>>) => new Map(Object.entries(entries));

test('only what has changed, is new or has gone is told', () => {
  const before = told({
    'VIP 192.0.2.100': 'held by cp-1',
    'API server cp-2': 'up',
    'API server cp-4': 'up',
  });
  const after = told({
    'VIP 192.0.2.100': 'held by cp-2',
    'API server cp-2': 'up',
    'API server cp-5': 'down',
  });
  expect(newsOf(before, after)).toBe(
    'VIP 192.0.2.100: held by cp-2. API server cp-5: down. API server cp-4 is gone.',
  );
  expect(newsOf(after, after)).toBe('');
});

test('a storm of changes is cut short', () => {
  const after = told(Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`API server ${n}`, 'down'])));
  const news = newsOf(told({}), after);
  expect(news.split('. ')).toHaveLength(7);
  expect(news).toMatch(/ And 194 more\.$/);
});
