/** The program behind `npm run demo:router`. See `usage`. */
import { runDemo } from '../demo/run-demo.ts';
import { createLens } from './lens.ts';
import { createStage } from './stage.ts';
import { steps } from './steps.ts';
import { renderView } from './view.ts';

const usage = `usage: npm run demo:router -- [--once] [--no-view]

Runs hawser router and HAProxy with Routes of all four kinds, in a network of its own, while Routes are
added, edited, broken and removed, and pods restart. Loops until Ctrl-C, which leaves nothing behind.

  --once     one round, then a summary; exit code 1 if a request was lost
  --no-view  one line per change instead of the live view
`;

const legend = [
  'TOOK  until HAProxy served accordingly, or the Route said why not. OK, CUT,',
  '      LOST: requests, each on a connection of its own, to the four Routes',
  '      that stay, one of each kind, in turn.',
  'CUT   on the pod that crashed, when it crashed. No router can save those.',
  'LOST  every other one that failed.',
];

process.exitCode = await runDemo(process.argv.slice(2), {
  usage,
  legend,
  steps,
  createStage,
  starting: 'an API, pods, hawser and HAProxy',
  lens: createLens(),
  render: renderView,
});
