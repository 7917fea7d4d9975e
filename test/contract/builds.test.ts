import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseHaproxyBuild } from '../../src/haproxy/build.ts';
import { parseKeepalivedBuild } from '../../src/keepalived/build.ts';

test.each([
  ['2.6.12-1+deb12u3 2025/10/03', '2.6.12', true],
  ['3.0.11-1+deb13u5 2026/11/18', '3.0.11', true],
  ['3.5-dev3-a1b2c3 2026/09/01', '3.5.3', true],
  ['2.4.22-f8e3218 2023/02/14', '2.4.22', false],
  ['2.10.1 2030/01/01', '2.10.1', true],
])('HAProxy %s is %s', (printed, version, supported) => {
  expect(parseHaproxyBuild(`HAProxy version ${printed} - https://haproxy.org/\n`)).toMatchObject({
    version,
    supported,
  });
});

test.each([
  ['v2.0.10 (11/12,2018)', '2.0.10', false],
  ['v2.2.7 (01/16,2022)', '2.2.7', true],
  ['v2.3.3 (03/30,2025)', '2.3.3', true],
  ['v2.10.0 (01/01,2030)', '2.10.0', true],
])('keepalived %s is %s', (printed, version, supported) => {
  expect(parseKeepalivedBuild(`Keepalived ${printed}\n\nConfig options:  LVS VRRP\n`)).toEqual({
    version,
    supported,
    vrrp: true,
    bfd: false,
  });
});

test('the versions of the programs on this machine are parsed, and other output is not', () => {
  const haproxy = execFileSync('haproxy', ['-vv'], { encoding: 'utf8' });
  expect(parseHaproxyBuild(haproxy)).toMatchObject({ supported: true, openssl: true });
  const { stderr } = spawnSync('keepalived', ['--version'], { encoding: 'utf8' });
  expect(parseKeepalivedBuild(stderr)).toMatchObject({ supported: true, vrrp: true, bfd: true });
  expect([parseHaproxyBuild('hello'), parseKeepalivedBuild('hello')]).toEqual([undefined, undefined]);
});
