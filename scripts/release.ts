/**
 * Builds a release of the checked-out commit in dist/release:
 *   npm run release -- VERSION [--arch amd64|arm64]… [--base IMAGE] [--snapshot TIME|none] [--out DIR] [--draft]
 * Needs podman and a clean working tree. If files do not have VERSION yet, or the changelog has no heading for it, it writes both
 * and commits them first. `--arch` builds only these images, by default both; it exits with 1 if one of them was skipped.
 * `--base` is the base image and `--snapshot` the time of Debian's packages in the images; with `none` the
 * packages come from the base's own sources, as of now. `--draft` builds the checkout, clean or not, and commits nothing.
 * Nothing is signed, tagged or pushed; the commands for that are printed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type Architecture,
  architectures,
  type Build,
  buildImage,
  type Contents,
  cannotBuild,
  writeManifests,
  writeNotices,
  writeSums,
} from './release/artefacts.ts';
import { nextCommands } from './release/next-commands.ts';
import { cutChangelog, setVersion, versionPlaces } from './release/version-places.ts';

const BASE =
  'debian:trixie-20260918-slim@sha256:a99cfc517144bc59b1978475ec53b46ecabec7e43635402ee5b77cc54cd1b20a';
const SNAPSHOT = '20260918T000000Z';
const root = resolve(import.meta.dirname, '..');

interface Request extends Build {
  readonly wanted: readonly Architecture[];
  readonly isDraft: boolean;
}

function fail(message: string): never {
  console.error(`Cannot release: ${message}`);
  process.exit(2);
}

function readRequest(): Request {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      arch: { type: 'string', multiple: true, default: [...architectures] },
      base: { type: 'string', default: BASE },
      snapshot: { type: 'string', default: SNAPSHOT },
      out: { type: 'string', default: join(root, 'dist/release') },
      draft: { type: 'boolean', default: false },
    },
  });
  const [version = '', ...more] = positionals;
  if (!/^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/.test(version) || more.length > 0)
    fail(`"${positionals.join(' ')}" is not one version, expected one such as 0.1.0 or 0.1.0-rc.1`);
  const wanted = architectures.filter((each) => values.arch.includes(each));
  if (wanted.length !== new Set(values.arch).size)
    fail(`--arch ${values.arch.join(' ')}: expected amd64 or arm64`);
  const snapshot = values.snapshot === 'none' ? undefined : values.snapshot;
  return {
    root,
    version,
    wanted,
    snapshot,
    base: values.base,
    out: resolve(values.out),
    isDraft: values.draft,
  };
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trimEnd();
}

/** Writes the version to every place that has one, adds its heading to the changelog, and commits the changes. */
function settleVersion({ version, isDraft }: Request): void {
  const current: string = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  const other = versionPlaces(root).filter((place) => place.version !== current);
  const list = other.map(({ path, line, version: named }) => `  ${path}:${line}: ${named}`).join('\n');
  if (other.length > 0)
    fail(`these places name another version than package.json, which has ${current}:\n${list}`);
  if (isDraft) {
    if (version !== current)
      fail(`--draft changes no version: package.json has ${current}, expected ${version}`);
    return;
  }
  const changes = git('status', '--porcelain');
  if (changes !== '') fail(`the working tree is not clean:\n${changes}`);
  const changelog = join(root, 'CHANGELOG.md');
  const cut = cutChangelog(readFileSync(changelog, 'utf8'), version, new Date().toISOString().slice(0, 10));
  if (cut === undefined) fail(`CHANGELOG.md has neither a heading [${version}] nor [Unreleased]`);
  writeFileSync(changelog, cut);
  setVersion(root, version);
  if (git('status', '--porcelain') !== '')
    git('commit', '--quiet', '--all', '--message', `release: ${version}`);
}

const request = readRequest();
settleVersion(request);
rmSync(request.out, { recursive: true, force: true });
mkdirSync(request.out, { recursive: true });
const leftOut: string[] = [];
const images: Contents[] = [];
for (const arch of request.wanted) {
  const reason = cannotBuild(arch);
  if (reason === undefined) images.push(buildImage(request, arch));
  else leftOut.push(`Left out: hawser-${request.version}-${arch}.oci.tar and its SBOM: ${reason}`);
}
writeManifests(request);
if (images.length > 0) writeNotices(request, images);
const files = writeSums(request.out);

console.log(`hawser ${request.version} of commit ${git('rev-parse', 'HEAD')}, in ${request.out}:`);
for (const { name, bytes, sha256 } of files) console.log(`${sha256}  ${String(bytes).padStart(10)}  ${name}`);
console.log(`Base ${request.base}, packages ${request.snapshot ?? "of the base's own sources"}.\n`);
console.log(
  nextCommands(
    request.version,
    files.map(({ name }) => name),
  ),
);
for (const line of leftOut) console.error(line);
process.exitCode = leftOut.length > 0 ? 1 : 0;
