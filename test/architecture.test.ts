import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));

/**
 * What each room may import: other rooms, packages, and Node's own modules where `node` is listed. ARCHITECTURE.md
 * shows the same table. An `import type` counts: a type is a dependency too.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['commands', 'model'],
  commands: [...rooms(), 'node'],
  config: ['model', 'node', 'commander', 'yaml', 'zod'],
  model: ['ipaddr.js', 'node:crypto'],
  sources: ['model', 'system', 'node', 'zod', '@kubernetes/client-node'],
  render: ['model', 'node', 'ejs'],
  apply: ['model', 'protocol', 'system', 'node', 'zod'],
  protocol: ['model', 'system', 'node', 'zod'],
  supervisor: ['model', 'protocol', 'system', 'node', 'zod'],
  haproxy: ['model', 'system', 'node'],
  keepalived: ['model', 'system', 'node'],
  firewall: ['model', 'system', 'zod'],
  install: ['model', 'system', 'node', 'yaml', 'zod'],
  doctor: [
    'model',
    'protocol',
    'peers',
    'sources',
    'haproxy',
    'keepalived',
    'firewall',
    'system',
    'node',
    'zod',
  ],
  peers: ['model', 'system', 'node', 'zod'],
  status: ['model', 'protocol', 'peers', 'haproxy', 'system', 'node', 'zod'],
  page: ['model', 'protocol', 'observe', 'node'],
  observe: ['model', 'node', 'pino', 'prom-client', 'zod'],
  system: ['model', 'node', 'execa', 'chokidar'],
};

function rooms(): readonly string[] {
  return readdirSync(src, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? entry.name : [],
  );
}

interface Import {
  readonly file: string;
  readonly room: string;
  readonly specifier: string;
  /** The room, the package, or Node's module. */
  readonly target: string;
}

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(file, 'utf8');
  const path = relative(src, file);
  const room = path.split(sep)[0] ?? path;
  const found = text.matchAll(/(?:^(?:import|export)\b[^;]*?\bfrom\s+|\bimport\(\s*|^import\s+)'([^']+)'/gm);
  return [...found].map(([, specifier = '']) => ({
    file: path,
    room,
    specifier,
    target: targetOf(file, specifier),
  }));
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) {
    const path = relative(src, join(dirname(file), specifier));
    return path.split(sep)[0] ?? path;
  }
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function isAllowed({ room, target }: Import): boolean {
  const list = allowed[room] ?? [];
  return target === room || list.includes(target) || (target.startsWith('node:') && list.includes('node'));
}

const files = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const imports = files.flatMap(importsOf);

describe('rooms', () => {
  test('import only what their row of the table allows', () => {
    const wrong = imports
      .filter((each) => !isAllowed(each))
      .map(({ file, specifier }) => `${file} imports ${specifier}`);
    expect(wrong).toEqual([]);
  });

  test('are all in the table', () => {
    expect(rooms().filter((room) => allowed[room] === undefined)).toEqual([]);
  });

  test('name Node modules with their prefix', () => {
    expect(imports.filter(({ specifier }) => builtinModules.includes(specifier))).toEqual([]);
  });

  test('stand in ARCHITECTURE.md as they stand here', () => {
    const page = readFileSync(fileURLToPath(new URL('../ARCHITECTURE.md', import.meta.url)), 'utf8');
    const rows = new Map(
      [...page.matchAll(/^\| `src\/([a-z.]+)\/?` \|[^|]*\| ([^|]*) \|$/gm)].map(
        ([, room = '', cell = '']) => [room, cell.trim()],
      ),
    );
    for (const [room, list] of Object.entries(allowed)) {
      const expected = room === 'commands' ? 'everything' : list.join(', ');
      expect(rows.get(room), room).toBe(expected);
    }
  });
});

describe('source files', () => {
  test('are at most 280 lines long', () => {
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 281);
    expect(long).toEqual([]);
  });

  test('never find or end a process by its name', () => {
    const named = files.filter((file) => /\b(pkill|killall|pidof|pgrep)\b/.test(readFileSync(file, 'utf8')));
    expect(named).toEqual([]);
  });

  test('of a supervisor reach nothing that costs its memory: docs/decisions/0003', () => {
    const reached = new Set(
      ['commands/haproxy-supervise.ts', 'commands/keepalived-supervise.ts'].flatMap((command) => [
        ...reachableFrom(command),
      ]),
    );
    const costly = ['@kubernetes/client-node', 'execa', 'chokidar', 'prom-client', 'node:http'];
    const heavy = imports.filter(({ file, target }) => reached.has(file) && costly.includes(target));
    expect(heavy.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
  });
});

/** Every file that a file loads, itself included; types are erased and do not count. */
function reachableFrom(start: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const queue = [start];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const text = readFileSync(join(src, file), 'utf8').replaceAll(/^import type [^;]*;$/gm, '');
    for (const [, specifier = ''] of text.matchAll(/from '(\.[^']+)'/g))
      queue.push(relative(src, join(src, dirname(file), specifier)));
  }
  return reached;
}
