import { installSettings } from '../../config/install-settings.ts';
import { podLayouts } from '../../install/layout.ts';
import { planFiles } from '../../install/plan.ts';
import { unifiedDiff } from '../../install/unified-diff.ts';
import type { Container } from '../../model/change-cost.ts';
import { draftInstall, type OnDisk, readDisk } from '../install/draft.ts';

/** A static pod that `hawser install` would write anew; the kubelet then replaces both of its containers. */
export interface ManifestChange {
  readonly path: string;
  readonly diff: string;
  readonly containers: readonly Container[];
}

/**
 * What the settings in `after` put into the manifests: ports of probes, the time to stop. With `before` it is what the one
 * changes in the other's, whatever version of hawser wrote the manifests that are there; without it, what is on the disk.
 * Empty where hawser was not installed by `hawser install`.
 */
export async function manifestChanges(
  root: string,
  after: string | undefined,
  before: string | undefined,
): Promise<readonly ManifestChange[]> {
  const disk = await readDisk(root);
  if (disk.record === undefined || after === undefined) return [];
  const wanted = manifestsOf(root, disk, after);
  if (before !== undefined) {
    const old = new Map(manifestsOf(root, disk, before).map(({ path, content }) => [path, content]));
    return wanted.flatMap(({ path, content }) => changeOf(path, old.get(path), content));
  }
  const { steps } = await planFiles(root, wanted);
  return steps.flatMap((step) =>
    step.kind === 'write'
      ? changeOf(step.file.path, step.before?.content.toString('utf8'), step.file.content)
      : [],
  );
}

function manifestsOf(root: string, disk: OnDisk, settings: string) {
  const asked = installSettings({ root });
  return draftInstall(asked, { ...disk, settings }).manifests;
}

function changeOf(path: string, before: string | undefined, after: string): readonly ManifestChange[] {
  const pod = podLayouts.find(({ manifest }) => manifest === path);
  if (pod === undefined || before === after) return [];
  const { program } = pod;
  return [{ path, diff: unifiedDiff(path, before, after), containers: [program, `${program}-monitor`] }];
}
