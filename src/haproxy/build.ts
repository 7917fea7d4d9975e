import { isOlder, versionIn } from '../engine/system/text/version-order.ts';

/** A build of HAProxy, parsed from its own output. */
interface HaproxyBuild {
  /** "3.0.11", without the distribution's suffix. */
  readonly version: string;
  /** Whether the version is new enough for hawser. */
  readonly supported: boolean;
  /** Whether its checks support HTTPS. */
  readonly openssl: boolean;
}

export const OLDEST_HAPROXY = '2.6.0';

/** Parses the output of `haproxy -vv`; `haproxy -v` omits the build options. Undefined if it contains no version. */
export function parseHaproxyBuild(printed: string): HaproxyBuild | undefined {
  const version = versionIn(printed, /HAProxy version (\d+)\.(\d+)[.-](?:dev)?(\d+)?/i);
  if (version === undefined) return undefined;
  return {
    version,
    supported: !isOlder(version, OLDEST_HAPROXY),
    openssl: /\+OPENSSL\b|USE_OPENSSL=/.test(printed),
  };
}
