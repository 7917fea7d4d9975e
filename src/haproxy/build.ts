/** The features of a build of HAProxy or keepalived, by its own output: the only place that distinguishes versions. */

interface HaproxyBuild {
  /** "3.0.11", without what a distribution adds. */
  readonly version: string;
  /** New enough for hawser. */
  readonly supported: boolean;
  /** Its checks support HTTPS. */
  readonly openssl: boolean;
}

export interface KeepalivedBuild {
  readonly version: string;
  readonly supported: boolean;
  readonly vrrp: boolean;
  /** Supports `--no_bfd`. 2.3 opens the pid file of its BFD process in /run even for VRRP alone. */
  readonly bfd: boolean;
  /**
   * Adverts for any VIP count, as in RFC 9568: while a VIP is being changed, the holder of one keeps the nodes of the other from taking theirs.
   * 2.2 ignores adverts for another VIP, so both can be held at once.
   */
  readonly countsAdvertsOfOtherVips: boolean;
}

export const OLDEST_HAPROXY = '2.6.0';
export const OLDEST_KEEPALIVED = '2.2.7';
const FIRST_TO_COUNT_OTHER_VIPS = '2.3.0';

/** `printed`: by `haproxy -vv`, since `haproxy -v` omits the build options. Undefined if it contains no version. */
export function parseHaproxyBuild(printed: string): HaproxyBuild | undefined {
  const version = versionIn(printed, /HAProxy version (\d+)\.(\d+)[.-](?:dev)?(\d+)?/i);
  if (version === undefined) return undefined;
  return {
    version,
    supported: !isOlder(version, OLDEST_HAPROXY),
    openssl: /\+OPENSSL\b|USE_OPENSSL=/.test(printed),
  };
}

/** `printed`: by `keepalived --version`, on stderr. */
export function parseKeepalivedBuild(printed: string): KeepalivedBuild | undefined {
  const version = versionIn(printed, /Keepalived v(\d+)\.(\d+)\.(\d+)/);
  if (version === undefined) return undefined;
  const options = /^Config options:(.*)$/m.exec(printed)?.[1] ?? '';
  return {
    version,
    supported: !isOlder(version, OLDEST_KEEPALIVED),
    vrrp: /\bVRRP\b/.test(options),
    bfd: /\bBFD\b/.test(options),
    countsAdvertsOfOtherVips: !isOlder(version, FIRST_TO_COUNT_OTHER_VIPS),
  };
}

function versionIn(printed: string, pattern: RegExp): string | undefined {
  const [, major, minor, patch = '0'] = pattern.exec(printed) ?? [];
  return major === undefined || minor === undefined ? undefined : `${major}.${minor}.${patch}`;
}

function isOlder(version: string, than: string): boolean {
  const [its, other] = [version, than].map((each) => each.split('.').map(Number));
  const at = its?.findIndex((part, index) => part !== other?.[index]) ?? -1;
  return at !== -1 && (its?.[at] ?? 0) < (other?.[at] ?? 0);
}
