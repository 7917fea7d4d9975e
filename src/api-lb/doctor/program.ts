import { type Check, type Finding, fail, ok, unknown } from '../../engine/examine/check.ts';
import { notRun } from '../../engine/examine/not-run.ts';
import type { ProgramOutcome } from '../../engine/examine/run-program.ts';
import { OLDEST_HAPROXY, parseHaproxyBuild } from '../../engine/system/text/program-version.ts';
import type { ApiLbContext } from './context.ts';

function judgeHaproxy(outcome: ProgramOutcome): Finding {
  if (outcome.kind !== 'ran') return notRun(outcome, '--haproxy');
  const build = parseHaproxyBuild(outcome.stdout);
  if (build === undefined)
    return unknown('haproxy -vv tells no version', 'haproxy -vv; name the program: --haproxy PATH');
  const { version } = build;
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
  return ok(`HAProxy ${version}, with OpenSSL`);
}

const haproxy: Check<ApiLbContext> = {
  id: 'haproxy-program',
  title: 'The haproxy program',
  why: 'Reloads without lost connections and HTTPS checks need HAProxy 2.6 with OpenSSL.',
  run: async ({ run, settings }, signal) => judgeHaproxy(await run([settings.haproxy, '-vv'], signal)),
};

export const programChecks: readonly Check<ApiLbContext>[] = [haproxy];
