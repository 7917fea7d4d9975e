import { advance } from '../../../../src/engine/config/deploy.ts';
import {
  type Deploy,
  type DeployAction,
  type DeployEvent,
  initialDeploy,
  type Plan,
  type Policy,
  type Report,
} from '../../../../src/engine/config/deploy-state.ts';
import { nextDeadline } from '../../../../src/engine/config/next-action.ts';
import { type Rendered, type Revision, revisionOf } from '../../../../src/engine/config/set.ts';

/** Three backends. A change of the first number needs a reload; a change of the second is a runtime update. */
export type Content = readonly (readonly [shape: number, servers: number])[];

export interface WorldOptions {
  readonly check: Policy['check'];
  readonly reloadEveryMs: number;
  /** Whether HAProxy refuses a file with this content. */
  readonly isBad: (content: Content) => boolean;
}

/** The fault of the next action. */
export type Trouble = 'none' | 'silent' | 'lost-answer' | 'disk' | 'refused' | 'impossible';

const setOf = (content: Content): Rendered => sets(JSON.stringify(content));
const known = new Map<string, Rendered>();
const sets = (text: string): Rendered => {
  const found = known.get(text) ?? { text, mode: 0o644 };
  known.set(text, found);
  return found;
};
const contentOf = (set: Rendered): Content => JSON.parse(set.text);

/** Plans runtime changes for backends whose shape is unchanged. */
function compare(running: Rendered, desired: Rendered): Plan {
  const before = contentOf(running);
  const after = contentOf(desired);
  const isTold = after.map(
    ([shape, servers], index) => before[index]?.[0] === shape && before[index]?.[1] !== servers,
  );
  const changes = isTold.flatMap((is, index) => (is ? [{ index, servers: after[index]?.[1] }] : []));
  const reload = after.flatMap(([shape], index) =>
    before[index]?.[0] === shape ? [] : [{ what: 'section-changed', reason: `${index}` }],
  );
  const mixed = before.map((old, index) => (isTold[index] ? (after[index] ?? old) : old));
  return { changes, reload, running: reload.length === 0 ? desired : setOf(mixed) };
}

