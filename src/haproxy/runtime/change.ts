import * as z from 'zod/mini';
import { hostPort } from '../../engine/system/network/address-text.ts';
import { parseJson } from '../../engine/system/text/parse-json.ts';

/** Whether a change can hold this option of a server: it cannot end a command or begin another one. */
export function isPlain(word: string): boolean {
  return /^[\w.:,/@%+=*-]*$/.test(word);
}

const optionWords = z.string().check(z.refine((text) => text.split(' ').every(isPlain)));
/** What cannot end a command or begin another one. */
const word = z.string().check(z.regex(/^[\w.:-]+$/));
const serverName = z.string().check(z.regex(/^[\w.:-]+\/[\w.:-]+$/));
const place = {
  address: z.string().check(z.regex(/^[0-9a-fA-F.:]+$/)),
  port: z.int().check(z.minimum(1), z.maximum(65_535)),
};

const serverChangeSchema = z.object({
  kind: z.literal('server'),
  server: serverName,
  /** Null: no client gets it any more, and the sessions that it has end. */
  wanted: z.nullable(
    z.object({
      ...place,
      weight: z.int().check(z.minimum(0), z.maximum(256)),
      options: optionWords,
      /** Where the checks of the server go that it tracks, and what the file calls that one. */
      checked: z.optional(z.object({ server: serverName, ...place })),
    }),
  ),
  /**
   * What is under way with a server that goes or moves may finish, as on a generation that drains; left out, it ends a moment later. The
   * options are those that the server has until now: it can come back with the same.
   */
  mayFinish: z.optional(z.object({ options: optionWords })),
});

const changeRequestSchema = z.object({
  /** Hash of the main file that is served before, and of the one that lies there now. */
  from: word,
  to: word,
  changes: z.array(serverChangeSchema),
});

/**
 * One thing that HAProxy is to do differently without a reload. It says what is wanted, not what to do: to make it twice is the same as
 * once, and it can be made whatever HAProxy has by then.
 */
export type RuntimeChange = z.infer<typeof serverChangeSchema>;
export type WantedServer = NonNullable<RuntimeChange['wanted']>;
export type ChangeRequest = z.infer<typeof changeRequestSchema>;

export function encodeChangeRequest(request: ChangeRequest): string {
  return JSON.stringify(request);
}

/** Undefined where the text is something else, or names what a command line could read in another way. */
export function decodeChangeRequest(text: string): ChangeRequest | undefined {
  return changeRequestSchema.safeParse(parseJson(text)).data;
}

export function describeChange({ server, wanted }: RuntimeChange): string {
  return wanted === null
    ? `-${server}`
    : `${server} ${hostPort({ host: wanted.address, port: wanted.port })}`;
}
