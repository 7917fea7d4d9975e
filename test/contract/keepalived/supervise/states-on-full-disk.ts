/**
 * `node states-on-full-disk.ts DIRECTORY`: writes the state file, fills the disk of DIRECTORY, and writes other priorities, as the
 * same and as a restarted supervisor, and then another state. Prints the state in the file after each write.
 */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InstanceState } from '../../../../src/keepalived/vip-presence.ts';
import { createStateFile, readStateFile } from '../../../../src/keepalived/vrrp-state-file.ts';

const [directory = ''] = process.argv.slice(2);
const path = join(directory, 'vrrp-state.json');
const instance = (state: InstanceState['state'], priority: number): InstanceState => ({
  name: 'API',
  state,
  priority,
  since: 0,
});
const stateOf = (): string => readStateFile(path)[0]?.state ?? 'none';

const first = createStateFile(path, () => {});
first.write([instance('MASTER', 240)], 0);
const before = stateOf();
const { ino } = statSync(path);
try {
  for (let part = 0; part < 100; part += 1) writeFileSync(join(directory, `fill-${part}`), 'x'.repeat(4_096));
} catch {
  // The disk is full.
}
const restarted = createStateFile(path, () => {});
const otherPriorities = [210, 240, 210].flatMap((priority) =>
  [first, restarted].map((file) => {
    file.write([instance('MASTER', priority)], 0);
    return stateOf();
  }),
);
const isReplaced = statSync(path).ino !== ino;
restarted.write([instance('BACKUP', 210)], 0);
process.stdout.write(JSON.stringify({ before, otherPriorities, isReplaced, after: stateOf() }));
