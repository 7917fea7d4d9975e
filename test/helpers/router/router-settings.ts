import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { settingsTyped } from '../../../src/cli/command-line.ts';
import { commandSpec } from '../../../src/cli/command-spec.ts';
import type { RouterTemplate } from '../../../src/router/render/render-router.ts';
import { type RouterSettings, routerFlags } from '../../../src/router/settings/router-settings.ts';

const spec = commandSpec({ name: 'router', summary: '', flags: routerFlags, examples: [], notes: [] });

/** The settings from an environment, as a command reads them. Throws a ConfigError that lists every problem. */
export function routerSettings(env: Readonly<Record<string, string>> = {}): RouterSettings {
  return settingsTyped(spec, [], { ...env }, () => undefined);
}

const path = fileURLToPath(new URL('../../../templates/router.cfg.ejs', import.meta.url));

export const routerTemplate: RouterTemplate = { path, text: readFileSync(path, 'utf8'), mode: 0o644 };
