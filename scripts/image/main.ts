/**
 * The Dockerfile's last step on /opt/hawser: strips its Node, and writes the image's SBOM and
 * the notices of its npm packages.
 *   node main.ts LAYOUT SYSTEM
 * SYSTEM contains the image's /var/lib/dpkg/status and /usr/lib/os-release.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noticesDocument, npmNotices } from './notices.ts';
import { debianPackages, npmPackages, spdxDocument } from './sbom.ts';
import { stripElf } from './strip-elf.ts';

const [layout = '', system = ''] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(layout, 'package.json'), 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const release = /^VERSION_ID="?([\d.]+)/m.exec(readFileSync(join(system, 'usr/lib/os-release'), 'utf8'))?.[1];
const packages = [
  ...debianPackages(readFileSync(join(system, 'var/lib/dpkg/status'), 'utf8'), `debian-${release ?? ''}`),
  ...npmPackages(lock, process.arch),
];
const epoch = Number(process.env['SOURCE_DATE_EPOCH'] ?? 0);
writeFileSync(join(layout, 'sbom.spdx.json'), spdxDocument({ version, epoch }, packages));
const heading =
  'Third-party software in hawser. The notices of Debian packages are in /usr/share/doc of the image.';
const notices = noticesDocument(heading, npmNotices('.', lock, process.arch));
writeFileSync(join(layout, 'THIRD_PARTY_NOTICES'), notices);
stripElf(join(layout, `node_modules/node-linux-${process.arch}/bin/node`));
