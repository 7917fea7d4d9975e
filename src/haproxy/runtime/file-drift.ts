import { X509Certificate } from 'node:crypto';
import { sha256Of } from '../../engine/apply/file-set.ts';
import { folderIn } from '../../engine/apply/set-path.ts';
import type { FileChange } from './change.ts';
import type { Ask } from './change-server.ts';
import { parseList } from './file-commands.ts';
import { certificatesToRenew, lineChanges, linesIn, mapChanges } from './plan-files.ts';
import type { Running } from './running.ts';
import { askFiles, type RunningFile } from './running-names.ts';

/** Of a file of the set that is served; undefined if there is none of this name. */
type ReadFile = (name: string) => Promise<string | undefined>;

/** A round ends after so many lines and certificates: all of a small set, and a part of a large one, which is gone through in turn. */
const A_ROUND = 5_000;
/** To ask for one is a command, while all lines of a map are one. */
const CERTIFICATE_COST = 50;

/** Maps, lists and certificates that differ between HAProxy and the files, after manual changes. Undefined without an answer. */
export function createFileDrift(
  ask: Ask,
): (running: Running, read: ReadFile) => Promise<readonly FileChange[] | undefined> {
  let next = 0;
  return async (running, read) => {
    const files = await askFiles(ask, running);
    if (files === undefined) return undefined;
    const changes: FileChange[] = [];
    let cost = 0;
    for (let seen = 0; seen < files.length && cost < A_ROUND; seen += 1) {
      next = (next + 1) % files.length;
      const file = files[next];
      if (file === undefined) continue;
      const content = await read(nameInSet(file.runsAs));
      if (content === undefined) continue;
      const reply = await ask(running, questionFor(file));
      if (reply === undefined) return undefined;
      cost += file.kind === 'certificate' ? CERTIFICATE_COST : reply.length / CERTIFICATE_COST;
      changes.push(...driftOfFile(file, content, reply));
    }
    return await inOrder(changes, files, read);
  };
}

/**
 * HAProxy moves a renewed or added certificate behind the others of its hosts. These are renewed after it, so that the same certificate is
 * served as after a start.
 */
async function inOrder(
  changes: readonly FileChange[],
  files: readonly RunningFile[],
  read: ReadFile,
): Promise<readonly FileChange[]> {
  const moving = new Set(
    changes.flatMap((change) => {
      if (change.kind === 'certificate') return [change.certificate];
      return change.kind === 'list-line' && change.line !== null ? [change.certificate] : [];
    }),
  );
  if (moving.size === 0) return changes;
  const names = files
    .filter(({ kind }) => kind === 'certificate-list')
    .map(({ runsAs }) => nameInSet(runsAs));
  const contents = await Promise.all(names.map(read));
  const lists = contents.filter((content) => content !== undefined).map(linesIn);
  const renewed: FileChange[] = [];
  for (const certificate of certificatesToRenew(moving, lists)) {
    const content = await read(certificate);
    if (content !== undefined) renewed.push({ kind: 'certificate', certificate, sha256: sha256Of(content) });
  }
  return [...changes.filter(({ kind }) => kind !== 'certificate'), ...renewed];
}

function nameInSet(path: string): string {
  const folder = folderIn(path);
  return folder === undefined ? path : path.slice(folder.length + 1);
}

function questionFor({ kind, runsAs }: RunningFile): string {
  switch (kind) {
    case 'map':
      return `show map ${runsAs}`;
    case 'certificate-list':
      return `show ssl crt-list -n ${runsAs}`;
    case 'certificate':
      return `show ssl cert ${runsAs}`;
  }
}

function driftOfFile({ kind, runsAs }: RunningFile, content: string, reply: string): readonly FileChange[] {
  const name = nameInSet(runsAs);
  switch (kind) {
    case 'map':
      // Each line begins with the address of its entry.
      return mapChanges(linesIn(reply.replaceAll(/^\S+ /gm, '')), { name, content });
    case 'certificate-list': {
      const entries = parseList(reply, runsAs)?.map(
        ({ certificate, line }) => [nameInSet(certificate), line] as const,
      );
      return entries === undefined ? [] : lineChanges(name, new Map(entries), linesIn(content));
    }
    case 'certificate':
      return printIn(reply) === printOf(content)
        ? []
        : [{ kind, certificate: name, sha256: sha256Of(content) }];
  }
}

function printIn(reply: string): string | undefined {
  return /^SHA1 FingerPrint: ([0-9A-F]+)$/m.exec(reply)?.[1];
}

function printOf(pem: string): string | undefined {
  try {
    return new X509Certificate(pem).fingerprint.replaceAll(':', '');
  } catch {
    return undefined;
  }
}
