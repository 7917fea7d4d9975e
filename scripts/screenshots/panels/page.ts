import type { AnsweredPanel } from './ask-panels.ts';
import { drawLines } from './draw-lines.ts';
import { drawStates, drawStats } from './draw-states.ts';
import { escaped } from './escaped.ts';
import type { Range } from './prometheus.ts';

/** Every panel where the dashboard puts it, and above all what this picture is and is not. */
export function panelsPage(panels: readonly AnsweredPanel[], range: Range): string {
  const cells = panels.map((answered) => {
    const { type, title, gridPos: at } = answered.panel;
    const area = `grid-area:${at.y + 1}/${at.x + 1}/span ${at.h}/span ${at.w}`;
    return type === 'row'
      ? `<h2 style="${area}">${escaped(title)}</h2>`
      : `<section style="${area}"><h3>${escaped(title)}</h3>${content(answered, range)}</section>`;
  });
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><body><header>
    <h1>dashboards/hawser.json</h1><p>Drawn from Prometheus's answers to the dashboard's queries, all clusters and nodes chosen: three
    nodes in network namespaces on which things go wrong. This is no screenshot of Grafana, in which it was never rendered. Times are UTC.</p></header><main>${cells.join('')}</main>`;
}

function content({ panel, lines }: AnsweredPanel, range: Range): string {
  const { type, fieldConfig } = panel;
  if (fieldConfig === undefined) throw new Error(`Cannot draw the panel "${panel.title}": it has no unit`);
  if (lines.length === 0) return '<div class="nothing">No data</div>';
  const { defaults } = fieldConfig;
  switch (type) {
    case 'stat':
      return drawStats(lines, defaults);
    case 'state-timeline':
      return drawStates(lines, defaults, range);
    case 'timeseries': {
      const { unit, max: reach, custom } = defaults;
      return drawLines({ lines, unit, reach, stacked: custom?.stacking !== undefined }, range);
    }
    default:
      throw new Error(`Cannot draw the panel "${panel.title}": ${type} is not known`);
  }
}

const style = `
body { margin: 0; width: 1440px; background: #f4f5f5; color: #24292e; font: 11px/1.3 "DejaVu Sans", sans-serif; }
header { padding: 14px 12px 6px; }
h1 { margin: 0; font-size: 18px; } header p { margin: 4px 0 0; font-size: 13px; max-width: 110ch; }
main { padding: 0 12px 12px; display: grid; grid: auto-flow 24px / repeat(24, 1fr); gap: 5px; }
h2 { margin: 0; font-size: 14px; } h3 { margin: 0 0 7px; font-size: 12px; }
section { background: #fff; border: 1px solid #dcdfe3; border-radius: 2px; padding: 6px 10px; display: flex; flex-direction: column; min-width: 0; }
.nothing { margin: auto; color: #767b82; font-size: 14px; }
.plot { position: relative; flex: 1; min-height: 0; margin: 0 14px 16px 68px; }
.plot svg { position: absolute; width: 100%; height: 100%; }
svg { fill: none; overflow: visible; } path { stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.plot i { position: absolute; } .plot b { position: absolute; font: 10px "DejaVu Sans"; color: #5b6067; white-space: nowrap; }
.value { left: 0; right: 0; border-top: 1px solid #e8eaec; } .value b { right: calc(100% + 6px); top: -7px; }
.time { top: 0; bottom: 0; border-left: 1px solid #eff0f2; } .time b { top: calc(100% + 3px); left: -24px; }
.legend { display: flex; flex-wrap: wrap; gap: 0 12px; font-size: 10px; color: #3f444b; }
.legend i { display: inline-block; width: 12px; height: 3px; margin: 0 4px 3px 0; }
.stats { flex: 1; display: grid; grid-auto-flow: column; grid-template-rows: repeat(auto-fit, minmax(56px, 1fr)); gap: 4px; }
.stats div { color: #fff; padding: 6px 8px; display: flex; flex-direction: column; justify-content: center; font-size: 10px; }
.stats b { font-size: 22px; }
.states { flex: 1; display: flex; flex-direction: column; gap: 2px; }
.state { flex: 1; display: flex; align-items: center; } .state b { width: 138px; font-weight: normal; }
.state p { position: relative; flex: 1; align-self: stretch; margin: 0 14px 0 0; background: #f4f5f5; }
.state i { position: absolute; top: 0; bottom: 0; overflow: hidden; padding: 2px 0 0; text-indent: 4px; font: 10px "DejaVu Sans"; color: #fff; white-space: nowrap; }
.state i[style*=transparent] { color: #767b82; }
.states .plot { flex: none; height: 1px; margin-left: 138px; }
`;
