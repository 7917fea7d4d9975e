import type { ConfigurationCheck } from './configuration-check.ts';

/** A set that was applied at runtime before its files were verified on disk: some may have been removed by hand. */
export interface VerifyingCheck {
  /** The same validation. Before it refuses a set, it verifies the files: no route is blamed for a missing file. */
  readonly check: ConfigurationCheck;
  readonly verify: () => Promise<void>;
  readonly isDamaged: () => boolean;
}

/** `isWhole` verifies the files. Undefined: they are known to be complete. */
export function verifyingCheck(
  check: ConfigurationCheck,
  isWhole: (() => Promise<boolean>) | undefined,
): VerifyingCheck {
  let isDamaged = false;
  const verify = async (): Promise<void> => {
    isDamaged = (await isWhole?.()) === false;
  };
  return {
    check: async (path, signal) => {
      const found = await check(path, signal);
      if (found.kind === 'invalid') await verify();
      return found;
    },
    verify,
    isDamaged: () => isDamaged,
  };
}
