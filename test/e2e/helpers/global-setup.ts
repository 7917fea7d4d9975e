import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { type ContainerEngine, createContainerEngine, findContainerSettings } from './container-engine.ts';
import { removeOrphans } from './remove-orphans.ts';
import { makeRunFolder, RUN_FOLDERS } from './run-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly builder: BuiltImage;
  }
}

export interface BuiltImage {
  /** The folder of the engine that has the image. */
  readonly dir: string;
  readonly settings: string;
  /** The tag in the manifests. This image has rare adverts. */
  readonly tag: string;
  /** The image as scripts/image.sh built it. */
  readonly shipped: string;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const rareAdverts = join(root, 'test/fixtures/rare-adverts');
const script = (name: string) => join(root, 'scripts', name);

/** Builds the image once. Removes leftovers of earlier runs before the first test, and its own at the end, however the tests end. */
export async function setup(project: {
  provide(key: 'builder', value: BuiltImage): void;
}): Promise<() => Promise<void>> {
  await removeOrphans(RUN_FOLDERS);
  const stack = new DisposableStack();
  // An engine kept between runs builds only what has changed.
  const kept = process.env['HAWSER_E2E_ENGINE'];
  const dir = kept ?? makeRunFolder('images', stack);
  const settings = findContainerSettings();
  const builder = createContainerEngine({ dir, settings });
  const { version } = z.parse(z.object({ version: z.string() }), JSON.parse(readText('package.json')));
  const tag = `hawser:${version}`;
  await provideBase(builder);
  const shipped = 'hawser:shipped';
  buildImage(builder, 'podman', shipped);
  await withRareAdverts(builder, shipped, tag);
  project.provide('builder', { dir, settings, tag, shipped });
  return async () => {
    if (kept === undefined) await builder.remove();
    stack.dispose();
  };
}

/** Makes an image with rare adverts from the image that users get. */
export async function withRareAdverts(engine: ContainerEngine, shipped: string, tag: string): Promise<void> {
  const file = ['--file', join(rareAdverts, 'Containerfile'), '--build-arg', `HAWSER=${shipped}`];
  await engine.podman('build', '--network', 'host', '--tag', tag, ...file, rareAdverts);
}

/** Builds with scripts/image.sh, as users do, into the engine's images. Returns the output. */
export function buildImage(
  engine: Pick<ContainerEngine, 'env'>,
  tool: 'podman' | 'buildah',
  tag: string,
  { flags = [], root: sources = root }: { flags?: readonly string[]; root?: string } = {},
): string {
  const env = { ...process.env, ...engine.env, ENGINE: tool };
  return execFileSync('sh', [join(sources, 'scripts/image.sh'), tag, ...flags], {
    cwd: sources,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/**
 * Gives the engine the base image of the Dockerfile, or that of the Debian release that BASE names, made from packages
 * that apt on this machine can reach. Any other BASE is pulled.
 */
async function provideBase(engine: ContainerEngine): Promise<void> {
  const base = process.env['BASE'] ?? 'debian:trixie-slim';
  const release = /^debian:(\w+)-slim$/.exec(base)?.[1];
  if (release === undefined) return;
  const made = execFileSync('sh', [script('debian-base.sh'), release], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  await engine.podman('import', '--change', `ENV ${path}`, made.trim(), base);
}

function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
