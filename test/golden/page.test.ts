import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mainPart } from '../../src/operate/page/html/document.ts';
import { textOf } from '../../src/operate/page/html/html.ts';
import { vipsSection } from '../../src/operate/page/html/vips.ts';
import { pageView } from '../../src/operate/page/view/page-view.ts';
import type { ClusterStatus } from '../../src/operate/status/node-status.ts';
import * as statuses from '../helpers/page/statuses.ts';

const isUpdate = process.env['UPDATE_GOLDENS'] === '1';
const nothing = { entries: [], isCut: false, problems: [] };
const viewOf = (status: ClusterStatus) => pageView(status, nothing, Date.parse(statuses.takenAt));

test.each([
  ['nothing-answers', () => mainPart(viewOf(statuses.nothingAnswers()))],
  ['vips-failed-over', () => textOf(vipsSection(viewOf(statuses.failedOver()).vips))],
] as const)('what the page sends: %s', (name, render) => {
  const path = fileURLToPath(new URL(`page/${name}.html`, import.meta.url));
  const html = `${render()}\n`;
  if (isUpdate) writeFileSync(path, html);
  expect(html).toBe(readFileSync(path, 'utf8'));
});
