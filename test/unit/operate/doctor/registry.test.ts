import { expect, test } from 'vitest';
import { checkIds } from '../../../../src/commands/check-ids.ts';
import { products } from '../../../../src/commands/products.ts';
import { checksHere, checksOf } from '../../../../src/operate/doctor/registry.ts';
import { proxyCommand } from '../../../../src/pod-proxy/proxy-settings.ts';
import { routerCommand } from '../../../../src/router/settings/router-command.ts';
import { examine } from '../../../helpers/doctor/scene.ts';

const checks = checksOf(products);
const router = { spec: routerCommand, settings: {} };
const idsHere = (...[deployed, isNodeSeen]: [Parameters<typeof checksHere>[1], boolean]) =>
  checksHere(checks, deployed, isNodeSeen).map(({ id }) => id);

test("a router's pod has no checks of nodes, and a node has no checks of routers", () => {
  const inPod = idsHere([router], false);
  expect(inPod).toContain('router-rbac');
  expect(inPod).not.toContain('nft');
  expect(inPod).not.toContain('credentials');
  expect(idsHere([{ spec: proxyCommand, settings: {} }], false)).toEqual([
    ...['pod-proxy-template', 'pod-proxy-downstreams', 'pod-proxy-haproxy'],
    ...['pod-proxy-dns', 'pod-proxy-rbac'],
  ]);
  expect(idsHere([], false)).toContain('nft');
  expect(idsHere([], true)).not.toContain('router-rbac');
});

test('a node that shares its network with a router has the checks of both', () => {
  const both = idsHere([router], true);
  expect(both).toContain('router-rbac');
  expect(both).toContain('nft');
  expect(both).not.toContain('pod-proxy-rbac');
});

test('a check that is selected by name is skipped where it does not apply', async () => {
  expect(await examine('router-rbac', {})).toEqual({ kind: 'skip', message: 'no hawser router runs here' });
});

test('--help and completion know every check, without loading one', () => {
  expect(checkIds).toEqual(checks.map(({ id }) => id));
});
