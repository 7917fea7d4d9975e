import { readFile, rm } from 'node:fs/promises';
import type { ConfigurationCheck } from '../../engine/apply/configuration-check.ts';
import type { Rendered } from '../../engine/apply/file-set.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { writeFileAtomically } from '../../engine/system/file/atomic-write.ts';
import { vrrpFacts } from '../../keepalived/vrrp-facts.ts';
import type { VrrpInput } from '../group/vrrp.ts';
import type { VrrpRendering } from './vrrp-proposal.ts';

interface PlannedCheck {
  /** Why a configuration would be refused; undefined if it would be accepted. */
  readonly refusal: (input: VrrpInput, signal: AbortSignal) => Promise<string | undefined>;
  /** Returns at once for a text that was accepted before: at the agreed time every node must switch quickly. */
  readonly check: ConfigurationCheck;
}

/** Checks a configuration again only if its text has changed. The candidate is written to `path` for keepalived. */
export function createPlannedCheck(
  path: string,
  check: ConfigurationCheck,
  render: (input: VrrpInput) => Promise<VrrpRendering>,
): PlannedCheck {
  let good: string | undefined;
  return {
    refusal: async (input, signal) => {
      const outcome = await render(input);
      if (outcome.kind === 'not-ready') return outcome.reason;
      if (outcome.kind === 'refused') return outcome.message;
      const { rendered, model } = outcome;
      if (rendered.text === good) return undefined;
      const refusal =
        hasty(rendered.text, model.downTimerAdverts) ?? (await ask(path, rendered, check, signal));
      if (refusal === undefined) good = rendered.text;
      return refusal;
    },
    check: async (candidate, signal) => {
      const text = await readFile(candidate, 'utf8').catch(() => undefined);
      return text !== undefined && text === good ? { kind: 'valid' } : await check(candidate, signal);
    },
  };
}

/** An edited template that an upgrade has kept may have a number that is too small for the agreed interval. */
function hasty(text: string, needed: number): string | undefined {
  const found = vrrpFacts(text).instances.find(({ downTimerAdverts }) => downTimerAdverts < needed);
  if (found === undefined) return undefined;
  const { name, downTimerAdverts, advertIntervalMs } = found;
  return `Cannot change ${name} to adverts every ${advertIntervalMs} ms: its down_timer_adverts is ${downTimerAdverts}, expected ${needed}, which the template has as <%= downTimerAdverts %>`;
}

async function ask(
  path: string,
  { text, mode }: Rendered,
  check: ConfigurationCheck,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await writeFileAtomically(path, text, { mode: mode & 0o777 });
    const verdict = await check(path, signal);
    if (verdict.kind === 'valid') return undefined;
    return verdict.kind === 'invalid' ? `${verdict.message}\n${verdict.detail}`.trim() : verdict.message;
  } catch (error) {
    return signal.aborted ? 'The monitor is being stopped' : messageOf(error);
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}
