import { type Check, type Finding, fail, ok, unknown, warn } from '../../engine/examine/check.ts';
import { notRun } from '../../engine/examine/not-run.ts';
import type { ProgramOutcome } from '../../engine/examine/run-program.ts';
import { OLDEST_HAPROXY, parseHaproxyBuild } from '../../engine/system/text/program-version.ts';
import type { ApiLbContext } from './context.ts';

function judgeHaproxy(outcome: ProgramOutcome): Finding {
  if (outcome.kind !== 'ran') return notRun(outcome, '--haproxy');
  const build = parseHaproxyBuild(outcome.stdout);
  if (build === undefined)
    return unknown('haproxy -vv tells no version', 'haproxy -vv; name the program: --haproxy PATH');
  const { version, fixes } = build;
  if (!build.supported)
    return fail(
      `HAProxy is ${version}, expected ${OLDEST_HAPROXY} or newer`,
      'apt-get install haproxy (Debian 12 has 2.6), or use the image of hawser',
    );
  if (!build.openssl)
    return fail(
      `HAProxy ${version} is built without OpenSSL`,
      'use a build with USE_OPENSSL=1: its checks speak HTTPS',
    );
  return fixes === undefined || !isOver(fixes.year, fixes.quarter, new Date())
    ? ok(`HAProxy ${version}, with OpenSSL`)
    : warn(
        `HAProxy ${version} gets no fixes any more (since Q${fixes.quarter} ${fixes.year})`,
        'plan a newer one; the distribution may go on with fixes of its own',
      );
}

function isOver(year: number, quarter: number, now: Date): boolean {
  return Date.UTC(year, quarter * 3, 1) < now.getTime();
}

const haproxy: Check<ApiLbContext> = {
  id: 'haproxy-program',
  title: 'The haproxy program',
  why: 'Reloads without a lost connection and HTTPS checks need HAProxy 2.6 with OpenSSL.',
  run: async ({ run, settings }, signal) => judgeHaproxy(await run([settings.haproxy, '-vv'], signal)),
};

export const programChecks: readonly Check<ApiLbContext>[] = [haproxy];
