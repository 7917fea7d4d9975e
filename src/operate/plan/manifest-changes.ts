import { containerOf, type Pod } from '../../cli/pod.ts';
import { draftInstall, type OnDisk, readDisk } from '../install/draft.ts';
import { editedFiles } from '../install/edited-files.ts';
import type { Installable } from '../install/effective-settings.ts';
import { installCommand } from '../install/install-settings.ts';
import { podLayout } from '../install/layout.ts';
import { planFiles, type WantedFile } from '../install/plan.ts';
import { podsOfInstance } from '../install/pods-of-instance.ts';
import { unifiedDiff } from '../install/unified-diff.ts';

/** A static pod that `hawser install` would rewrite. The kubelet then replaces both of its containers. */
export interface ManifestChange {
  readonly path: string;
  readonly diff: string;
  readonly containers: readonly string[];
}

interface Place {
  readonly root: string;
  /** Undefined for the pods without a name. */
  readonly instance: string | undefined;
}

interface ManifestChanges {
  readonly changes: readonly ManifestChange[];
  /** Of manifests that were edited and would have to change (docs/decisions/0043). */
  readonly notes: readonly string[];
}

/**
 * How the settings in `after` would change the manifests: ports of probes, grace period. With `before`, the two are
 * compared, whatever version of hawser wrote the manifests on disk; without it, `after` is compared with the disk.
 * Empty unless `hawser install` installed hawser.
 */
export async function manifestChanges(
  { root, instance }: Place,
  after: string | undefined,
  before: string | undefined,
  all: Installable,
): Promise<ManifestChanges> {
  const disk = await readDisk(root, instance);
  if (disk.record === undefined || after === undefined) return { changes: [], notes: [] };
  const known = { ...all, pods: podsOfInstance(all.pods, { instance }, disk.record) };
  const wanted = manifestsOf({ root, instance }, disk, after, known);
  const edited = await editedFiles(root, wanted, disk.record);
  const kept = new Map(edited.map((file) => [file.path, file]));
  const found = await changesOf({ root, instance }, disk, wanted, before, known);
  return {
    changes: found.filter(({ path }) => !kept.has(path)),
    notes: found.flatMap(({ path }) =>
      kept.get(path)?.isOutdated === true
        ? [`${path} was edited and stays as it is: hawser install refuses to change it without --overwrite`]
        : [],
    ),
  };
}

async function changesOf(
  place: Place,
  disk: OnDisk,
  wanted: readonly WantedFile[],
  before: string | undefined,
  known: Installable,
): Promise<readonly ManifestChange[]> {
  if (before !== undefined) {
    const old = new Map(manifestsOf(place, disk, before, known).map(({ path, content }) => [path, content]));
    return wanted.flatMap(({ path, content }) => changeOf(known.pods, path, old.get(path), content));
  }
  const { steps } = await planFiles(place.root, wanted);
  return steps.flatMap((step) =>
    step.kind === 'write'
      ? changeOf(known.pods, step.file.path, step.before?.content.toString('utf8'), step.file.content)
      : [],
  );
}

function manifestsOf(place: Place, disk: OnDisk, settings: string, known: Installable) {
  const asked = { ...installCommand.settings({ root: place.root }, {}), instance: place.instance };
  return draftInstall(asked, { ...disk, settings }, known).manifests;
}

function changeOf(
  pods: readonly Pod[],
  path: string,
  before: string | undefined,
  after: string,
): readonly ManifestChange[] {
  const pod = pods.find((each) => podLayout(each).manifest === path);
  if (pod === undefined || before === after) return [];
  return [{ path, diff: unifiedDiff(path, before, after), containers: pod.daemons.map(containerOf) }];
}
