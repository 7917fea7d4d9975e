import * as z from 'zod/mini';
import { findInstances } from '../../engine/examine/find-instances.ts';
import { type NftOptions, nftFor } from '../../engine/system/nft/nft.ts';
import { parseJson } from '../../engine/system/text/parse-json.ts';
import type { RedirectOutcome } from './redirect.ts';
import { createRedirectKeeper } from './redirect-keeper.ts';
import { instanceOfTable, REDIRECT_TABLE } from './ruleset.ts';

/** A living monitor answers within milliseconds. */
const PATIENCE_MS = 5_000;

const tables = z.object({
  nftables: z.array(z.looseObject({ table: z.optional(z.looseObject({ name: z.string() })) })),
});

/**
 * Has no redirect in the kernel when it returns, whatever instances there were, but for those of instances that are `running`: their
 * monitors would put them back. Never rejects.
 */
export async function removeRedirects(
  options: NftOptions = {},
  running?: readonly string[],
): Promise<RedirectOutcome> {
  const run = running ?? (await runningInstances());
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

/** Those whose monitor answers. */
async function runningInstances(): Promise<readonly string[]> {
  const { instances } = await findInstances({ timeoutMs: PATIENCE_MS });
  return instances.flatMap(({ name, pages }) => ('haproxy-monitor' in pages ? name : []));
}
