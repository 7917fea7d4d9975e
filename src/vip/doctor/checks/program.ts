import { type Check, type Finding, fail, ok, unknown } from '../../../engine/examine/check.ts';
import { notRun } from '../../../engine/examine/not-run.ts';
import type { ProgramOutcome } from '../../../engine/examine/run-program.ts';
import { OLDEST_KEEPALIVED, parseKeepalivedBuild } from '../../../engine/system/text/program-version.ts';
import type { VipContext } from '../context.ts';

/** Debian's 2.2.7 prints all of this on stderr. */
function judgeKeepalived(outcome: ProgramOutcome): Finding {
  if (outcome.kind !== 'ran') return notRun(outcome, '--keepalived');
  const build = parseKeepalivedBuild(`${outcome.stdout}${outcome.stderr}`);
  if (build === undefined)
    return unknown(
      'keepalived --version tells no version',
      'keepalived --version; name the program: --keepalived PATH',
    );
  const { version } = build;
  if (!build.supported)
    return fail(
      `keepalived is ${version}, expected ${OLDEST_KEEPALIVED} or newer`,
      'apt-get install keepalived (Debian 12 has 2.2.7), or use the image of hawser',
    );
  return build.vrrp
    ? ok(`keepalived ${version}, with VRRP`)
    : fail(
        `keepalived ${version} is built without VRRP`,
        'use a build with VRRP (configure without --disable-vrrp)',
      );
}

const keepalived: Check<VipContext> = {
  id: 'keepalived-program',
  title: 'The keepalived program',
  why: 'Track files that set FAULT at once and safe reloads need keepalived 2.2.7.',
  run: async ({ run, settings }, signal) =>
    judgeKeepalived(await run([settings.keepalived, '--version'], signal)),
};

export const programChecks: readonly Check<VipContext>[] = [keepalived];
