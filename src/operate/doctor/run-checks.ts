import type { Finding } from '../../engine/examine/check.ts';
import { messageOf } from '../../engine/system/errors.ts';
import type { DoctorCheck, DoctorContext } from './look/context.ts';

export interface CheckedFinding {
  readonly check: DoctorCheck;
  readonly finding: Finding;
}

/**
 * Runs all checks at once, each for at most `timeoutMs` plus its time for listening. Never rejects, and always ends in
 * that time or when `signal` aborts. A check that throws or takes longer is reported as "cannot tell", with the reason.
 */
export async function runChecks(
  checks: readonly DoctorCheck[],
  context: DoctorContext,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<readonly CheckedFinding[]> {
  return await Promise.all(
    checks.map(async (check) => ({ check, finding: await runCheck(check, context, limits) })),
  );
}

async function runCheck(
  check: DoctorCheck,
  context: DoctorContext,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Finding> {
  const timeoutMs = limits.timeoutMs + (check.listenMs ?? 0);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => resolve(cannotTell(`no answer within ${timeoutMs} ms`)), timeoutMs);
    limits.signal.addEventListener('abort', () => resolve(cannotTell('it was stopped')), { once: true });
  });
  try {
    return await Promise.race([check.run(context), late]);
  } catch (error) {
    return cannotTell(messageOf(error));
  } finally {
    clearTimeout(timer);
  }
}

function cannotTell(found: string): Finding {
  return { kind: 'unknown', found, todo: 'try again; give it more time with --timeout 10s' };
}
