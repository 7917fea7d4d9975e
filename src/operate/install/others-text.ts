import type { EditedFile } from './edited-files.ts';
import type { ForeignConfiguration } from './foreign-configurations.ts';
import { layout } from './layout.ts';
import { unifiedDiff } from './unified-diff.ts';

export function foreignNotice({ path, aside, service }: ForeignConfiguration): string {
  const kept = `${path} is not hawser's: it is kept as ${aside}, and hawser uninstall puts it back`;
  return service === undefined ? kept : `${kept}; ${service} reads it: systemctl disable --now ${service}`;
}

/** What --overwrite would change in a file that stays as it is. */
export function editedDiff({ path, content, wanted }: EditedFile): string {
  return unifiedDiff(path, content, wanted.content);
}

/**
 * An edited template still works, and so does a manifest that hawser would write unchanged. Any other edited manifest
 * must be replaced: otherwise the pod would not get its new image or settings.
 */
export function editedWords(edited: readonly EditedFile[]): {
  readonly notices: readonly string[];
  readonly problems: readonly string[];
} {
  const isStuck = ({ path, isOutdated }: EditedFile) => isOutdated && path.startsWith(`${layout.manifests}/`);
  return {
    notices: edited
      .filter((file) => !isStuck(file))
      .map(({ path }) => `${path} was edited and stays as it is; --overwrite replaces it and keeps a copy`),
    problems: edited
      .filter(isStuck)
      .map(
        ({ path }) =>
          `Cannot change "${path}": it was edited since hawser wrote it; put the edits into --patches DIR and type --overwrite, which keeps a copy`,
      ),
  };
}
