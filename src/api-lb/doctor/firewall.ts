import { type Check, type Finding, fail, moreRights, ok, skip, unknown } from '../../engine/examine/check.ts';
import { isHawser } from '../../engine/examine/host-processes.ts';
import { lastWords, type ProgramOutcome } from '../../engine/examine/run-program.ts';
import type { UsableSample } from '../../haproxy/usable.ts';
import { probeUsable } from '../../haproxy/usable-probe.ts';
import type { Redirect } from '../redirect/redirect.ts';
import { REDIRECT_TABLE } from '../redirect/ruleset.ts';
import { parseTableListing, redirects } from '../redirect/table-listing.ts';
import { type ApiLbContext, NO_VIP } from './context.ts';

function judgeNft(outcome: ProgramOutcome): Finding {
  if (outcome.kind === 'missing')
    return fail('nft is not installed here', 'apt-get install nftables (the image of hawser has its own)');
  if (outcome.kind === 'late')
    return unknown(outcome.message, 'look who holds the ruleset: nft list ruleset');
  if (outcome.exitCode === 0) return ok('nft works and the kernel takes its questions');
  const words = lastWords(outcome);
  return /not permitted|must be root/i.test(words)
    ? unknown(`nft may not look: ${words}`, moreRights)
    : fail(`nft fails: ${words}`, 'modprobe nf_tables; nft list tables');
}

const nft: Check<ApiLbContext> = {
  id: 'nft',
  title: 'nftables',
  why: 'The redirect from the VIP to HAProxy is an nftables rule; without it clients reach one API server only.',
  run: async ({ run }, signal) => judgeNft(await run(['nft', 'list', 'tables'], signal)),
};

interface RedirectReading {
  readonly wanted: Redirect;
  readonly listing: ProgramOutcome;
  /** HAProxy's report about its servers. */
  readonly usable: UsableSample;
  readonly isMonitorRunning: boolean;
}

function judgeRedirect({ wanted, listing, usable, isMonitorRunning }: RedirectReading): Finding {
  const way = `${wanted.vips.join(', ')} port ${wanted.apiPort} -> ${wanted.lbPort}`;
  if (listing.kind !== 'ran') return unknown(listing.message, 'see check nft');
  const isAbsent = listing.exitCode !== 0 && /No such file/.test(listing.stderr);
  if (listing.exitCode !== 0 && !isAbsent) return unknown(lastWords(listing), moreRights);
  const table = isAbsent ? undefined : parseTableListing(listing.stdout);
  const isRight = table !== undefined && redirects(table, wanted);
  if (usable === 'ok' && isRight) return ok(`${way}, and HAProxy has a server to offer`);
  if (usable === 'ok')
    return fail(
      isAbsent
        ? `there is no redirect ${way}, and HAProxy could serve`
        : `table ${REDIRECT_TABLE} is not ${way}`,
      isMonitorRunning
        ? 'read the log of haproxy-monitor: does it have the same --api-vips and ports as you gave here?'
        : 'start haproxy-monitor, which puts it back within a few seconds',
    );
  if (isAbsent) return skip('there is no redirect, and HAProxy has no server to offer');
  return fail(
    `clients of ${way} are led to an HAProxy without a server`,
    `start haproxy-monitor, which takes it away, or: nft delete table inet ${REDIRECT_TABLE}`,
  );
}

const redirect: Check<ApiLbContext> = {
  id: 'redirect',
  title: 'The redirect to HAProxy',
  why: "Without it clients of the VIP reach only this node's API server; with it and no HAProxy, they reach no server.",
  run: async ({ settings, run, readings, answerTimeoutMs }, signal) => {
    const vips = await readings.apiVips();
    if (vips.length === 0) return skip(NO_VIP);
    const [listing, usable, processes] = await Promise.all([
      run(['nft', '-j', 'list', 'table', 'inet', REDIRECT_TABLE], signal),
      probeUsable(settings.healthPort, { timeoutMs: answerTimeoutMs, signal }),
      readings.processes(),
    ]);
    const isMonitorRunning = processes.some(
      (each) => isHawser(each, ['haproxy', 'monitor']) && each.instance === undefined,
    );
    const wanted = { vips, apiPort: settings.apiPort, lbPort: settings.lbPort };
    return judgeRedirect({ wanted, listing, usable, isMonitorRunning });
  },
};

export const firewallChecks: readonly Check<ApiLbContext>[] = [nft, redirect];
