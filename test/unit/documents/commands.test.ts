import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../../src/commands/table.ts';
import { helpOf } from '../../helpers/command-help.ts';

const root = join(import.meta.dirname, '../../..');
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The flags in the documents' examples, by command; each flag with its document. */
const typed = new Map<string, Map<string, string>>();
for (const document of documents)
  for (const [, block = ''] of readFileSync(join(root, document), 'utf8').matchAll(/^```sh\n(.*?)^```/gms))
    for (const line of block.split('\n')) {
      const [code = ''] = line.replace(/^\$ /, '').split(/(?:^|\s)#/);
      // Not where a shell function of that name is defined, and not as a user name.
      for (const [, rest = ''] of code.matchAll(/(?:^|[;|(] *|\bexec .*)hawser((?: [a-z-][^\s|;)>]*)+)/g))
        note(document, rest.trim().split(' '));
    }

function note(document: string, words: readonly string[]): void {
  const firstFlag = words.findIndex((word) => word.startsWith('-'));
  const command = words.slice(0, firstFlag < 0 ? undefined : firstFlag).join(' ');
  const flags = typed.get(command) ?? new Map<string, string>();
  for (const word of words) if (word.startsWith('--')) flags.set(word.replace(/=.*/, ''), document);
  typed.set(command, flags);
}

test('the documents contain examples of many commands', () => {
  expect([...typed.keys()].sort()).toEqual(
    expect.arrayContaining(['doctor', 'haproxy reload', 'install', 'keepalived stop', 'uninstall']),
  );
});

test.each([...typed])(
  'hawser %s is a command and has every flag used in a document',
  async (command, flags) => {
    const known: readonly string[] = (await helpOf(command.split(' '))).flags;
    expect([...flags].filter(([flag]) => !known.includes(flag))).toEqual([]);
  },
);

test.each(Object.keys(commands))('hawser %s --help has examples and fits in 80 columns', async (name) => {
  const { text } = await helpOf(name.split(' '));
  expect(text).toMatch(new RegExp(`^Usage: hawser ${name} \\[options\\]`));
  expect(text).toContain(`Examples:\n  hawser ${name}`);
  // Variable names are not wrapped, however long openshift-router made them.
  expect(text.split('\n').filter((line) => line.length > 80 && /\S\s+\S/.test(line))).toEqual([]);
});
