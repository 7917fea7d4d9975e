import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { othersOf } from '../../../src/engine/config/set.ts';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';
import { createConfigurationCheck } from '../../../src/haproxy/check-configuration.ts';
import { decide } from '../../../src/router/decide/decide.ts';
import { readObjectList } from '../../../src/router/follow/read-object-list.ts';
import { selfSigned } from '../../../src/router/render/default-certificate.ts';
import { writeTrial } from '../../../src/router/render/write-out.ts';
import { mustBePlain, type Printed, print } from '../../helpers/router/printed.ts';
import { routerSettings } from '../../helpers/router/router-settings.ts';
import { neighbours, tenantNumbered, tenantPem, tenants } from '../hostile-routes.ts';
import { JUDGE_WITHIN_MS } from '../judge.ts';
import { openScratchFolder } from '../scratch-folder.ts';
import { attackTogether, type OpenTarget, type Target } from '../target.ts';

const settingsWith = (lookup: string) => ({
  ...routerSettings({ HAWSER_LOOKUP: lookup, ROUTER_ALLOW_WILDCARD_ROUTES: 'true' }),
  ingressClass: 'hawser',
});
const lookups = ['hash', 'regex'].map(settingsWith);

const decided = (objects: readonly unknown[]) =>
  decide(readObjectList(JSON.stringify(objects)).objects, settingsWith('hash'));

async function open(): Promise<OpenTarget> {
  const scratch = openScratchFolder();
  const check = createConfigurationCheck({
    haproxyPath: 'haproxy',
    timeoutMs: JUDGE_WITHIN_MS,
    run: runCommand,
  });
  const fallback = selfSigned('default', new Date());
  const harmless = neighbours(tenantPem(join(scratch.path, 'neighbours')));
  const alone = decided(harmless).model.backends;
  assert.equal(alone.length, 3);
  const takes = async (printed: Printed) => {
    const folder = mkdtempSync(join(scratch.path, 'set-'));
    await writeTrial(folder, printed);
    assert.deepEqual(await check(join(folder, 'haproxy.cfg')), { kind: 'valid' });
    rmSync(folder, { recursive: true });
  };
  const judge = async (all: readonly unknown[]) => {
    const { admission, model } = decided([...harmless, ...all.flatMap(tenantNumbered)]);
    const failed = admission.rejected.filter(({ reason }) => reason === 'InternalError');
    assert.deepEqual(failed, []);
    for (const settings of lookups) {
      const printed = print(settings, model.backends, fallback);
      assert.deepEqual(printed.left, []);
      mustBePlain(printed, model.backends, settings, fallback);
      mustHave(printed, print(settings, alone, fallback));
      await takes(printed);
    }
  };
  return {
    attack: attackTogether(tenants(tenantPem(join(scratch.path, 'tenants'))), {
      prepare: (objects) => objects,
      judge,
      atOnce: 500,
    }),
    [Symbol.asyncDispose]: async () => scratch[Symbol.dispose](),
  };
}

/** The neighbours' part of the files must be the same with and without other tenants. */
function mustHave(printed: Printed, alone: Printed): void {
  const sections = new Set(sectionsOf(printed));
  const missing = sectionsOf(alone).filter((section) => !sections.has(section));
  assert.deepEqual(missing, []);
  const files = new Map(othersOf(printed).map(({ name, content }) => [name, `\n${content}`]));
  for (const { name, content } of othersOf(alone)) {
    const isWhole = /^(?:certs|cacerts|allowlists)\//.test(name);
    const parts = isWhole ? [`${content}`] : `${content}`.split('\n').filter(Boolean);
    for (const part of parts) assert.ok(files.get(name)?.includes(`\n${part}`), `${name} lacks ${part}`);
  }
}

const sectionsOf = ({ text }: Printed) =>
  text.split(/^(?=backend be_(?:http|edge_http|secure|tcp):)/m).map((section) => section.trimEnd());

export const routerObjects: Target = {
  name: 'router-objects',
  claim:
    'whatever objects tenants have, HAProxy takes the files, and they say nothing but what one router says of routes',
  open,
};
