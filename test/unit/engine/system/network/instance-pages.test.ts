import { expect, test } from 'vitest';
import { announcedInstances, announcePage } from '../../../../../src/engine/system/network/instance-pages.ts';

test('what a process announces is found for as long as it runs, and only once each', async () => {
  const page = { host: '127.0.0.1', port: 29_461 };
  const name = `t${process.pid}`;
  const found = () => announcedInstances().filter((each) => each.name === name);
  expect(found()).toEqual([]);
  expect(await announcePage(name, 'haproxy-monitor', page)).toBe(true);
  expect(await announcePage(name, 'haproxy-supervisor', { host: '::1', port: 1 })).toBe(true);
  const pages = { 'haproxy-monitor': page, 'haproxy-supervisor': { host: '::1', port: 1 } };
  expect(found()).toEqual([{ name, pages }]);
  expect(await announcePage(name, 'haproxy-monitor', page)).toBe(false);
});

test('a name that is none of ours, or leads to another machine, is left out', () => {
  const names = [
    'hawser-journal-0123',
    'hawser/b/haproxy-monitor/127.0.0.1:1',
    'hawser/B/haproxy-monitor/127.0.0.1:1',
    'hawser/c/haproxy-monitor/192.0.2.1:1',
    'hawser/d/haproxy-monitor/127.0.0.1:1/x',
    'hawser/e/../127.0.0.1:1',
    'hawser/f/haproxy-monitor/localhost:1',
    'hawser/g/haproxy-monitor/127.0.0.1:0',
    'hawser/h/haproxy-monitor/127.0.0.1:65536',
    'hawser/i/haproxy-monitor/127.0.0.1:99999',
    'hawser/j/haproxy-monitor/[127.abc.de]:1',
    'hawser/k/haproxy-monitor/127.1:1',
    'hawser/l/haproxy-monitor/[::1:1',
  ];
  const pages = { 'haproxy-monitor': { host: '127.0.0.1', port: 1 } };
  expect(announcedInstances(names)).toEqual([{ name: 'b', pages }]);
});

test('a user who announces thousands has sixteen of them asked', () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `hawser/x${index}/haproxy-monitor/127.0.0.1:1`);
  expect(announcedInstances(names)).toHaveLength(16);
});

test('the interfaces are read once, and not at all where no page is announced', () => {
  let reads = 0;
  const present = () => {
    reads += 1;
    return new Set<string>();
  };
  const held = (name: string) => Array.from({ length: 1_000 }, (_, index) => name.replace('#', `${index}`));
  expect(announcedInstances(held('/run/dbus#'), present)).toEqual([]);
  expect(reads).toBe(0);
  expect(announcedInstances(held('hawser/x#/haproxy-monitor/192.0.2.1:1'), present)).toEqual([]);
  expect(reads).toBe(1);
});
