import * as z from 'zod/mini';
import { parseJson } from '../../system/text/parse-json.ts';
import { type JournalFile, journalFilesAmong } from './journal-files.ts';

type ReceivedJournal =
  | { readonly kind: 'journal'; readonly files: readonly JournalFile[] }
  | { readonly kind: 'problem'; readonly problem: string };

const headSchema = z.object({ file: z.string(), bytes: z.int().check(z.minimum(0)) });

/** No head of a file is longer. */
const LONGEST_HEAD = 300;

/**
 * The output of `journalParts` on another node, as files below `at`, a name for their origin. Their bytes stay in the
 * buffer until they are read, one file at a time.
 */
export function receiveJournal(body: Buffer, at: string): ReceivedJournal {
  const found = new Map<string, Buffer>();
  for (let offset = 0; offset < body.length; ) {
    const end = body.indexOf(0x0a, offset);
    const head =
      end < 0 || end - offset > LONGEST_HEAD ? undefined : headOf(body.toString('utf8', offset, end));
    if (head === undefined || end + 1 + head.bytes > body.length)
      return { kind: 'problem', problem: `its journal cannot be understood after ${offset} bytes` };
    offset = end + 1 + head.bytes;
    found.set(head.file, body.subarray(end + 1, offset));
  }
  const files = journalFilesAmong('', [...found.keys()]).map((file) => ({
    ...file,
    path: `${at}/${file.path}`,
    text: () => found.get(file.path)?.toString('utf8') ?? '',
  }));
  return { kind: 'journal', files };
}

function headOf(line: string): z.infer<typeof headSchema> | undefined {
  return headSchema.safeParse(parseJson(line)).data;
}
