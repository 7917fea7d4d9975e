import { type Document, isScalar, isSeq, visit } from 'yaml';
import { containerOf, instanceArguments, type Pod } from '../../cli/pod.ts';
import { placesOf, podLayout } from './layout.ts';
import type { Path } from './manifest-probes.ts';

/**
 * Makes a pod's manifest that of its instance: name, arguments, and every path that is the instance's alone, so that the two pods share
 * no file but journals. The node's folders and the paths in the containers change alike.
 */
export function nameInstance(document: Document, pod: Pod, container: (name: string) => Path): void {
  if (pod.instance === undefined) return;
  const { name } = pod.instance;
  document.setIn(['metadata', 'name'], `${pod.name}-${name}`);
  const own = pathsOf(pod);
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string') node.value = renamed(node.value, own);
    },
  });
  for (const spec of pod.daemons) {
    const args = document.getIn([...container(containerOf(spec)), 'args']);
    const at = isSeq(args) ? args.items.findIndex((each) => isScalar(each) && isSettings(each.value)) : -1;
    if (!isSeq(args) || at < 0)
      throw new Error(
        'Cannot use the manifest: a container has no --settings, expected the one that came with hawser',
      );
    const added = instanceArguments(pod, spec).map((word) => document.createNode(word));
    args.items.splice(at + 1, 0, ...added);
  }
}

function isSettings(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('--settings=');
}

/** What each path of the pod without a name becomes. */
function pathsOf(pod: Pod): ReadonlyMap<string, string> {
  const { instance, ...shipped } = pod;
  const [before, after] = [placesOf(undefined), placesOf(instance?.name)];
  const folders = ['/etc', '/var/run', '/var/lib'].map((parent) => `${parent}/${pod.name}`);
  return new Map([
    ...folders.map((folder) => [folder, `${folder}-${instance?.name}`] as const),
    ...(['settings', 'kubeconfig'] as const).map((which) => [before[which], after[which]] as const),
    [podLayout(shipped).resources, podLayout(pod).resources],
  ]);
}

/** `--flag=PATH` or a path, at one of these or below it. */
function renamed(text: string, paths: ReadonlyMap<string, string>): string {
  const [, flag = '', path = text] = /^(--[a-z-]+=)(.*)$/.exec(text) ?? [];
  for (const [before, after] of paths)
    if (path === before || path.startsWith(`${before}/`))
      return `${flag}${after}${path.slice(before.length)}`;
  return text;
}
