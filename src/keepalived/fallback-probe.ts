import { hostOf, hostPort } from '../engine/system/network/address-text.ts';
import type { HealthUrl } from '../engine/system/network/ask-health.ts';
import { askPage } from '../engine/system/network/ask-page.ts';

const ASK_TIMEOUT_MS = 500;
/** One may be lost to a machine that is starved for a moment. */
const FAILURES_TO_COUNT = 2;

const UNCHECKED = 'unchecked';

/** For `ParticipationNote.healthUrl`; `url` is undefined where the VIP follows no health. A supervisor does not speak TLS. */
export function notedHealthUrl(url: HealthUrl | undefined): string | null {
  if (url === undefined) return UNCHECKED;
  return url.secure ? null : `http://${hostPort(url)}${url.path}`;
}

/** Polls for a silent monitor. */
export interface FallbackProbe {
  /** To be called at each look while the monitor is silent: whether the URL that it polled still answers. */
  readonly healthy: (healthUrl: string | null) => boolean;
  /** The monitor is back. */
  readonly reset: () => void;
}

/** False at once without a URL, else once two answers in a row were none or not good. */
export function createFallbackProbe(): FallbackProbe {
  let failures = 0;
  let isAsking = false;
  const ask = async (url: Question): Promise<void> => {
    const answer = await askPage(url, url.path, { timeoutMs: ASK_TIMEOUT_MS });
    const isGood = answer.kind === 'answered' && answer.status >= 200 && answer.status <= 299;
    failures = isGood ? 0 : failures + 1;
    isAsking = false;
  };
  return {
    healthy: (healthUrl) => {
      if (healthUrl === UNCHECKED) return true;
      const url = healthUrl === null ? undefined : parseQuestion(healthUrl);
      if (url === undefined) return false;
      if (!isAsking) {
        isAsking = true;
        void ask(url);
      }
      return failures < FAILURES_TO_COUNT;
    },
    reset: () => {
      failures = 0;
    },
  };
}

type Question = Pick<HealthUrl, 'host' | 'port' | 'path'>;

function parseQuestion(text: string): Question | undefined {
  const url = URL.parse(text);
  return url === null
    ? undefined
    : { host: hostOf(url), port: Number(url.port || 80), path: `${url.pathname}${url.search}` };
}
