import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import type { Pod } from '../../cli/pod.ts';
import { codeOf, messageOf } from '../../engine/system/errors.ts';
import { instanceName } from '../../engine/system/process/instance-name.ts';
import { layout } from './layout.ts';
import { type ManifestContainer, manifestContainers } from './manifest-containers.ts';

interface ForeignManifest {
  /** On the node. */
  readonly path: string;
  /** The program that would conflict with hawser: `kube-vip`; undefined if the manifest cannot be read. */
  readonly runs: string | undefined;
  readonly message: string;
}

/** Far above any manifest. */
const MAX_BYTES = 1_000_000;

/**
 * Everything in the kubelet's folder, but for `ours`, that runs a load balancer or holds a VIP, or cannot be read. The
 * kubelet takes every file there whose name does not begin with a dot: a `haproxy.yaml.bak` is one more pod. A pod of hawser's
 * programs with `--instance` is in nobody's way.
 */
export function foreignManifests(
  root: string,
  ours: ReadonlySet<string>,
  pods: readonly Pod[],
): readonly ForeignManifest[] {
  const rivals = ['kube-vip', ...pods.map(({ program }) => program)];
  return namesIn(join(root, layout.manifests)).flatMap((name): readonly ForeignManifest[] => {
    const path = `${layout.manifests}/${name}`;
    if (name.startsWith('.') || ours.has(path)) return [];
    try {
      if (!statSync(join(root, path)).isFile()) return [];
      const text = textOf(join(root, path));
      if (isOtherInstance(manifestContainers(text), pods)) return [];
      const runs = rivalIn(text, rivals);
      return runs === undefined ? [] : [{ path, runs, message: `it runs ${runs}` }];
    } catch (error) {
      return [{ path, runs: undefined, message: messageOf(error) }];
    }
  });
}

function textOf(path: string): string {
  if (statSync(path).size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
  return readFileSync(path, 'utf8');
}

/** Every container is a daemon of hawser with `--instance`. */
function isOtherInstance(containers: readonly ManifestContainer[], pods: readonly Pod[]): boolean {
  const daemons = pods.flatMap((pod) => pod.daemons);
  const isOther = ({ args, env }: ManifestContainer): boolean => {
    const spec = daemons.find(({ name }) => `${args.join(' ')} `.startsWith(`${name} `));
    return spec !== undefined && instanceName(args, env) !== undefined;
  };
  return containers.length > 0 && containers.every(isOther);
}

function rivalIn(text: string, rivals: readonly string[]): string | undefined {
  const document = parseDocument(text, { logLevel: 'silent' });
  const [problem] = document.errors;
  if (problem !== undefined) throw new Error(`invalid YAML (${problem.message.split('\n')[0]})`);
  const pod: unknown = document.toJS({ maxAliasCount: 20 });
  const words = containersOf(pod).flatMap((container) => [
    fieldOf(container, 'name'),
    fieldOf(container, 'image'),
    ...listOf(fieldOf(container, 'command')),
  ]);
  return rivals.find((rival) => words.some((word) => typeof word === 'string' && word.includes(rival)));
}

function containersOf(pod: unknown): readonly unknown[] {
  return listOf(fieldOf(fieldOf(pod, 'spec'), 'containers'));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path).toSorted();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
