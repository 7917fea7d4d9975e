import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where files contain the version: every match of the pattern, with the version in the group `version`. */
interface Rule {
  readonly files: string;
  readonly pattern: RegExp;
}

/** A line that contains the version. */
export interface Place {
  readonly path: string;
  readonly line: number;
  readonly version: string;
}

const VERSION = String.raw`(?<version>\d+\.\d+\.\d+(?:-(?!a..64)[a-z]+\.\d+)?)`;
const rules: readonly Rule[] = [
  { files: 'package.json', pattern: new RegExp(`^  "version": "${VERSION}"`, 'dgm') },
  {
    files: 'package-lock.json',
    pattern: new RegExp(`^(?:  |    "": \\{\n      "name": "hawser",\n      )"version": "${VERSION}"`, 'dgm'),
  },
  {
    files: 'manifests/**/*.yaml',
    pattern: new RegExp(`(?:kubernetes\\.io/version: |image: hawser:)${VERSION}`, 'dg'),
  },
  {
    files: '{README.md,docs/*.md}',
    pattern: new RegExp(`(?:hawser:|newTag: |hawser-(?=\\d))${VERSION}`, 'dg'),
  },
];

/** Every place below `root` that contains the version, in the order of rules and paths. */
export function versionPlaces(root: string): readonly Place[] {
  return matches(root).flatMap(({ path, text, found }) =>
    found.map(({ start, version }) => ({ path, version, line: text.slice(0, start).split('\n').length })),
  );
}

/** Writes `version` to every place below `root`. */
export function setVersion(root: string, version: string): void {
  for (const { path, text, found } of matches(root)) {
    const changed = found.reduceRight(
      (rest, { start, end }) => `${rest.slice(0, start)}${version}${rest.slice(end)}`,
      text,
    );
    if (changed !== text) writeFileSync(join(root, path), changed);
  }
}

/**
 * The changelog with its unreleased part under a heading for `version`. Unchanged if it already has that heading; undefined if
 * it has no unreleased part.
 */
export function cutChangelog(text: string, version: string, date: string): string | undefined {
  if (text.includes(`\n## [${version}]`)) return text;
  const unreleased = '\n## [Unreleased]\n';
  return text.includes(unreleased)
    ? text.replace(unreleased, `${unreleased}\n## [${version}] - ${date}\n`)
    : undefined;
}

function matches(root: string) {
  return rules.flatMap(({ files, pattern }) =>
    globSync(files, { cwd: root })
      .toSorted()
      .map((path) => {
        const text = readFileSync(join(root, path), 'utf8');
        const found = [...text.matchAll(pattern)].flatMap(({ groups, indices }) => {
          const [start, end] = indices?.groups?.['version'] ?? [];
          const version = groups?.['version'];
          return start === undefined || end === undefined || version === undefined
            ? []
            : [{ start, end, version }];
        });
        return { path, text, found };
      }),
  );
}
