import ipaddr from 'ipaddr.js';
import { hostPort, parseHostPort } from './address-text.ts';
import type { PageAddress } from './ask-page.ts';
import { heldNames, holdName } from './held-name.ts';
import { presentAddresses } from './interface-addresses.ts';
import { listeningPorts } from './listening-ports.ts';

/** A page that some process announced. Any user can announce any: which program's it is, only the page can say. */
export interface AnnouncedPage {
  readonly page: PageAddress;
  /** What it was announced as, `haproxy-monitor of instance b`; the first one, if there are several. */
  readonly as: string;
  /** Whose process listens there; undefined where none does. */
  readonly user: number | undefined;
}

const NAME = /^hawser\/([a-z][a-z0-9-]{0,19})\/([a-z-]{1,30})\/(.+)$/;

/**
 * Lets `hawser status` find a page of a program with the name of an instance, whose port is not known to others, for as long
 * as this process runs. Resolves with whether it worked.
 */
export async function announcePage(instance: string, program: string, page: PageAddress): Promise<boolean> {
  return await holdName(`hawser/${instance}/${program}/${hostPort(page)}`).catch(() => false);
}

/** Each once, in the order of their addresses. Only those at addresses of this node are taken. */
export function announcedPages(
  names = heldNames(),
  { present = presentAddresses, listening = listeningPorts } = {},
): readonly AnnouncedPage[] {
  const said = names.flatMap((held) => parseAnnouncement(held) ?? []);
  if (said.length === 0) return [];
  const here = present();
  const found = new Map(
    said
      .filter(({ page: { host } }) => isOfEveryNode(host) || here.has(host))
      .toReversed()
      .map((each) => [hostPort(each.page), each]),
  );
  if (found.size === 0) return [];
  const users = new Map(listening().map(({ address, port, user }) => [`${address}:${port}`, user]));
  return [...found]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { page, as }]) => ({ page, as, user: users.get(`${kernelAddress(page.host)}:${page.port}`) }));
}

function parseAnnouncement(held: string): Pick<AnnouncedPage, 'page' | 'as'> | undefined {
  const [, name, program, address = ''] = NAME.exec(held) ?? [];
  const page = parseHostPort(address);
  return page && { page, as: `${program} of instance ${name}` };
}

/** These are not asked of the interfaces. */
function isOfEveryNode(host: string): boolean {
  return ['0.0.0.0', '::'].includes(host) || host.startsWith('127.');
}

/** As /proc/net/tcp has it: words of four bytes as numbers of this machine, the lowest byte first. Source: proc(5). */
function kernelAddress(host: string): string {
  const bytes = Buffer.from(ipaddr.parse(host).toByteArray());
  return bytes.swap32().toString('hex').toUpperCase();
}
