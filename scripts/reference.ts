/** Writes the generated files: schemas/config.schema.json, docs/configuration.md, docs/router-settings.md and docs/metrics.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drivenTexts } from '../test/helpers/monitoring/driven-pages.ts';
import { metricsPage } from './reference/metrics-page.ts';
import { referencePage, routerPage, schemaText } from './reference/pages.ts';

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
mkdirSync(at('schemas'), { recursive: true });
writeFileSync(at('schemas/config.schema.json'), schemaText());
writeFileSync(at('docs/configuration.md'), referencePage());
writeFileSync(at('docs/router-settings.md'), routerPage());
writeFileSync(at('docs/metrics.md'), metricsPage(await drivenTexts()));
