import { createEngine, type Failed } from '../supervise/engine.ts';
import { codeOf, messageOf } from '../system/errors.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import type { CheckOutcome, ConfigurationCheck } from './check.ts';
import { advance } from './deploy.ts';
import {
  type Deploy,
  type DeployAction,
  type DeployEvent,
  initialDeploy,
  isHeld,
  type Policy,
  type Report,
  type Work,
} from './deploy-state.ts';
import { createGivingWay } from './give-way.ts';
import { nextDeadline } from './next-action.ts';
import { isServed } from './outcome.ts';
import type { ProxyClient, ReloadResult } from './proxy.ts';
import { type Rendered, revisionOf, SET_FOLDER } from './set.ts';
import type { Store } from './store.ts';

interface DeployerParts<T> {
  /** Path of the main file, for messages. */
  readonly configPath: string;
  readonly store: Store;
  readonly proxy: ProxyClient;
  readonly check: ConfigurationCheck;
  readonly policy: Policy;
  /** Whether a newer configuration is about to be deployed. Called between two runtime updates. */
  readonly isSuperseded?: () => boolean;
  /** Called before a reload, not before a runtime update. */
  readonly onReload?: () => void;
  /** Called once with each outcome, one call at a time. `startMs` is the monotonic time at which the work for the outcome began. */
  readonly observe: (report: Report<T>, startMs: number) => void | Promise<void>;
}

/** Brings one configuration after another into effect. */
export interface Deployer<T> {
  /**
   * Sets the desired configuration. Resolves when nothing more can be done for it now: it is in effect, waits for its reload, or waits for a retry
   * after a failure. The retry needs no further call. If it takes several runtime updates and `isSuperseded` returns true, it resolves between two of
   * them, for at most five seconds in a row. The updates go on until the next call. Make one call at a time. Call again with the same set to have the
   * disk checked. Rejects if `signal` aborts, and on a bug. If `abandon` aborts, the work stops at once, or at
   * its next retry, and the abort reason is the message of the outcome.
   */
  readonly deploy: (set: Rendered, of: T, signal: AbortSignal, abandon?: AbortSignal) => Promise<void>;
  /** Whether the desired configuration waits for its reload. */
  readonly isHeld: () => boolean;
  /** Whether a configuration of this process has been in effect. */
  readonly hasServed: () => boolean;
  /** Resolves when no validation runs and no good copy is being written. */
  readonly ended: () => Promise<void>;
}

/** Limit for one action: far more than a search for damaged files, two checks and two reloads take. */
const ACTION_LIMIT_MS = 15 * 60_000;

export function createDeployer<T>(parts: DeployerParts<T>): Deployer<T> {
  const { policy, observe, isSuperseded = () => false } = parts;
  const mayGiveWay = createGivingWay(isSuperseded);
  let hasServed = false;
  let startMs: number | undefined;
  let reports = Promise.resolve();
  let background: Promise<unknown> = Promise.resolve();
  let keeping: Promise<void> = Promise.resolve();
  let stops: Stops | undefined;
  let waiting: PromiseWithResolvers<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    failure = { error };
    waiting?.reject(error);
  };
  const report = (each: Report<T>): void => {
    const beganMs = startMs ?? monotonicMs();
    startMs = undefined;
    hasServed ||= each.isCheck !== true && each.isPart !== true && isServed(each.outcome);
    reports = reports.then(() => observe(each, beganMs)).catch(fail);
  };
  const inBackground = (work: Promise<void>): Promise<void> => {
    background = Promise.allSettled([background, work]);
    return work;
  };
  const act = (action: DeployAction<T>, dispatch: (event: DeployEvent<T>) => void): Promise<void> | void => {
    if (action.kind === 'report') return report(action);
    if (stops === undefined) return;
    if (action.kind === 'check') return inBackground(check(action, parts, stops.signal, dispatch));
    if (action.kind === 'keep-as-good') {
      const { signal } = stops;
      // One after the other, so that the newest copy stays.
      const kept = keeping.then(() => keepAsGood(parts, action.version.set, signal));
      keeping = kept.catch(() => undefined);
      return inBackground(kept);
    }
    if (action.kind !== 'read-disk') startMs ??= monotonicMs();
    return carryOut(action, parts, stops).then(dispatch);
  };
  const failed = ({ during, ...rest }: Failed<DeployEvent<T>, DeployAction<T>>, error: unknown) => {
    if (during === 'action' && stops?.signal.aborted !== true && 'action' in rest) {
      const event = outcomeOf(rest.action, error, parts.configPath, stops);
      if (event !== undefined) return event;
    }
    fail(stops?.signal.aborted === true ? stops.signal.reason : error);
    return undefined;
  };
  const keep = ({ doing, done }: Deploy<T>): void => {
    if (mayGiveWay(doing, done.updated !== undefined)) queueMicrotask(() => void resolveEarly());
    if (doing === undefined) queueMicrotask(() => void resolveIfIdle());
  };
  const resolveEarly = async (): Promise<void> => {
    const early = waiting;
    await reports;
    early?.resolve();
  };
  const resolveIfIdle = async (): Promise<void> => {
    await reports;
    if (engine.state().doing === undefined) waiting?.resolve();
  };
  const engine = createEngine<Deploy<T>, DeployEvent<T>, DeployAction<T>>(
    initialDeploy(),
    {
      advance: (state, event, nowMs) => advance(state, event, nowMs, policy),
      nextDeadline: (state) => (stops?.signal.aborted === true ? undefined : nextDeadline(state, policy)),
      tick: { kind: 'tick' },
      limitMs: () => ACTION_LIMIT_MS,
    },
    { keep, act, failed },
  );
  return {
    deploy: async (set, of, signal, abandon) => {
      signal.throwIfAborted();
      if (failure !== undefined) throw failure.error;
      stops = { signal, abandon };
      waiting = Promise.withResolvers();
      const { promise } = waiting;
      const mode = set.mode & 0o777;
      const version = { revision: revisionOf(set), set: mode === set.mode ? set : { ...set, mode }, of };
      engine.dispatch({ kind: 'desired', version });
      await promise;
    },
    isHeld: () => isHeld(engine.state()),
    hasServed: () => hasServed,
    ended: async () => {
      for (let last: unknown; last !== background; ) {
        last = background;
        await background;
      }
    },
  };
}

