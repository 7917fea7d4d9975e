import * as z from 'zod/mini';
import { isSetFileName } from '../../engine/config/set.ts';
import { hostPort } from '../../engine/system/network/address-text.ts';
import { parseJson } from '../../engine/system/text/parse-json.ts';

/** Whether this is a safe server option: it cannot end a command or start another one. */
export function isPlain(word: string): boolean {
  return /^[\w.:,/@%+=*-]*$/.test(word);
}

const optionWords = z.string().check(z.refine((text) => text.split(' ').every(isPlain)));

/** Whether this is a safe key or value of a map. HAProxy reads a leading `#` as an entry's number. */
export function isMapWord(word: string): boolean {
  return word !== '' && isPlain(word);
}

/** Whether this may follow a certificate in a list: options in brackets, and host names. */
export function isListLine(line: string): boolean {
  return /^(?:\[[\w.:,/ -]*\] )?[\w.*-]+(?: [\w.*-]+)*$/.test(line);
}

/** A word that cannot end a command or start another one. */
const word = z.string().check(z.regex(/^[\w.:-]+$/));
const serverName = z.string().check(z.regex(/^[\w.:-]+\/[\w.:-]+$/));
const place = {
  address: z.string().check(z.regex(/^[0-9a-fA-F.:]+$/)),
  port: z.int().check(z.minimum(1), z.maximum(65_535)),
};

const serverChangeSchema = z.object({
  kind: z.literal('server'),
  server: serverName,
  /** Null: the server gets no new clients, and its sessions are shut down. */
  wanted: z.nullable(
    z.object({
      ...place,
      weight: z.int().check(z.minimum(0), z.maximum(256)),
      /** The other options in HAProxy's order, those of `default-server` first. */
      options: optionWords,
      /** Undefined: the server's health checks, if any, run. */
      healthChecks: z.optional(z.literal('paused')),
      /** The backend's `dynamic-cookie-key`: in HAProxy 2.6 and 2.8 an added server can have no other cookie. */
      cookieKey: z.optional(z.string().check(z.refine(isMapWord))),
    }),
  ),
  /**
   * Sessions on a removed or moved server may finish, as on a draining generation. If undefined, they are shut down a moment later. `options` are the
   * server's current options; a server with the same options can be restored.
   */
  mayFinish: z.optional(z.object({ options: optionWords })),
});

/** A file by its name within the set. HAProxy's own name for it depends on the set it was started with. */
const file = z.string().check(z.refine(isSetFileName));
/** Hash of the file's content, which is read from disk when the change is made, so that no key is sent. Name and hash determine the path. */
const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));

const fileChangeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('map-line'),
    map: file,
    key: z.string().check(z.refine(isMapWord)),
    /** Null: the key is removed from the map. */
    value: z.nullable(z.string().check(z.refine(isMapWord))),
  }),
  z.object({
    kind: z.literal('certificate'),
    certificate: file,
    /** Null: the certificate is removed. */
    sha256: z.nullable(sha256),
  }),
  z.object({
    kind: z.literal('list-line'),
    list: file,
    certificate: file,
    /** The rest of the certificate's line in the list, `[alpn h2,http/1.1] a.example.com`. Null: the line is removed. */
    line: z.nullable(z.string().check(z.refine(isListLine))),
  }),
]);

const changeRequestSchema = z.object({
  /** The revisions before and after. Nothing is changed if the running revision is not `from`. */
  from: word,
  to: word,
  /** HAProxy accepted the file on disk with revision `to`, so it may become the last good one. */
  good: z.optional(z.boolean()),
  changes: z.array(z.discriminatedUnion('kind', [serverChangeSchema, ...fileChangeSchema.def.options])),
});

/** One runtime change. It is declarative and idempotent: it states the desired result, whatever HAProxy's current state is. */
export type RuntimeChange = ServerChange | FileChange;
export type ServerChange = z.infer<typeof serverChangeSchema>;
export type FileChange = z.infer<typeof fileChangeSchema>;
export type DesiredServer = NonNullable<ServerChange['wanted']>;
export type ChangeRequest = z.infer<typeof changeRequestSchema>;

/** Parses a change. Undefined if the text is not a change, or contains something that a command line could interpret differently. */
export function decodeChangeRequest(text: string): ChangeRequest | undefined {
  return changeRequestSchema.safeParse(parseJson(text)).data;
}

/** Whether the change reads a file, whose content is not part of it. */
export function readsFile(change: RuntimeChange): boolean {
  return 'sha256' in change && change.sha256 !== null;
}

export function describeChange(change: RuntimeChange): string {
  switch (change.kind) {
    case 'server': {
      const { server, wanted } = change;
      return wanted === null
        ? `-${server}`
        : `${server} ${hostPort({ host: wanted.address, port: wanted.port })}`;
    }
    case 'map-line':
      return change.value === null
        ? `-${change.map} ${change.key}`
        : `${change.map} ${change.key} ${change.value}`;
    case 'certificate':
      return change.sha256 === null ? `-${change.certificate}` : change.certificate;
    case 'list-line':
      return change.line === null
        ? `-${change.list} ${change.certificate}`
        : `${change.list} ${change.certificate} ${change.line}`;
  }
}
