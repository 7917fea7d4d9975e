import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/threat-model.md');

interface SecurityContext {
  readonly runAsUser?: number;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
}
interface PodSpec {
  readonly securityContext: SecurityContext;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
}
interface Container {
  readonly name: string;
  readonly securityContext: SecurityContext;
}

/** The containers of a manifest as the tables of the page have them. */
function containersIn(path: string): readonly string[] {
  const { spec } = parse(read(path));
  const pod: PodSpec = spec.template?.spec ?? spec;
  return [...(pod.initContainers ?? []), ...pod.containers].map(({ name, securityContext }) => {
    expect(securityContext.capabilities?.drop, name).toEqual(['ALL']);
    const user = securityContext.runAsUser ?? pod.securityContext.runAsUser;
    const capabilities = securityContext.capabilities?.add ?? [];
    const shown = capabilities.map((each) => `\`${each}\``).join(', ') || 'none';
    return `\`${name}\` | ${user === 0 ? 'root' : user} | ${shown}`;
  });
}

test('docs/threat-model.md has the user and the capabilities of every container, and no others', () => {
  const tables = [...page.matchAll(/^\| container \|.*\n\|---.*\n((?:\|.*\n)+)/gm)].map(([, rows = '']) =>
    rows
      .trimEnd()
      .split('\n')
      .map((row) => /^\| (.+? \| .+? \| .+?)(?: \||$)/.exec(row)?.[1]?.replace(/ \(.*?\)/, '')),
  );
  expect(tables).toEqual([
    [...containersIn('manifests/haproxy.yaml'), ...containersIn('manifests/keepalived.yaml')],
    containersIn('manifests/router/deployment.yaml'),
    containersIn('manifests/pod-proxy/deployment.yaml'),
  ]);
});

test('every test that docs/threat-model.md names is there', () => {
  const [, rows = ''] = /^## What holds this\n(.*?)\n\n[^|]/ms.exec(page) ?? [];
  const named = rows.split('\n').flatMap((row) => {
    const paths = [...(row.split(' | ').at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    // A bare file name is in the folder of the first one.
    return paths.map((path) => (path.startsWith('test/') ? path : join(dirname(paths[0] ?? ''), path)));
  });
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
