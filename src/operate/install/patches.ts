import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, parseAllDocuments } from 'yaml';
import type { Pod } from '../../cli/pod.ts';
import { ConfigError, messageOf } from '../../engine/system/errors.ts';
import { applyJsonPatch } from './json-patch.ts';
import { mergePatch } from './strategic-merge.ts';

export interface Patch {
  readonly path: string;
  /** A pod's name. */
  readonly target: string;
  readonly type: 'strategic' | 'merge' | 'json';
  /** A file may hold several. */
  readonly contents: readonly unknown[];
}

/** `target[suffix][+patchtype].extension`, as for `kubeadm --patches`. */
function formFor(pods: readonly Pod[]): RegExp {
  const targets = pods.map(({ name }) => name).toSorted((a, b) => b.length - a.length);
  return new RegExp(`^(${targets.join('|')})([^+.]*)(?:\\+(strategic|merge|json))?\\.(?:yaml|json)$`);
}

/**
 * The patches of a folder in the order of their names. `shown` is what messages call the folder. Throws a ConfigError
 * with every file that cannot be used: one that was left out in silence would be missed.
 */
export function readPatches(folder: string, shown: string, pods: readonly Pod[]): readonly Patch[] {
  const form = formFor(pods);
  const problems: string[] = [];
  const patches = namesIn(folder, shown).flatMap((name): readonly Patch[] => {
    const path = `${shown}/${name}`;
    const [, target, , type = 'strategic'] = form.exec(name) ?? [];
    if (target === undefined) {
      problems.push(
        `Cannot use patch "${path}": expected a name such as haproxy.yaml or keepalived0+json.yaml`,
      );
      return [];
    }
    try {
      const contents = contentsOf(readFileSync(join(folder, name), 'utf8'));
      return [{ path, target, type: type as Patch['type'], contents }];
    } catch (error) {
      problems.push(`Cannot use patch "${path}": ${messageOf(error)}`);
      return [];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return patches;
}

function namesIn(folder: string, shown: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .toSorted();
  } catch (error) {
    throw new ConfigError([`Cannot read --patches "${shown}": ${messageOf(error)}`]);
  }
}

function contentsOf(text: string): readonly unknown[] {
  return [...parseAllDocuments(text, { logLevel: 'silent' })].map((document) => {
    const [problem] = document.errors;
    if (problem !== undefined) throw new Error(`invalid YAML (${problem.message.split('\n')[0]})`);
    return document.toJS({ maxAliasCount: 20 });
  });
}

/** Throws a ConfigError that names the patch which does not fit. */
export function applyPatch(document: Document, { path, type, contents }: Patch): void {
  try {
    for (const content of contents)
      if (type === 'json') applyJsonPatch(document, content);
      else mergePatch(document, content, type);
  } catch (error) {
    throw new ConfigError([`Cannot use patch "${path}": ${messageOf(error)}`]);
  }
}
