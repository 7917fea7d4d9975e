import { type Check, type Finding, fail, ok, unknown, warn } from '../check.ts';
import type { ProgramOutcome } from '../run-program.ts';

type Version = readonly [number, number, number];

const OLDEST_HAPROXY: Version = [2, 6, 0];
const OLDEST_KEEPALIVED: Version = [2, 2, 7];

function parseVersion(text: string, pattern: RegExp): Version | undefined {
  const [, major, minor, patch = '0'] = pattern.exec(text) ?? [];
  return major === undefined || minor === undefined
    ? undefined
    : [Number(major), Number(minor), Number(patch)];
}

function isOlder(version: Version, than: Version): boolean {
  const at = version.findIndex((part, index) => part !== than[index]);
  return at !== -1 && (version[at] ?? 0) < (than[at] ?? 0);
}

/** A program that is not here may be in the image of its pod. */
function notRun(outcome: Exclude<ProgramOutcome, { kind: 'ran' }>, flag: string): Finding {
  return outcome.kind === 'missing'
    ? unknown(outcome.message, `ask inside its pod (crictl exec), or name the program: ${flag} PATH`)
    : unknown(outcome.message, 'try again');
}

export function judgeHaproxy(outcome: ProgramOutcome): Finding {
  if (outcome.kind !== 'ran') return notRun(outcome, '--haproxy');
  const version = parseVersion(outcome.stdout, /HAProxy version (\d+)\.(\d+)[.-](?:dev)?(\d+)?/i);
  if (version === undefined)
    return unknown('haproxy -vv tells no version', 'haproxy -vv; name the program: --haproxy PATH');
  const shown = version.join('.');
  if (isOlder(version, OLDEST_HAPROXY))
    return fail(
      `HAProxy is ${shown}, expected ${OLDEST_HAPROXY.join('.')} or newer`,
      'apt-get install haproxy (Debian 12 has 2.6), or use the image of hawser',
    );
  if (!/\+OPENSSL\b|USE_OPENSSL=/.test(outcome.stdout))
    return fail(
      `HAProxy ${shown} is built without OpenSSL`,
      'use a build with USE_OPENSSL=1: its checks speak HTTPS',
    );
  const unmaintained = /will stop receiving fixes around Q(\d) (\d{4})/.exec(outcome.stdout);
  return unmaintained === null || !isOver(Number(unmaintained[2]), Number(unmaintained[1]), new Date())
    ? ok(`HAProxy ${shown}, with OpenSSL`)
    : warn(
        `HAProxy ${shown} gets no fixes any more (since Q${unmaintained[1]} ${unmaintained[2]})`,
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
  const text = `${outcome.stdout}${outcome.stderr}`;
  const version = parseVersion(text, /Keepalived v(\d+)\.(\d+)\.(\d+)/);
  if (version === undefined)
    return unknown(
      'keepalived --version tells no version',
      'keepalived --version; name the program: --keepalived PATH',
    );
  const shown = version.join('.');
  if (isOlder(version, OLDEST_KEEPALIVED))
    return fail(
      `keepalived is ${shown}, expected ${OLDEST_KEEPALIVED.join('.')} or newer`,
      'apt-get install keepalived (Debian 12 has 2.2.7), or use the image of hawser',
    );
  const options = /^Config options:(.*)$/m.exec(text)?.[1] ?? '';
  return /\bVRRP\b/.test(options)
    ? ok(`keepalived ${shown}, with VRRP`)
    : fail(
        `keepalived ${shown} is built without VRRP`,
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
