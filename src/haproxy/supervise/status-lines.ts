/** The part of a supervisor's status that is shown to a person. */
export interface ShownStatus {
  readonly phase: string;
  readonly current: (ShownGeneration & { readonly config: string; readonly configSha256: string }) | null;
  readonly draining: readonly (ShownGeneration & {
    readonly terminateInMs: number;
    readonly reason: string;
  })[];
  readonly restart: { readonly failures: number; readonly inMs: number } | null;
  readonly trouble?: string | undefined;
  readonly lastFailure: {
    readonly stage: string;
    readonly message: string;
    readonly detail?: string | undefined;
    readonly agoMs: number;
  } | null;
}

interface ShownGeneration {
  readonly generation: number;
  readonly pid: number;
  readonly ageMs: number;
  readonly sessions: number | null;
}

/** A supervisor's status in lines of at most 80 columns, but for the words of HAProxy itself. */
export function statusLines(status: ShownStatus): readonly string[] {
  return [
    `state       ${status.phase}`,
    ...(status.trouble === undefined ? [] : [`trouble     ${status.trouble}`]),
    ...currentLines(status.current),
    ...status.draining.map(
      (it) => `draining    ${describe(it)}, ends within ${seconds(it.terminateInMs)}: ${it.reason}`,
    ),
    ...(status.restart === null
      ? []
      : [`restart     in ${seconds(status.restart.inMs)}, failures in a row: ${status.restart.failures}`]),
    ...failureLines(status.lastFailure),
  ];
}

function currentLines(current: ShownStatus['current']): readonly string[] {
  if (current === null) return ['serving     nothing'];
  const source = current.config === 'live' ? '' : ', on the LAST GOOD copy of the configuration';
  return [
    `serving     ${describe(current)}${source}`,
    `config      sha256 ${current.configSha256.slice(0, 16)}`,
  ];
}

function failureLines(failure: ShownStatus['lastFailure']): readonly string[] {
  if (failure === null) return [];
  const detail = (failure.detail ?? '').split('\n').filter((line) => line !== '');
  return [
    `refused     ${seconds(failure.agoMs)} ago at "${failure.stage}": ${failure.message}`,
    ...detail.map((line) => `            ${line}`),
  ];
}

function describe({ generation, pid, ageMs, sessions }: ShownGeneration): string {
  return `generation ${generation}, pid ${pid}, for ${seconds(ageMs)}, sessions ${sessions ?? 'unknown'}`;
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;
}
