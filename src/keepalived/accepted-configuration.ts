import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AcceptedConfiguration } from '../model/vrrp-program.ts';
import { parseConfiguration } from './parse-configuration.ts';

/**
 * What is added to a copy of the configuration. keepalived gives no sign of a reload that is done, and its dump
 * (SIGUSR1) tells nothing of most settings; the name that it would greet a mail server with is in the dump, and of no
 * other use: whatever shows number N has read copy N.
 */
export function markConfiguration(text: string, number: number): string {
  return `${text}\n# Added by hawser keepalived supervise: its dump shows which copy keepalived runs on.\nglobal_defs {\n    smtp_helo_name hawser-${number}\n}\n`;
}

const MARK = /\n# Added by hawser [^\n]*\nglobal_defs \{\n {4}smtp_helo_name hawser-(\d+)\n\}\n$/;

/** What a marked copy holds. Undefined where there is none, or none that was marked. */
export function readAccepted(path: string): AcceptedConfiguration | undefined {
  const text = readText(path);
  const mark = text === undefined ? undefined : MARK.exec(text);
  if (text === undefined || mark === undefined || mark === null) return undefined;
  return describeConfiguration(text.slice(0, mark.index), Number(mark[1]));
}

export function describeConfiguration(text: string, number: number): AcceptedConfiguration {
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { number, sha256, ...parseConfiguration(text) };
}

/** Undefined where there is nothing to read, or nothing in it. */
export function readText(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}
