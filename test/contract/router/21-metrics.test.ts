import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startLiveRouter } from '../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../helpers/router/route-objects.ts';
import { routerTemplate } from '../../helpers/router/router-settings.ts';
import { fileFolder } from '../../helpers/test-folder.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const folder = fileFolder();

test("21: /metrics has openshift-router's names, and shows a refused configuration and its fix", async () => {
  const template = join(folder, 'router.cfg.ejs');
  writeFileSync(template, routerTemplate.text);
  const env = { STATS_USERNAME: 'admin', STATS_PASSWORD: 'secret', TEMPLATE_FILE: template };
  const objects = [plainRoute('web', 'web.test'), slice('web', [0])];
  await using live = await startLiveRouter({ env, objects });
  await live.says('configuration-reloaded');
  const url = `http://${live.host}:1936/metrics`;
  const metrics = (): Promise<string> => live.cluster.namespace.run('curl', '-s', '-u', 'admin:secret', url);
  const shows = (line: RegExp) => waitFor(`${line}`, async () => line.test(await metrics()));

  expect(await live.page('/metrics')).toBe(401);
  for (const line of [
    /^template_router_reload_seconds_count 1$/m,
    /^template_router_write_config_seconds_count 1$/m,
    /^template_router_reload_failure 0$/m,
    /^hawser_router_reloads_total\{reason="start",result="done"\} 1$/m,
    /^hawser_router_routes 1$/m,
    /^hawser_router_ready 1$/m,
    /^haproxy_server_up\{.*route="web".*\} 1$/m,
  ])
    await shows(line);

  writeFileSync(template, `${routerTemplate.text}\nbogus\n`);
  await shows(/^template_router_reload_failure 1$/m);
  await live.answers('web.test', 'a');
  writeFileSync(template, routerTemplate.text);
  live.set([...objects, plainRoute('more', 'more.test')]);
  await shows(/^template_router_reload_failure 0$/m);
  await shows(/^hawser_router_routes 2$/m);
});
