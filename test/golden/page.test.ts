import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allJournals } from '../../src/commands/journal-words.ts';
import { statusProducts } from '../../src/commands/status-products.ts';
import { mainPart } from '../../src/operate/page/html/document.ts';
import { textOf } from '../../src/operate/page/html/html.ts';
import { sectionPart } from '../../src/operate/page/html/section.ts';
import { lastHour } from '../../src/operate/page/view/time-span.ts';
import { timelineView } from '../../src/operate/page/view/timeline.ts';
import { statusView } from '../../src/operate/status/view/status-view.ts';
import { vipsSection } from '../../src/vip/status/vips.ts';
import * as statuses from '../helpers/page/statuses.ts';

const isUpdate = process.env['UPDATE_GOLDENS'] === '1';
const nothing = { entries: [], isCut: false, problems: [] };

function nothingAnswers(): string {
  const status = statuses.nothingAnswers();
  const timeline = timelineView(status, nothing, lastHour(Date.parse(statuses.takenAt)), {
    words: allJournals,
    products: statusProducts,
  });
  return mainPart({ ...statusView(status, statusProducts), timeline });
}

test.each([
  ['nothing-answers', nothingAnswers],
  ['vips-failed-over', () => textOf(sectionPart(vipsSection(statuses.failedOver())))],
] as const)('what the page sends: %s', (name, render) => {
  const path = fileURLToPath(new URL(`page/${name}.html`, import.meta.url));
  const html = `${render()}\n`;
  if (isUpdate) writeFileSync(path, html);
  expect(html).toBe(readFileSync(path, 'utf8'));
});
