import * as z from 'zod/mini';
import type { VrrpDialect } from './vrrp-agreement.ts';

const dialect = z.object({
  profile: z.enum(['fast', 'openshift']),
  mode: z.enum(['unicast', 'multicast']),
});
const schema = z.object({ flags: dialect, dialect });

/** The dialect that a node used last, and that of its flags then. Throws if the text is not such a record. */
export function parseDialectRecord(text: string): {
  readonly flags: VrrpDialect;
  readonly dialect: VrrpDialect;
} {
  return schema.parse(JSON.parse(text));
}
