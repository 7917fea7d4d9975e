import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Rendered, SET_FOLDER, type SetFile } from '../../../../src/engine/apply/file-set.ts';

/** A proxy that answers with what its map says of the host. */
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
  http-request return status 200 content-type text/plain lf-string "%[req.hdr(host),map(maps/hosts.map,none)]"
`;
}

/** Every file of it but the certificate says which round it is of. */
export function setOf(round: string): Rendered & { readonly others: readonly SetFile[] } {
  return {
    text: `${mainText()}# ${round}\n`,
    mode: 0o644,
    others: [
      { name: 'maps/hosts.map', content: `a.example ${round}\n` },
      { name: 'lists/allowed.lst', content: `${round}\n` },
      { name: 'certs/a.pem', content: 'the same in every round\n', secret: true },
    ],
  };
}

/** The folder that a main file names. */
export function folderIn(text: string): string {
  return /^ {2}default-path origin (.*)$/m.exec(text)?.[1] ?? '';
}

/** What lies at a path: the main file, with the token where it names its folder, and what is in that folder. */
export function setAt(path: string): {
  readonly text: string;
  readonly files: Readonly<Record<string, string>>;
} {
  const text = readFileSync(path, 'utf8');
  const folder = folderIn(text);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  const files = entries.map((each) => join(each.parentPath, each.name).slice(folder.length + 1));
  return {
    text: text.replaceAll(folder, SET_FOLDER),
    files: Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
  };
}

/** As `setAt` finds a set that is whole. */
export function wholeSet(set: Rendered): ReturnType<typeof setAt> {
  const files = (set.others ?? []).map(({ name, content }) => [name, String(content)]);
  return { text: set.text, files: Object.fromEntries(files) };
}

/** The numbers of a main file's sets. */
export function setsBeside(path: string): readonly string[] {
  return readdirSync(join(dirname(path), 'haproxy.cfg.sets')).sort(
    (one, other) => Number(one) - Number(other),
  );
}
