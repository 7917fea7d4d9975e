import * as z from 'zod/mini';
import { hostPort } from '../system/network/address-text.ts';
import { type AskOptions, askPage, type PageAddress } from '../system/network/ask-page.ts';
import { type AnnouncedPage, announcedPages } from '../system/network/instance-pages.ts';
import { unprivilegedId } from '../system/process/unprivileged-id.ts';
import { parseJson } from '../system/text/parse-json.ts';
import { reachable } from './ask-program.ts';

/** One more instance of some programs on this node, and where those of them that run are asked. */
export interface InstancePages {
  readonly name: string;
  /** By the program's name. */
  readonly pages: Readonly<Record<string, PageAddress>>;
}

export interface FoundInstances {
  /** In the order of their names. */
  readonly instances: readonly InstancePages[];
  /** Announced pages that are none, or were not asked, or are one too many: a line each. */
  readonly leftOut: readonly string[];
}

const IDENTITY_BYTES = 4_096;
const MOST_LINES = 8;

const identity = z.object({
  instance: z.string(),
  program: z.string(),
  others: z.record(z.string(), z.object({ host: z.string(), port: z.number() })),
});

/**
 * The instances of this node, by what their own pages say. Any user can announce a page, so only those are asked at which root,
 * the user of HAProxy's pod or the user of this process listens, and what a page is announced as is not believed: no announcement
 * hides or replaces another. Never rejects.
 */
export async function findInstances(
  options: Pick<AskOptions, 'timeoutMs' | 'signal'>,
  announced = announcedPages(),
): Promise<FoundInstances> {
  const looks = await Promise.all(announced.map(async (each) => await look(each, options)));
  const found = looks.flatMap((each) => (each.kind === 'found' ? each : []));
  const byName = [...Map.groupBy(found, ({ instance }) => instance)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const leftOut = [
    ...byName.flatMap(([name, own]) => doubled(name, own)),
    // These come before the foreign ones: hundreds of those must not push a program that hangs off the end.
    ...looks.flatMap((each) => (each.kind === 'silent' ? each.why : [])),
    ...looks.flatMap((each) => (each.kind === 'foreign' ? each.why : [])),
  ];
  return { instances: byName.map(([name, own]) => ({ name, pages: pagesOf(own) })), leftOut: brief(leftOut) };
}

interface Found extends z.infer<typeof identity> {
  readonly kind: 'found';
  readonly page: PageAddress;
}

type Look = Found | { readonly kind: 'silent' | 'foreign'; readonly why: string };

async function look({ page, as, user }: AnnouncedPage, options: AskOptions): Promise<Look> {
  const leftOut = (why: string, kind: 'silent' | 'foreign' = 'foreign'): Look => ({
    kind,
    why: `the page ${hostPort(page)}, announced as ${as}, is left out: ${why}`,
  });
  if (user === undefined) return leftOut('nothing listens there');
  if (![0, unprivilegedId, process.getuid?.()].includes(user))
    return leftOut(`user ${user} listens there, expected root or user ${unprivilegedId}`);
  const answer = await askPage(reachable(page), '/instance', { ...options, mostBytes: IDENTITY_BYTES });
  if (answer.kind === 'silent') return leftOut(answer.message, 'silent');
  const said = identity.safeParse(parseJson(answer.text)).data;
  return said === undefined
    ? leftOut('it does not say that it is of an instance')
    : { kind: 'found', page, ...said };
}

/** Of two pages of one program the first address counts, as long as both run. */
function pagesOf(own: readonly Found[]): InstancePages['pages'] {
  const pages = own.toReversed().map(({ program, page, others }) => ({ ...others, [program]: page }));
  return Object.assign({}, ...pages);
}

function doubled(name: string, own: readonly Found[]): readonly string[] {
  return [...Map.groupBy(own, ({ program }) => program)]
    .filter(([, same]) => same.length > 1)
    .map(([program, same]) => {
      const [first, ...others] = same.map(({ page }) => hostPort(page));
      return `instance ${name} has more than one ${program}: that at ${first} is shown, and not that at ${others.join(', ')}`;
    });
}

function brief(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_LINES;
  return more > 0 ? [...lines.slice(0, MOST_LINES), `${more} more announced pages are left out`] : lines;
}
