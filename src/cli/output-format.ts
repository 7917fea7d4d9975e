import * as z from 'zod/mini';

/** How a command with `--json` prints; undefined is text for a person. */
export const outputFormat = z.optional(z.enum(['json', 'yaml']));

export type OutputFormat = NonNullable<z.infer<typeof outputFormat>>;
