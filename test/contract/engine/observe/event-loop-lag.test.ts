import { test } from 'vitest';
import { watchEventLoop } from '../../../../src/engine/observe/event-loop-lag.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

test('a loop that was blocked for half a second reports it', async () => {
  const lags: number[] = [];
  watchEventLoop((seconds) => void lags.push(seconds));
  await waitFor('a first look', () => lags.length > 0);
  const end = performance.now() + 500;
  while (performance.now() < end);
  await waitFor('the lag', () => lags.some((lag) => lag >= 0.4));
});
