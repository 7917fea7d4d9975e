import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLastKnown } from '../../src/engine/monitor/servers/last-known.ts';
import { parseJournalLine } from '../../src/engine/observe/journal/journal-line.ts';
import { openProcessRecord } from '../../src/engine/supervise/process-record.ts';
import { recordSchema as haproxyRecord } from '../../src/haproxy/supervise/record.ts';
import { readParticipationNote } from '../../src/keepalived/participation-note.ts';
import { recordSchema as keepalivedRecord } from '../../src/keepalived/supervise/processes.ts';
import { parseRecord, recordProblem } from '../../src/operate/install/record.ts';
import { readLocalVrrpRole } from '../../src/vip/group/local-vrrp-role.ts';
import { readOrderFile } from '../../src/vip/orders/order-file.ts';
import { testFolder } from '../helpers/test-folder.ts';

/** What a program does with a file written by another version of hawser: it uses it, or says why not. */
type Outcome = 'used' | 'ignored' | RegExp;
type Reader = (path: string) => string | undefined | Promise<string | undefined>;

const folder = join(import.meta.dirname, '../fixtures/state-files');
const text = (path: string): string => readFileSync(path, 'utf8');
const processes =
  (schema: Parameters<typeof openProcessRecord>[1]): Reader =>
  (path) => {
    const said: string[] = [];
    const { read } = openProcessRecord(path, schema, ({ event }) => void said.push(event), 'boot/1');
    return read() === undefined ? said.join() : undefined;
  };
const order: Reader = async (path) => {
  const found = await readOrderFile(path);
  return found.kind === 'unusable' ? found.message : undefined;
};
const lastKnown: Reader = async (path) => {
  const found = await readLastKnown(path);
  return found.kind === 'unusable' ? found.reason : undefined;
};
const installed: Reader = (path) =>
  parseRecord(text(path)) === undefined ? recordProblem(path, text(path)) : undefined;
const journal: Reader = (path) => (parseJournalLine(text(path)) === undefined ? '' : undefined);
const vrrpState: Reader = (path) => (readLocalVrrpRole(path, 'api', 2).role === 'holder' ? undefined : '');
/** The note is next to a track file. */
const participation: Reader = (path) => {
  const dir = testFolder();
  copyFileSync(path, join(dir, 'lb.participation.json'));
  return readParticipationNote(join(dir, 'lb.track')) === undefined ? '' : undefined;
};

/** One line for each file of test/fixtures/state-files. Version 0 is from commits before files had a version. */
const files: readonly (readonly [name: string, read: Reader, outcome: Outcome])[] = [
  ['haproxy-processes.v0', processes(haproxyRecord), 'used'],
  ['haproxy-processes.v1', processes(haproxyRecord), 'used'],
  ['haproxy-processes.v2', processes(haproxyRecord), /^record-of-another-version$/],
  ['installed.v1', installed, 'used'],
  [
    'installed.v2',
    installed,
    /it has version 2, expected 1: run this command with the image that is installed$/,
  ],
  ['journal-line.v0', journal, 'used'],
  ['journal-line.v1', journal, 'used'],
  ['journal-line.v2', journal, 'ignored'],
  ['keepalived-processes.v0', processes(keepalivedRecord), 'used'],
  ['keepalived-processes.v1', processes(keepalivedRecord), 'used'],
  ['keepalived-processes.v2', processes(keepalivedRecord), /^record-of-another-version$/],
  ['last-known.v1', lastKnown, 'used'],
  ['last-known.v2', lastKnown, /it is not a saved list of version 1/],
  ['participation.v1', participation, 'used'],
  ['participation.v2', participation, 'ignored'],
  ['vip-order-move.v1', order, 'used'],
  ['vip-order.v1', order, 'used'],
  ['vip-order.v2', order, /its "v" is missing or wrong/],
  ['vrrp-state.v0', vrrpState, 'used'],
  ['vrrp-state.v1', vrrpState, 'used'],
  ['vrrp-state.v2', vrrpState, 'ignored'],
];

test.each(files)(
  'the state file %s is used, or there is a reason why it is not',
  async (name, read, outcome) => {
    const reason = await read(join(folder, name));
    if (outcome === 'used') expect(reason).toBeUndefined();
    else expect(reason).toMatch(outcome === 'ignored' ? /^$/ : outcome);
  },
);

test('every fixture of a state file is read', () => {
  expect(files.map(([name]) => name)).toEqual(readdirSync(folder).toSorted());
});
