import { createHash } from 'node:crypto';
import { readText } from '../engine/system/file/read-regular-file.ts';
import { parseConfiguration } from './parse-configuration.ts';
import type { AcceptedConfiguration } from './vrrp-program.ts';

/**
 * Added to a copy of the configuration. keepalived does not report a completed reload, and its dump (SIGUSR1) omits
 * most settings. The dump does contain the name for greeting a mail server, which is otherwise unused: a keepalived
 * that shows number N has read copy N.
 */
export function markConfiguration(text: string, number: number): string {
  const own = [
    `    smtp_helo_name hawser-${number}`,
    ...(text.includes('min_auto_priority_delay')
      ? []
      : [`    min_auto_priority_delay ${TELL_LATE_AFTER_US}`]),
  ];
  return `${text}\n${MARK_COMMENT}\nglobal_defs {\n${own.join('\n')}\n}\n`;
}

const MARK_COMMENT =
  '# Added by hawser keepalived supervise: its dump shows which copy keepalived runs on, and it says when it is late.';
/**
 * How late a timer must be before keepalived logs it. Its default of a second equals three take-overs at 100 ms. It
 * would then also raise its own priority if `max_auto_priority` allows that. A configuration that sets it keeps its
 * value.
 */
const TELL_LATE_AFTER_US = 100_000;
const MARK =
  /\n# Added by hawser [^\n]*\nglobal_defs \{\n {4}smtp_helo_name hawser-(\d+)\n(?: {4}min_auto_priority_delay \d+\n)?\}\n$/;

/** The content of a marked copy. Undefined if there is no copy, or it is not marked. */
export function readAccepted(path: string): AcceptedConfiguration | undefined {
  const text = readText(path);
  const mark = MARK.exec(text);
  if (mark === null) return undefined;
  return describeConfiguration(text.slice(0, mark.index), Number(mark[1]));
}

export function describeConfiguration(text: string, number: number): AcceptedConfiguration {
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { number, sha256, ...parseConfiguration(text) };
}
