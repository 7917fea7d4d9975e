import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Archive {
  /** The image's tag in podman's storage. */
  readonly tag: string;
  /** The name under which `ctr images import` and `podman load` store the image. */
  readonly name: string;
  readonly file: string;
}

/** Writes an image from podman to an OCI archive. The same image gives the same bytes; podman's own archive has the current time. */
export function writeOciArchive({ tag, name, file }: Archive): void {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-release-'));
  try {
    const saved = join(dir, 'saved.tar');
    run('podman', 'save', '--quiet', '--format', 'oci-archive', '--output', saved, tag);
    const layout = join(dir, 'layout');
    run('mkdir', layout);
    run('tar', '-C', layout, '-xf', saved);
    rmSync(saved);
    const index = join(layout, 'index.json');
    writeFileSync(index, namedIndex(readFileSync(index, 'utf8'), name));
    const members = [
      '--sort=name',
      '--mtime=@0',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mode=u=rwX,go=rX',
    ];
    run('tar', '-C', layout, ...members, '-cf', file, 'oci-layout', 'index.json', 'blobs');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** containerd reads the first annotation, podman reads either. */
function namedIndex(text: string, name: string): string {
  const { manifests, ...index } = JSON.parse(text);
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name };
  const named = manifests.map((each: object) => ({ ...each, annotations }));
  return JSON.stringify({ ...index, manifests: named });
}

function run(file: string, ...args: readonly string[]): void {
  execFileSync(file, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
