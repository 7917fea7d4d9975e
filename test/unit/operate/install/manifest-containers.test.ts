import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { manifestContainers } from '../../../../src/operate/install/manifest-containers.ts';

const shipped = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../manifests/${name}.yaml`, import.meta.url)), 'utf8');

test("the shipped manifests' containers, and their files on the node", () => {
  const found = [...manifestContainers(shipped('haproxy')), ...manifestContainers(shipped('keepalived'))];
  expect(found.map(({ args }) => args.slice(0, 2).join(' '))).toEqual([
    ...['haproxy supervise', 'haproxy monitor', 'keepalived supervise', 'keepalived monitor'],
  ]);
  const [supervisor, monitor] = found;
  expect(supervisor?.env).toEqual({ OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT: '120' });
  expect(monitor?.hostPath('/config/haproxy.cfg.ejs')).toBe(
    '/etc/kubernetes/static-pod-resources/haproxy/haproxy.cfg.ejs',
  );
  expect(monitor?.hostPath('/etc/haproxy/haproxy.cfg')).toBe('/etc/haproxy/haproxy.cfg');
  expect(monitor?.hostPath('/var/run/haproxy/haproxy-master.sock')).toBe(
    '/var/run/haproxy/haproxy-master.sock',
  );
});

test.each(['', 'kind: Node', '{', 'spec: {containers: [1]}'])('%j has no containers', (text) => {
  expect(manifestContainers(text)).toEqual([]);
});
