import type { Scene, ShownServer } from './scene.ts';
import {
  COLUMNS,
  fill,
  footLines,
  generationLines,
  headLines,
  type Paint,
  requestLines,
  row,
  type Style,
} from './view-parts.ts';

const BAR = 20;
const SERVER_ROWS = 4;

/** The live view. It always has the same number of lines, so that nothing jumps, and at most 80 columns. */
export function renderView(scene: Scene, paint: Paint): readonly string[] {
  return [
    ...headLines('hawser demo: the Kubernetes API through HAProxy', scene, paint),
    '',
    paint('dim', serverRow('API SERVER', 'ADDRESS', 'PROCESS', 'HAPROXY SAYS', 'SHARE OF THE LAST 5 S')),
    ...fill(
      SERVER_ROWS,
      scene.servers.map((server) => serverLine(server, paint)),
    ),
    '',
    ...generationLines(scene, paint),
    '',
    ...requestLines(scene, paint),
    redirectLine(scene, paint),
    `PAGE        ${scene.pageUrl}   the same in a browser, with the last hour`,
    '',
    ...footLines(scene, paint),
  ];
}

function serverLine(server: ShownServer, paint: Paint): string {
  const { name, address, running, status, check, share } = server;
  const says = `${status}${check === '' ? '' : ` ${check}`}`;
  const bar = '#'.repeat(Math.round(share * BAR));
  const percent = `${Math.round(share * 100)} %`.padStart(5);
  const line = serverRow(name, address, running ? 'running' : 'stopped', says, `${percent} ${bar}`);
  return paint(styleOf(status), line);
}

function styleOf(status: string): Style {
  if (status.startsWith('UP')) return 'good';
  return status.startsWith('DOWN') ? 'bad' : 'dim';
}

function serverRow(name: string, address: string, running: string, says: string, share: string): string {
  return row([name, 11], [address, 17], [running, 8], [says, 17], [share, COLUMNS]).trimEnd();
}

function redirectLine({ redirect, redirectText }: Scene, paint: Paint): string {
  return `REDIRECT    ${redirectText}   ${redirect ? paint('good', 'present') : paint('bad', 'absent')}`;
}
