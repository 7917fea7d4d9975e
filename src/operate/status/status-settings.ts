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

/** Flags whose names only their products know: where their programs have their pages. */
type PageFlags = Readonly<Record<never, Flag>>;

export const statusCommand = (products: readonly ProductStatus[]) => {
  const programs = products.flatMap(({ look }) => look.programs);
  const pages: PageFlags = Object.fromEntries(programs.map(({ field, page }) => [field, page]));
  return commandSpec({
    name: 'status',
    summary: 'Shows who holds each VIP and why, API servers, HAProxy, keepalived, and what is wrong now.',
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
        `for --serve: whose last hour it shows, several by commas or by repeating it (default: ${defaultJournalPath})`,
        { repeats: true, inFile: 'never' },
      ),
      timeout: flag(
        '<duration>',
        durationMs,
        'how long a program of this node may take to answer; other nodes get half of it',
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
      'It answers within 1.6 s even if a program hangs; on a node starved of CPU raise --timeout.',
      "It asks all four programs, HAProxy and the other nodes' health ports at once, names what does not answer, and shows the rest. A priority is keepalived's own sum: the place in the list plus the value of each check.",
      'The page of --serve has no password: everyone who can reach the address can read it. It answers requests for an address or localhost, not for other names.',
      'Exit codes: 0 healthy, 1 degraded, 2 cannot tell (no program of hawser answers here), or usage.',
    ],
    derive: (settings) => {
      const { serve, watch, json } = settings;
      if (serve !== undefined && (watch || json))
        throw new ConfigError([
          `Cannot use --serve with ${watch ? '--watch' : '--json'}: expected one of them`,
        ]);
      // Each field of a page is an address, or undefined.
      const typed = settings as Readonly<Record<string, unknown>>;
      const here = products.filter(
        ({ look: { home } }) => !settings.worker || home.kind === 'pod' || home.onWorkers,
      );
      const asked = here
        .flatMap(({ look }) => look.programs)
        .map(({ name, field }) => [name, typed[field] as PageAddress | undefined] as const);
      return { ...settings, pages: Object.fromEntries(asked) };
    },
  });
};

export type StatusSettings = SettingsOf<ReturnType<typeof statusCommand>>;
