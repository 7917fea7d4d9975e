import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { markConfiguration, readAccepted } from '../../../src/keepalived/parse-configuration.ts';
import { testFolder } from '../../helpers/test-folder.ts';

let dir: string;
beforeEach(() => {
  dir = testFolder();
});
test.each(['vrrp_instance A {\n}\n', 'vrrp_instance A {\n}', markConfiguration('vrrp_instance A {\n}\n', 3)])(
  'a marked copy contains its number and the hash of the copied text',
  (text) => {
    const path = join(dir, 'accepted');
    writeFileSync(path, markConfiguration(text, 7));
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(readAccepted(path)).toMatchObject({ number: 7, sha256, instances: [{ name: 'A' }] });
  },
);

test.each([undefined, '', 'vrrp_instance A {\n}\n'])(
  'a file without the mark is not an accepted copy',
  (text) => {
    const path = join(dir, 'accepted');
    if (text !== undefined) writeFileSync(path, text);
    expect(readAccepted(path)).toBeUndefined();
  },
);
