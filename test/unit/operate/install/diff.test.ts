import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { pods } from '../../../../src/commands/pods.ts';
import type { DesiredInstall } from '../../../../src/operate/install/desired.ts';
import { diff, restarts, type Step } from '../../../../src/operate/install/diff.ts';
import type { Disk, Entry } from '../../../../src/operate/install/disk.ts';
import { layout } from '../../../../src/operate/install/layout.ts';
import { type InstallRecord, parseRecord, sha256 } from '../../../../src/operate/install/record.ts';
import { removals } from '../../../../src/operate/install/removal.ts';

type Files = Readonly<Record<string, string>>;

const MANIFEST = '/etc/kubernetes/manifests/haproxy.yaml';
const TEMPLATE = '/etc/kubernetes/static-pod-resources/haproxy/haproxy.cfg.ejs';
const PACKAGED = '/etc/haproxy/haproxy.cfg';

/** A disk with these files. */
function diskOf(files: Files, record?: InstallRecord): Disk {
  const entries = new Map<string, Entry>();
  const folder = (path: string): void => {
    const names = Object.keys(files).filter((each) => dirname(each) === path);
    const entry = { mode: 0o755, group: 0, blocked: undefined };
    entries.set(path, { kind: 'folder', ...entry, names: names.map((each) => each.slice(path.length + 1)) });
    if (path !== '/') folder(dirname(path));
  };
  for (const [path, text] of Object.entries(files)) {
    entries.set(path, { kind: 'file', content: Buffer.from(text), mode: 0o644, isLink: false });
    folder(dirname(path));
  }
  return { record, at: (path) => entries.get(path) };
}

const desired: DesiredInstall = {
  settings: {
    text: '',
    givenName: undefined,
    isWorker: false,
    pods: [],
    vips: { all: ['10.0.0.100'], api: [], apiPort: 6443, healthPort: 9444, problemsOf: async () => [] },
  },
  pods,
  image: 'hawser:1',
  credentials: 'kubelet',
  patches: undefined,
  notices: [],
  support: [{ path: TEMPLATE, content: 'template 2', mode: 0o644 }],
  manifests: [{ path: MANIFEST, content: 'manifest 2', mode: 0o644 }],
};
const recordOf = (files: Files): InstallRecord => ({
  version: 1,
  image: 'hawser:0',
  vips: [],
  ports: [],
  directories: ['/etc/hawser'],
  files: Object.entries(files).map(([path, text]) => ({ path, sha256: sha256(text) })),
});
const before = { [TEMPLATE]: 'template 1', [MANIFEST]: 'manifest 1' };

const lines = (steps: readonly Step[]) =>
  steps.flatMap((step) => {
    if (step.kind === 'write') return `${step.before ? 'replace' : 'write'} ${step.file.path}`;
    return step.kind === 'move' ? `move ${step.path} ${step.to}` : [];
  });

test.each<[string, Files, InstallRecord | undefined, boolean, readonly string[]]>([
  [
    'an empty node: the manifest comes last, behind the record',
    ...([{}, undefined, false] as const),
    [`write ${TEMPLATE}`, `write ${layout.record}`, `write ${MANIFEST}`],
  ],
  [
    'a package with its own configuration, which is moved aside first',
    ...([{ [PACKAGED]: 'theirs' }, undefined, false] as const),
    [
      `move ${PACKAGED} ${PACKAGED}.before-hawser`,
      ...[`write ${TEMPLATE}`, `write ${layout.record}`, `write ${MANIFEST}`],
    ],
  ],
  [
    'an update',
    ...([before, recordOf(before), false] as const),
    [...[`replace ${TEMPLATE}`, `write ${layout.record}`, `replace ${MANIFEST}`], `write ${layout.record}`],
  ],
  [
    'an edited template, which stays',
    ...([{ ...before, [TEMPLATE]: 'mine' }, recordOf(before), false] as const),
    [`write ${layout.record}`, `replace ${MANIFEST}`, `write ${layout.record}`],
  ],
  [
    'an edited manifest with --overwrite, which is kept outside of the folder of manifests',
    ...([{ ...before, [MANIFEST]: 'mine' }, recordOf(before), true] as const),
    [
      'write /etc/kubernetes/haproxy.yaml.saved',
      ...[`replace ${TEMPLATE}`, `write ${layout.record}`, `replace ${MANIFEST}`],
      `write ${layout.record}`,
    ],
  ],
])('%s', (_, files, record, overwrite, steps) => {
  expect(lines(diff('/', diskOf(files, record), desired, overwrite).steps)).toEqual(steps);
});

