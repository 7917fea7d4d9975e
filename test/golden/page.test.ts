import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { statusProducts } from '../../src/commands/status-products.ts';
import { lanesSection, pageDocument } from '../../src/operate/page/document.ts';
import { lastHour, vipLanes } from '../../src/operate/page/lanes.ts';
import { statusView } from '../../src/operate/status/view/status-view.ts';
import { journalOfAnHour } from '../helpers/page/journal-of-an-hour.ts';
import * as statuses from '../helpers/page/statuses.ts';

const isUpdate = process.env['UPDATE_GOLDENS'] === '1';

test.each([
  ['nothing-answers', statuses.nothingAnswers()],
  ['failed-over', statuses.failedOver()],
] as const)("the page's output: %s", (name, status) => {
  const nowMs = Date.parse(statuses.takenAt);
  const span = lastHour(nowMs);
  const { lines, problems } = journalOfAnHour(nowMs);
  const lanes = lanesSection(vipLanes(status, lines, span, statusProducts), span, problems);
  const html = pageDocument(statusView(status, statusProducts), lanes, statuses.takenAt);
  const path = fileURLToPath(new URL(`page/${name}.html`, import.meta.url));
  if (isUpdate) writeFileSync(path, html);
  expect(html).toBe(readFileSync(path, 'utf8'));
});
