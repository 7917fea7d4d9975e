import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { freePort } from '../../helpers/free-port.ts';
import { journalDirectory } from '../../helpers/journal-directory.ts';
import { startPageCommand } from '../../helpers/page/page-command.ts';
import { type Pages, servePages } from '../../helpers/status-pages.ts';
import { hawser } from '../../helpers/supervisor-build.ts';
import { waitFor } from '../../helpers/wait-for.ts';

async function placesOf(pages: Pages = {}) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  return await servePages(pages, stop.signal);
}

const textOf = async (url: string) => await (await fetch(url)).text();

test('the status page prints its address, serves the status and the journals, and exits on a signal', async () => {
  const directory = journalDirectory();
  const move = { event: 'vrrp-transition', instance: 'API', from: 'BACKUP', to: 'MASTER' };
  directory.tell('keepalived-supervisor', [{ ...move, reason: 'no better advert' }]);
  const command = await startPageCommand(await placesOf(), ['--journal', directory.path]);
  const page = await textOf(command.url);
  for (const words of ['10.0.0.100', 'its place in the list', 'generation', ' on cp-1: '])
    expect(page).toContain(words);
  const files = await Promise.all(
    ['page.css', 'page.js', 'icon.svg'].map((path) => fetch(`${command.url}${path}`)),
  );
  expect(files.map(({ ok }) => ok)).toEqual([true, true, true]);
  command.signal('SIGTERM');
  expect(await command.ended).toBe(0);
  expect(command.complaints()).toBe('');
});

test('the page shows dead programs and reports a missing journal', async () => {
  const places = await placesOf({ 'keepalived-monitor': 'dead' });
  const { url } = await startPageCommand(places, ['--journal', '/nowhere']);
  const page = await textOf(url);
  expect(page).toContain('keepalived-monitor is silent');
  expect(page).toContain('Not read: /nowhere: there is no such directory');
});

test('a page on an address that others can reach is served with a warning', async () => {
  const port = await freePort();
  const command = await startPageCommand(await placesOf(), ['--serve', `0.0.0.0:${port}`]);
  const warning = `Everyone who can reach 0.0.0.0:${port} can read the page`;
  await waitFor('the warning', () => command.complaints().includes(warning));
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
});

test('an address that is in use or not local is refused with a message', async () => {
  const { url } = await startPageCommand(await placesOf());
  const serve = async (address: string) => {
    const outcome = runCommand([hawser, 'status', '--serve', address], { timeoutMs: 60_000 });
    return await outcome.catch((error) => error);
  };
  const taken = new URL(url).host;
  expect(await serve(taken)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`Cannot serve the page at "${taken}": listen EADDRINUSE`),
  });
  expect(await serve('192.0.2.1:9446')).toMatchObject({ exitCode: 2 });
  expect(await serve('cp-1:9446')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('expected ADDRESS:PORT'),
  });
});
