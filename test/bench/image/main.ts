/** A program that measures the size of the local image. See `usage`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { messageOf } from '../../../src/engine/system/errors.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { readBenchOptions } from '../options.ts';
import { describeMachine } from '../reload/machine.ts';

const root = new URL('../../../', import.meta.url);
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };

const usage = `usage: npm run bench:image [-- --json FILE] [--tag NAME:TAG] [--engine ENGINE]
  --json    also write the figures to this file
  --tag     the image, which "npm run image" has built (default: hawser:${version})
  --engine  docker or podman (default: the one that has the image)
Exit codes: 0 measured, 2 no engine here has the image.`;
const values = readBenchOptions(usage, {
  json: { type: 'string' },
  tag: { type: 'string', default: `hawser:${version}` },
  engine: { type: 'string' },
});

const PATIENCE_MS = 120_000;
const FORMAT = '{{.Size}} {{index .Config.Labels "org.opencontainers.image.revision"}}';

interface Found {
  readonly engine: string;
  readonly uncompressedBytes: number;
  /** The commit in the image's label. */
  readonly revision: string;
}

async function inspect(engine: string): Promise<Found | undefined> {
  const argv = [engine, 'image', 'inspect', '--format', FORMAT, values.tag] as const;
  const { exitCode, stdout } = await runCommand(argv, { timeoutMs: PATIENCE_MS });
  const [bytes = '', revision = 'unknown'] = stdout.trim().split(' ');
  return exitCode === 0 ? { engine, uncompressedBytes: Number(bytes), revision } : undefined;
}

/** Roughly the size in a registry: the layers' archives, compressed one after another. */
async function compressedBytes(engine: string): Promise<number> {
  const script = `set -o pipefail; "$1" image save "$2" | gzip -c | wc -c`;
  const argv = ['bash', '-c', script, 'bash', engine, values.tag] as const;
  const { exitCode, stdout, stderr } = await runCommand(argv, { timeoutMs: PATIENCE_MS });
  if (exitCode !== 0) throw new Error(`Cannot save "${values.tag}": ${stderr.trim()}`);
  return Number(stdout);
}

try {
  const engines = values.engine === undefined ? ['docker', 'podman'] : [values.engine];
  let found: Found | undefined;
  for (const engine of engines) found ??= await inspect(engine).catch(() => undefined);
  if (found === undefined)
    throw new Error(`Cannot weigh "${values.tag}": ${engines.join(' and ')} have no such image here`);
  const { engine, uncompressedBytes, revision } = found;
  const result = { uncompressedBytes, compressedBytes: await compressedBytes(engine) };
  const mb = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
  console.log(
    `${values.tag} of ${revision}: ${mb(uncompressedBytes)}, ${mb(result.compressedBytes)} compressed`,
  );
  // The image has its own programs, not this machine's, and the commit is the one it was built from.
  const machine = {
    ...(await describeMachine()),
    commit: revision.slice(0, 8),
    haproxy: '–',
    keepalived: '–',
  };
  if (values.json !== undefined)
    writeFileSync(
      values.json,
      `${JSON.stringify({ image: values.tag, revision, ...result, machine }, null, 2)}\n`,
    );
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 2;
}
