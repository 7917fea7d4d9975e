import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { installedInstances } from '../../../../src/operate/install/installed-instances.ts';
import { recordText } from '../../../../src/operate/install/record.ts';
import { withInstalled } from '../../../../src/operate/status/find-and-installed.ts';

const page = (port: number) => ({ host: '127.0.0.1', port });

test('an installed instance of which nothing runs is asked where its programs should be', () => {
  const root = mkdtempSync('/tmp/hawser-installed-');
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'etc/hawser'), { recursive: true });
  const record = recordText({
    ...{ version: 1, image: 'i', vips: [], ports: [] },
    ...{ directories: [], files: [], pages: { 'haproxy-monitor': page(2) } },
  });
  for (const [name, text] of Object.entries({
    'installed.json': record,
    'installed-b.json': record,
    'installed-x.json': '{',
  }))
    writeFileSync(join(root, 'etc/hawser', name), text);
  const installed = installedInstances(root);
  expect(installed).toEqual([{ name: 'b', pages: { 'haproxy-monitor': page(2) } }]);
  expect(withInstalled({ instances: [], leftOut: [] }, installed)).toEqual({
    instances: installed,
    leftOut: [],
  });
});

test('what a running program says counts before what was installed, and instances keep the order of their names', () => {
  const installed = [{ name: 'b', pages: { 'haproxy-monitor': page(2), 'haproxy-supervisor': page(3) } }];
  const found = {
    instances: [
      { name: 'a', pages: {} },
      { name: 'b', pages: { 'haproxy-monitor': page(4), 'haproxy-statistics': page(5) } },
    ],
    leftOut: ['x'],
  };
  const pages = { 'haproxy-monitor': page(4), 'haproxy-supervisor': page(3), 'haproxy-statistics': page(5) };
  expect(withInstalled(found, installed)).toEqual({
    instances: [
      { name: 'a', pages: {} },
      { name: 'b', pages },
    ],
    leftOut: ['x'],
  });
});
