import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { cleanUpAfterDeath } from '../survivor.ts';

/** The browser sends only what a test asks for; its sandbox would need a user other than root. */
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--no-default-browser-check'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Debian's Chromium, headless, with a profile that is removed with it. */
export async function startBrowser(
  options: BrowserContextOptions & { readonly env?: NodeJS.ProcessEnv } = {},
): Promise<BrowserContext & AsyncDisposable> {
  const profile = mkdtempSync(join(tmpdir(), 'hawser-browser-'));
  const { env = process.env, ...rest } = options;
  const variables = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const context = await chromium.launchPersistentContext(profile, {
    ...rest,
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: FLAGS,
    env: variables,
  });
  // The browser's last processes may still write as they end: what they leave is removed with this process.
  cleanUpAfterDeath('rm -rf -- "$1"', profile);
  const removal = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const;
  context.once('close', () => rmSync(profile, removal));
  return context;
}
