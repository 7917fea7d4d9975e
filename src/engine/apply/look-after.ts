import type { ConfigurationCheck } from './configuration-check.ts';

/** A set that was applied at runtime before its files were verified on disk: some may have been removed by hand. */
export interface LookAfter {
  /** The same validation. Before it refuses a set, it verifies the files: no route is blamed for a missing file. */
  readonly check: ConfigurationCheck;
  readonly look: () => Promise<void>;
  readonly isDamaged: () => boolean;
}

/** `isWhole` verifies the files. Undefined: they are known to be complete. */
export function lookAfter(
  check: ConfigurationCheck,
  isWhole: (() => Promise<boolean>) | undefined,
): LookAfter {
  let isDamaged = false;
  const look = async (): Promise<void> => {
    isDamaged = (await isWhole?.()) === false;
  };
  return {
    check: async (path, signal) => {
      const found = await check(path, signal);
      if (found.kind === 'invalid') await look();
      return found;
    },
    look,
    isDamaged: () => isDamaged,
  };
}
