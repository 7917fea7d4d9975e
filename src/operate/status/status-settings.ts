import * as z from 'zod/mini';
import { commandSpec, type Flag, flag, jsonFlag, type SettingsOf, toggle } from '../../cli/command-spec.ts';
import { directories, durationMs, listenAddress } from '../../cli/fields.ts';
import {
  apiVips,
  defaultJournalPath,
  healthPort,
  ingressVips,
  nodeName,
  statPort,
  worker,
} from '../../cli/shared-flags.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';
import type { ProductStatus } from './product-status.ts';

/** The flags that the products define for the addresses of their programs' pages. */
type PageFlags = Readonly<Record<never, Flag>>;

export const statusCommand = (products: readonly ProductStatus[]) => {
  const programs = products.flatMap(({ inputs }) => inputs.programs);
  const pages: PageFlags = Object.fromEntries(programs.map(({ field, page }) => [field, page]));
  return commandSpec({
    name: 'status',
    summary: 'Shows who holds each VIP and why, API servers, HAProxy, keepalived and current problems.',
    section: 'haproxy',
    flags: {
      watch: toggle('repeat every second until Ctrl-C', { inFile: 'never' }),
      json: jsonFlag('print JSON, as schemas/status.schema.json describes it'),
      serve: flag(
        '<address:port>',
        z.optional(listenAddress),
        'serve a page for browsers at this address until Ctrl-C, such as 127.0.0.1:9446',
        { inFile: 'never' },
      ),
      journal: flag(
        '<dirs>',
        z._default(directories, [defaultJournalPath]),
        `for --serve: journal directories for the last hour, separated by commas or repeated (default: ${defaultJournalPath})`,
        { repeats: true, inFile: 'never' },
      ),
      timeout: flag(
        '<duration>',
        durationMs,
        "timeout for this node's programs; other nodes have half of it",
        { default: '1s', inFile: 'never' },
      ),
      ...pages,
      statPort,
      healthPort,
      apiVips,
      ingressVips,
      nodeName,
      worker,
    },
    examples: [
      ['hawser status', 'on any control-plane node, as any user'],
      ['hawser status --watch'],
      ['hawser status --serve 127.0.0.1:9446', 'then, from elsewhere: ssh -L 9446:127.0.0.1:9446 NODE'],
      ["hawser status --json | jq -r '.vips[] | [.vip, .holders[]] | @tsv'"],
      ['hawser status --json | jq \'.here.servers[] | select(.state != "up")\''],
    ],
    notes: [
      'It answers within 1.6 s even if a program hangs. On a node short of CPU, raise --timeout.',
      "It queries all four programs, HAProxy and the other nodes' health ports at once, reports what does not answer, and shows the rest. A priority is the sum that keepalived computes: the base priority from the place in the list plus the value of each check.",
      'The page of --serve has no password: everyone who can reach the address can read it. It answers only requests for an IP address or localhost.',
      'Exit codes: 0 healthy, 1 degraded, 2 cannot tell (no program of hawser answers here), or usage.',
    ],
    derive: (settings) => {
      const { serve, watch, json } = settings;
      if (serve !== undefined && (watch || json))
        throw new ConfigError([
          `Cannot use --serve with ${watch ? '--watch' : '--json'}: expected one of them`,
        ]);
      // The fields of the pages are addresses, or undefined.
      const typed = settings as Readonly<Record<string, unknown>>;
      const here = products.filter(
        ({ inputs: { home } }) => !settings.worker || home.kind === 'pod' || home.onWorkers,
      );
      const asked = here
        .flatMap(({ inputs }) => inputs.programs)
        .map(({ name, field }) => [name, typed[field] as PageAddress | undefined] as const);
      return { ...settings, pages: Object.fromEntries(asked) };
    },
  });
};

export type StatusSettings = SettingsOf<ReturnType<typeof statusCommand>>;
