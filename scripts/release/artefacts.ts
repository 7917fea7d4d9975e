import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { debianNotices, type Notice, noticesDocument } from '../image/notices.ts';
import { writeOciArchive } from './oci-archive.ts';

export const architectures = ['amd64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

export interface Build {
  readonly root: string;
  /** An empty folder for the artefacts. */
  readonly out: string;
  readonly version: string;
  /** The base image. */
  readonly base: string;
  /** A timestamp in Debian's snapshot archive; undefined for the base's own sources. */
  readonly snapshot: string | undefined;
}

/** Notices of the third-party software in an image. */
export interface Contents {
  readonly npmNotices: string;
  readonly debian: readonly Notice[];
}

/** Why images of this architecture cannot be built on this machine; undefined if they can. */
export function cannotBuild(arch: Architecture): string | undefined {
  const [own, emulator] = arch === 'arm64' ? ['arm64', 'qemu-aarch64'] : ['x64', 'qemu-x86_64'];
  if (process.arch === own || existsSync(`/proc/sys/fs/binfmt_misc/${emulator}`)) return undefined;
  return `this machine does not run ${arch} programs (no ${emulator} in /proc/sys/fs/binfmt_misc; install qemu-user-static and binfmt-support, or build on ${arch})`;
}

/** Builds the image with podman and writes its archive and SBOM. Throws if the build fails. The build's output goes to stderr. */
export function buildImage({ root, out, version, base, snapshot }: Build, arch: Architecture): Contents {
  const tag = `hawser:${version}-${arch}`;
  execFileSync('sh', ['scripts/image.sh', tag], {
    cwd: root,
    env: { ...process.env, ENGINE: 'podman', ARCH: arch, BASE: base, SNAPSHOT: snapshot ?? '' },
    stdio: ['ignore', 2, 'inherit'],
  });
  const name = `hawser-${version}-${arch}`;
  writeOciArchive({ tag, name: `docker.io/library/hawser:${version}`, file: join(out, `${name}.oci.tar`) });
  copyFileSync(join(root, `dist/sbom-${arch}.spdx.json`), join(out, `${name}.spdx.json`));
  return contentsOf(tag);
}

/** Writes the manifests, each as one file for `kubectl apply -f`. */
export function writeManifests({ root, out }: Pick<Build, 'root' | 'out'>): void {
  const read = (path: string) => readFileSync(join(root, 'manifests', path), 'utf8');
  for (const [name, base] of [
    ['hawser-router', 'router'],
    ['hawser-proxy', 'pod-proxy'],
  ] as const) {
    const { resources } = parse(read(`${base}/kustomization.yaml`)) as { resources: readonly string[] };
    writeFileSync(join(out, `${name}.yaml`), resources.map((file) => read(`${base}/${file}`)).join('---\n'));
  }
  for (const file of ['rbac.yaml', 'rbac-kubelet.yaml', 'rbac-endpoints.yaml', 'router/route-crd.yaml'])
    writeFileSync(join(out, file.replace('router/', '')), read(file));
}

/** Writes the notices of all software in the images. */
export function writeNotices(
  { out, version }: Pick<Build, 'out' | 'version'>,
  images: readonly Contents[],
): void {
  const debian = new Map(images.flatMap((image) => image.debian).map((each) => [each.name, each]));
  const heading = `Debian packages in the image of hawser ${version}. Their sources are in Debian's archive, at these versions.`;
  const text = [images[0]?.npmNotices ?? '', noticesDocument(heading, [...debian.values()])].join(
    `\n${'='.repeat(80)}\n\n`,
  );
  writeFileSync(join(out, 'THIRD_PARTY_NOTICES'), text);
}

/** Writes SHA256SUMS for the files in the folder. Returns each file with its size and checksum. */
export function writeSums(out: string) {
  const files = readdirSync(out)
    .toSorted()
    .map((name) => {
      const sha256 = createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex');
      return { name, bytes: statSync(join(out, name)).size, sha256 };
    });
  writeFileSync(join(out, 'SHA256SUMS'), files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
  return files;
}

function contentsOf(tag: string): Contents {
  const dir = mkdtempSync(join(tmpdir(), 'hawser-release-'));
  const podman = (...args: readonly string[]) =>
    execFileSync('podman', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  const container = podman('create', tag);
  try {
    for (const path of ['/opt/hawser/THIRD_PARTY_NOTICES', '/usr/share/doc', '/var/lib/dpkg/status'])
      podman('cp', `${container}:${path}`, dir);
    return {
      npmNotices: readFileSync(join(dir, 'THIRD_PARTY_NOTICES'), 'utf8'),
      debian: debianNotices(join(dir, 'doc'), readFileSync(join(dir, 'status'), 'utf8')),
    };
  } finally {
    podman('rm', container);
    rmSync(dir, { recursive: true, force: true });
  }
}
