import { hostOf, hostPort } from '../engine/system/network/address-text.ts';
import type { HealthUrl } from '../engine/system/network/ask-health.ts';
import { askPage } from '../engine/system/network/ask-page.ts';

const POLL_TIMEOUT_MS = 500;
/** A single poll may fail on a machine that is starved for a moment. */
const FAILURES_TO_COUNT = 2;

const UNCHECKED = 'unchecked';

/** The value of `ParticipationNote.healthUrl`. `url` is undefined if health is not checked. Null for HTTPS: a supervisor has no TLS. */
export function notedHealthUrl(url: HealthUrl | undefined): string | null {
  if (url === undefined) return UNCHECKED;
  return url.secure ? null : `http://${hostPort(url)}${url.path}`;
}

/** Polls the health URL in place of a silent monitor. */
export interface FallbackProbe {
  /** Whether the URL that the monitor polled still answers. Must be called repeatedly while the monitor is silent: each call polls. */
  readonly healthy: (healthUrl: string | null) => boolean;
  /** Must be called once the monitor is back. */
  readonly reset: () => void;
}

/** `healthy` returns false at once without a URL, else after two consecutive polls without a 2xx response. */
export function createFallbackProbe(): FallbackProbe {
  let failures = 0;
  let isPolling = false;
  const poll = async (url: PollUrl): Promise<void> => {
    const answer = await askPage(url, url.path, { timeoutMs: POLL_TIMEOUT_MS });
    const isGood = answer.kind === 'answered' && answer.status >= 200 && answer.status <= 299;
    failures = isGood ? 0 : failures + 1;
    isPolling = false;
  };
  return {
    healthy: (healthUrl) => {
      if (healthUrl === UNCHECKED) return true;
      const url = healthUrl === null ? undefined : parsePollUrl(healthUrl);
      if (url === undefined) return false;
      if (!isPolling) {
        isPolling = true;
        void poll(url);
      }
      return failures < FAILURES_TO_COUNT;
    },
    reset: () => {
      failures = 0;
    },
  };
}

type PollUrl = Pick<HealthUrl, 'host' | 'port' | 'path'>;

function parsePollUrl(text: string): PollUrl | undefined {
  const url = URL.parse(text);
  return url === null
    ? undefined
    : { host: hostOf(url), port: Number(url.port || 80), path: `${url.pathname}${url.search}` };
}
