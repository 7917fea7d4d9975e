import type { SharedStatus } from './status-schema.ts';

/** Lines that the readable status of every supervisor has, and a format for times. */
export function troubleLines({ trouble }: Pick<SharedStatus, 'trouble'>): readonly string[] {
  return trouble === undefined ? [] : [`trouble     ${trouble}`];
}

export function failureLines({ lastFailure: failure }: Pick<SharedStatus, 'lastFailure'>): readonly string[] {
  if (failure === null) return [];
  const what = failure.stage === 'unchecked' ? 'not checked' : 'refused';
  const detail = (failure.detail ?? '').split('\n').filter((line) => line !== '');
  return [
    `${what.padEnd(12)}${seconds(failure.agoMs)} ago at "${failure.stage}": ${failure.message}`,
    ...detail.map((line) => `            ${line}`),
  ];
}

export function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;
}
