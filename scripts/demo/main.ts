/** The program behind `npm run demo`. See `usage`. */
import { createLens } from './lens.ts';
import { runDemo } from './run-demo.ts';
import { createStage } from './stage.ts';
import { steps } from './steps.ts';
import { renderView } from './view.ts';

const usage = `usage: npm run demo -- [--once] [--no-view]

Runs hawser in front of three API servers, in a network of its own, while servers are killed,
started, added and removed. Loops until Ctrl-C, which leaves nothing behind.

  --once     one round, then a summary; exit code 1 if a request was lost
  --no-view  one line per change instead of the live view
`;

const legend = [
  'TOOK  until HAProxy served accordingly. OK, CUT, LOST: requests, each on a TLS',
  '      connection of its own to the VIP.',
  'CUT   on the server that was killed, when it was killed, or that left, when it',
  '      left; or while the killed worker was being replaced.',
  'LOST  every other one that failed.',
];

process.exitCode = await runDemo(process.argv.slice(2), {
  usage,
  legend,
  steps,
  createStage,
  starting: 'three API servers, hawser and HAProxy',
  lens: createLens(),
  render: renderView,
});
