import type { FaultWindow } from './view.ts';

const noService = /HAProxy does not serve|track file says/;
const keepalivedEnded = /keepalived (died|hung|ended)|ended with|does not record|stopped on request/;

/** What `hawser timeline` must say about a move after this single fault, see docs/timeline.md. */
const causes: Readonly<Record<string, RegExp>> = {
  'kill haproxy': noService,
  'kill haproxy-container': noService,
  'stop haproxy': noService,
  'stop haproxy-container': noService,
  'restart-pod haproxy': noService,
  'kill keepalived': keepalivedEnded,
  'kill keepalived-container': keepalivedEnded,
  // keepalived is considered hung after 2.4 s. If it resumes earlier, it was only silent.
  'stop keepalived': new RegExp(`${keepalivedEnded.source}|was still MASTER`),
  'restart-pod keepalived': /stopped on request/,
  'restart-pod both': /stopped on request|track file says/,
  // The link goes down first. Programs stay alive for a moment and may still record that.
  'power-off node': /does not record that it lost the VIP|is down/,
  'replace-node node': /does not record that it lost the VIP|is down/,
  'unplug node': /is down|does not record/,
  'order drain': /drained/,
  'order move-vip': /move vip/i,
  'by-hand remove-vip': /removed from eth0 by another program|no other node/,
};

/** Undefined if the fault has no definite cause text. */
export function trueCauseOf({ name, variant }: FaultWindow): RegExp | undefined {
  return causes[`${name} ${variant}`];
}
