import * as z from 'zod/mini';
import type { VrrpDialect } from '../model/vrrp-agreement.ts';

const dialect = z.object({
  profile: z.enum(['fast', 'openshift']),
  mode: z.enum(['unicast', 'multicast']),
});
const schema = z.object({ flags: dialect, dialect });

/** What a node spoke last, and what its flags said then. Throws where the text is no such record. */
export function parseDialectRecord(text: string): {
  readonly flags: VrrpDialect;
  readonly dialect: VrrpDialect;
} {
  return schema.parse(JSON.parse(text));
}