/** A disk, a program behind its supervisor, and a deployer that may be killed at any time. */
export function createWorld({ check, reloadEveryMs, isBad }: WorldOptions) {
  const policy: Policy = { check, reloadEveryMs, compare };
  const files = new Map<Revision, Content>();
  const proven = new Set<Revision>();
  const refusedUnproven = new Set<Revision>();
  const wrong: string[] = [];
  const reports: Report<number>[] = [];
  let state: Deploy<number> = initialDeploy();
  let pending: { readonly action: DeployAction<number>; readonly atMs: number }[] = [];
  let nowMs = 1_000;
  let lastReloadMs = Number.NEGATIVE_INFINITY;
  let disk: { main: Revision | undefined; isOwn: boolean; good: Revision | undefined } = {
    main: undefined,
    isOwn: false,
    good: undefined,
  };
  /** What the supervisor reports as running, and what runs. */
  let program: { revision: Revision | undefined; content: Content | undefined } = {
    revision: undefined,
    content: undefined,
  };
  let verdicts = 0;
  let outcomes = 0;

  const dispatch = (event: DeployEvent<number>): void => {
    const step = advance(state, event, nowMs, policy);
    state = step.state;
    for (const action of step.actions)
      if (action.kind === 'report') reports.push(action);
      else pending.push({ action, atMs: nowMs });
  };
  const verdictOn = (revision: Revision) => {
    if (isBad(files.get(revision) ?? [])) {
      refusedUnproven.add(revision);
      return { kind: 'invalid', message: 'no', detail: '' } as const;
    }
    proven.add(revision);
    refusedUnproven.delete(revision);
    return { kind: 'valid' } as const;
  };
  const act = (action: DeployAction<number>, trouble: Trouble, atMs: number) => {
    switch (action.kind) {
      case 'read-disk': {
        if (trouble === 'disk') return dispatch({ kind: 'failed', message: 'EIO' });
        const running = trouble === 'silent' ? undefined : program.revision;
        return dispatch({
          kind: 'disk-read',
          onDisk: { revision: disk.main, isOwn: disk.isOwn },
          ...(action.isFirst && { good: disk.good }),
          ...(action.readsRunning && { running }),
        });
      }
      case 'update':
        return changes(action, trouble);
      case 'write': {
        const { version, isChecked } = action;
        const { revision } = version;
        if (!isChecked && refusedUnproven.has(revision)) wrong.push(`wrote ${revision}, which was refused`);
        if (trouble === 'disk') return dispatch({ kind: 'failed', message: 'ENOSPC' });
        files.set(revision, contentOf(version.set));
        if (isChecked && trouble === 'impossible')
          return dispatch({ kind: 'written', result: { kind: 'impossible', message: 'ENOENT' } });
        const result = isChecked ? verdictOn(revision) : ({ kind: 'valid' } as const);
        if (result.kind === 'valid') disk = { ...disk, main: revision, isOwn: true };
        else verdicts += 1;
        return dispatch({ kind: 'written', result });
      }
      case 'reload':
        return reload(action, trouble, atMs);
      case 'restore':
        if (disk.good !== undefined) disk = { ...disk, main: disk.good, isOwn: true };
        return dispatch({ kind: 'restored', revision: disk.good });
      case 'check': {
        const { version } = action;
        if (trouble === 'impossible')
          return dispatch({ kind: 'checked', version, outcome: { kind: 'impossible', message: 'x' } });
        const outcome = verdictOn(version.revision);
        if (outcome.kind === 'invalid') verdicts += 1;
        return dispatch({ kind: 'checked', version, outcome });
      }
      case 'keep-as-good':
        if (!proven.has(action.version.revision))
          wrong.push(`kept ${action.version.revision}, which was not proven`);
        if (trouble !== 'disk') disk = { ...disk, good: action.version.revision };
        return;
      case 'report':
        return;
    }
  };
  const changes = (action: Extract<DeployAction<number>, { kind: 'update' }>, trouble: Trouble) => {
    if (trouble === 'disk') return dispatch({ kind: 'failed', message: 'ENOSPC' });
    if (trouble === 'silent') return dispatch({ kind: 'updated', result: { is: 'silent', message: 'x' } });
    if (program.revision === action.to.revision)
      return dispatch({ kind: 'updated', result: { is: 'done', stats: {} } });
    if (program.revision !== action.from)
      return dispatch({ kind: 'updated', result: { is: 'conflict', running: program.revision } });
    const changes = action.changes as readonly { readonly index: number; readonly servers: number }[];
    const made = trouble === 'refused' ? changes.slice(1) : changes;
    const content = program.content?.map(
      ([shape, servers], index) =>
        [shape, made.find((each) => each.index === index)?.servers ?? servers] as const,
    );
    program = { content, revision: trouble === 'refused' ? undefined : action.to.revision };
    if (trouble === 'refused') return dispatch({ kind: 'updated', result: { is: 'refused', reason: 'no' } });
    if (trouble === 'lost-answer')
      return dispatch({ kind: 'updated', result: { is: 'silent', message: 'late' } });
    dispatch({ kind: 'updated', result: { is: 'done', stats: { commands: changes.length } } });
  };
  const reload = (
    { version }: Extract<DeployAction<number>, { kind: 'reload' }>,
    trouble: Trouble,
    atMs: number,
  ) => {
    if (trouble === 'silent') return dispatch({ kind: 'reloaded', result: { is: 'silent', message: 'x' } });
    if (trouble === 'impossible')
      return dispatch({ kind: 'reloaded', result: { is: 'unchecked', message: 'x' } });
    if (refusedUnproven.has(version.revision)) wrong.push(`loaded ${version.revision}, which was refused`);
    const isRefused = disk.main === undefined || isBad(files.get(disk.main) ?? []);
    if (isRefused) {
      if (disk.main !== undefined) verdictOn(disk.main);
      verdicts += 1;
      const rejection = { kind: 'rejected', by: 'check', message: 'no', detail: '' } as const;
      return dispatch({ kind: 'reloaded', result: { is: 'refused', rejection } });
    }
    if (atMs - lastReloadMs < reloadEveryMs && trouble !== 'lost-answer')
      wrong.push(`reloaded again at ${atMs}`);
    if (trouble !== 'lost-answer') lastReloadMs = atMs;
    load(disk.main);
    if (trouble === 'lost-answer')
      return dispatch({ kind: 'reloaded', result: { is: 'silent', message: 'late' } });
    outcomes += 1;
    dispatch({ kind: 'reloaded', result: { is: 'done', outcome: {} } });
  };
  const load = (revision: Revision | undefined): void => {
    if (revision !== undefined) proven.add(revision);
    program = { revision, content: revision === undefined ? undefined : files.get(revision) };
  };
  return {
    setDesired: (content: Content): void => {
      const set = setOf(content);
      dispatch({ kind: 'desired', version: { revision: revisionOf(set), set, of: 0 } });
    },
    /** Carries out one of the pending actions. */
    act: (index: number, trouble: Trouble): void => {
      const chosen = index % Math.max(1, pending.length);
      // These are carried out in order.
      const isCopy = (at: number) => pending[at]?.action.kind === 'keep-as-good';
      const first = isCopy(chosen) ? pending.findIndex((_, at) => isCopy(at)) : chosen;
      const [next] = pending.splice(first, 1);
      if (next !== undefined) act(next.action, trouble, next.atMs);
    },
    isBusy: () => pending.length > 0,
    pass: (ms: number): void => {
      nowMs += ms;
      const at = nextDeadline(state, policy);
      if (at !== undefined && at <= nowMs) dispatch({ kind: 'tick' });
    },
    /** Advances the clock to the next deadline. Returns false if there is none. */
    passToDeadline: (): boolean => {
      const at = nextDeadline(state, policy);
      if (at === undefined) return false;
      nowMs = Math.max(nowMs, at);
      dispatch({ kind: 'tick' });
      return true;
    },
    /** The deployer is killed before its pending actions, and starts again. */
    crash: (): void => {
      [state, pending] = [initialDeploy(), []];
      lastReloadMs = Number.NEGATIVE_INFINITY;
      refusedUnproven.clear();
    },
    /** The program dies. Its supervisor starts it with the file on disk, or with the last good one. */
    die: (): void => {
      const isGood = disk.main !== undefined && !isBad(files.get(disk.main) ?? []);
      load(isGood ? disk.main : disk.good);
    },
    /** An operator edits the file, but not between the write and the reload. */
    edit: (): void => {
      const { desired, onDisk, running } = state;
      const isWritten = onDisk?.revision === desired?.revision && running?.revision !== desired?.revision;
      if (isWritten || pending.some(({ action }) => action.kind === 'reload')) return;
      disk = { ...disk, main: 'edited' };
      files.set('edited', [[0, 0]]);
    },
    now: () => nowMs,
    left: () => ({
      wrong,
      disk,
      program,
      reports,
      verdicts,
      outcomes,
      desired: state.desired?.revision,
      good: state.good,
      state,
    }),
    contentOf: (revision: Revision | undefined) => (revision === undefined ? undefined : files.get(revision)),
  };
}
