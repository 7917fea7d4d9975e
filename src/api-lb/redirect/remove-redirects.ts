import * as z from 'zod/mini';
import { announcedInstances } from '../../engine/system/network/instance-pages.ts';
import { type NftOptions, nftFor } from '../../engine/system/nft/nft.ts';
import { parseJson } from '../../engine/system/text/parse-json.ts';
import type { RedirectOutcome } from './redirect.ts';
import { createRedirectKeeper } from './redirect-keeper.ts';
import { instanceOfTable, REDIRECT_TABLE } from './ruleset.ts';

const tables = z.object({
  nftables: z.array(z.looseObject({ table: z.optional(z.looseObject({ name: z.string() })) })),
});

/**
 * Has no redirect in the kernel when it returns, whatever instances there were, but for those of instances that `run`: their
 * monitors would put them back. Never rejects.
 */
export async function removeRedirects(
  options: NftOptions = {},
  run: readonly string[] = runningInstances(),
): Promise<RedirectOutcome> {
  const listed = await nftFor(`inet ${REDIRECT_TABLE}`, options)(['-j', 'list', 'tables', 'inet'], undefined);
  if (!listed.ok) return { kind: 'failed', message: listed.message };
  const { nftables = [] } = tables.safeParse(parseJson(listed.stdout)).data ?? {};
  const ours = nftables
    .flatMap(({ table }) => instanceOfTable(table?.name ?? '') ?? [])
    .filter(({ instance }) => instance === undefined || !run.includes(instance));
  const outcomes = await Promise.all(
    ours.map(({ instance }) => createRedirectKeeper({ ...options, instance }).remove()),
  );
  const failed = outcomes.flatMap((outcome) => (outcome.kind === 'failed' ? outcome.message : []));
  if (failed.length > 0) return { kind: 'failed', message: failed.join('; ') };
  return {
    kind: 'absent',
    changed: outcomes.some((outcome) => outcome.kind === 'absent' && outcome.changed),
  };
}

/** Those whose monitor has announced its page. */
function runningInstances(): readonly string[] {
  return announcedInstances().flatMap(({ name, pages }) => ('haproxy-monitor' in pages ? name : []));
}
