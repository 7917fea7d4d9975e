import { type Dashboard, dashboard, withEverything } from '../../../test/helpers/monitoring/shipped.ts';
import type { AskRange, Point, Range } from './prometheus.ts';

export type Panel = Dashboard['panels'][number];

/** One series of a panel, under the name that its legend has for it. */
export interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

export interface AnsweredPanel {
  readonly panel: Panel;
  /** Without those that have no point. */
  readonly lines: readonly Line[];
}

/** Every query of the dashboard, all clusters and nodes chosen. Throws with panel and query where Prometheus refuses one. */
export async function askPanels(ask: AskRange, range: Range): Promise<readonly AnsweredPanel[]> {
  const answered: AnsweredPanel[] = [];
  for (const panel of dashboard.panels) {
    const lines: Line[] = [];
    for (const { expr, legendFormat } of panel.targets ?? []) {
      const series = await ask(withEverything(expr), range).catch((error: unknown) => {
        throw new Error(`Cannot draw the panel "${panel.title}": Prometheus refuses ${expr}`, {
          cause: error,
        });
      });
      for (const { labels, points } of series) lines.push({ name: legend(legendFormat, labels), points });
    }
    answered.push({ panel, lines: lines.filter(({ points }) => points.length > 0) });
  }
  return answered;
}

/** Titles of the panels for which Prometheus has nothing. */
export function withoutData(panels: readonly AnsweredPanel[]): readonly string[] {
  return panels.flatMap(({ panel, lines }) =>
    panel.type !== 'row' && lines.length === 0 ? panel.title : [],
  );
}

function legend(format: string, labels: Readonly<Record<string, string>>): string {
  return format.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, label: string) => labels[label] ?? '');
}
