import { expect, test } from 'vitest';
import { apiBases } from '../../../../src/engine/kube/api-bases.ts';

const a = '10.0.0.1:6443';
const b = '[fd00::2]:7443';
const urls = (server: string) => apiBases(new URL(server), 6443, [a, b]).map((base) => base.url);

test("the order is the kubeconfig's server, localhost, then the last known servers", () => {
  expect(urls('https://10.0.0.100:6443/')).toEqual([
    'https://10.0.0.100:6443',
    'https://localhost:6443',
    'https://10.0.0.1:6443',
    'https://[fd00::2]:7443',
  ]);
});

test("each base occurs once, and the kubeconfig's base keeps the strict check of names", () => {
  const bases = apiBases(new URL('https://localhost:6443'), 6443, [a, a]);
  expect(bases.map((base) => base.url)).toEqual(['https://localhost:6443', 'https://10.0.0.1:6443']);
  expect(bases[0]?.alternativeNames).toEqual([]);
});

test("a path in the server's URL, as for a proxy in front of a cluster, is kept", () => {
  expect(urls('https://rancher.example/k8s/clusters/c-1/')[0]).toBe(
    'https://rancher.example/k8s/clusters/c-1',
  );
});

test("the kubeconfig's host is an accepted name for the other bases", () => {
  expect(apiBases(new URL('https://[fd00::100]:6443'), 6443, [])[1]?.alternativeNames).toContain('fd00::100');
});

test("without a local API server only the kubeconfig's server is a base", () => {
  expect(apiBases(new URL('https://api:6443'), undefined, []).map(({ url }) => url)).toEqual([
    'https://api:6443',
  ]);
});
