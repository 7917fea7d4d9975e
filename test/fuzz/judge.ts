import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConfigurationCheck } from '../../src/engine/config/check.ts';
import { runCommand } from '../../src/engine/system/process/run-command.ts';
import { batch, createNetNamespace } from '../helpers/net-namespace.ts';
import { openScratchFolder } from './scratch-folder.ts';
import type { Attack, OpenTarget } from './target.ts';

/** Throws if the real program does not accept all of these configurations. */
export type Judge = (texts: readonly string[]) => Promise<void>;

/** Merges configurations into one file and makes their names unique. The program accepts it if it accepts each of them. */
export type SideBySide = (texts: readonly string[]) => string;

/** Generous, because a program that a busy machine keeps from running has not judged anything. */
export const JUDGE_WITHIN_MS = 120_000;

/** keepalived's run folder in its pod. The judge substitutes one that exists. */
export const RUN_DIR = '/var/run/keepalived';

interface Judging {
  readonly checkWith: (run: typeof runCommand) => ConfigurationCheck;
  readonly sideBySide: SideBySide;
  readonly interfaces: number;
}

/** The real program judges in its own network namespace with this many interfaces: eth0, eth1 and so on. */
export async function openJudged(
  { checkWith, sideBySide, interfaces }: Judging,
  attackOf: (judge: Judge) => Attack,
): Promise<OpenTarget> {
  await using owned = new AsyncDisposableStack();
  const { path: dir } = owned.use(openScratchFolder());
  const world = owned.use(await createNetNamespace());
  const links = Array.from({ length: interfaces }, (_, n) => `link add eth${n} type veth peer name far${n}`);
  if (links.length > 0) await batch(world, links);
  const check = checkWith((argv, options) => runCommand([...world.prefix, ...argv], options));
  const path = join(dir, 'configuration');
  const attack = attackOf(async (texts) => {
    if (texts.length === 0) return;
    writeFileSync(path, sideBySide(texts).replaceAll(RUN_DIR, dir));
    assert.deepEqual(await check(path), { kind: 'valid' });
  });
  const all = owned.move();
  return { attack, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

export function shippedTemplate(name: string): { readonly text: string; readonly templatePath: string } {
  const templatePath = fileURLToPath(new URL(`../../templates/${name}.ejs`, import.meta.url));
  return { text: readFileSync(templatePath, 'utf8'), templatePath };
}
