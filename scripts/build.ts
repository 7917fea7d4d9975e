/**
 * Bundles `src/main.ts` into `dist/`, one chunk per command. Also bundles each node daemon into its own folder, without code
 * that only other commands use, and the page of `hawser status --serve` into `dist/page/`.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/**
 * The part of the Kubernetes client that sends requests. hawser never uses it, only the kubeconfig's options for Node's
 * `https` (src/engine/kube/kubeconfig.ts). Leaving it out saves 1 MB of code and 9 MB of memory in each monitor.
 */
const unused: Readonly<Record<string, readonly string[]>> = {
  undici: ['Agent', 'ProxyAgent'],
  './gen/index.js': ['createConfiguration', 'ServerConfiguration'],
};
const withoutUnused: Plugin = {
  name: 'without-unused',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(?:undici|\.\/gen\/index\.js)$/ }, ({ importer, path }) =>
      importer.endsWith('/@kubernetes/client-node/dist/config.js')
        ? { path, namespace: 'unused' }
        : undefined,
    );
    onLoad({ filter: /^/, namespace: 'unused' }, ({ path }) => {
      const message = `Cannot use "${path}" of the Kubernetes client: the bundle leaves it out (scripts/build.ts)`;
      const thrower = (name: string) =>
        `export function ${name}() { throw new Error(${JSON.stringify(message)}); }`;
      return { contents: unused[path]?.map(thrower).join('\n') ?? '' };
    });
  },
};

/** Each daemon has a bundle without the other commands (docs/internals/decisions/0003). */
const daemons = ['haproxy supervise', 'haproxy monitor', 'keepalived supervise', 'keepalived monitor'];
const onlyCommand = (name: string): Plugin => ({
  name: 'only-command',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/src\/commands\/table\.ts$/ }, ({ path }) => ({
      contents: `export const commands = { '${name}': () => import('./${fileOf(name)}.ts') };`,
      resolveDir: dirname(path),
    }));
    // This also drops library code that is needed only to read the file.
    if (name.endsWith(' supervise'))
      onLoad({ filter: /\/src\/commands\/pods\.ts$/ }, () => ({
        contents: `throw new Error('Cannot read the settings file: a supervisor has a child read it (scripts/build.ts)');`,
      }));
  },
});
const fileOf = (name: string): string => name.replace(' ', '-');

const options = {
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // Names are kept for readable stacks. Minifying them with esbuild's keepNames costs a supervisor 0.3 MB.
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: false,
  logLevel: 'warning',
  // Some CommonJS dependencies call require() for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
} satisfies BuildOptions;
const program = { hawser: 'src/main.ts' };
const renderThread = { 'render-worker': 'src/engine/render/render-worker.ts' };
const jinjaChild = { 'jinja-child': 'src/pod-proxy/template/jinja-child.ts' };

// A running hawser may still load chunks, so the old bundle stays complete until the new one exists.
const outdir = 'dist.new';
const before = 'dist.old';
for (const each of [outdir, before]) rmSync(each, { recursive: true, force: true });
await Promise.all([
  build({
    ...options,
    entryPoints: { ...program, ...renderThread, ...jinjaChild },
    outdir,
    plugins: [withoutUnused],
  }),
  ...daemons.map((name) =>
    build({
      ...options,
      entryPoints: name.endsWith(' monitor') ? { ...program, ...renderThread } : program,
      outdir: join(outdir, fileOf(name)),
      plugins: [withoutUnused, onlyCommand(name)],
    }),
  ),
]);
const browser = 'src/operate/page/browser';
await build({
  entryPoints: [`${browser}/page.ts`],
  outdir: `${outdir}/page`,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  // The project's tsconfig is only for type checks and is missing in the image build.
  tsconfigRaw: {},
  logLevel: 'warning',
});
for (const name of ['page.css', 'icon.svg']) copyFileSync(`${browser}/${name}`, `${outdir}/page/${name}`);
// Empty without a repository, as in the image build, where HAWSER_REVISION is set instead.
const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' });
writeFileSync(`${outdir}/revision`, stdout ?? '');
// Keep a finished release.
if (existsSync('dist/release')) renameSync('dist/release', `${outdir}/release`);
if (existsSync('dist')) renameSync('dist', before);
renameSync(outdir, 'dist');
rmSync(before, { recursive: true, force: true });
