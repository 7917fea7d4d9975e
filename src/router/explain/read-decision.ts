import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { AdmissionPolicy } from '../admission/admission-policy.ts';
import { type BackendDefaults, defaultBackendDefaults } from '../backends/backend-defaults.ts';
import { type Decision, decide } from '../decide/decide.ts';
import { readObjectList } from '../objects/read-object-list.ts';

/** Decides about the objects of a file, or of stdin for `-`. `problems` names those that were left out. */
export async function readDecision(
  path: string,
  policy: AdmissionPolicy,
  defaults: BackendDefaults = defaultBackendDefaults,
): Promise<Decision & { readonly problems: readonly string[] }> {
  const list = readObjectList(path === '-' ? await text(process.stdin) : await readFile(path, 'utf8'));
  return { ...decide(list.objects, policy, defaults), problems: list.problems };
}
