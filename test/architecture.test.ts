import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src', import.meta.url));

/** What every product, and the programs it drives, may import. */
const engine = [
  'engine/kube',
  'engine/monitor',
  'engine/render',
  'engine/config',
  'engine/control',
  'engine/supervise',
  'engine/observe',
  'engine/examine',
  'engine/system',
] as const;

/**
 * What each room may import: other rooms, packages, and Node's own modules if `node` is listed. ARCHITECTURE.md
 * shows the same table. `import type` counts too: a type is a dependency.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['commands', 'cli', 'engine/system'],
  commands: [...rooms(), 'node'],
  cli: ['engine/system', 'node', 'commander', 'yaml', 'zod'],
  'engine/system': ['node', 'execa', 'chokidar', 'ipaddr.js', 'zod'],
  'engine/observe': ['engine/system', 'node', 'pino', 'zod'],
  'engine/control': ['engine/system', 'node', 'zod'],
  'engine/supervise': ['engine/control', 'engine/observe', 'engine/system', 'node', 'zod'],
  'engine/render': ['engine/system', 'node', 'ejs'],
  'engine/config': ['engine/control', 'engine/render', 'engine/supervise', 'engine/system', 'node', 'zod'],
  'engine/kube': ['engine/system', 'node', 'yaml', 'zod', '@kubernetes/client-node'],
  'engine/examine': ['engine/control', 'engine/kube', 'engine/system', 'node', 'zod'],
  'engine/monitor': [
    'engine/config',
    'engine/kube',
    'engine/observe',
    'engine/render',
    'engine/system',
    'node',
    'zod',
  ],
  haproxy: [...engine, 'cli', 'node', 'zod'],
  keepalived: [...engine, 'cli', 'node', 'zod'],
  'api-lb': [...engine, 'haproxy', 'cli', 'node', 'zod'],
  vip: [...engine, 'keepalived', 'cli', 'node', 'ipaddr.js', 'yaml', 'zod'],
  router: [...engine, 'haproxy', 'cli', 'node', 'ipaddr.js', 'yaml', 'zod'],
  'pod-proxy': [...engine, 'haproxy', 'cli', 'node', '@aws-sdk/client-route-53', 'nunjucks', 'zod'],
  operate: [...engine, 'cli', 'node', 'diff', 'yaml', 'zod'],
};

/** The folders of `src`; for the engine, its subfolders. */
function rooms(): readonly string[] {
  const foldersOf = (path: string): readonly string[] =>
    readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));
  return foldersOf(src).flatMap((name) =>
    name === 'engine' ? foldersOf(join(src, name)).map((room) => `${name}/${room}`) : name,
  );
}

function roomOf(path: string): string {
  const [first = path, second = ''] = path.split(sep);
  return first === 'engine' ? `${first}/${second}` : first;
}

/** How ARCHITECTURE.md writes a list: "engine" if all of the engine's rooms are allowed, and no packages. */
function cellOf(room: string, list: readonly string[]): string {
  if (room === 'commands') return 'everything';
  const others = list.filter((each) => rooms().includes(each));
  if (!engine.every((each) => others.includes(each))) return others.join(', ') || '–';
  return ['engine', ...others.filter((each) => !each.startsWith('engine/'))].join(', ');
}

interface Import {
  readonly file: string;
  readonly room: string;
  readonly specifier: string;
  /** A room, a package or a Node module. */
  readonly target: string;
}

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(file, 'utf8');
  const path = relative(src, file);
  const room = roomOf(path);
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
    return roomOf(relative(src, join(dirname(file), specifier)));
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
  test('import only what the table allows', () => {
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

  test('match the table in ARCHITECTURE.md', () => {
    const page = readFileSync(fileURLToPath(new URL('../ARCHITECTURE.md', import.meta.url)), 'utf8');
    const rows = new Map(
      [...page.matchAll(/^\| `src\/([a-z./-]+?)\/?` \|[^|]*\| ([^|]*) \|$/gm)].map(
        ([, room = '', cell = '']) => [room, cell.trim()],
      ),
    );
    for (const [room, list] of Object.entries(allowed)) expect(rows.get(room), room).toBe(cellOf(room, list));
  });
});

