import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CheckOutcome, ConfigurationCheck } from '../../engine/apply/configuration-check.ts';
import { createRenderThread } from '../../engine/render/render-in-thread.ts';
import { ConfigError, codeOf, messageOf } from '../../engine/system/errors.ts';
import { runCommand } from '../../engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../haproxy/check-configuration.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { type SettingKey, settingName } from '../settings/setting-name.ts';
import { defaultCertificate } from './default-certificate.ts';
import { readGivenFiles } from './given-files.ts';
import { CUSTOM_LIMITS, createTemplateRenderer } from './render-router.ts';
import { readRouterTemplate } from './router-template.ts';
import { openTrialFolder } from './trial-folder.ts';
import { MAIN_FILE, writeTrial } from './write-out.ts';

/** The settings whose texts only HAProxy can judge, each with what is the same without it. What needs another one stands before it. */
const suspects: readonly (readonly [SettingKey, Partial<RouterSettings>])[] = [
  ['ciphers', { ciphers: 'intermediate' }],
  ['ciphersuites', { ciphersuites: undefined }],
  ['curves', { curves: undefined }],
  ['tlsMaxVersion', { tlsMaxVersion: undefined }],
  ['tlsMinVersion', { tlsMinVersion: 'TLSv1.2' }],
  ['mutualTlsFilter', { mutualTlsFilter: undefined }],
  ['mutualTlsCrl', { mutualTlsCrl: undefined }],
  ['mutualTlsCa', { mutualTls: 'none' }],
  ['syslogFormat', { syslogFormat: undefined }],
  ['syslogAddress', { syslogAddress: undefined }],
  ['uniqueIdFormat', { uniqueIdFormat: undefined }],
  ['uniqueIdHeader', { uniqueIdHeader: undefined }],
  ['requestHeaders', { requestHeaders: undefined }],
  ['responseHeaders', { responseHeaders: undefined }],
  ['captureRequestHeaders', { captureRequestHeaders: undefined }],
  ['captureResponseHeaders', { captureResponseHeaders: undefined }],
  ['captureCookie', { captureCookie: undefined }],
  ['adjustCase', { adjustCase: undefined }],
  ['compressionTypes', { compression: false }],
  ['errorFile503', { errorFile503: undefined }],
  ['errorFile404', { errorFile404: undefined }],
  ['threads', { threads: undefined }],
  ['bufferSize', { bufferSize: 32_768, rewriteSize: 8_192 }],
];

/** It says nothing about the settings: the next time may go otherwise. */
const PASSING = /could not resolve|not enough memory|out of memory|cannot allocate/i;

const TIMEOUT_MS = 60_000;

export function settingsCheck(haproxyPath: string): ConfigurationCheck {
  return createConfigurationCheck({ haproxyPath, timeoutMs: TIMEOUT_MS, run: runCommand });
}

type Check = (settings: RouterSettings) => Promise<CheckOutcome>;

/**
 * Throws a ConfigError where HAProxy refuses what the settings give without any route: nothing would ever be served with them. It names the
 * settings without which HAProxy says something else. Where HAProxy cannot be asked nothing is known, and an administrator's own template that is
 * refused whatever the settings are may be mended while the router runs.
 */
export async function checkSettings(settings: RouterSettings, askHaproxy: ConfigurationCheck): Promise<void> {
  const template = await readRouterTemplate(settings.template);
  if (template.kind === 'unreadable') return;
  const certificate = await defaultCertificate(settings, '', new Date());
  const given = await readGivenFiles(settings);
  const thread = createRenderThread(CUSTOM_LIMITS);
  const check: Check = async (some) => {
    const outcome = await createTemplateRenderer(some, thread)(
      template,
      { backends: [] },
      certificate,
      given,
    );
    if (outcome.kind === 'failed') return { kind: 'impossible', message: outcome.message };
    try {
      await using folder = await openTrialFolder();
      await writeTrial(folder.path, outcome.rendered);
      return await askHaproxy(join(folder.path, MAIN_FILE));
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return { kind: 'impossible', message: messageOf(error) };
    }
  };
  const first = await check(settings);
  if (first.kind !== 'invalid' || PASSING.test(first.detail)) return;
  const problems = await problemsOf(settings, reports(first), check);
  if (problems.length > 0) throw new ConfigError(problems);
  if (template.isCustom === true) return;
  const words = joined(reports(first));
  throw new ConfigError([`Cannot use these settings: HAProxy refuses what they give: ${words}`]);
}

/** Leaves out one suspect after the other: one that changes what HAProxy says stays out, until it takes the rest. */
async function problemsOf(
  settings: RouterSettings,
  said: readonly string[],
  check: Check,
): Promise<readonly string[]> {
  const problems: string[] = [];
  let [rest, before] = [settings, said];
  for (const [setting, without] of suspects) {
    const less = { ...rest, ...without };
    if (isDeepStrictEqual(less, rest)) continue;
    const outcome = await check(less);
    if (outcome.kind === 'impossible') break;
    const after = reports(outcome);
    if (isDeepStrictEqual(after, before)) continue;
    const words = joined(before.filter((each) => !after.includes(each)));
    problems.push(`Cannot use ${settingName(setting)}: HAProxy refuses it: ${words}`);
    if (outcome.kind === 'valid') break;
    [rest, before] = [less, after];
  }
  return problems;
}

/** It says the same of each listener. */
const joined = (words: readonly string[]): string => words.slice(0, MOST_REPORTS).join('; ');
const MOST_REPORTS = 3;

/** What HAProxy complains of, without lines and folders, which are others each time. A message may have several lines. */
function reports(outcome: CheckOutcome): readonly string[] {
  if (outcome.kind !== 'invalid') return [];
  const found = outcome.detail
    .split('\n')
    .filter((line) => !line.startsWith('[WARNING]') && !/rror\(?s\)? found in configuration/.test(line))
    .map((line) =>
      line
        .replace(/^\[ALERT\]\s*:?\s*(?:config : )?(?:parsing )?/i, '')
        .replaceAll(/(?: at )?\[[^\][]*:\d+\](?: ?: )?/g, '')
        .replaceAll(/[^\s']*\/hawser-trial-[^/\s']*\//g, '')
        .trim(),
    );
  return [...new Set(found)];
}
