import { createHash } from 'node:crypto';

/** A Debian or npm package in the SBOM. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression; NOASSERTION if the package declares none. */
  readonly license: string;
  readonly purl: string;
  /** Hash of the downloaded file, in hexadecimal. */
  readonly sha512?: string;
}

/** Every package installed by dpkg. Their licenses are in /usr/share/doc/NAME/copyright. */
export function debianPackages(status: string, distribution: string): readonly Package[] {
  return status.split(/\n\n+/).flatMap((paragraph) => {
    const field = (key: string) => new RegExp(`^${key}: (.+)$`, 'm').exec(paragraph)?.[1];
    const name = field('Package');
    const version = field('Version');
    const arch = field('Architecture');
    if (field('Status') !== 'install ok installed' || !name || !version || !arch) return [];
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${arch}&distro=${distribution}`;
    return [{ name, version, license: 'NOASSERTION', purl }];
  });
}

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly cpu?: string | readonly string[];
}

/** The packages in package-lock.json for this CPU, except dev dependencies: Node and everything the bundle may contain. */
export function npmPackages(
  lock: { readonly packages: Readonly<Record<string, Locked>> },
  cpu: string,
): readonly Package[] {
  return Object.entries(lock.packages).flatMap(([path, { version, license, integrity, dev, cpu: only }]) => {
    const name = path.split('node_modules/').at(-1) ?? '';
    if (
      path === '' ||
      dev === true ||
      version === undefined ||
      (only !== undefined && ![only].flat().includes(cpu))
    )
      return [];
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    const sha512 = /^sha512-(.+)$/.exec(integrity ?? '')?.[1];
    return [
      {
        name,
        version,
        license: license ?? 'NOASSERTION',
        purl,
        ...(sha512 === undefined ? {} : { sha512: Buffer.from(sha512, 'base64').toString('hex') }),
      },
    ];
  });
}

/** An SPDX 2.3 document (https://spdx.github.io/spdx-spec/v2.3/). The same packages and time give the same bytes. */
export function spdxDocument(
  image: { readonly version: string; readonly epoch: number },
  packages: readonly Package[],
): string {
  const all = [...new Map(packages.map((each) => [each.purl, each])).values()];
  const own = {
    SPDXID: 'SPDXRef-image',
    name: 'hawser',
    versionInfo: image.version,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: 'Apache-2.0',
    copyrightText: 'NOASSERTION',
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    primaryPackagePurpose: 'CONTAINER',
  };
  const content = all.map(spdxPackage);
  const digest = createHash('sha256')
    .update(JSON.stringify([own, content]))
    .digest('hex');
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `hawser-${image.version}`,
    documentNamespace: `https://spdx.org/spdxdocs/hawser-${image.version}-${digest}`,
    creationInfo: {
      created: new Date(image.epoch * 1_000).toISOString().replace('.000Z', 'Z'),
      creators: [`Tool: hawser-${image.version}`],
    },
    packages: [own, ...content],
    relationships: [
      relationship('SPDXRef-DOCUMENT', 'DESCRIBES', own.SPDXID),
      ...content.map(({ SPDXID }) => relationship(own.SPDXID, 'CONTAINS', SPDXID)),
    ],
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

function spdxPackage({ name, version, license, purl, sha512 }: Package) {
  return {
    SPDXID: `SPDXRef-${createHash('sha256').update(purl).digest('hex').slice(0, 16)}`,
    name,
    versionInfo: version,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: license,
    copyrightText: 'NOASSERTION',
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    ...(sha512 === undefined ? {} : { checksums: [{ algorithm: 'SHA512', checksumValue: sha512 }] }),
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
  };
}

function relationship(spdxElementId: string, relationshipType: string, relatedSpdxElement: string) {
  return { spdxElementId, relationshipType, relatedSpdxElement };
}
