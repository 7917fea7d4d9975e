import type { CheckOutcome, ConfigurationCheck } from '../../engine/config/check.ts';
import { createRenderThread } from '../../engine/render/render-in-thread.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { runCommand } from '../../engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../haproxy/check-configuration.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { defaultCertificate } from './default-certificate.ts';
import { readGivenFiles } from './given-files.ts';
import { CUSTOM_LIMITS, createTemplateRenderer } from './render-router.ts';
import { readRouterTemplate } from './router-template.ts';
import { checkTrial } from './write-out.ts';

/** No verdict on the settings: the next attempt may succeed. */
const PASSING = /could not resolve|not enough memory|out of memory|cannot allocate/i;

const TIMEOUT_MS = 60_000;

export function settingsCheck(haproxyPath: string): ConfigurationCheck {
  return createConfigurationCheck({ haproxyPath, timeoutMs: TIMEOUT_MS, run: runCommand });
}

/**
 * Throws a ConfigError with HAProxy's words if it refuses what the settings give without any route: nothing would ever be served with them. Where
 * HAProxy cannot be asked nothing is known, and an administrator's own template may be mended while the router runs.
 */
export async function checkSettings(settings: RouterSettings, askHaproxy: ConfigurationCheck): Promise<void> {
  const template = await readRouterTemplate(settings.template);
  if (template.kind === 'unreadable' || template.isCustom === true) return;
  const certificate = await defaultCertificate(settings, '', new Date());
  const given = await readGivenFiles(settings);
  const render = createTemplateRenderer(settings, createRenderThread(CUSTOM_LIMITS));
  const outcome = await render(template, { backends: [] }, certificate, given);
  if (outcome.kind === 'failed') return;
  const said = reports(await checkTrial(outcome.rendered, askHaproxy));
  if (said.length === 0) return;
  const words = said.slice(0, MOST_REPORTS).join('; ');
  throw new ConfigError([`Cannot use these settings: HAProxy refuses the configuration: ${words}`]);
}

/** HAProxy repeats the error for each listener. */
const MOST_REPORTS = 3;

/** HAProxy's errors without line numbers and folders, which differ each time. A message may have several lines. */
function reports(outcome: CheckOutcome): readonly string[] {
  if (outcome.kind !== 'invalid' || PASSING.test(outcome.detail)) return [];
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
