import type { BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest';
import { builtAssets } from '../helpers/page/assets.ts';
import { startBrowser } from '../helpers/page/browser.ts';
import { type PageHost, type PageHostOptions, startPageHost } from '../helpers/page/page-host.ts';
import type { ClusterStatus } from '../helpers/status-types.ts';

/** A page in a browser, and all that it complained about or asked for. */
export interface Opened {
  readonly page: Page;
  /** Errors and warnings of the console, a policy that was broken among them, and uncaught errors. */
  readonly complaints: readonly string[];
  /** Of every request. */
  readonly urls: readonly string[];
}

/** A browser is a big program, and the machine may have others to run. */
const PATIENCE_MS = 180_000;

/** One browser for a file of tests. */
export function useBrowser(): (url: string, options?: BrowserContextOptions) => Promise<Opened> {
  vi.setConfig({ testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS });
  let started: BrowserContext | undefined;
  beforeAll(async () => {
    started = await startBrowser();
  }, PATIENCE_MS);
  afterAll(async () => await started?.close());
  return async (url, options) => {
    const browser = started?.browser();
    if (!browser) throw new Error('Cannot open a page: there is no browser');
    const context = await browser.newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    onTestFinished(() => context.close());
    return await open(context, url);
  };
}

async function open(context: BrowserContext, url: string): Promise<Opened> {
  const page = await context.newPage();
  const complaints: string[] = [];
  const urls: string[] = [];
  page.on('console', (message: ConsoleMessage) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => urls.push(request.url()));
  await page.goto(url);
  return { page, complaints, urls };
}

/** The page's server with what the build makes of its files. */
export async function hostOf(
  status: ClusterStatus | (() => Promise<ClusterStatus>),
  options: PageHostOptions = {},
): Promise<PageHost> {
  const host = await startPageHost(status, { assets: builtAssets(), ...options });
  onTestFinished(host.stop);
  return host;
}

/** Resolves once it has heard from the server. */
export async function waitForContact(page: Page): Promise<void> {
  await page.waitForSelector('[data-contact=live]');
}
