import { parse, YAMLError } from 'yaml';
import * as z from 'zod/mini';
import { messageOf } from '../../engine/system/errors.ts';
import { advertInterval } from '../settings/advert-interval.ts';
import type { Agreement } from './vrrp-agreement.ts';

export type AgreementText =
  | { readonly kind: 'agreement'; readonly agreement: Omit<Agreement, 'arrivedMs'> }
  /** A sentence that begins with what is wrong and ends with what was expected. */
  | { readonly kind: 'unusable'; readonly problem: string };

/** Without a zone two nodes could mean two moments. */
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const moment = z.pipe(
  z.string({ error: 'expected a time' }).check(z.regex(RFC_3339, { error: 'expected a time' })),
  z.transform((text, context): number => {
    const atMs = Date.parse(text);
    if (Number.isFinite(atMs)) return atMs;
    context.issues.push({ code: 'custom', input: text, message: 'expected a time' });
    return z.NEVER;
  }),
);

const expected: Readonly<Record<string, string>> = {
  mode: 'expected unicast or multicast',
  profile: 'expected fast or openshift',
  advertInterval: 'expected 10ms to 40950ms in steps of 10ms',
  at: 'expected a time such as 2026-11-21T12:00:00Z',
};
const expectedAll = 'expected YAML such as "mode: unicast", with mode, profile, advertInterval and at';

const schema = z.strictObject({
  mode: z.optional(z.enum(['unicast', 'multicast'])),
  profile: z.optional(z.enum(['fast', 'openshift'])),
  advertInterval: z.optional(advertInterval),
  at: z.optional(moment),
});

/**
 * Reads `monitor.conf`: the `mode` of the original pods, and hawser's `profile`, `advertInterval` and `at`. The original pods take any
 * mode but "unicast", even an empty file, for multicast. hawser refuses an unknown word, as it would split the group.
 */
export function parseAgreement(text: string): AgreementText {
  try {
    const content: unknown = parse(text, { schema: 'core', maxAliasCount: 0, logLevel: 'error' });
    const parsed = schema.safeParse(content);
    if (!parsed.success) return unusable(problemOf(parsed.error.issues[0], content));
    const { at: atMs, mode, profile, advertInterval: advertIntervalMs } = parsed.data;
    if (mode === undefined && profile === undefined && advertIntervalMs === undefined)
      return unusable(`it names neither mode, profile nor advertInterval, ${expectedAll}`);
    return { kind: 'agreement', agreement: { mode, profile, advertIntervalMs, atMs } };
  } catch (error) {
    const what = error instanceof YAMLError ? (error.message.split('\n')[0] ?? '') : messageOf(error);
    return unusable(`it is no YAML (${what}), ${expectedAll}`);
  }
}

function unusable(problem: string): AgreementText {
  return { kind: 'unusable', problem };
}

function problemOf(issue: z.core.$ZodIssue | undefined, content: unknown): string {
  if (content === null) return `it is empty, ${expectedAll}`;
  if (issue?.code === 'unrecognized_keys')
    return `it has ${issue.keys.slice(0, 3).map(shown).join(' and ')}, ${expectedAll}`;
  const key = String(issue?.path[0] ?? '');
  const found = typeof content === 'object' ? new Map(Object.entries(content)).get(key) : undefined;
  return key === ''
    ? `it is no list of names and values, ${expectedAll}`
    : `its ${key} is ${shown(found)}, ${expected[key]}`;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}
