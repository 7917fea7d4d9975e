import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultPorts } from '../../../src/cli/shared-flags.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/install.md'), 'utf8');

/** The ports of the programs in the Deployments' pods, default or not. */
const givenPorts = ['router', 'pod-proxy'].flatMap((name) => {
  const text = readFileSync(join(root, `manifests/${name}/deployment.yaml`), 'utf8');
  return [...text.matchAll(/--listen=0\.0\.0\.0:(\d+)/g)].map(([, port]) => Number(port));
});

test('docs/install.md lists every port that hawser listens on, and no other', () => {
  const listed = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, port]) => Number(port));
  const ours = new Set([...Object.values(defaultPorts), ...givenPorts]);
  expect(givenPorts).toHaveLength(3);
  expect(listed.toSorted((a, b) => a - b)).toEqual([...ours].toSorted((a, b) => a - b));
});

test("every default port is below the NodePort range and Linux's ephemeral port range", () => {
  for (const port of Object.values(defaultPorts)) expect(port).toBeLessThan(30_000);
});

test.each(['haproxy', 'keepalived'])('manifests/%s.yaml contains only default ports', (name) => {
  const text = readFileSync(join(root, `manifests/${name}.yaml`), 'utf8');
  const ports = [...text.matchAll(/(?:port: |127\.0\.0\.1:)(\d+)/g)].map(([, port]) => Number(port));
  expect(ports.length).toBeGreaterThan(1);
  for (const port of ports) expect(Object.values<number>(defaultPorts)).toContain(port);
});
