import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import { testFolder } from '../../../helpers/test-folder.ts';

/** Like the script of openshift-router: HAProxy daemonizes and takes over from its predecessor. */
const script = `#!/bin/sh
pid="$(dirname "$1")/script.pid"
[ -s "$pid" ] || exec haproxy -D -f "$1" -p "$pid"
exec haproxy -D -f "$1" -p "$pid" -sf $(cat "$pid")
`;

test("HAProxy can be started and reloaded by the administrator's script instead of the supervisor", async () => {
  const dir = testFolder();
  const path = join(dir, 'reload-haproxy');
  writeFileSync(path, script);
  chmodSync(path, 0o755);
  await using live = await startLiveRouter({
    objects: [plainRoute('web', 'web.test'), slice('web', [0])],
    env: { RELOAD_SCRIPT: path },
  });
  await live.answers('web.test', 'a');
  live.set([plainRoute('web', 'web.test'), slice('web', [1])]);
  await live.answers('web.test', 'b');
  await live.says('configuration-reloaded', 2);
  expect(live.events('configuration-changed')).toEqual([]);
});
