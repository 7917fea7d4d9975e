import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { tableRows } from './table-rows.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/threat-model.md');

interface SecurityContext {
  readonly runAsUser?: number;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
}
interface PodSpec {
  readonly securityContext: SecurityContext;
  readonly containers: readonly Container[];
}
interface Container {
  readonly name: string;
  readonly securityContext: SecurityContext;
}

/** The containers of a manifest, in the form of the page's tables. */
function containersIn(path: string): readonly string[] {
  const { spec } = parse(read(path));
  const pod: PodSpec = spec.template?.spec ?? spec;
  return pod.containers.map(({ name, securityContext }) => {
    expect(securityContext.capabilities?.drop, name).toEqual(['ALL']);
    const user = securityContext.runAsUser ?? pod.securityContext.runAsUser;
    const capabilities = securityContext.capabilities?.add ?? [];
    const shown = capabilities.map((each) => `\`${each}\``).join(', ') || 'none';
    return `\`${name}\` | ${user === 0 ? 'root' : user} | ${shown}`;
  });
}

test('docs/threat-model.md has the user and capabilities of every container, and no others', () => {
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

const claims = tableRows(join(import.meta.dirname, 'threat-tests.md'));

test.each(claims)('the tests for this claim exist: %s', (_, tests = '') => {
  expect(tests).toContain('test/');
  expect(tests.split(' ').filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
