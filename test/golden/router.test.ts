import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { othersOf, type Rendered } from '../../src/engine/config/set.ts';
import { runCommand } from '../../src/engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../src/haproxy/check-configuration.ts';
import type { RouteBackend } from '../../src/router/model.ts';
import { readGivenFiles } from '../../src/router/render/given-files.ts';
import { writeOut } from '../../src/router/render/write-out.ts';
import { createAuthority } from '../helpers/certificates.ts';
import { renderRouter } from '../helpers/router/render-router.ts';
import { routeBackend } from '../helpers/router/route-sets.ts';
import { routerSettings, routerTemplate } from '../helpers/router/router-settings.ts';
import { fileFolder } from '../helpers/test-folder.ts';
import { goldenCases } from './golden-cases.ts';

/**
 * Environment and routes (JSON), and every expected file; `CERTIFICATE` and `CA` stand for certificates of this run,
 * `CA_FILE`, `CRL_FILE` and `PAGE_FILE` for files.
 */
const directory = fileURLToPath(new URL('router/', import.meta.url));

interface Case {
  readonly env?: Readonly<Record<string, string>>;
  readonly routes: readonly (Parameters<typeof routeBackend>[0] & Partial<RouteBackend>)[];
}

const scratch = fileFolder();

const authority = createAuthority(join(scratch, 'ca'));
const issued = authority.issue({ commonName: 'golden' });
const secrets = { CERTIFICATE: `${issued.key}${issued.cert}`, CA: authority.cert };
const revoked = authority.revoke(issued);
const pathOf = {
  CA_FILE: authority.certFile,
  CRL_FILE: join(scratch, 'ca.crl'),
  PAGE_FILE: join(scratch, 'page.http'),
};
writeFileSync(pathOf.CRL_FILE, revoked);
const page = 'HTTP/1.0 503 Unavailable\r\nContent-Type: text/html\r\n\r\n<p>Try again.</p>\n';
writeFileSync(pathOf.PAGE_FILE, page);
const check = createConfigurationCheck({ haproxyPath: 'haproxy', timeoutMs: 20_000, run: runCommand });

async function render(input: string): Promise<Rendered> {
  const words: Readonly<Record<string, string>> = { ...secrets, ...pathOf };
  const text = JSON.stringify(JSON.parse(input), (_key, value: unknown) =>
    typeof value === 'string' ? (words[value] ?? value) : value,
  );
  const { env, routes }: Case = JSON.parse(text);
  const settings = routerSettings(env);
  const outcome = renderRouter(
    routerTemplate,
    settings,
    { backends: routes.map(routeBackend) },
    secrets.CERTIFICATE,
    await readGivenFiles(settings),
  );
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  expect(outcome.leftOut).toEqual([]);
  return outcome.rendered;
}

/** All files one after the other, for comparison. */
function shown(rendered: Rendered): string {
  const files = [{ name: 'haproxy.cfg', content: rendered.text }, ...othersOf(rendered)];
  return files
    .map(({ name, content }) => `==> ${name}\n${content}`)
    .join('\n')
    .replaceAll(secrets.CERTIFICATE, 'CERTIFICATE\n')
    .replaceAll(secrets.CA, 'CA\n')
    .replaceAll(revoked, 'CRL\n')
    .replaceAll(page, 'PAGE\n');
}

const cases = await goldenCases(directory, 'no-routes.golden', async (input) => shown(await render(input)));

describe.each(cases)('golden $name', ({ name, input, compare }) => {
  it('is the output of the template', async () => compare(shown(await render(input))));

  it('is accepted by HAProxy without a warning', async () => {
    const folder = join(scratch, name);
    await writeOut(folder, await render(input));
    const file = join(folder, 'haproxy.cfg');
    expect(await check(file)).toEqual({ kind: 'valid' });
    const { stderr } = await runCommand(['haproxy', '-c', '-f', file], { timeoutMs: 20_000 });
    expect(stderr).not.toMatch(/WARNING|ALERT/);
  });
});
