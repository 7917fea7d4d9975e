import type { ConfigurationCheck } from './configuration-check.ts';

/** A set of which no file was looked at before HAProxy was told of it: it may lack what was removed by hand. */
export interface LookAfter {
  /** The same check. Before a set is refused, its files are looked at: no route is to be blamed for what is missing. */
  readonly check: ConfigurationCheck;
  readonly look: () => Promise<void>;
  readonly isDamaged: () => boolean;
}

/** `isWhole` looks at the files. Left out: all of them are known. */
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
