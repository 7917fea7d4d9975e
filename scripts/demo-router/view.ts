import type { Frame } from '../demo/scene.ts';
import {
  COLUMNS,
  fill,
  footLines,
  generationLines,
  headLines,
  type Paint,
  requestLines,
  row,
} from '../demo/view-parts.ts';

const ROUTE_ROWS = 7;

/** The content of the router's live view. */
export interface RouterScene extends Frame {
  readonly routes: readonly ShownRoute[];
}

export interface ShownRoute {
  /** `namespace/name`. */
  readonly name: string;
  readonly kind: string;
  /** `yes`, or the reason for the rejection; undefined until the router has written a status. */
  readonly admitted: string | undefined;
  /** Recent answers by pod; undefined if the client does not use this route. */
  readonly pods: ReadonlyMap<string, number> | undefined;
}

/** Always the same number of lines, at most 80 columns wide. */
export function renderView(scene: RouterScene, paint: Paint): readonly string[] {
  return [
    ...headLines("hawser demo: OpenShift's Routes through HAProxy", scene, paint),
    '',
    paint('dim', routeRow('ROUTE', 'KIND', 'ADMITTED', 'ANSWERS OF THE LAST 5 S')),
    ...fill(
      ROUTE_ROWS,
      scene.routes.map((route) => routeLine(route, paint)),
    ),
    '',
    ...generationLines(scene, paint),
    '',
    ...requestLines(scene, paint),
    '',
    ...footLines(scene, paint),
  ];
}

function routeLine({ name, kind, admitted, pods }: ShownRoute, paint: Paint): string {
  const answers = [...(pods ?? [])].sort(([a], [b]) => a.localeCompare(b));
  const shares =
    pods === undefined ? 'not asked' : answers.map(([pod, count]) => `${pod} ${count}`).join('  ');
  const style = admitted === 'yes' ? 'good' : admitted === undefined ? 'dim' : 'bad';
  return paint(style, routeRow(name, kind, admitted ?? 'not yet', shares));
}

function routeRow(name: string, kind: string, admitted: string, answers: string): string {
  return row([name, 17], [kind, 11], [admitted, 24], [answers, COLUMNS]).trimEnd();
}
