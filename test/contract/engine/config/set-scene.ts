import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { filesFolder, namesOnDiskIn, revisionIn } from '../../../../src/engine/config/layout.ts';
import { type Rendered, SET_FOLDER, type SetFile } from '../../../../src/engine/config/set.ts';

/** A proxy that answers with its map entry for the host. */
export function mainText(port = 19_080): string {
  return `# hawser renders this file
global
  default-path origin ${SET_FOLDER}
defaults
  mode http
  timeout connect 3s
  timeout client 1m
  timeout server 1m
frontend main
  bind 127.0.0.1:${port}
  acl allowed src -f lists/allowed.lst
  http-request set-header x-ca certs/a.pem if allowed
  http-request return status 200 content-type text/plain lf-string "%[req.hdr(host),map(maps/hosts.map,none)]"
`;
}

/** Every file except the certificate contains the round. */
export function setOf(round: string): Rendered & { readonly others: readonly SetFile[] } {
  return {
    text: `${mainText()}# ${round}\n`,
    mode: 0o644,
    others: [
      { name: 'maps/hosts.map', content: `a.example ${round}\n` },
      { name: 'lists/allowed.lst', content: `# ${round}\n192.0.2.1\n` },
      { name: 'certs/a.pem', content: 'the same in every round\n', secret: true },
    ],
  };
}

/** The folder that a main file refers to. */
export function folderIn(text: string): string {
  return /^ {2}default-path origin (.*)$/m.exec(text)?.[1] ?? '';
}

/** The main file at a path and the files that it refers to, as they were rendered. */
export function setAt(path: string): {
  readonly text: string;
  readonly files: Readonly<Record<string, string>>;
} {
  const whole = readFileSync(path, 'utf8');
  if (revisionIn(Buffer.from(whole)).revision.length !== 32) throw new Error('it is no whole file');
  const folder = folderIn(whole);
  const text = whole.replace(/# revision \w+ of \w+\n$/, '').replaceAll(folder, SET_FOLDER);
  const names = [...namesOnDiskIn(text)];
  return {
    text: names.reduce((found, [name, onDisk]) => found.replaceAll(onDisk, name), text),
    files: Object.fromEntries(
      names.map(([name, onDisk]) => [name, readFileSync(join(folder, onDisk), 'utf8')]),
    ),
  };
}

/** The result of `setAt` for a complete set. */
export function wholeSet(set: Rendered): ReturnType<typeof setAt> {
  const files = (set.others ?? []).map(({ name, content }) => [name, String(content)]);
  return { text: set.text, files: Object.fromEntries(files) };
}

/** The files next to a main file, keyed by their names on disk. */
export function filesBeside(path: string): readonly string[] {
  return readdirSync(filesFolder(path), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => relative(filesFolder(path), join(each.parentPath, each.name)))
    .toSorted();
}
