import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { PageAddress } from '../../../../../src/engine/system/network/ask-page.ts';
import { announcedPages, announcePage } from '../../../../../src/engine/system/network/instance-pages.ts';

const servers: { close: () => void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listenAt(host: string): Promise<PageAddress> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Cannot listen, expected a port');
  return { host, port: address.port };
}

const hosts = (names: readonly string[]) => announcedPages(names).map(({ page: { host } }) => host);

test('what a process announces is found for as long as it runs, with the user who listens there', async () => {
  const user = process.getuid?.();
  const places = ['127.0.0.1', '127.3.2.1', '0.0.0.0', '::1', '::'];
  for (const page of await Promise.all(places.map(listenAt))) {
    const found = () => announcedPages().filter((each) => each.page.port === page.port);
    expect(found()).toEqual([]);
    expect(await announcePage('t', 'haproxy-monitor', page)).toBe(true);
    expect(found()).toEqual([{ page, as: 'haproxy-monitor of instance t', user }]);
    expect(await announcePage('t', 'haproxy-monitor', page)).toBe(false);
  }
});

test('a listener at another address of the same port is another one', async () => {
  const { port } = await listenAt('127.0.0.1');
  const [page] = announcedPages([`hawser/b/haproxy-monitor/127.0.0.2:${port}`]);
  expect(page).toMatchObject({ page: { port }, user: undefined });
});

test('the user is that of the listener, whoever announces it', () => {
  const listening = () => [{ address: '0100007F', port: 9, user: 1_000, inode: '1' }];
  const [page] = announcedPages(['hawser/b/haproxy-monitor/127.0.0.1:9'], { listening });
  expect(page?.user).toBe(1_000);
});

test('a name that is none of ours, or leads to another machine, is left out', () => {
  const names = [
    'hawser-journal-0123',
    'hawser/b/haproxy-monitor/127.0.0.1:1',
    'hawser/B/haproxy-monitor/127.0.0.1:2',
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
  expect(hosts(names)).toEqual(['127.0.0.1']);
});

test('a page that is announced a thousand times is there once', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `hawser/x${index}/haproxy-monitor/127.0.0.1:1`);
  expect(announcedPages(names)).toMatchObject([{ as: 'haproxy-monitor of instance x0' }]);
});

test('the interfaces are read once, and not at all where no page is announced', () => {
  let reads = 0;
  const present = () => {
    reads += 1;
    return new Set<string>();
  };
  const held = (name: string) => Array.from({ length: 1_000 }, (_, index) => name.replace('#', `${index}`));
  expect(announcedPages(held('/run/dbus#'), { present })).toEqual([]);
  expect(reads).toBe(0);
  expect(announcedPages(held('hawser/x#/haproxy-monitor/192.0.2.1:1'), { present })).toEqual([]);
  expect(reads).toBe(1);
});
