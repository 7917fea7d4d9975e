import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { hawserVersion } from '../../../src/engine/system/version.ts';
import { helpOf } from '../../helpers/command-help.ts';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string }[];
}

const folder = join(import.meta.dirname, '../../../manifests');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const pods = ['haproxy', 'keepalived', 'router/deployment', 'pod-proxy/deployment'].map((name) => {
  const { spec } = parse(read(`${name}.yaml`));
  const pod: { containers: Container[]; volumes: { name: string }[] } = spec.template?.spec ?? spec;
  return { pod: name, ...pod };
});
const containers = pods.flatMap(({ pod, containers }) => containers.map((each) => ({ pod, ...each })));

test.each(containers)(
  '$name of $pod has the image of this version and only flags of its command',
  async ({ image, args }) => {
    expect(image).toBe(`hawser:${hawserVersion()}`);
    const words = args.filter((arg) => !arg.startsWith('--'));
    const flags = args.filter((arg) => arg.startsWith('--')).map((arg) => arg.replace(/=.*/, ''));
    const help = await helpOf(words);
    expect(help.flags).toEqual(expect.arrayContaining(flags));
    if (words[1] === 'monitor') expect(words.slice(2)).toHaveLength(help.positionals.length);
  },
);

// Users and capabilities: test/unit/documents/threat-model.test.ts.
test.each(containers)(
  '$name of $pod gains no privileges and cannot write to its root filesystem',
  ({ securityContext }) => {
    expect(securityContext).toMatchObject({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true });
  },
);

test.each(pods)('$pod mounts every volume it defines, and no other', ({ containers, volumes }) => {
  const mounted = new Set(containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name)));
  expect([...mounted].toSorted()).toEqual(volumes.map(({ name }) => name).toSorted());
});

test("every object has the labels recommended by Kubernetes, with hawser's version", () => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.yaml') && !name.endsWith('kustomization.yaml'),
  );
  const objects = names.flatMap((name) => [...parseAllDocuments(read(name))].map((each) => each.toJS()));
  expect(objects.length).toBeGreaterThan(7);
  for (const { kind, metadata } of objects)
    expect(metadata.labels, `${kind} ${metadata.name}`).toMatchObject({
      'app.kubernetes.io/name': 'hawser',
      'app.kubernetes.io/instance': 'hawser',
      'app.kubernetes.io/version': hawserVersion(),
      'app.kubernetes.io/component': expect.stringMatching(/^(?:haproxy|keepalived|rbac|router|pod-proxy)$/),
      'app.kubernetes.io/part-of': 'hawser',
      'app.kubernetes.io/managed-by': 'hawser',
    });
});
