import type { Command } from './line.ts';

/** Adds a certificate with its key, or replaces an older one. Open connections keep theirs. */
export function renewal(name: string, pem: string): readonly Command[] {
  return [
    {
      text: `new ssl cert ${name}`,
      done: /^(?:New empty certificate store '|Certificate '.*' already exists!)/,
    },
    {
      text: withPayload(`set ssl cert ${name}`, pem),
      done: /^Transaction (?:created|updated) for certificate /,
    },
    { text: `commit ssl cert ${name}`, done: /\nSuccess!$/ },
  ];
}

export function abortion(name: string): Command {
  return { text: `abort ssl cert ${name}`, done: /^(?:Transaction aborted|No ongoing transaction)/ };
}

/** Deletes a certificate. HAProxy refuses that while it is in use. */
export function removal(name: string): Command {
  return { text: `del ssl cert ${name}`, done: /(?:' deleted|doesn't exist)!$/ };
}

/** A line of a list by which HAProxy chooses a certificate. */
export interface ListEntry {
  readonly certificate: string;
  /** HAProxy's number of the line. */
  readonly number: number;
  /** Options in brackets and host names, as in the file. */
  readonly line: string;
}

/** Parses the output of `show ssl crt-list -n`. Undefined for any other text. */
export function parseList(reply: string, list: string): readonly ListEntry[] | undefined {
  // HAProxy prints the end of a protocol list as a zero byte.
  const [head, ...lines] = reply.replaceAll('\0', '').trim().split('\n');
  if (head !== `# ${list}`) return undefined;
  return lines.flatMap((text) => {
    const [, certificate = '', number, line = ''] = /^(\S+):(\d+)(?: (.*))?$/.exec(text) ?? [];
    return number === undefined ? [] : [{ certificate, number: Number(number), line }];
  });
}

/** The commands that replace a certificate's line. The new line is added first, so that clients never get the certificate of other hosts. */
export function listCommands(
  list: string,
  certificate: string,
  line: string | null,
  entries: readonly ListEntry[],
): readonly Command[] {
  const own = entries.filter((entry) => entry.certificate === certificate);
  const kept = own.find((entry) => entry.line === line);
  const addition: Command = {
    text: withPayload(`add ssl crt-list ${list}`, `${certificate} ${line}`),
    done: /\nSuccess!$/,
  };
  return [
    ...(line === null || kept !== undefined ? [] : [addition]),
    ...own
      .filter((entry) => entry !== kept)
      .map(({ number }) => ({
        text: `del ssl crt-list ${list} ${certificate}:${number}`,
        done: /^Entry '.*' deleted in crtlist '.*'!$/,
      })),
  ];
}

/** An empty line ends a payload. */
function withPayload(command: string, payload: string): string {
  const lines = payload.split(/\r?\n/).filter((line) => line.trim() !== '');
  return `${command} <<\n${lines.join('\n')}\n`;
}
