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

/** Transient errors, which say nothing about the settings: the next attempt may succeed. */
const TRANSIENT = /could not resolve|not enough memory|out of memory|cannot allocate/i;

const TIMEOUT_MS = 60_000;

export function settingsCheck(haproxyPath: string): ConfigurationCheck {
  return createConfigurationCheck({ haproxyPath, timeoutMs: TIMEOUT_MS, run: runCommand });
}

/**
 * Throws a ConfigError with HAProxy's errors if it refuses the configuration that the settings produce without any routes: no configuration would
 * ever be accepted. Accepts the settings if HAProxy cannot be run. Does not check a custom template, which may be fixed while the router runs.
 */
export async function checkSettings(settings: RouterSettings, check: ConfigurationCheck): Promise<void> {
  const template = await readRouterTemplate(settings.template);
  if (template.kind === 'unreadable' || template.isCustom === true) return;
  const certificate = await defaultCertificate(settings, '', new Date());
  const given = await readGivenFiles(settings);
  const render = createTemplateRenderer(settings, createRenderThread(CUSTOM_LIMITS));
  const outcome = await render(template, { backends: [] }, certificate, given);
  if (outcome.kind === 'failed') return;
  const errors = errorsIn(await checkTrial(outcome.rendered, check));
  if (errors.length === 0) return;
  const words = errors.slice(0, MAX_ERRORS).join('; ');
  throw new ConfigError([`Cannot use these settings: HAProxy refuses the configuration: ${words}`]);
}

/** HAProxy repeats an error for each listener. */
const MAX_ERRORS = 3;

/** HAProxy's errors without line numbers and folders, which differ each time. One message may span several lines. */
function errorsIn(outcome: CheckOutcome): readonly string[] {
  if (outcome.kind !== 'invalid' || TRANSIENT.test(outcome.detail)) return [];
  const lines = outcome.detail
    .split('\n')
    .filter((line) => !line.startsWith('[WARNING]') && !/rror\(?s\)? found in configuration/.test(line))
    .map((line) =>
      line
        .replace(/^\[ALERT\]\s*:?\s*(?:config : )?(?:parsing )?/i, '')
        .replaceAll(/(?: at )?\[[^\][]*:\d+\](?: ?: )?/g, '')
        .replaceAll(/[^\s']*\/hawser-trial-[^/\s']*\//g, '')
        .trim(),
    );
  return [...new Set(lines)];
}