/** `signal` stops the deployer; `abandon` stops only the work for one configuration. */
interface Stops {
  readonly signal: AbortSignal;
  readonly abandon: AbortSignal | undefined;
}

async function carryOut<T>(
  action: Work<T>,
  parts: DeployerParts<T>,
  { signal, abandon }: Stops,
): Promise<DeployEvent<T>> {
  const stop = abandon === undefined ? signal : AbortSignal.any([signal, abandon]);
  stop.throwIfAborted();
  const { store, proxy } = parts;
  switch (action.kind) {
    case 'read-disk':
      return await readDisk(action, parts, stop);
    case 'update': {
      const { from, to, changes, readsFiles } = action;
      if (readsFiles) await store.putFiles(to.set);
      const text = JSON.stringify(changes);
      const named = text.includes(SET_FOLDER) ? JSON.parse(await store.named(text, to.set)) : changes;
      return { kind: 'updated', result: await proxy.apply({ from, to: to.revision, changes: named }, stop) };
    }
    case 'write': {
      const { version, isChecked } = action;
      return {
        kind: 'written',
        result: await store.put(version.set, isChecked ? parts.check : undefined, stop),
      };
    }
    case 'reload':
      return { kind: 'reloaded', result: await reload(action.version.set, parts, stop) };
    case 'restore':
      return { kind: 'restored', revision: await store.restoreGood() };
  }
}

async function readDisk<T>(
  { readsRunning, isFirst, desired }: Extract<DeployAction<T>, { kind: 'read-disk' }>,
  { store, proxy }: DeployerParts<T>,
  stop: AbortSignal,
): Promise<DeployEvent<T>> {
  const onDisk = await store.onDisk();
  if (onDisk.revision === desired.revision) await store.keepModes(desired.set.mode);
  return {
    kind: 'disk-read',
    onDisk,
    ...(isFirst && { good: await store.good() }),
    ...(readsRunning && { running: await proxy.running(stop) }),
  };
}

/** Reloads the program. A refusal counts only after the files on disk have been verified. A check then supplies the program's message. */
async function reload<T>(
  set: Rendered,
  { store, proxy, policy, onReload, ...parts }: DeployerParts<T>,
  stop: AbortSignal,
): Promise<ReloadResult> {
  onReload?.();
  // The supervisor keeps a copy of the files it starts with.
  await store.sync();
  const first = await proxy.reload(stop);
  if (first.is !== 'refused') return first;
  const result = (await store.repair(set)) ? await proxy.reload(stop) : first;
  if (result.is !== 'refused' || policy.check === 'before-write') return result;
  const verdict = await store.checkInPlace(parts.check, stop);
  if (verdict.kind !== 'invalid') return result;
  const { message, detail } = verdict;
  return { is: 'refused', rejection: { kind: 'rejected', by: 'check', message, detail } };
}

async function check<T>(
  { version }: Extract<DeployAction<T>, { kind: 'check' }>,
  { store, check: runCheck }: DeployerParts<T>,
  signal: AbortSignal,
  dispatch: (event: DeployEvent<T>) => void,
): Promise<void> {
  let outcome: CheckOutcome = await store.checkInPlace(runCheck, signal);
  if (outcome.kind === 'invalid' && (await store.repair(version.set)))
    outcome = await store.checkInPlace(runCheck, signal);
  dispatch({ kind: 'checked', version, outcome });
}

async function keepAsGood<T>(
  { store, proxy }: DeployerParts<T>,
  set: Rendered,
  signal: AbortSignal,
): Promise<void> {
  // First on disk: if another version runs by now, the supervisor copies this one from there.
  await store.keepAsGood(set);
  await proxy.keepAsGood(revisionOf(set), signal);
}

/**
 * The event for an action that threw. Only file operations and abandoned work may throw; an error without a code is a bug, for which undefined is
 * returned.
 */
function outcomeOf<T>(
  action: DeployAction<T>,
  error: unknown,
  configPath: string,
  stops: Stops | undefined,
): DeployEvent<T> | undefined {
  if (stops?.abandon?.aborted === true && action.kind !== 'check' && action.kind !== 'keep-as-good')
    return { kind: 'abandoned', message: messageOf(stops.abandon.reason) };
  const code = codeOf(error);
  if (code === undefined) return undefined;
  const expected = code === 'EFBIG' || code === 'EINVAL' ? '' : ', expected a writable directory';
  const message = `Cannot replace configuration "${configPath}": ${messageOf(error)}${expected}`;
  switch (action.kind) {
    case 'restore':
      return {
        kind: 'restored',
        revision: undefined,
        lost: `the previous file could not be restored (${messageOf(error)})`,
      };
    case 'check':
      return { kind: 'checked', version: action.version, outcome: { kind: 'impossible', message } };
    case 'read-disk':
    case 'update':
    case 'write':
    case 'reload':
      return { kind: 'failed', message };
    case 'keep-as-good':
    case 'report':
      return { kind: 'tick' };
  }
}
