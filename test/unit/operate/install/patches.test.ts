import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { pods } from '../../../../src/commands/pods.ts';
import { ConfigError } from '../../../../src/engine/system/errors.ts';
import { applyPatch, readPatches } from '../../../../src/operate/install/patches.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});
const manifest = readFileSync(join(import.meta.dirname, '../../../../manifests/haproxy.yaml'), 'utf8');

/** The manifest of HAProxy's pod with these files as patches, as text and as fields. */
function patched(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const document = parseDocument(manifest);
  for (const patch of readPatches(folder, '/patches', pods)) applyPatch(document, patch);
  return { text: document.toString({ lineWidth: 0 }), pod: document.toJS() };
}

function refusal(files: Readonly<Record<string, string>>): string {
  try {
    patched(files);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('Cannot find a refusal: the patches were taken');
}

test('a strategic patch changes the named container and adds to the lists of a pod', () => {
  const before = parseDocument(manifest).toJS();
  const { pod, text } = patched({
    'haproxy.yaml': `metadata: {labels: {team: platform}}
spec:
  containers:
    - name: haproxy
      resources: {requests: {cpu: 200m}}
      env: [{name: TZ, value: UTC}]
      volumeMounts: [{name: extra, mountPath: /extra}]
  volumes: [{name: extra, emptyDir: {}}]
`,
  });
  const [haproxy, monitor] = pod.spec.containers;
  expect(pod.metadata.labels).toEqual({ ...before.metadata.labels, team: 'platform' });
  expect(haproxy.resources.requests).toEqual({ cpu: '200m', memory: '128Mi' });
  expect(haproxy.env).toEqual([...before.spec.containers[0].env, { name: 'TZ', value: 'UTC' }]);
  expect(haproxy.volumeMounts).toHaveLength(before.spec.containers[0].volumeMounts.length + 1);
  expect(monitor).toEqual(before.spec.containers[1]);
  expect(pod.spec.volumes).toHaveLength(before.spec.volumes.length + 1);
  expect(text).toContain('# The control socket between the two containers.');
});

test('null and $patch: delete remove; $patch: replace and lists without a key replace', () => {
  const { pod } = patched({
    'haproxy.yaml': `metadata: {labels: null}
spec:
  tolerations: [{key: a, operator: Exists}]
  securityContext: {$patch: replace, runAsUser: 7}
  volumes: [{name: resolv-conf, $patch: delete}]
  containers: [{name: haproxy, args: [one]}]
`,
  });
  expect(pod.metadata.labels).toBeUndefined();
  expect(pod.spec.tolerations).toEqual([{ key: 'a', operator: 'Exists' }]);
  expect(pod.spec.securityContext).toEqual({ runAsUser: 7 });
  expect(pod.spec.volumes.map(({ name }: { name: string }) => name)).not.toContain('resolv-conf');
  expect(pod.spec.containers[0].args).toEqual(['one']);
});

test('a merge patch replaces lists, and patches are applied in name order', () => {
  const { pod } = patched({
    'haproxy1.yaml': 'metadata: {labels: {order: second}}\n',
    'haproxy0+merge.yaml':
      'metadata: {labels: {order: first}}\nspec: {volumes: [{name: only, emptyDir: {}}]}\n',
  });
  expect(pod.spec.volumes).toEqual([{ name: 'only', emptyDir: {} }]);
  expect(pod.metadata.labels.order).toBe('second');
});

test('a JSON patch adds, replaces, removes and tests', () => {
  const { pod } = patched({
    'haproxy+json.json': JSON.stringify([
      { op: 'test', path: '/spec/containers/0/name', value: 'haproxy' },
      { op: 'add', path: '/spec/containers/0/args/0', value: 'first' },
      { op: 'add', path: '/spec/containers/0/args/-', value: 'last' },
      { op: 'add', path: '/metadata/labels/example.org~1team', value: 'platform' },
      { op: 'replace', path: '/spec/hostNetwork', value: false },
      { op: 'remove', path: '/spec/tolerations' },
    ]),
  });
  const { args } = pod.spec.containers[0];
  expect([args[0], args.at(-1)]).toEqual(['first', 'last']);
  expect(pod.metadata.labels['example.org/team']).toBe('platform');
  expect(pod.spec.hostNetwork).toBe(false);
  expect(pod.spec.tolerations).toBeUndefined();
});

test('patches of another pod have no effect', () => {
  const [patch] = (() => {
    writeFileSync(join(folder, 'keepalived.yaml'), 'spec: {}\n');
    return readPatches(folder, '/patches', pods);
  })();
  expect(patch).toMatchObject({ target: 'keepalived', type: 'strategic', path: '/patches/keepalived.yaml' });
});

test.each([
  ['of an unknown pod', { 'etcd.yaml': 'spec: {}' }, /"\/patches\/etcd\.yaml": expected a name such as/],
  ['of an unknown type', { 'haproxy+jq.yaml': 'spec: {}' }, /expected a name such as/],
  ['that is invalid YAML', { 'haproxy.yaml': 'spec: [' }, /"\/patches\/haproxy\.yaml": invalid YAML/],
  ['without a container’s name', { 'haproxy.yaml': 'spec: {containers: [{image: x}]}' }, /no "name"/],
  [
    'for a place that is not there',
    { 'haproxy+json.yaml': '[{op: remove, path: /spec/nowhere}]' },
    /"\/spec\/nowhere" is not there/,
  ],
  [
    'with an operation of its own',
    { 'haproxy+json.yaml': '[{op: move, from: /a, path: /b}]' },
    /expected a list of add/,
  ],
  [
    'whose test fails',
    { 'haproxy+json.yaml': '[{op: test, path: /kind, value: Job}]' },
    /does not have the value that the test expects/,
  ],
])('a patch %s is refused, and the error names it', (_what, files, message) => {
  expect(refusal(files)).toMatch(message);
});

test('a missing folder is refused', () => {
  expect(() => readPatches(join(folder, 'none'), '/none', pods)).toThrow(
    /Cannot read --patches "\/none": ENOENT/,
  );
});
