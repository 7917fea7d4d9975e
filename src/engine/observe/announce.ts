import type { Log } from '../system/log.ts';
import type { PageAddress } from '../system/network/ask-page.ts';
import { announcePage } from '../system/network/instance-pages.ts';
import type { InstanceSettings } from './instance.ts';

/** Lets `hawser status` find a page of an instance; the pages of programs without a name are where its settings say. */
export async function announce(
  { instance }: InstanceSettings,
  program: string,
  page: PageAddress | undefined,
  log: Log,
): Promise<void> {
  if (instance === undefined || page === undefined || (await announcePage(instance, program, page))) return;
  log({ event: 'page-not-announced', level: 'warn', instance, page: program });
}
