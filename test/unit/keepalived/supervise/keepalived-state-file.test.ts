import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createStateFile } from '../../../../src/keepalived/supervise/state-file.ts';

test('states that could not be written are written at the next look, and the failure is logged once', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-states-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'later', 'vrrp-state.json');
  const events: string[] = [];
  const file = createStateFile(path, ({ event }) => void events.push(event));
  const holder = [{ name: 'API', state: 'MASTER' as const, priority: 220, since: 0 }];
  file.write(holder, 1_000);
  file.write(holder, 2_000);
  expect(events).toEqual(['states-not-written']);

  mkdirSync(join(dir, 'later'));
  file.write(holder, 3_000);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
    instances: [{ name: 'API', state: 'MASTER' }],
  });
});
