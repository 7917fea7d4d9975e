import { type Check, type Finding, fail, moreRights, ok, skip, unknown } from '../../engine/examine/check.ts';
import { familyOf } from '../../engine/system/network/address-text.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import type { ApiLbContext } from './context.ts';

/** Addresses that a haproxy.cfg binds, without those that are on every node. */
function boundAddresses(config: string): readonly string[] {
  return config
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .flatMap((line) => /^bind\s+(\S+)/.exec(line)?.[1]?.split(',') ?? [])
    .flatMap(
      (bound) =>
        parseAddress(bound.replace(/:\d+$/, '').replace(/^(?:ipv[46]@)?\[?([^\]]*)\]?$/, '$1'))?.text ?? [],
    );
}

function judgeNonlocalBind(
  vips: readonly string[],
  bound: readonly string[],
  allowed: ReadonlyMap<string, boolean>,
): Finding {
  const needed = vips.filter((vip) => bound.includes(vip));
  if (needed.length === 0) return ok('haproxy.cfg binds no VIP, so it is not needed');
  const refused = needed.filter((vip) => allowed.get(vip) === false);
  if (refused.length === 0) return ok(`haproxy.cfg binds ${needed.join(', ')}, and ip_nonlocal_bind is 1`);
  const family = refused.some((vip) => vip.includes(':')) ? 'ipv6' : 'ipv4';
  return fail(
    `haproxy.cfg binds ${refused.join(', ')}, and net.${family}.ip_nonlocal_bind is 0`,
    `bind ":::PORT v4v6" in the template, or: sysctl -w net.${family}.ip_nonlocal_bind=1 (and in /etc/sysctl.d/)`,
  );
}

const nonlocalBind: Check<ApiLbContext> = {
  id: 'nonlocal-bind',
  title: 'Binding a VIP held elsewhere',
  why: 'HAProxy that binds the VIP itself starts only on the node that holds it, and cannot take it over.',
  run: async ({ settings, files, readings }) => {
    const look = await files.read(settings.haproxyConfig);
    if (look.kind === 'missing') return skip(`there is no ${settings.haproxyConfig} yet`);
    if (look.kind === 'unreadable') return unknown(look.reason, moreRights);
    const vips = await readings.vips();
    const allowed = new Map<string, boolean>();
    for (const vip of vips) {
      const family = familyOf(vip);
      allowed.set(vip, (await files.value(`/proc/sys/net/${family}/ip_nonlocal_bind`)) !== '0');
    }
    return judgeNonlocalBind(vips, boundAddresses(look.text), allowed);
  },
};

export const nonlocalBindChecks: readonly Check<ApiLbContext>[] = [nonlocalBind];
