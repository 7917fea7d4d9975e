import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fromJSONSchema } from 'zod';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { type JournalDirectory, journalDirectory, moves } from '../../helpers/journal-directory.ts';
import { hawser } from '../../helpers/supervisor-build.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { hawserAsNobody } from '../../helpers/unprivileged.ts';

const published = fromJSONSchema(
  JSON.parse(readFileSync(new URL('../../../schemas/timeline.schema.json', import.meta.url), 'utf8')),
);
const supervisor = 'keepalived-supervisor';

async function timeline(...flags: readonly string[]) {
  return await runCommand([hawser, 'timeline', '--utc', ...flags], { timeoutMs: 60_000 });
}
/** The holder's HAProxy dies, and the VIP moves to the next node. */
function failover(): readonly [JournalDirectory, JournalDirectory] {
  const first = journalDirectory();
  const second = journalDirectory();
  const move = { event: 'vrrp-transition', instance: 'API' };
  first.tell('keepalived-monitor', [
    { event: 'haproxy-health-changed', kind: 'api', liveness: 'dead' },
    { event: 'track-value-changed', kind: 'api', before: 30, value: -254 },
  ]);
  first.tell(supervisor, [
    { ...move, from: 'MASTER', to: 'FAULT', priority: 1, reason: 'this node cannot serve' },
  ]);
  second.tell(
    supervisor,
    [{ ...move, from: 'BACKUP', to: 'MASTER', priority: 249, reason: 'no better advert' }],
    'cp-2',
  );
  return [first, second];
}

test('the timeline of two nodes names the old holder, the new one and the reason', async () => {
  const [first, second] = failover();
  const { stdout, exitCode } = await timeline('--journal', first.path, '--journal', second.path);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/ cp-1 vip +API MASTER → FAULT: this node cannot serve/);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('← health of api → dead; track value of api 30 → -254;');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('← cp-1 left MASTER: this node cannot serve');
  expect(stdout).toContain('all 3 journals are intact');
  expect(stdout).not.toContain('\u001b');
});

test('--json matches the published schema, for a whole and for a broken journal', async () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(3));
  const read = async () => {
    const { stdout, exitCode } = await timeline('--json', '--journal', directory.path);
    const report: unknown = JSON.parse(stdout);
    expect(published.safeParse(report)).toMatchObject({ success: true });
    return { report, exitCode };
  };
  const whole = await read();
  expect(whole).toMatchObject({ exitCode: 0, report: { verdict: 'whole', entries: [{}, {}, {}] } });
  expect(published.safeParse({ ...Object(whole.report), verdict: 'fine' })).toMatchObject({ success: false });
  directory.tamper(supervisor, (lines) => lines.toSpliced(1, 1));
  expect(await read()).toMatchObject({
    exitCode: 1,
    report: { verdict: 'broken', entries: [{ kind: 'vip' }, { kind: 'fault', line: 2 }, { kind: 'vip' }] },
  });
});

test('a missing line is reported in its place, and at the end whatever is shown', async () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(4));
  directory.tell('haproxy-supervisor', [{ event: 'supervisor-started' }]);
  directory.tamper(supervisor, (lines) => lines.toSpliced(1, 1));
  const shown = await timeline('--journal', directory.path);
  expect(shown.exitCode).toBe(1);
  expect(shown.stdout).toMatch(/^!! +BROKEN +line 2 of keepalived-supervisor\.0{11}1\.jsonl:\s/m);
  const nothing = await timeline('--journal', directory.path, '--since', 'all', '--until', '1h');
  expect(nothing.exitCode).toBe(1);
  const [path = ''] = directory.files(supervisor);
  expect(nothing.stdout.replaceAll(/\s+/g, ' ')).toContain(
    `BROKEN: ${supervisor} of cp-1: line 2 of ${path}: entry 3, expected 2, 1 missing before it`,
  );
});

test('--kind, --since and --until filter the entries, and the whole journal is still checked', async () => {
  const [directory] = failover();
  const kinds = await timeline('--journal', directory.path, '--kind', 'vip,reload');
  expect(kinds.stdout).toContain('1 entry in this period');
  const earlier = await timeline('--journal', directory.path, '--until', '1h', '--since', 'all');
  expect(earlier.stdout).toBe('no entries in this period; all 2 journals are intact\n');
});

test('a journal that only a container sees is read through /proc, and only once if it is named twice', async () => {
  const directory = journalDirectory();
  directory.tell(supervisor, moves(1));
  const script = 'mount -t tmpfs tmpfs "$2" && cp -r "$1" "$2/journal" && echo mounted && read -r _';
  const place = testFolder();
  const argv = ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', directory.path, place];
  const container = spawn('unshare', argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(container, 'exit');
  await once(container.stdout, 'data');
  const path = `/proc/${container.pid}/root${place}/journal`;
  const { stdout } = await timeline('--journal', path, '--journal', path);
  container.stdin.end();
  await ended;
  expect(stdout).toContain('1 entry in this period; the journal is intact');
});

test('no journal, an unreadable one and wrong usage differ from a journal without events', async () => {
  const nowhere = await timeline('--journal', '/nowhere');
  expect(nowhere.exitCode).toBe(2);
  expect(nowhere.stdout).toContain('cannot tell: /nowhere: there is no such directory');
  const closed = journalDirectory();
  closed.tell(supervisor, moves(1));
  const argv = [...hawserAsNobody(), 'timeline', '--journal', closed.path] as const;
  expect(await runCommand(argv, { timeoutMs: 60_000 })).toMatchObject({
    exitCode: 2,
    stdout: `no entries in this period\ncannot tell: ${closed.path}: it cannot be read, expected root\n`,
  });
  const wrong = await timeline('--since', 'yesterday', '--kind', 'vips');
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toMatch(/^Cannot use --since "yesterday": expected a time ago such as 90m/);
  expect(wrong.stderr).toMatch(/^Cannot use --kind "vips": expected vip, /m);
  expect((await timeline('--since', '1h', '--until', '2h')).stderr).toMatch(/it is before --since/);
});

test('--help has examples and exit codes', async () => {
  const { stdout, exitCode } = await timeline('--help');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('Examples:');
  expect(stdout).toContain('Exit codes: 0 all journals are intact');
});

test("full journals are read within hawser's memory limit", async () => {
  const directory = journalDirectory();
  directory.fill(['haproxy-monitor', 'haproxy-supervisor', 'keepalived-monitor', supervisor]);
  const flags = ['--since', 'all', '--kind', 'reload', '--journal', directory.path];
  const { stdout, exitCode, stderr } = await timeline(...flags);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain('all 4 journals are intact');
});
