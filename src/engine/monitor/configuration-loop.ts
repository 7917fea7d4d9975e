import type { Deployer } from '../config/deployer.ts';
import type { Wake } from '../system/time/wake.ts';
import type { ProposalParts } from './proposal.ts';

/** Limits rendering to 20 % of the time while a reload is rate-limited. */
const REST_FACTOR = 4;

/** One program's configuration: how it is rendered and deployed. */
export interface ConfigurationParts<T> extends ProposalParts<T> {
  readonly wake: Wake;
  readonly checkIntervalMs: number;
  /** Called in each iteration. */
  readonly beat: () => void;
  readonly deployer: Pick<Deployer<T>, 'deploy' | 'isHeld' | 'ended'>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/**
 * Until `signal` aborts: waits for a change, takes the desired input, renders and deploys. Every wake-up deploys, so a main file that was edited or
 * removed by hand is restored within one check interval.
 */
export async function runConfigurationLoop<T>(
  { wake, checkIntervalMs, beat, next, render, deployer, now }: ConfigurationParts<T>,
  signal: AbortSignal,
): Promise<void> {
  /** Both are points in time, because deploying takes time too. */
  let recheckAtMs = Number.POSITIVE_INFINITY;
  let restUntilMs = 0;
  while (!signal.aborted) {
    await wake.sleep(Math.min(checkIntervalMs, Math.max(0, Math.ceil(recheckAtMs - now()))), signal);
    // A stream of events during a rate-limited reload must not use a whole CPU.
    while (now() < restUntilMs && !signal.aborted) await wake.sleep(Math.ceil(restUntilMs - now()), signal);
    beat();
    const startMs = now();
    const { input, recheckInMs = Number.POSITIVE_INFINITY } = await next(signal);
    const result = input === undefined ? undefined : await render(input);
    recheckAtMs = now() + recheckInMs;
    if (input === undefined || result?.kind !== 'rendered' || signal.aborted) continue;
    await unlessStopped(deployer.deploy(result.rendered, input, signal), signal);
    restUntilMs = deployer.isHeld() ? now() + REST_FACTOR * (now() - startMs) : 0;
  }
  await deployer.ended();
}

async function unlessStopped(work: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
