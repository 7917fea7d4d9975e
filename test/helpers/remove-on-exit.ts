import { spawnSync } from 'node:child_process';

export interface ExitCleanup {
  /** Takes the clean-up back because somebody does it now. False where it was done or taken back before. */
  forget(): boolean;
}

const pending = new Map<symbol, () => void>();
let installed = false;

/**
 * Runs `before` and then `argv`, synchronously, when this process exits: after a failed test, a thrown error, `exit()`.
 * Not after SIGKILL. Errors are ignored, since what is to be removed may be gone.
 */
export function removeOnExit(
  argv: readonly [string, ...string[]],
  before: () => void = () => {},
): ExitCleanup {
  const key = Symbol(argv.join(' '));
  const [file, ...args] = argv;
  pending.set(key, () => {
    before();
    spawnSync(file, args, { stdio: 'ignore', timeout: 5_000 });
  });
  installOnce();
  return { forget: () => pending.delete(key) };
}

function installOnce(): void {
  if (installed) return;
  installed = true;
  process.on('exit', () => {
    for (const cleanup of pending.values()) cleanup();
  });
}
