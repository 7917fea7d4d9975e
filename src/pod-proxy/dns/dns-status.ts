import * as z from 'zod/mini';
import type { Immutable } from '../../engine/system/immutable.ts';

/** What `GET /status` says of the DNS. */
export const dnsStatusSchema = z.object({
  /** Null if another replica writes, and before it was chosen. Another version may know others. */
  target: z.nullable(z.string()),
  names: z.array(z.string()),
  /** What the records are to hold; null if another replica writes, or that is not known. */
  addresses: z.nullable(z.array(z.string())),
  problems: z.array(z.string()),
});

export type DnsStatus = Immutable<z.infer<typeof dnsStatusSchema>>;
