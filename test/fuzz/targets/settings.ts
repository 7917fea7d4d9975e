import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { parseSettingsFile } from '../../../src/cli/parse-settings-file.ts';
import { daemonKeys } from '../../../src/commands/pods.ts';
import { jsonNear, textNear } from '../hostile.ts';
import { attackWith, type Target, withoutWorld } from '../target.ts';

const settings = {
  apiVips: ['10.0.0.5', 'fd00::5'],
  clusterName: 'managed',
  nodeName: 'cp-1',
  haproxy: { forceDeleteTimeout: '10m', startTimeout: '10s', settle: '2s' },
  keepalived: { monitorTimeout: '3s', interface: 'eth0' },
};
const written = fc.oneof(
  textNear([stringify(settings), '&a [*a]', 'a: !!js/function x', '? {a: 1}\n: b', '<<: {apiVips: [1]}']),
  jsonNear([settings]).map((value) => stringify(value)),
  jsonNear([settings]).map((value) => JSON.stringify(value) ?? ''),
);
/** Only a few, because one of them takes as long as a hundred others. */
const deep = fc.oneof(
  fc.nat(3_000).map((depth) => '['.repeat(depth)),
  fc.nat(3_000).map((depth) => `a: ${'{a: '.repeat(depth)}`),
);
const texts = fc.oneof({ weight: 200, arbitrary: written }, { weight: 1, arbitrary: deep });
const names = new Set(daemonKeys.map(({ key }) => key));

export const settingsFile: Target = {
  name: 'settings',
  claim: 'a settings file gives values of known keys, or every problem with its line',
  open: withoutWorld(
    attackWith(texts, (text) => {
      const parsed = parseSettingsFile(text, 'config.yaml', daemonKeys);
      if (parsed.kind === 'problems') {
        assert.notEqual(parsed.problems.length, 0);
        for (const problem of parsed.problems) assert.match(problem, /^config\.yaml:[1-9]\d*: Cannot /);
        return;
      }
      const { top, haproxy, keepalived } = parsed.values;
      const used = [top, haproxy, keepalived].flatMap((section) => Object.keys(section ?? {}));
      assert.deepEqual(
        used.filter((key) => !names.has(key)),
        [],
      );
    }),
  ),
};
