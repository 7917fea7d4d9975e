import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { toJSONSchema } from 'zod/mini';
import { statusProducts } from '../../src/commands/status-products.ts';
import { doctorReportSchema } from '../../src/operate/doctor/report-lines.ts';
import { clusterStatusSchema } from '../../src/operate/status/node-status.ts';
import { timelineSchema } from '../../src/operate/timeline/report.ts';
import { orderReportSchema } from '../../src/vip/orders/order-report.ts';

test.each([
  ['doctor', 'hawser doctor --json', doctorReportSchema],
  ['status', 'hawser status --json', clusterStatusSchema(statusProducts)],
  ['steering', 'hawser drain --json, undrain --json, move-vip --json', orderReportSchema],
  ['timeline', 'hawser timeline --json', timelineSchema],
])('schemas/%s.schema.json is the schema of the --json output', (name, title, schema) => {
  const published = { $id: `${name}.schema.json`, title, ...toJSONSchema(schema) };
  const path = fileURLToPath(new URL(`../../schemas/${name}.schema.json`, import.meta.url));
  if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(path, `${JSON.stringify(published, null, 2)}\n`);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(published);
});
