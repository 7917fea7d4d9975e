import { expect, test } from 'vitest';
import { messageOf } from '../../../../src/engine/system/errors.ts';

test('an error has a reason if every address of a name refused', () => {
  const refused = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}:6443`));
  expect(messageOf(new AggregateError(refused))).toBe(
    'connect ECONNREFUSED ::1:6443; connect ECONNREFUSED 127.0.0.1:6443',
  );
});
