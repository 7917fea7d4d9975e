import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerEngine } from './container-engine.ts';
import { buildImage, withRareAdverts } from './global-setup.ts';

/** An image to upgrade from. */
export interface PreviousImage {
  readonly tag: string;
  /** What it was built from, for the output. */
  readonly from: string;
}

const root = join(import.meta.dirname, '../../..');
const SHIPPED = 'hawser:previous-shipped';
const TAG = 'hawser:previous';

/**
 * Gives the engine the image of the previous release: the last tag before this commit, or the previous commit if there is no tag.
 * HAWSER_UPGRADE_FROM names another commit, or the OCI archive of a release. Throws if it cannot be built or loaded.
 */
export async function providePrevious(engine: ContainerEngine): Promise<PreviousImage> {
  const wanted = process.env['HAWSER_UPGRADE_FROM'];
  if (wanted?.endsWith('.tar') === true) {
    const loaded = await engine.podman('load', '--quiet', '--input', wanted);
    await engine.podman('tag', loaded.replace(/^Loaded image: /, '').trim(), SHIPPED);
    await withRareAdverts(engine, SHIPPED, TAG);
    return { tag: TAG, from: wanted };
  }
  const commit = git('rev-parse', `${wanted ?? previousTag() ?? 'HEAD~'}^{commit}`);
  const tree = join(root, 'dist.previous');
  rmSync(tree, { recursive: true, force: true });
  git('worktree', 'prune');
  git('worktree', 'add', '--quiet', '--detach', tree, commit);
  try {
    // Otherwise scripts/image.sh of that tree installs its own.
    if (sameLock(tree)) execFileSync('cp', ['-al', join(root, 'node_modules'), join(tree, 'node_modules')]);
    buildImage(engine, 'podman', SHIPPED, { root: tree });
  } finally {
    git('worktree', 'remove', '--force', tree);
  }
  await withRareAdverts(engine, SHIPPED, TAG);
  return { tag: TAG, from: git('log', '-1', '--format=%h %s', commit) };
}

function previousTag(): string | undefined {
  try {
    return git('describe', '--tags', '--match', 'v*', '--abbrev=0', 'HEAD~');
  } catch {
    return undefined;
  }
}

function sameLock(tree: string): boolean {
  const lock = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8');
  return existsSync(join(root, 'node_modules')) && lock(tree) === lock(root);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
