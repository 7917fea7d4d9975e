import type { ConfigurationCheck } from '../engine/apply/configuration-check.ts';
import { type RunCommand, runCommand } from '../engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../haproxy/check-configuration.ts';

/** A loaded machine takes seconds for what takes 40 ms at rest. */
const CHECK_TIMEOUT_MS = 20_000;

/** A token of the API, of IRSA or of a pod identity: a JSON web token. */
const TOKEN = /eyJ[\w-]{8,}(?:\.[\w-]*)*/g;

/**
 * Checks what a template gives, as HAProxy says. HAProxy repeats in its messages what a configuration reads, and whoever writes the
 * template may see them in an Event: variables that hold credentials for AWS are not there, and tokens in files are not passed on.
 */
export function createTemplateCheck(haproxyPath: string): ConfigurationCheck {
  return createConfigurationCheck({ haproxyPath, timeoutMs: CHECK_TIMEOUT_MS, run: runWithoutCredentials });
}

const runWithoutCredentials: RunCommand = async (argv, options) => {
  const variables = Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'));
  const env = Object.fromEntries(variables.map(([name, value]) => [name, `${value}`]));
  const result = await runCommand(argv, { ...options, env });
  return { ...result, stdout: withoutTokens(result.stdout), stderr: withoutTokens(result.stderr) };
};

function withoutTokens(text: string): string {
  return text.replaceAll(TOKEN, 'TOKEN');
}
