import {
  OLDEST_HAPROXY,
  OLDEST_KEEPALIVED,
  parseHaproxyBuild,
  parseKeepalivedBuild,
} from '../../../engine/system/text/program-version.ts';
import { type Check, type Finding, fail, ok, unknown, warn } from '../check.ts';
import type { ProgramOutcome } from '../run-program.ts';

/** A program that is not here may be in the image of its pod. */
function notRun(outcome: Exclude<ProgramOutcome, { kind: 'ran' }>, flag: string): Finding {
  return outcome.kind === 'missing'
    ? unknown(outcome.message, `ask inside its pod (crictl exec), or name the program: ${flag} PATH`)
    : unknown(outcome.message, 'try again');
}

export function judgeHaproxy(outcome: ProgramOutcome): Finding {
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

const haproxy: Check = {
  id: 'haproxy-program',
  title: 'The haproxy program',
  why: 'Reloads without a lost connection and HTTPS checks need HAProxy 2.6 with OpenSSL.',
  run: async ({ run, settings }, signal) => judgeHaproxy(await run([settings.haproxy, '-vv'], signal)),
};

/** Debian's 2.2.7 prints all of this on stderr. */
export function judgeKeepalived(outcome: ProgramOutcome): Finding {
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

const keepalived: Check = {
  id: 'keepalived-program',
  title: 'The keepalived program',
  why: 'Track files that set FAULT at once, and safe reloads, are there from keepalived 2.2.7 on.',
  run: async ({ run, settings }, signal) =>
    judgeKeepalived(await run([settings.keepalived, '--version'], signal)),
};

export const programChecks: readonly Check[] = [haproxy, keepalived];
