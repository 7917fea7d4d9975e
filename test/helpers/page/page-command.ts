import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { StatusEndpoints } from '../../../src/operate/status/collect-cluster-status.ts';
import { freePort } from '../free-port.ts';
import { hawser } from '../supervisor-build.ts';
import { waitFor } from '../wait-for.ts';

/** `hawser status --serve` as typed by a user. */
export interface PageCommand {
  readonly url: string;
  readonly complaints: () => string;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Queries the programs of `places`; ends with the test. Resolves once it prints the page's address. */
export async function startPageCommand(
  places: StatusEndpoints,
  flags: readonly string[] = [],
): Promise<PageCommand> {
  const port = await freePort();
  const pages = Object.entries(places.pages).flatMap(([name, page]) => [
    `--${name}`,
    page === undefined ? 'off' : `${page.host}:${page.port}`,
  ]);
  const shared = ['--stat-port', String(places.statPort), '--node-name', places.node];
  // Tests look at what is reported, not how soon.
  const argv = ['status', '--serve', `127.0.0.1:${port}`, '--timeout', '20s', ...pages, ...shared, ...flags];
  const child = spawn(hawser, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    said.out += text;
  });
  child.stderr.on('data', (text) => {
    said.err += text;
  });
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal);
  const url = await waitFor('the address of the page', () => /^http:\S+$/m.exec(said.out)?.[0]);
  return { url, complaints: () => said.err, signal: (signal) => void child.kill(signal), ended };
}
