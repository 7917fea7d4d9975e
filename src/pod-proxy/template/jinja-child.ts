/** The process of `renderInChild`: reads one job, answers with its outcome, and ends. */
import { text } from 'node:stream/consumers';
import { renderJinja } from './jinja.ts';

process.stdout.write(JSON.stringify(renderJinja(JSON.parse(await text(process.stdin)))));
