import { X509Certificate } from 'node:crypto';
import { nameInSet } from '../../src/engine/config/layout.ts';
import type { SetFile } from '../../src/engine/config/set.ts';
import { askFiles } from '../../src/haproxy/runtime/change-file.ts';
import { parseList } from '../../src/haproxy/runtime/file-commands.ts';
import { linesIn } from '../../src/haproxy/runtime/plan-files.ts';

type Tell = (command: string) => Promise<string | undefined>;

/** The maps, lists and certificates whose content in HAProxy differs from these files. */
export async function differingFiles(tell: Tell, files: readonly SetFile[]): Promise<readonly string[]> {
  const found = (await askFiles({ ask: tell })) ?? [];
  const differing: string[] = [];
  for (const { kind, runsAs } of found) {
    const file = files.find(({ name }) => name === nameInSet(runsAs));
    if (file === undefined) continue;
    const content = file.content.toString();
    const command = {
      map: 'show map',
      'certificate-list': 'show ssl crt-list -n',
      certificate: 'show ssl cert',
    }[kind];
    const reply = (await tell(`${command} ${runsAs}`)) ?? '';
    const [runs, wanted] = {
      // Each line starts with the memory address of its entry.
      map: () => [sorted(linesIn(reply.replaceAll(/^\S+ /gm, ''))), sorted(linesIn(content))],
      'certificate-list': () => [sorted(listIn(reply, runsAs)), sorted(linesIn(content))],
      certificate: () => [
        /^SHA1 FingerPrint: ([0-9A-F]+)$/m.exec(reply)?.[1],
        new X509Certificate(content).fingerprint.replaceAll(':', ''),
      ],
    }[kind]();
    if (runs !== wanted) differing.push(runsAs);
  }
  return differing;
}

function listIn(reply: string, list: string): ReadonlyMap<string, string> {
  return new Map(
    (parseList(reply, list) ?? []).map(({ certificate, line }) => [nameInSet(certificate), line]),
  );
}

function sorted(lines: ReadonlyMap<string, string>): string {
  return JSON.stringify([...lines].toSorted());
}
