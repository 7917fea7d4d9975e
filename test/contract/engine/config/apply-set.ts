/**
 * `node apply-set.ts CONFIG SOCKET ROUNDS [STEP]`: applies one set or several, separated by commas, without HAProxy. Each further set is
 * applied at runtime before the previous one is validated. Prints the last outcome and its number of steps. With STEP, the process is
 * killed just before that step changes the disk, or halfway through its write. APPLY_AS is the user to run as.
 */
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { ApplyOutcome } from '../../../../src/engine/config/outcome.ts';
import { deployerFor } from './apply-scene.ts';
import { setOf } from './set-scene.ts';

const [configPath = '', socketPath = '', rounds = '', lastStep = '0'] = process.argv.slice(2);
let steps = 0;

const isLastStep = (): boolean => {
  steps += 1;
  return steps === Number(lastStep);
};
const die = (): void => void process.kill(process.pid, 'SIGKILL');
const step = (): void => {
  if (isLastStep()) die();
};

const { open, mkdir, chmod, link, rename, unlink, rm } = fs;
Object.assign(fs, {
  open: async (...args: Parameters<typeof open>) => {
    if (String(args[1]).startsWith('w')) step();
    return steppingHandle(await open(...args));
  },
  mkdir: stepping(mkdir),
  chmod: stepping(chmod),
  link: stepping(link),
  rename: stepping(rename),
  unlink: stepping(unlink),
  rm: stepping(rm),
});
syncBuiltinESMExports();

const user = process.env['APPLY_AS'];
if (user !== undefined) process.seteuid?.(Number(user));

const ask = async () => ({ kind: 'valid' }) as const;
const sets = rounds.split(',').map(setOf);
const told = sets.length > 1;
const deployer = deployerFor({
  configPath,
  socketPath,
  ask,
  check: told ? 'when-idle' : 'before-write',
  compare: told ? (_, running) => ({ changes: [{}], running, reload: [], readsFiles: true }) : undefined,
});
let outcome: ApplyOutcome | undefined;
for (const set of sets) outcome = await deployer.applySet(set, AbortSignal.timeout(20_000));
process.stdout.write(JSON.stringify({ outcome, steps }), () => process.exit());

function stepping<Args extends readonly unknown[], Result>(
  change: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    step();
    return await change(...args);
  };
}

function steppingHandle(handle: FileHandle): FileHandle {
  const writeFile = handle.writeFile.bind(handle);
  return Object.assign(handle, {
    chmod: stepping(handle.chmod.bind(handle)),
    sync: stepping(handle.sync.bind(handle)),
    writeFile: async (data: string | Buffer) => {
      if (isLastStep()) {
        await writeFile(Buffer.from(data).subarray(0, Buffer.byteLength(data) / 2));
        die();
      }
      await writeFile(data);
    },
  });
}