test('an edited file keeps the checksum of what hawser wrote', () => {
  const disk = diskOf({ ...before, [TEMPLATE]: 'mine' }, recordOf(before));
  const { steps, edited } = diff('/', disk, desired, false);
  const write = steps.flatMap((step) => (step.kind === 'write' ? step.file : []));
  const text = write.findLast(({ path }) => path === layout.record)?.content ?? '';
  expect(parseRecord(text)?.files).toEqual([
    { path: TEMPLATE, sha256: sha256('template 1') },
    { path: MANIFEST, sha256: sha256('manifest 2') },
  ]);
  expect(edited).toMatchObject([{ desired: { path: TEMPLATE }, content: 'mine', isOutdated: true }]);
});

test('an install that was interrupted after any step is completed by the next one', () => {
  const second = MANIFEST.replace('haproxy', 'keepalived');
  const all: DesiredInstall = {
    ...desired,
    manifests: [...desired.manifests, { path: second, content: 'manifest 2', mode: 0o644 }],
  };
  const installed = { ...before, [second]: 'manifest 1' };
  const planned = (files: Files) => {
    const record = parseRecord(files[layout.record] ?? '') ?? recordOf(installed);
    return diff('/', diskOf(files, record), all, false);
  };
  const after = (files: Files, steps: readonly Step[]): Files => {
    const writes = steps.flatMap((step) => (step.kind === 'write' ? step.file : []));
    return { ...files, ...Object.fromEntries(writes.map(({ path, content }) => [path, String(content)])) };
  };
  const { steps } = planned(installed);
  const complete = after(installed, steps);
  expect(complete).toMatchObject({ [MANIFEST]: 'manifest 2', [second]: 'manifest 2' });
  for (let done = 0; done <= steps.length; done += 1) {
    const files = after(installed, steps.slice(0, done));
    const next = planned(files);
    expect(next.edited).toEqual([]);
    expect(after(files, next.steps)).toEqual(complete);
  }
});

test('a foreign manifest at the path of a pod is reported, but not as edited', () => {
  const { others, edited } = diff('/', diskOf({ [MANIFEST]: 'theirs' }), desired, false);
  expect({ others, edited }).toEqual({ others: [MANIFEST], edited: [] });
});

test('a changed manifest restarts its pod, a new manifest does not', () => {
  const of = (disk: Disk) => restarts(diff('/', disk, desired, false).steps, pods);
  expect(of(diskOf(before, recordOf(before)))).toEqual([
    { manifest: MANIFEST, containers: ['haproxy', 'haproxy-monitor'] },
  ]);
  expect(of(diskOf({}))).toEqual([]);
});

test('an uninstall removes manifests first and the command and the record last, saves edited files and restores moved ones', () => {
  const [own, instances] = ['haproxy-supervisor', 'haproxy-supervisor-b'].map(
    (program) => `${layout.journalDir}/${program}.000000000001.jsonl`,
  ) as [string, string];
  const journals = { [own]: '', [instances]: '' };
  const files = {
    ...before,
    [layout.nodeCommand]: 'command',
    [TEMPLATE]: 'mine',
    [`${PACKAGED}.before-hawser`]: 'theirs',
    ...journals,
  };
  const record = recordOf({ [layout.nodeCommand]: 'command', ...before });
  expect(removals(diskOf(files, record), record, { keepConfig: false }, pods)).toEqual({
    manifests: [{ kind: 'remove', path: MANIFEST }],
    rest: [
      { kind: 'save', path: TEMPLATE, to: `${TEMPLATE}.saved` },
      { kind: 'remove', path: own },
      { kind: 'move-back', path: PACKAGED, from: `${PACKAGED}.before-hawser` },
    ],
    last: [
      { kind: 'remove', path: layout.nodeCommand },
      { kind: 'remove', path: layout.record },
    ],
    directories: ['/etc/hawser', '/var/log/hawser'],
  });
});