describe('ARCHITECTURE.md', () => {
  const page = readFileSync(fileURLToPath(new URL('../ARCHITECTURE.md', import.meta.url)), 'utf8');

  test('fits on two screens', () => {
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(90);
  });

  test('names only files and folders that exist', () => {
    const named = [...page.matchAll(/`((?:src|templates|alerts|docs)\/[a-z0-9/.-]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(src, '..', path)))).toEqual([]);
  });
});

describe('import cycles', () => {
  test('do not exist between rooms', () => {
    const edges = imports
      .filter((each) => rooms().includes(each.target))
      .map(({ room, target }): Edge => [room, target]);
    expect(circlesIn(edges)).toEqual([]);
  });

  test('do not exist between folders', () => {
    expect(circlesIn(folderEdges())).toEqual([]);
  });
});

type Edge = readonly [from: string, to: string];

function folderEdges(): readonly Edge[] {
  return imports
    .filter((each) => each.specifier.startsWith('.'))
    .map(({ file, specifier }): Edge => [placeOf(file), placeOf(join(dirname(file), specifier))]);
}

/** The file's folder. A `product.ts` covers its whole room and counts as a place of its own: nothing in the room may import it. */
function placeOf(file: string): string {
  return /^[^/]+\/product\.ts$/.test(file) ? file : dirname(file);
}

/** Each set of places that reach one another, one per line. An import within a place is not a cycle. */
function circlesIn(edges: readonly Edge[]): readonly string[] {
  const targets = Map.groupBy(
    edges.filter(([from, to]) => from !== to),
    ([from]) => from,
  );
  const reachedFrom = (start: string): ReadonlySet<string> => {
    const reached = new Set<string>();
    const queue = [start];
    for (let place = queue.pop(); place !== undefined; place = queue.pop())
      for (const [, to] of targets.get(place) ?? [])
        if (!reached.has(to)) {
          reached.add(to);
          queue.push(to);
        }
    return reached;
  };
  const reaches = new Map([...targets.keys()].map((place) => [place, reachedFrom(place)]));
  const circleOf = (place: string): string =>
    [...targets.keys()]
      .filter((other) => reaches.get(place)?.has(other) && reaches.get(other)?.has(place))
      .join(', ');
  const inCircle = [...targets.keys()].filter((place) => reaches.get(place)?.has(place));
  return [...new Set(inCircle.map(circleOf))];
}

function contentOf(file: string): string {
  return readFileSync(join(src, file), 'utf8');
}

describe('source files', () => {
  test('are at most 280 lines long', () => {
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 281);
    expect(long).toEqual([]);
  });

  test('of commands are at most 60 lines long: the work is done in a room', () => {
    const commands = files.filter((file) => roomOf(relative(src, file)) === 'commands');
    expect(commands.filter((file) => readFileSync(file, 'utf8').split('\n').length > 61)).toEqual([]);
  });

  test('of the engine do not mention the programs it drives', () => {
    const mentioning = files
      .map((file) => relative(src, file))
      .filter((file) => file.startsWith('engine/') && /haproxy|keepalived/i.test(contentOf(file)));
    expect(mentioning).toEqual([]);
  });

  test('list the properties of an object literal: no literal is spread into another', () => {
    expect(files.filter((file) => /^\s*\.\.\.\{ /m.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  test('never find or kill a process by name', () => {
    const named = files.filter((file) => /\b(pkill|killall|pidof|pgrep)\b/.test(readFileSync(file, 'utf8')));
    expect(named).toEqual([]);
  });

  test('of a supervisor load no memory-hungry module: docs/internals/decisions/0003', () => {
    const reached = new Set(
      ['commands/haproxy-supervise.ts', 'commands/keepalived-supervise.ts'].flatMap((command) => [
        ...reachableFrom(command),
      ]),
    );
    const costly = ['@kubernetes/client-node', 'execa', 'chokidar', 'node:http'];
    const heavy = imports.filter(({ file, target }) => reached.has(file) && costly.includes(target));
    expect(heavy.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
  });
});

/** Every file that a file loads, including itself. Types are erased and do not count. */
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

const tests = join(src, '../test');
const testFiles = readdirSync(tests, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(tests, join(entry.parentPath, entry.name)));
const testText = (file: string): string => readFileSync(join(tests, file), 'utf8');

/** Unit tests that start programs or wait in real time. This list may only shrink: new ones belong in `contract`. */
const impure: readonly string[] = [
  'unit/api-lb/suspects/watch-suspects.test.ts',
  'unit/engine/system/time/workqueue.test.ts',
  'unit/keepalived/supervise/keepalived-pulse.test.ts',
  'unit/manifests/commands.test.ts',
  'unit/manifests/image.test.ts',
  'unit/manifests/kustomize.test.ts',
  'unit/manifests/rbac.test.ts',
  'unit/release/release.test.ts',
  'unit/router/render/render-router.test.ts',
  'unit/router/render/trial-folder.test.ts',
  'unit/vip/doctor/node-files.test.ts',
  'unit/vip/segment/neighbour-pinning.test.ts',
];

describe('tests', () => {
  test('in unit start no program, create no namespace, do not wait and do not read the clock', () => {
    const effects =
      /'node:child_process'|'execa'|net-namespace|helpers\/stall|\b(waitFor|times|setTimeout)\(|\bDate\.now\(/;
    const found = testFiles.filter((file) => file.startsWith('unit/') && effects.test(testText(file)));
    expect(found.filter((file) => !impure.includes(file))).toEqual([]);
    const mended = impure.filter((file) => existsSync(join(tests, file)) && !found.includes(file));
    expect(mended, 'no exceptions any more').toEqual([]);
  });

  // Each poll can be late, and a late poll interrupts watches and triggers another list.
  test('that count requests or events poll at most once a second', () => {
    const isHasty = (block: string): boolean =>
      /checkInterval: \d{1,3}\b|check-interval', '\d{1,3}ms'/.test(block) &&
      /toHaveLength\(|\.length\)/.test(block);
    const hasty = testFiles.filter((file) =>
      testText(file)
        .split(/^(?:test|it|describe)\b/m)
        .some(isHasty),
    );
    expect(hasty).toEqual([]);
  });

  test('use times() for a list that only grows: waiting for an exact count misses an overshoot', () => {
    const rooms = /^(unit|contract|integration|slow|tools)\//;
    const equal = /waitFor\([^;]*\.length === (?!0\b)/;
    expect(testFiles.filter((file) => rooms.test(file) && equal.test(testText(file)))).toEqual([]);
  });

  // A machine with no CPU left needs longer: the default timeouts only end what hangs.
  test("do not give up waiting within a minute, or end before the project's timeout", () => {
    const rooms = /^(unit|contract|integration|slow|tools)\//;
    const short =
      /waitFor\([^;{]*(?<!undefined), [1-5]?\d_000,?\s*\);|^ {2}timeout: (\d\d|1[01]\d)_000,$|\{ timeout: (\d\d|1[01]\d)_000 \}, async/m;
    expect(testFiles.filter((file) => rooms.test(file) && short.test(testText(file)))).toEqual([]);
  });

  // A starved client or server takes longer than a short drain and is then cut by design.
  test("that count lost connections do not shorten HAProxy's timeouts", () => {
    const isShort = (block: string): boolean =>
      /\blost\)?\.toEqual\(\{\}\)|lostSince\(/.test(block) && /\.supervise\(\)|\bshortTimes\b/.test(block);
    const short = testFiles.filter((file) =>
      testText(file)
        .split(/^(?:test|it|describe)\b/m)
        .some(isShort),
    );
    expect(short).toEqual([]);
  });

  test('never find or kill a process by name', () => {
    const named = /\b(pkill|killall|pidof|pgrep)\b/;
    const others = testFiles.filter((file) => file !== 'architecture.test.ts');
    expect(others.filter((file) => named.test(testText(file)))).toEqual([]);
  });
});
