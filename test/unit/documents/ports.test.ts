import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultPorts, healthPorts, openshiftHealthPort } from '../../../src/cli/ports.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/ports.md'), 'utf8');

/** Where the programs of the pods of Deployments listen, by default or not. */
const givenPorts = ['router', 'pod-proxy'].flatMap((name) => {
  const text = readFileSync(join(root, `manifests/${name}/deployment.yaml`), 'utf8');
  return [...text.matchAll(/--listen=0\.0\.0\.0:(\d+)/g)].map(([, port]) => Number(port));
});

test('docs/ports.md lists every port that hawser listens on, and no other', () => {
  const listed = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, port]) => Number(port));
  const ours = new Set([...Object.values(defaultPorts), ...givenPorts]);
  expect(givenPorts).toHaveLength(3);
  expect(listed.toSorted((a, b) => a - b)).toEqual([...ours].toSorted((a, b) => a - b));
});

test('ports that are ours alone are given to no client and to no NodePort', () => {
  const { health, ...ours } = defaultPorts;
  for (const port of [...Object.values(ours), openshiftHealthPort]) expect(port).toBeLessThan(30_000);
  // The contract of the pods that hawser takes the place of.
  expect(health).toBe(50_936);
  expect(healthPorts(openshiftHealthPort)).toEqual([9444, 50_936]);
});

test.each(['haproxy', 'keepalived'])('manifests/%s.yaml names no port but the defaults', (name) => {
  const text = readFileSync(join(root, `manifests/${name}.yaml`), 'utf8');
  const ports = [...text.matchAll(/(?:port: |127\.0\.0\.1:)(\d+)/g)].map(([, port]) => Number(port));
  expect(ports.length).toBeGreaterThan(1);
  for (const port of ports) expect(Object.values<number>(defaultPorts)).toContain(port);
});
