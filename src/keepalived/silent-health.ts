import { rmSync } from 'node:fs';
import { readText } from '../engine/system/file/read-regular-file.ts';
import { replaceFile } from '../engine/system/file/replace-file.ts';
import { hostOf, hostPort } from '../engine/system/network/address-text.ts';
import type { HealthUrl } from '../engine/system/network/ask-health.ts';
import { askPage } from '../engine/system/network/ask-page.ts';

const ASK_TIMEOUT_MS = 500;
/** One may be lost to a machine that is starved for a moment. */
const FAILURES_TO_COUNT = 2;

const fileOf = (trackFile: string): string => `${trackFile}.health`;

/** Stands for the URL where the VIP follows no health: its value stays without a monitor. */
const UNCHECKED = 'unchecked';

/**
 * Leaves next to a track file the URL that its monitor polls; undefined where it polls none. A supervisor does not speak TLS:
 * it polls nothing then. Throws the system's error.
 */
export function noteHealthUrl(trackFile: string, url: HealthUrl | undefined): void {
  const file = fileOf(trackFile);
  if (url?.secure === true) rmSync(file, { force: true });
  else replaceFile(file, `${url === undefined ? UNCHECKED : `http://${hostPort(url)}${url.path}`}\n`, 0o644);
}

/** Stands in for the question that a silent monitor does not ask any more. */
export interface SilentHealth {
  /** To be called at each look while the monitor is silent: whether what it asked still answers. */
  readonly serves: () => boolean;
  /** The monitor is back. */
  readonly forget: () => void;
}

/** False at once where no monitor has noted what it asks, else once two answers in a row were none or not good. */
export function createSilentHealth(trackFile: string): SilentHealth {
  let failures = 0;
  let isAsking = false;
  const ask = async (url: Question): Promise<void> => {
    const answer = await askPage(url, url.path, { timeoutMs: ASK_TIMEOUT_MS });
    const isGood = answer.kind === 'answered' && answer.status >= 200 && answer.status <= 299;
    failures = isGood ? 0 : failures + 1;
    isAsking = false;
  };
  return {
    serves: () => {
      const noted = readText(fileOf(trackFile)).trim();
      if (noted === UNCHECKED) return true;
      const url = parseNoted(noted);
      if (url === undefined) return false;
      if (!isAsking) {
        isAsking = true;
        void ask(url);
      }
      return failures < FAILURES_TO_COUNT;
    },
    forget: () => {
      failures = 0;
    },
  };
}

type Question = Pick<HealthUrl, 'host' | 'port' | 'path'>;

function parseNoted(noted: string): Question | undefined {
  try {
    const url = new URL(noted);
    return { host: hostOf(url), port: Number(url.port || 80), path: `${url.pathname}${url.search}` };
  } catch {
    return undefined;
  }
}
