import { isIP } from 'node:net';
import { hostPort } from './address-text.ts';
import type { PageAddress } from './ask-page.ts';
import { heldNames, holdName } from './held-name.ts';
import { presentAddresses } from './interface-addresses.ts';

/** One more instance of some programs on this node, and where those of them that run are asked. */
export interface InstancePages {
  readonly name: string;
  /** By the program's name. */
  readonly pages: Readonly<Record<string, PageAddress>>;
}

/** Whoever may open a socket in the node's network may announce one: what asks them all must come to an end. */
const MOST_INSTANCES = 16;
const NAME = /^hawser\/([a-z][a-z0-9-]{0,19})\/([a-z-]{1,30})\/(?:\[([0-9a-f:.]+)\]|([0-9.]+)):(\d{1,5})$/;

/**
 * Lets `hawser status` find the page of a program with the name of an instance, whose port is not known to others, for as long
 * as this process runs. Resolves with whether it worked.
 */
export async function announcePage(instance: string, program: string, page: PageAddress): Promise<boolean> {
  return await holdName(`hawser/${instance}/${program}/${hostPort(page)}`).catch(() => false);
}

/** In the order of their names. Only pages at addresses of this node are taken. */
export function announcedInstances(
  names = heldNames(),
  present = presentAddresses,
): readonly InstancePages[] {
  const said = names.flatMap((held) => parseAnnouncement(held) ?? []);
  if (said.length === 0) return [];
  const here = present();
  const found = said.filter(({ page: { host } }) => isOfNode(host) || here.has(host));
  return [...Map.groupBy(found, ({ name }) => name)]
    .map(([name, own]) => ({
      name,
      pages: Object.fromEntries(own.map(({ program, page }) => [program, page])),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, MOST_INSTANCES);
}

function parseAnnouncement(held: string) {
  const [, name, program, bracketed, plain, digits] = NAME.exec(held) ?? [];
  const [host, port] = [bracketed ?? plain ?? '', Number(digits)];
  const isAddress = isIP(host) !== 0 && port >= 1 && port <= 65_535;
  return isAddress && name !== undefined && program !== undefined
    ? { name, program, page: { host, port } }
    : undefined;
}

/** On every node, and so not asked of its interfaces. */
function isOfNode(host: string): boolean {
  return ['0.0.0.0', '::'].includes(host) || host.startsWith('127.');
}
