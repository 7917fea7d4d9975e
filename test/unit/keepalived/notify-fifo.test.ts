import { expect, test } from 'vitest';
import { parseNotification } from '../../../src/keepalived/notify-fifo.ts';

test.each([
  ['INSTANCE "API" MASTER 230', { subject: 'INSTANCE', name: 'API', what: 'MASTER', priority: 230 }],
  [
    'INSTANCE "API" BACKUP_PRIORITY 190',
    { subject: 'INSTANCE', name: 'API', what: 'BACKUP_PRIORITY', priority: 190 },
  ],
  [
    'INSTANCE "A B" MASTER_RX_LOWER_PRI 210\r',
    { subject: 'INSTANCE', name: 'A B', what: 'MASTER_RX_LOWER_PRI', priority: 210 },
  ],
  ['GROUP "BOTH" FAULT 0', { subject: 'GROUP', name: 'BOTH', what: 'FAULT', priority: 0 }],
])('%s', (line, expected) => {
  expect(parseNotification(line)).toEqual(expected);
});

test.each(['', 'INSTANCE "API" MASTER', 'INSTANCE API MASTER 230', 'VS [10.0.0.1] UP'])(
  'anything else is passed over: %j',
  (line) => {
    expect(parseNotification(line)).toBeUndefined();
  },
);
