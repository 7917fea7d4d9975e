import type { HostFiles } from '../../engine/examine/host-files.ts';

/** Parses a configuration file of systemd or NetworkManager: the last value of each `[section] key`. */
function parseIni(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split('\n').map((each) => each.trim())) {
    const [, header] = /^\[([^\]]+)\]$/.exec(line) ?? [];
    const [, key, value = ''] = /^([^#;=\s][^=]*?)\s*=\s*(.*)$/.exec(line) ?? [];
    if (header !== undefined) section = header;
    else if (key !== undefined) values.set(`${section}.${key}`.toLowerCase(), value);
  }
  return values;
}

const NETWORK_FOLDERS = ['/etc/systemd/network', '/run/systemd/network', '/usr/lib/systemd/network'];

export interface NetworkFile {
  readonly path: string;
  /** `[Network] KeepConfiguration=`, drop-ins included. */
  readonly keep: string | undefined;
}

/**
 * The .network file that systemd-networkd applies to an interface: the first by file name whose `[Match] Name=` matches, as in
 * systemd.network(5). Other conditions (MACAddress=, Type=) are not evaluated and count as matches.
 */
export async function networkFileOf(files: HostFiles, device: string): Promise<NetworkFile | undefined> {
  const byName = new Map<string, string>();
  for (const folder of [...NETWORK_FOLDERS].reverse())
    for (const name of await files.list(folder))
      if (name.endsWith('.network')) byName.set(name, `${folder}/${name}`);
  for (const name of [...byName.keys()].sort()) {
    const path = byName.get(name) ?? '';
    const values = parseIni((await files.value(path)) ?? '');
    if (!fits(values.get('match.name'), device)) continue;
    const dropIns = await dropInsOf(files, name);
    const keep = [values, ...dropIns].flatMap((each) => each.get('network.keepconfiguration') ?? []).at(-1);
    return { path, keep };
  }
  return undefined;
}

async function dropInsOf(files: HostFiles, name: string): Promise<readonly ReadonlyMap<string, string>[]> {
  const dropIns: ReadonlyMap<string, string>[] = [];
  for (const folder of [...NETWORK_FOLDERS].reverse())
    for (const part of await files.list(`${folder}/${name}.d`))
      if (part.endsWith('.conf'))
        dropIns.push(parseIni((await files.value(`${folder}/${name}.d/${part}`)) ?? ''));
  return dropIns;
}

function fits(patterns: string | undefined, device: string): boolean {
  if (patterns === undefined) return true;
  return patterns.split(/\s+/).some((pattern) => {
    const glob = pattern.replace(/^!/, '');
    return isLike(device, glob) !== pattern.startsWith('!');
  });
}

const NM_FILES = ['/etc/NetworkManager/NetworkManager.conf'];
const NM_FOLDERS = [
  '/usr/lib/NetworkManager/conf.d',
  '/run/NetworkManager/conf.d',
  '/etc/NetworkManager/conf.d',
];

/** The device specifications that NetworkManager must not manage, from all its files: `interface-name:eth1`, `mac:…`. */
export async function unmanagedDevices(files: HostFiles): Promise<readonly string[]> {
  const paths = [...NM_FILES];
  for (const folder of NM_FOLDERS)
    for (const name of await files.list(folder)) if (name.endsWith('.conf')) paths.push(`${folder}/${name}`);
  const texts = await Promise.all(paths.map(async (path) => parseIni((await files.value(path)) ?? '')));
  return texts
    .flatMap((values) => (values.get('keyfile.unmanaged-devices') ?? '').split(/[;,]/))
    .filter((part) => part !== '');
}

/** Whether one of NetworkManager's device specifications names an interface. Specifications by MAC address and the like do not count. */
export function isNamed(specifications: readonly string[], device: string): boolean {
  return specifications.some((specification) => {
    const [, name] = /^(?:interface-name:=?)?([^:]+)$/.exec(specification.trim()) ?? [];
    return name !== undefined && isLike(device, name);
  });
}

/** Matches a name against a shell pattern with `*`, `?`, `[…]` and `[!…]`. An unclosed `[` is an ordinary character. */
function isLike(name: string, pattern: string): boolean {
  const source = pattern.replaceAll(
    /\[([!^]?)(\]?[^\]]*)\]|./g,
    (part: string, not: string, set: string | undefined) => {
      if (set !== undefined) return `[${not && '^'}${set.replaceAll(/[\\[\]^]/g, '\\$&')}]`;
      if (part === '*') return '.*';
      return part === '?' ? '.' : part.replace(/[.+^${}()|\\[\]]/, '\\$&');
    },
  );
  try {
    return new RegExp(`^${source}$`).test(name);
  } catch {
    // A reversed range such as [z-a] matches nothing.
    return false;
  }
}
