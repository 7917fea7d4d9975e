import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianPackages } from './sbom.ts';

/** The copyright notice of one package. */
export interface Notice {
  /** Name and version. */
  readonly name: string;
  readonly license: string;
  /** Undefined if the package has no such file. */
  readonly text: string | undefined;
}

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly cpu?: string | readonly string[];
}

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** Notices of Node and of the npm packages that the bundle may contain, from node_modules in `root`. */
export function npmNotices(
  root: string,
  lock: { readonly packages: Readonly<Record<string, Locked>> },
  cpu: string,
): readonly Notice[] {
  return Object.entries(lock.packages).flatMap(([path, { version, license = 'unknown', dev, cpu: only }]) => {
    if (path === '' || dev === true || (only !== undefined && ![only].flat().includes(cpu))) return [];
    const name = `${path.split('node_modules/').at(-1)} ${version}`;
    return [{ name, license, text: licenseText(join(root, path)) }];
  });
}

/**
 * Notices of the Debian packages in a dpkg status file. `doc` is the system's /usr/share/doc. A package may link to the copyright file of
 * another package from the same source, and slim images leave such links out.
 */
export function debianNotices(doc: string, status: string): readonly Notice[] {
  const sources = new Map(
    status.split(/\n\n+/).map((paragraph) => {
      const field = (key: string) => new RegExp(`^${key}: (\\S+)`, 'm').exec(paragraph)?.[1] ?? '';
      return [field('Package'), field('Source') || field('Package')];
    }),
  );
  const texts = new Map([...sources.keys()].map((name) => [name, textOf(join(doc, name, 'copyright'))]));
  const siblings = (name: string) => [...sources].filter(([, source]) => source === sources.get(name));
  const textFor = (name: string) =>
    texts.get(name) ??
    siblings(name)
      .map(([sibling]) => texts.get(sibling))
      .find((text) => text !== undefined);
  return debianPackages(status, 'debian').map(({ name, version }) => ({
    name: `${name} ${version}`,
    license: 'see below',
    text: textFor(name),
  }));
}

/** Packages with the same text share one copy of it. The same packages give the same bytes. */
export function noticesDocument(heading: string, notices: readonly Notice[]): string {
  const byText = Map.groupBy(notices, ({ text }) => text?.replaceAll('\r', '').trim() ?? '');
  const parts = [...byText].map(([text, packages]) => {
    const names = packages.map(({ name, license }) => `${name} (${license})`).toSorted();
    return `${names.join('\n')}\n\n${text === '' ? 'No copyright file comes with it.' : text}\n`;
  });
  const line = `${'-'.repeat(80)}\n\n`;
  return [`${heading}\n\n`, ...parts.toSorted()].join(line);
}

function licenseText(folder: string): string | undefined {
  const found = readdirSync(folder).filter((name) => LICENSE_FILE.test(name));
  const texts = found.toSorted().map((name) => readFileSync(join(folder, name), 'utf8').trim());
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
