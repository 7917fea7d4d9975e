import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { applySteps } from '../../../../src/operate/install/apply-steps.ts';
import { planFiles } from '../../../../src/operate/install/diff.ts';
import { diskReader } from '../../../../src/operate/install/disk.ts';
import type { DesiredFile, DesiredFolder } from '../../../../src/operate/install/layout.ts';
import { planText } from '../../../../src/operate/install/plan-text.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

const asRoot = test.runIf(process.getuid?.() === 0);
let root: string;
const at = (path: string) => join(root, path);

beforeEach(() => {
  root = testFolder();
});
const wanted: readonly DesiredFile[] = [
  { path: '/etc/new/a', content: 'a\n', mode: 0o644 },
  { path: '/etc/old', content: 'changed\n', mode: 0o600 },
  { path: '/etc/opened', content: 'same\n', mode: 0o600 },
  { path: '/etc/new/deeper/b', content: 'b\n', mode: 0o600, stageIn: '/etc' },
];

function prepare(): void {
  mkdirSync(at('etc'));
  writeFileSync(at('etc/old'), 'old\n');
  chmodSync(at('etc/old'), 0o640);
  writeFileSync(at('etc/opened'), 'same\n');
  chmodSync(at('etc/opened'), 0o666);
}

async function plan(files: readonly DesiredFile[], folders: readonly DesiredFolder[] = []) {
  const { read, at: entry } = diskReader(root);
  await read([...files, ...folders].map(({ path }) => path));
  return planFiles(root, { at: entry, record: undefined }, files, folders);
}

const picture = () =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((path) => {
      const status = statSync(at(path));
      const text = status.isFile() ? readFileSync(at(path), 'utf8') : '';
      return `${path} ${(status.mode & 0o777).toString(8)} ${text}`;
    });

test('applying all steps leads to the desired state, after which no steps are left', async () => {
  prepare();
  const { steps, problems } = await plan(wanted);
  expect(problems).toEqual([]);
  expect(await applySteps(root, steps)).toEqual({ kind: 'done' });
  expect(picture()).toEqual([
    'etc 755 ',
    'etc/new 755 ',
    'etc/new/a 644 a\n',
    'etc/new/deeper 755 ',
    'etc/new/deeper/b 600 b\n',
    'etc/old 600 changed\n',
    'etc/opened 600 same\n',
  ]);
  expect((await plan(wanted)).steps).toEqual([]);
});

test('a failure undoes all earlier steps and reports them', async () => {
  prepare();
  const before = picture();
  const { steps } = await plan([
    ...wanted,
    { path: '/etc/late', content: '', mode: 0o600, stageIn: '/nowhere' },
  ]);
  const outcome = await applySteps(root, steps);
  expect(outcome).toMatchObject({
    kind: 'undone',
    message: expect.stringMatching(/Cannot write "\/etc\/late": ENOENT/),
    undone: ['/etc/new/deeper/b', '/etc/new/deeper', '/etc/opened', '/etc/old', '/etc/new/a', '/etc/new'],
    left: [],
  });
  expect(picture()).toEqual(before);
});

const group = 65_529;
const folders = [
  { path: '/log/journal', mode: 0o1775, group },
  { path: '/etc', mode: 0o755 },
  { path: '/log' },
] as const;
const ownerOf = (path: string) => {
  const { uid, gid, mode } = statSync(at(path));
  return { uid, gid, mode: (mode & 0o7777).toString(8) };
};

asRoot('a folder gets its group and mode, even if it exists, and other folders are not touched', async () => {
  for (const [path, mode] of [
    ['etc', 0o700],
    ['log', 0o711],
  ] as const) {
    mkdirSync(at(path));
    chmodSync(at(path), mode);
  }
  const { steps } = await plan([], folders);
  expect(planText(steps)).toBe(
    [
      '+ folder /log/journal (0755)',
      `~ group of /log/journal: 0 -> ${group}`,
      '~ mode of /log/journal: 0755 -> 1775',
      '~ mode of /etc: 0700 -> 0755',
      '',
    ].join('\n'),
  );
  expect(await applySteps(root, steps)).toEqual({ kind: 'done' });
  const uid = process.getuid?.();
  expect(ownerOf('log/journal')).toEqual({ uid, gid: group, mode: '1775' });
  expect(['etc', 'log'].map((path) => ownerOf(path).mode)).toEqual(['755', '711']);
  expect((await plan([], folders)).steps).toEqual([]);
});

asRoot('an existing folder is restored if a later step fails', async () => {
  mkdirSync(at('etc'));
  mkdirSync(at('log/journal'), { recursive: true });
  chmodSync(at('etc'), 0o700);
  const late = { path: '/etc/late', content: '', mode: 0o600, stageIn: '/nowhere' };
  const { steps } = await plan([late], folders);
  expect(await applySteps(root, steps)).toMatchObject({
    kind: 'undone',
    undone: ['/etc', '/log/journal'],
    left: [],
  });
  expect(ownerOf('log/journal')).toMatchObject({ gid: 0, mode: '755' });
  expect(ownerOf('etc').mode).toBe('700');
});

test('a step that cannot be undone is reported', async () => {
  prepare();
  const { steps } = await plan([{ path: '/etc/new/a', content: '', mode: 0o600 }]);
  // Meanwhile another program writes a file into the new folder.
  const meddling = { path: '/etc/new/theirs', content: '', mode: 0o600 };
  await applySteps(root, steps);
  rmSync(at('etc/new'), { recursive: true });
  const [folder, file] = steps;
  if (folder === undefined || file === undefined) throw new Error('expected two steps');
  const late = { kind: 'write', file: { ...meddling, stageIn: '/nowhere' }, before: undefined } as const;
  const stuck = { kind: 'change-mode', path: '/etc/old', mode: 0o600, before: 0o640 } as const;
  const vanishing = {
    kind: 'write',
    file: { path: '/etc/new/a', content: '', mode: 0o600 },
    before: undefined,
  } as const;
  const outcome = await applySteps(root, [folder, file, vanishing, stuck, late]);
  expect(outcome).toMatchObject({ kind: 'undone', left: [expect.stringMatching(/^\/etc\/new\/a: ENOENT/)] });
});
