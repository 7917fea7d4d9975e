import { expect, test } from 'vitest';
import { parseNotification } from '../../../src/keepalived/notify-fifo.ts';

test.each([
  ['INSTANCE "API" MASTER 230', { name: 'API', what: 'MASTER', priority: 230 }],
  ['INSTANCE "API" BACKUP_PRIORITY 190', { name: 'API', what: 'BACKUP_PRIORITY', priority: 190 }],
  ['INSTANCE "A B" MASTER_RX_LOWER_PRI 210\r', { name: 'A B', what: 'MASTER_RX_LOWER_PRI', priority: 210 }],
])('%s', (line, expected) => {
  expect(parseNotification(line)).toEqual(expected);
});

test.each([
  '',
  'INSTANCE "API" MASTER',
  'INSTANCE API MASTER 230',
  'VS [10.0.0.1] UP',
  'GROUP "BOTH" FAULT 0',
])('any other line is ignored: %j', (line) => {
  expect(parseNotification(line)).toBeUndefined();
});
